"""Plan validation of our own: runs a plan on the lifted actions, without grounding the task.

Covers typed PDDL with negated, disjunctive and quantified conditions and conditional effects. A failed plan is
explained by its step, the ground action and the unmet literal, as the advice of VAL does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from nl2pddl.actions import (
    And,
    Atom,
    Formula,
    Imply,
    LiftedAction,
    Not,
    Numeric,
    Or,
    Quantified,
    When,
    conjuncts,
    rename,
    to_pddl,
)
from nl2pddl.errors import InputError
from nl2pddl.sexpr import lexemes
from nl2pddl.task import PlanningDomain, PlanningProblem

VALIDATOR_VERSION = "nl2pddl 1"

_STEP = re.compile(r"\s*(?:(\d+(?:\.\d+)?)\s*:\s*)?\(([^()]*)\)\s*(?:\[[\d.]+\])?")

GroundAtom = tuple[str, ...]
State = frozenset[GroundAtom]
Binding = Mapping[str, str]


@dataclass(frozen=True)
class PlanCheck:
    """Whether a plan is one for the task, and if not, why: ``step`` from 1 (len + 1: the goal), the unmet literal."""

    valid: bool
    step: int = 0
    action: str | None = None
    literal: str | None = None
    reason: str = ""


class PlanValidator:
    """Checks plans of one domain on one problem."""

    def __init__(self, domain: PlanningDomain, problem: PlanningProblem) -> None:
        self.domain = domain
        self.objects = {**domain.constants, **problem.objects}
        self.init: State = frozenset((atom.predicate, *atom.arguments) for atom in problem.init)
        self.goal = problem.goal

    def check(self, plan: Sequence[str]) -> PlanCheck:
        """Run ``plan``, steps such as "(stack a b)", from the initial state and test the goal."""
        state = self.init
        for number, step in enumerate(plan, start=1):
            literal, fault, state = self._taken(step, state)
            if fault:
                return PlanCheck(False, number, step, literal, f"step {number}, {step}: {fault}")
        unmet = self.unmet_goal(state)
        if unmet is not None:
            reason = f"the goal {unmet} does not hold after the last step"
            return PlanCheck(False, len(plan) + 1, None, unmet, reason)
        return PlanCheck(True)

    def step(self, step: str, state: State) -> tuple[str, State]:
        """Why a step cannot be taken in a state ("" where it can), and the state after it."""
        _, fault, after = self._taken(step, state)
        return fault, after

    def unmet_goal(self, state: State) -> str | None:
        """The first part of the goal that does not hold in a state, or None."""
        return self._unmet(self.goal, {}, state)

    def _taken(self, step: str, state: State) -> tuple[str | None, str, State]:
        """The unmet literal where that is the reason, the reason ("" for none), and the state after the step."""
        words = _words(step)
        if fault := self._fault(words):
            return None, fault, state
        action = self.domain.actions[words[0]]
        binding = dict(zip((p.name for p in action.parameters), words[1:], strict=True))
        unmet = self._unmet(action.precondition, binding, state)
        if unmet is not None:
            return unmet, f"{unmet} does not hold", state
        return None, "", self._apply(action, binding, state)

    def names_objects(self, plan: Sequence[str]) -> bool:
        """Whether every step of a known action has as many arguments as it takes, and every argument is an object."""
        for step in plan:
            name, *arguments = _words(step) or [""]
            action = self.domain.actions.get(name)
            if action is not None and len(arguments) != len(action.parameters):
                return False
            if not self.objects.keys() >= set(arguments):
                return False
        return True

    def _fault(self, words: Sequence[str]) -> str | None:
        """Why a step is no ground action of the domain, or None."""
        if not words:
            return "an empty step"
        action = self.domain.actions.get(words[0])
        if action is None:
            return f"'{words[0]}' is no action of the domain"
        if len(words) - 1 != len(action.parameters):
            return f"'{words[0]}' takes {len(action.parameters)} arguments, found {len(words) - 1}"
        for name, parameter in zip(words[1:], action.parameters, strict=True):
            if name not in self.objects:
                return f"'{name}' is no object of the problem"
            # A ground argument has one type; it fits an ``either`` parameter when it fits one of the members.
            if not self.domain.fits((self.objects[name],), parameter.types):
                return f"'{name}' is of type {self.objects[name]}, {parameter.name} takes {parameter.type_text}"
        return None

    def _unmet(self, condition: Formula, binding: Binding, state: State) -> str | None:
        """The first conjunct of ``condition`` that does not hold, ground, or None."""
        for part in conjuncts(condition):
            if not self._holds(part, binding, state):
                return to_pddl(rename(part, binding))
        return None

    def _holds(self, formula: Formula, binding: Binding, state: State) -> bool:
        match formula:
            case Atom(predicate) as atom:
                ground = _ground(atom, binding)
                return ground[1] == ground[2] if predicate == "=" else ground in state
            case Not(operand):
                return not self._holds(operand, binding, state)
            case And(operands):
                return all(self._holds(operand, binding, state) for operand in operands)
            case Or(operands):
                return any(self._holds(operand, binding, state) for operand in operands)
            case Imply(left, right):
                return not self._holds(left, binding, state) or self._holds(right, binding, state)
            case Quantified("forall", _, body):
                return all(self._holds(body, inner, state) for inner in self._instances(formula, binding))
            case Quantified(_, _, body):
                return any(self._holds(body, inner, state) for inner in self._instances(formula, binding))
            case When() | Numeric():
                raise InputError(f"{to_pddl(formula)} is no condition that can be checked")

    def _apply(self, action: LiftedAction, binding: Binding, state: State) -> State:
        """The successor state: deletes first, then adds, all conditions read in the old state."""
        added: set[GroundAtom] = set()
        deleted: set[GroundAtom] = set()
        for atom, positive in self._effects(action.effect, binding, state):
            (added if positive else deleted).add(atom)
        return (state - deleted) | added

    def _effects(self, effect: Formula, binding: Binding, state: State) -> Iterator[tuple[GroundAtom, bool]]:
        match effect:
            case Atom():
                yield _ground(effect, binding), True
            case Not(operand):
                yield _ground(operand, binding), False
            case And(operands):
                for part in operands:
                    yield from self._effects(part, binding, state)
            case When(condition, consequence):
                if self._holds(condition, binding, state):
                    yield from self._effects(consequence, binding, state)
            case Quantified(_, _, body):
                for inner in self._instances(effect, binding):
                    yield from self._effects(body, inner, state)
            case Or() | Imply() | Numeric():
                raise InputError(f"{to_pddl(effect)} is no effect that can be applied")

    def _instances(self, formula: Quantified, binding: Binding) -> Iterator[Binding]:
        domains = [
            [name for name, type_name in self.objects.items() if self.domain.fits((type_name,), variable.types)]
            for variable in formula.variables
        ]
        names = [variable.name for variable in formula.variables]
        for values in product(*domains):
            yield {**binding, **dict(zip(names, values, strict=True))}


def action_names(plan: Sequence[str]) -> set[str]:
    """The names of the actions that the plan's steps name."""
    return {name for step in plan for name in _words(step)[:1]}


def _words(step: str) -> list[str]:
    return [lexeme.lower() for lexeme, _ in lexemes(step) if lexeme not in "()"]


def _ground(atom: Atom, binding: Binding) -> GroundAtom:
    return (atom.predicate, *(binding.get(argument, argument) for argument in atom.arguments))


def read_plan(text: str) -> tuple[str, ...]:
    """The steps of a plan file: parenthesised ground actions, each with an optional time "0:" and duration "[1]".

    Where every step has a time, the times give the order, as for VAL. Raises InputError for text that is no plan.
    """
    text = re.sub(r";[^\n]*", "", text)
    steps: list[str] = []
    times: list[float] = []
    end = 0
    while match := _STEP.match(text, end):
        end = match.end()
        steps.append(f"({' '.join(match[2].lower().split())})")
        times += [float(match[1])] if match[1] else []
    rest = text[end:].lstrip()
    if rest:
        line = text.count("\n", 0, len(text) - len(rest)) + 1
        raise InputError(f"line {line}: expected a step such as (stack a b), found '{rest.splitlines()[0][:60]}'")
    if len(times) == len(steps):
        steps = [steps[number] for number in sorted(range(len(steps)), key=times.__getitem__)]
    return tuple(steps)
