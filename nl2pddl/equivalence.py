"""The plan cross-check: are the top-k plans of one domain plans of the other, both ways?

Heuristic domain equivalence of Oswald et al. 2024 ("Plan Applicability for Heuristic Domain Equivalence"), in the order
of protocol ``strict``: all problems are planned first, and no fault of time, memory or machine becomes a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nl2pddl.actions import action_pddl
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.planning.kstar import Outcome, PlannerAnswer
from nl2pddl.records import CrossCheck, ExactDecision, PlanFailure, ResultClass, Subclass, ValidatorChoice
from nl2pddl.task import PlanningDomain, PlanningProblem

NEW_ON_ORIGINAL = "new on original"
ORIGINAL_ON_NEW = "original on new"


@dataclass(frozen=True)
class PlannedProblem:
    """A problem with the planner's answers in the original and in the new domain."""

    name: str
    problem: PlanningProblem
    original: PlannerAnswer
    new: PlannerAnswer


@dataclass(frozen=True)
class CrossCheckResult:
    """The class the cross-check gives, why, and the counts behind it; with the exact decision where it was asked for.

    ``working_plans`` is the published code's count (see ``records.Verdict``).
    """

    result_class: ResultClass
    subclass: Subclass | None
    reason: str
    checks: tuple[CrossCheck, ...]
    failure: PlanFailure | None = None
    exact: tuple[ExactDecision, ...] = ()
    working_plans: int | None = None


def cross_check(
    original: PlanningDomain,
    new: PlanningDomain,
    planned: Sequence[PlannedProblem],
    actions: Sequence[str],
    checker: PlanChecker | None = None,
) -> CrossCheckResult:
    """Compare the plan sets of ``original`` and ``new``, which differ in ``actions`` only, on every planned problem.

    ``checker`` says which plans are plans of the other domain; without one our own validator does. Raises
    ValidatorsDifferError where it asks two that differ.
    """
    unplanned = _without_plans(planned, actions)
    if unplanned is not None:
        return unplanned
    checker = checker or PlanChecker(ValidatorChoice.OURS)
    typed = bool(original.types)
    new_text = original.with_actions({name: action_pddl(new.actions[name], types=typed) for name in actions})
    checks: list[CrossCheck] = []
    failures: dict[str, list[PlanFailure]] = {NEW_ON_ORIGINAL: [], ORIGINAL_ON_NEW: []}
    for item in planned:
        new_failures = _failures(checker, original, original.text, item, NEW_ON_ORIGINAL)
        original_failures = _failures(checker, new, new_text, item, ORIGINAL_ON_NEW)
        failures[NEW_ON_ORIGINAL] += new_failures
        failures[ORIGINAL_ON_NEW] += original_failures
        checks.append(
            CrossCheck(
                problem=item.name,
                original_plans=len(item.original.plans),
                new_plans=len(item.new.plans),
                new_valid_on_original=len(item.new.plans) - len(new_failures),
                original_valid_on_new=len(item.original.plans) - len(original_failures),
                exercised=exercises((*item.original.plans, *item.new.plans), actions),
                planner=item.new.outcome,
                detail=f"{item.new.heuristic}",
            )
        )
    for direction, subclass in ((NEW_ON_ORIGINAL, Subclass.NP_APP), (ORIGINAL_ON_NEW, Subclass.OP_APP)):
        if failures[direction]:
            first = failures[direction][0]
            reason = _refuted(first, len(failures[direction]), direction)
            return CrossCheckResult(ResultClass.DIFFERENT, subclass, reason, tuple(checks), first)
    total = sum(len(item.original.plans) + len(item.new.plans) for item in planned)
    reason = f"all {total} plans on {len(planned)} problems cross over, both ways"
    return CrossCheckResult(ResultClass.EQUIVALENT, None, reason, tuple(checks))


def exercises(plans: Sequence[Sequence[str]], actions: Sequence[str]) -> bool:
    """Whether any of the plans has a step of one of ``actions``."""
    return any(name in actions for plan in plans for step in plan for name in step.strip("()").split()[:1])


def _without_plans(planned: Sequence[PlannedProblem], actions: Sequence[str]) -> CrossCheckResult | None:
    """NoPlan where some problem is unsolvable, undecided where a plan set is not complete, else None."""
    checks = tuple(
        CrossCheck(
            problem=item.name,
            original_plans=len(item.original.plans) if item.original.outcome is Outcome.SOLVED else None,
            new_plans=len(item.new.plans) if item.new.outcome in (Outcome.SOLVED, Outcome.UNSOLVABLE) else None,
            new_valid_on_original=None,
            original_valid_on_new=None,
            exercised=exercises((*item.original.plans, *item.new.plans), actions),
            planner=item.new.outcome,
            detail=item.new.detail,
        )
        for item in planned
    )
    for item in planned:
        if item.original.outcome is not Outcome.SOLVED:
            found = ": ".join(part for part in (item.original.outcome.value, item.original.detail) if part)
            reason = f"{item.name}: no plans of the original domain ({found})"
            return CrossCheckResult(ResultClass.UNDECIDED, None, reason, checks)
    unsolvable = [item.name for item in planned if item.new.outcome is Outcome.UNSOLVABLE]
    if unsolvable:
        these = "this action" if len(actions) == 1 else "these actions"
        reason = f"with {these} there is no plan at all for {', '.join(unsolvable)}"
        return CrossCheckResult(ResultClass.DIFFERENT, Subclass.NO_PLAN, reason, checks)
    for item in planned:
        if item.new.outcome is not Outcome.SOLVED:
            reason = f"{item.name}: the planner gave no complete answer ({item.new.outcome}: {item.new.detail})"
            return CrossCheckResult(ResultClass.UNDECIDED, None, reason, checks)
    return None


def _failures(
    checker: PlanChecker, domain: PlanningDomain, text: str, item: PlannedProblem, direction: str
) -> list[PlanFailure]:
    """The plans of the one domain that are none in ``domain``, the other, each with its step and unmet literal."""
    plans = (item.new if direction == NEW_ON_ORIGINAL else item.original).plans
    return [
        PlanFailure(item.name, direction, plan, check.step, check.action, check.literal, check.reason)
        for plan, check in zip(plans, checker.check(domain, text, item.problem, plans), strict=True)
        if not check.valid
    ]


def _refuted(first: PlanFailure, count: int, direction: str) -> str:
    plans, side = ("new", "original") if direction == NEW_ON_ORIGINAL else ("original", "new")
    noun = "plan does" if count == 1 else "plans do"
    return f"{count} {plans} {noun} not work in the {side} domain; the first, on {first.problem}: {first.reason}"
