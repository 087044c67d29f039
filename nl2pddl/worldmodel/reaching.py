"""Finds the actions that can be done in none of some tasks, and the goals that can never hold, with the reason.

By relaxed reachability: what becomes true once is taken to stay possible, and so is what becomes false once. What is
unreachable so is unreachable; what is reachable so may still never come about.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from nl2pddl.actions import (
    And,
    Atom,
    Formula,
    Imply,
    LiftedAction,
    Not,
    Or,
    Parameter,
    Quantified,
    conjuncts,
    to_pddl,
    variables,
)
from nl2pddl.domains import problem_misfits
from nl2pddl.errors import InputError
from nl2pddl.exact import ExactLimits
from nl2pddl.exact.grounding import GroundEffect, GroundTask, ground
from nl2pddl.exact.joining import Fact, fact_of
from nl2pddl.exact.limits import Budget, Undecided
from nl2pddl.exact.universe import Universe
from nl2pddl.task import PlanningDomain, PlanningProblem
from nl2pddl.worldmodel.brief import Example, Task
from nl2pddl.worldmodel.building import Construction
from nl2pddl.worldmodel.carrying import Carrier
from nl2pddl.worldmodel.impossible import never_possible
from nl2pddl.worldmodel.quality import carrier_of
from nl2pddl.worldmodel.tasks import plannable

LIMITS = ExactLimits(seconds=60.0)  # for all tasks together
_TOGETHER = "its preconditions can each hold, but not together"
_MOST_REASONS = 3


@dataclass(frozen=True)
class Reached:
    """What can never come about on some tasks, each named.

    ``never`` has the actions that can be done in none of them, with the reason; ``goals`` the parts of a task's goal
    that can never hold, by task. ``undecided`` are the tasks that reached a limit, with its name; where there are any,
    ``unknown`` are the actions that no other task can do. ``left_out`` are those that do not fit the domain.
    ``supposed`` are predicates that the tasks do not know, and that are taken to be false at first.
    """

    decided: tuple[str, ...] = ()
    never: Mapping[str, str] = field(default_factory=dict)
    goals: Mapping[str, tuple[Formula, ...]] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    undecided: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    supposed: tuple[str, ...] = ()

    def sentences(self) -> Iterator[str]:
        """Each finding as one sentence; none where there is nothing to look at."""
        none = "no task that fits" if self.left_out else "no task"
        for name, reason in self.never.items():
            yield f"{none} can ever do '{name}': {reason}"
        for task, parts in self.goals.items():
            yield f"the goal of {task} can never be reached: {_listed([_unmet(part) for part in parts])}"
        if self.supposed and (self.never or self.goals):
            yield f"in the tasks nothing is known of {_listed(self.supposed)}, so it is taken to be false at first"
        total = len(self.decided) + len(self.undecided) + len(self.left_out)
        if self.undecided:
            names = f", so it is unknown whether any can do {_listed(self.unknown)}" if self.unknown else ""
            reason = next(iter(self.undecided.values()))
            yield f"what can happen is undecided for {len(self.undecided)} of {total} tasks ({reason}){names}"
        if self.left_out:
            yield (
                f"{len(self.left_out)} of {total} tasks were left out: they do not fit the domain's types or predicates"
            )


def reached_in(construction: Construction, example: Example, limits: ExactLimits = LIMITS) -> Reached:
    """What can never come about with a construction's domain on an example's tasks, said in its predicates.

    Raises InputError where its domain cannot be planned with.
    """
    return reached(plannable(construction.domain_text()), example.tasks, carrier_of(construction, example), limits)


def reached(
    domain: PlanningDomain, tasks: Sequence[Task], carrier: Carrier | None = None, limits: ExactLimits = LIMITS
) -> Reached:
    """What can never come about with the domain on the tasks; ``limits.seconds`` are for all of them together.

    ``carrier`` says the tasks in the domain's predicates; None where they are said in them already.
    """
    problems = {task.name: _said(task, domain, carrier) for task in tasks}
    fitting = {name: problem for name, problem in problems.items() if problem is not None}
    until = time.monotonic() + limits.seconds
    barred = never_possible(domain)
    domain = replace(domain, actions={name: one for name, one in domain.actions.items() if name not in barred})
    reasons: dict[str, list[tuple[str, ...]]] = {name: [] for name in domain.actions}
    goals: dict[str, tuple[Formula, ...]] = {}
    undecided: dict[str, str] = {}
    for number, (task, problem) in enumerate(fitting.items()):
        # Each gets its share of what is left: one that is too large takes nothing from the others.
        share = round(max(0.0, until - time.monotonic()) / (len(fitting) - number), 1)
        try:
            relaxed = _Relaxed(Universe(domain, problem), Budget(ExactLimits(seconds=share)))
            missing = {name: relaxed.lacking(domain.actions[name]) for name in reasons.keys() - relaxed.done}
            unmet = tuple(part for part in conjuncts(problem.goal) if not relaxed.may_hold(part, {}))
        except Undecided as limit:
            undecided[task] = str(limit)
            continue
        reasons = {name: [*found, missing[name]] for name, found in reasons.items() if name in missing}
        if unmet:
            goals[task] = unmet
    decided = tuple(task for task in fitting if task not in undecided)
    is_certain = decided and not undecided
    return Reached(
        decided=decided,
        never={**barred, **({name: _reason(found) for name, found in reasons.items()} if is_certain else {})},
        goals=goals,
        unknown=tuple(reasons) if undecided else (),
        undecided=undecided,
        left_out=tuple(task for task in problems if task not in fitting),
        supposed=tuple(carrier.unmatched) if carrier else (),
    )


def _said(task: Task, domain: PlanningDomain, carrier: Carrier | None) -> PlanningProblem | None:
    """The task in the domain's words; None where it cannot be said with them."""
    try:
        problem = carrier.problem(task.problem) if carrier else task.problem
    except InputError:
        return None
    return None if any(problem_misfits(problem, domain)) else problem


