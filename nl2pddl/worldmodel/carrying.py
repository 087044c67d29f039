"""Carries tasks and plans between an acquired domain and a hand-made one, whose predicates and parameters differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from nl2pddl.actions import Atom, Formula, LiftedAction, Not, conjuncts, to_pddl
from nl2pddl.errors import InputError
from nl2pddl.pddl_io import parse_problem
from nl2pddl.task import PlanningDomain, PlanningProblem
from nl2pddl.worldmodel.draft import PredicateDraft, Predicates
from nl2pddl.worldmodel.matching import Match, Matches, best_names

MOST_ATOMS = 50_000  # of an initial state: a contrary of many arguments holds of very many objects


@dataclass(frozen=True)
class Carrier:
    """What stands for what: acquired predicates (``predicates``) by ``mapping``, acquired actions by their names."""

    truth: PlanningDomain
    predicates: Predicates
    actions: Mapping[str, LiftedAction]
    mapping: Matches

    def problem(self, problem: PlanningProblem) -> PlanningProblem:
        """A problem of the hand-made domain, said with the acquired predicates.

        What has no counterpart is false at first. Raises InputError where the goal cannot be said.
        """
        goals = [self._literal(part) for part in conjuncts(problem.goal)]
        init = list(self._init(problem))
        objects = "\n".join(f"    {name} - {kind}" for name, kind in problem.objects.items())
        atoms = "\n".join(f"    {atom}" for atom in init)
        return parse_problem(
            f"(define (problem {problem.name})\n  (:domain {problem.domain_name})\n  (:objects\n{objects})\n"
            f"  (:init\n{atoms})\n  (:goal (and {' '.join(goals)})))\n",
            problem.name,
        )

    @property
    def unmatched(self) -> list[str]:
        """The acquired predicates that stand for none of the hand-made ones, so that nothing is known of them."""
        return [name for name in self.predicates if name not in self.mapping]

    def plan(self, plan: Sequence[str]) -> tuple[str, ...]:
        """A plan of the acquired domain, with the arguments that the hand-made actions take.

        Raises InputError where the acquired action has no argument for one of them.
        """
        return tuple(self._step(step) for step in plan)

    def _step(self, step: str) -> str:
        name, *arguments = step.strip("()").split()
        action, model = self.actions.get(name), self.truth.actions.get(name)
        if action is None or model is None or len(arguments) != len(action.parameters):
            return step  # which the validator then says of it
        names = best_names(action, model, self.mapping, self.truth)
        given = {
            names[parameter.name]: argument
            for parameter, argument in zip(action.parameters, arguments, strict=True)
            if parameter.name in names
        }
        lost = [parameter.name for parameter in model.parameters if parameter.name not in given]
        if lost:
            raise InputError(f"'{name}' was built without the parameter {', '.join(lost)} of the hand-made action")
        return f"({' '.join((name, *(given[parameter.name] for parameter in model.parameters)))})"

    def _literal(self, part: Formula) -> str:
        atom = part.operand if isinstance(part, Not) else part
        assert isinstance(atom, Atom)  # goals are conjunctions of literals
        if atom.predicate == "=":
            return to_pddl(part)
        found = [(name, match) for name, match in self.mapping.items() if match.predicate == atom.predicate]
        if not found:
            raise InputError(f"the goal {to_pddl(part)} cannot be said: no predicate stands for '{atom.predicate}'")
        name, match = min(found, key=lambda one: one[1].negated)
        text = _called(name, match, atom.arguments)
        return f"(not {text})" if isinstance(part, Not) != match.negated else text

    def _init(self, problem: PlanningProblem) -> Iterator[str]:
        holding: dict[str, set[tuple[str, ...]]] = {}
        for atom in problem.init:
            holding.setdefault(atom.predicate, set()).add(atom.arguments)
        for name, match in self.mapping.items():
            holds = holding.get(match.predicate, set())
            if not match.negated:
                yield from sorted(_called(name, match, arguments) for arguments in holds)
                continue
            fitting = self._fitting(self.predicates[name], match, problem)
            yield from sorted(_called(name, match, arguments) for arguments in fitting if arguments not in holds)

    def _fitting(self, one: PredicateDraft, match: Match, problem: PlanningProblem) -> list[tuple[str, ...]]:
        """All arguments that the hand-made predicate, and ours in its own order, can have on a problem."""
        objects = {**self.truth.constants, **problem.objects}
        wanted = self.truth.predicates[match.predicate].parameters
        choices = [
            [
                name
                for name, kind in objects.items()
                if self.truth.fits((kind,), parameter.types) and self.truth.fits((kind,), one.parameters[place].types)
            ]
            for parameter, place in zip(wanted, match.order, strict=True)
        ]
        count = 1
        for names in choices:
            count *= len(names)
        if count > MOST_ATOMS:
            raise InputError(f"'{one.name}' would hold of {count:,} combinations of objects at first")
        return list(product(*choices))


def _called(name: str, match: Match, arguments: Sequence[str]) -> str:
    """An atom of the hand-made predicate as one of ours."""
    own = [""] * len(arguments)
    for place, argument in zip(match.order, arguments, strict=True):
        own[place] = argument
    return f"({' '.join((name, *own))})"
