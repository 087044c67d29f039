"""A plan run step by step: what each step makes true and false, and where it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nl2pddl.planning.validation import PlanValidator, State
from nl2pddl.task import PlanningDomain, PlanningProblem

MOST_STEPS = 500


@dataclass(frozen=True)
class Step:
    """A step of a plan. ``fault`` says why it cannot be taken ("" where it can), in which case nothing changes.

    ``added`` and ``deleted`` are the ground atoms that become true and false, ``state`` those that hold after it. The
    last step is the goal, whose ``action`` is empty.
    """

    number: int
    action: str
    fault: str
    added: tuple[str, ...]
    deleted: tuple[str, ...]
    state: tuple[str, ...]


def run_plan(domain: PlanningDomain, problem: PlanningProblem, plan: Sequence[str]) -> list[Step]:
    """The steps up to the first that cannot be taken, or all (at most ``MOST_STEPS``) and then the goal.

    Raises InputError for a domain with conditions or effects that cannot be run (numbers).
    """
    validator = PlanValidator(domain, problem)
    state, steps = validator.init, []
    for number, action in enumerate(plan[:MOST_STEPS], start=1):
        fault, after = validator.step(action, state)
        steps.append(Step(number, action, fault, _named(after - state), _named(state - after), _named(after)))
        if fault:
            return steps
        state = after
    if len(plan) <= MOST_STEPS:
        unmet = validator.unmet_goal(state)
        fault = "" if unmet is None else f"the goal {unmet} does not hold"
        steps.append(Step(len(plan) + 1, "", fault, (), (), _named(state)))
    return steps


def _named(atoms: State) -> tuple[str, ...]:
    return tuple(sorted(f"({' '.join(atom)})" for atom in atoms))