def _reason(found: Sequence[tuple[str, ...]]) -> str:
    """What is lacking in all tasks; where nothing is, what is in one or another."""
    shared = [lack for lack in found[0] if all(lack in others for others in found)]
    if shared:
        return _listed(shared)
    lacks = list(dict.fromkeys(lack for task in found for lack in task or (_TOGETHER,)))
    return _listed(lacks) if len(lacks) == 1 else f"in each task one of these: {'; '.join(lacks[:_MOST_REASONS])}"


def _listed(parts: Sequence[str]) -> str:
    more = len(parts) - _MOST_REASONS
    return ", ".join(parts[:_MOST_REASONS]) + (f" and {more} more" if more > 0 else "")


def _unmet(part: Formula) -> str:
    match part:
        case Atom("=", (one, other)):
            return f"{one} and {other} are never the same"
        case Not(Atom("=", (one, other))):
            return f"{one} and {other} are always the same"
        case Atom():
            return f"{to_pddl(part)} is never true"
        case Not(operand):
            return f"{to_pddl(operand)} is never false"
        case _:
            return f"{to_pddl(part)} never holds"


# The name of an action, the condition, and the effect that it has then, or None for the action itself.
_Change = tuple[str, Formula, GroundEffect | None]


class _Relaxed:
    """What may become true or false on one task, and the actions that may be ``done``. Raises Undecided."""

    def __init__(self, own: Universe, budget: Budget) -> None:
        if own.unsupported is not None:
            raise Undecided(f"{own.unsupported} is no matter of atoms")
        self._own = own
        self._budget = budget
        self._true: set[Fact] = set(own.init)
        self._deleted: set[Fact] = set()
        self.done: set[str] = set()
        self._spread(ground(own, own, budget))

    def _spread(self, task: GroundTask) -> None:
        """Do whatever can be done until nothing changes. ``ground`` has ignored what must be false; this does not."""
        waiting: list[_Change] = []
        for (name, *_), action in task.actions.items():
            waiting.append((name, action.precondition, None))
            for effect in action.effects:
                waiting.append((name, And((action.precondition, effect.condition)), effect))
        before = -1
        while before != len(waiting):
            before = len(waiting)
            waiting = [change for change in waiting if not self._happens(change)]

    def _happens(self, change: _Change) -> bool:
        name, condition, effect = change
        self._budget.tick()
        if not self.may_hold(condition, {}):
            return False
        self.done.add(name)
        if effect is not None:
            (self._true if effect.positive else self._deleted).add(effect.fact)
        return True

    def may_hold(self, formula: Formula, binding: Mapping[str, str], positive: bool = True) -> bool:
        """Whether each literal of the formula, or of its negation, may hold at some time, as the formula needs it."""
        match formula:
            case Atom("=", (left, right)):
                return (binding.get(left, left) == binding.get(right, right)) == positive
            case Atom():
                fact = fact_of(formula, binding)
                return fact in self._true if positive else fact not in self._own.init or fact in self._deleted
            case Not(operand):
                return self.may_hold(operand, binding, not positive)
            case And(operands) | Or(operands):
                combine = all if isinstance(formula, And) == positive else any
                return combine(self.may_hold(operand, binding, positive) for operand in operands)
            case Imply(left, right):
                combine = any if positive else all
                return combine(
                    self.may_hold(side, binding, wanted) for side, wanted in ((left, not positive), (right, positive))
                )
            case Quantified(quantifier, bound, body):
                combine = all if (quantifier == "forall") == positive else any
                return combine(self.may_hold(body, inner, positive) for inner in self._bindings(bound, binding))
            case _:
                raise AssertionError(f"{to_pddl(formula)} should have been refused before")

    def _bindings(self, places: Sequence[Parameter], binding: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
        names = [place.name for place in places]
        for values in product(*(self._own.members(place.types) for place in places)):
            self._budget.tick()
            yield {**binding, **dict(zip(names, values, strict=True))}

    def lacking(self, action: LiftedAction) -> tuple[str, ...]:
        """What keeps an action that is not done from being done; nothing where each of its literals may hold."""
        missing = [place for place in action.parameters if not self._own.members(place.types)]
        if missing:
            return tuple(f"there is nothing of type {place.type_text} for {place.name}" for place in missing)
        return tuple(_unmet(part) for part in conjuncts(action.precondition) if not self._may_hold_for(action, part))

    def _may_hold_for(self, action: LiftedAction, part: Formula) -> bool:
        named = variables(part)
        places = [place for place in action.parameters if place.name in named]
        return any(self.may_hold(part, binding) for binding in self._bindings(places, {}))
