"""Runs a plan in two domains at once: what each step changes, and where it cannot go on. Draws nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nl2pddl.actions import LiftedAction
from nl2pddl.domains import Domain
from nl2pddl.planning.validation import GroundAtom, PlanTrace, PlanValidator
from nl2pddl.task import PlanningProblem

MOST_STEPS = 300
ADDED, REMOVED = "+", "−"


@dataclass(frozen=True)
class SideOfStep:
    """What one step does in one domain: the facts it adds and removes, or why it cannot be taken.

    ``words`` says what there is to say without either.
    """

    changes: tuple[tuple[str, str], ...] = ()
    fault: str = ""
    words: str = "no change"


@dataclass(frozen=True)
class Step:
    """One step of a plan in both domains; a side is None where the plan did not get so far. Number 0: the goal."""

    number: int
    text: str
    first: SideOfStep | None
    second: SideOfStep | None


@dataclass(frozen=True)
class Run:
    """A plan in both domains: its steps, and each side's states on the way as sorted facts, from the initial one."""

    steps: tuple[Step, ...]
    states: tuple[tuple[tuple[str, ...], ...], ...]


def run_in_both(domain: Domain, generated: LiftedAction, problem: str, plan: Sequence[str]) -> Run:
    """``plan`` in the original domain (first) and in that with the generated action (second), on one of its problems.

    At most ``MOST_STEPS`` steps are given. Raises InputError where a formula cannot be evaluated, KeyError for an
    unknown problem.
    """
    task: PlanningProblem = dict(domain.problems)[problem]
    original = domain.planning
    new = replace(original, actions={**original.actions, generated.name: generated})
    traces = tuple(PlanValidator(side, task).trace(plan) for side in (original, new))
    steps = [
        Step(number, text, *(_side(trace, number) for trace in traces))
        for number, text in enumerate(plan[:MOST_STEPS], start=1)
    ]
    if len(plan) <= MOST_STEPS:
        steps.append(Step(0, "goal", *(_goal(trace, len(plan)) for trace in traces)))
    states = tuple(tuple(tuple(sorted(map(_text, state))) for state in trace.states) for trace in traces)
    return Run(tuple(steps), states)


def _side(trace: PlanTrace, number: int) -> SideOfStep | None:
    if number < len(trace.states):
        before, after = trace.states[number - 1], trace.states[number]
        added = [(ADDED, text) for text in sorted(map(_text, after - before))]
        return SideOfStep((*added, *((REMOVED, text) for text in sorted(map(_text, before - after)))))
    return SideOfStep(fault=_fault(trace)) if number == trace.check.step else None


def _goal(trace: PlanTrace, length: int) -> SideOfStep | None:
    if len(trace.states) <= length:
        return None
    return SideOfStep(words="holds") if trace.check.valid else SideOfStep(fault=_fault(trace))


def _fault(trace: PlanTrace) -> str:
    check = trace.check
    if check.literal is not None:
        return f"{check.literal} does not hold"
    return check.reason.removeprefix(f"step {check.step}, {check.action}: ")


def _text(atom: GroundAtom) -> str:
    return f"({' '.join(atom)})"
