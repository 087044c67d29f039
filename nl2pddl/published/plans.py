"""The plan cross-check in the published code's order, with VAL's answers as that code takes them.

Problem by problem: plan, compare the numbers of plans, then pair by pair the new plan on the original domain and the
original plan on the new one; the first failure ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from nl2pddl.actions import Or
from nl2pddl.candidate import Candidate
from nl2pddl.equivalence import NEW_ON_ORIGINAL, ORIGINAL_ON_NEW, CrossCheckResult, exercises
from nl2pddl.planning.kstar import UNSUPPORTED_EXIT, Outcome, PlannerAnswer
from nl2pddl.planning.validation import PlanCheck, PlanValidator
from nl2pddl.records import CrossCheck, PlanFailure, ResultClass, Subclass
from nl2pddl.task import PlanningDomain, PlanningProblem

REFUSED_EXIT = 30
UNSOLVABLE_EXIT = 12

Plan = tuple[str, ...]


class ImitatedVal:
    """VAL on one domain and problem, by its exit status: plans that it cannot read pass, a domain it refuses fails."""

    def __init__(self, domain: PlanningDomain, problem: PlanningProblem, *, refused: bool) -> None:
        self._validator = PlanValidator(domain, problem)
        self._refused = refused

    def check(self, plan: Plan) -> PlanCheck:
        """Whether the published code takes the plan for valid."""
        if self._refused:
            return PlanCheck(False, 1, None, None, "VAL refuses the whole domain with this action")
        steps = [step.strip("()").split() for step in plan]
        if not all(self._fits(step) for step in steps):
            return PlanCheck(True)  # "Bad plan description!", with exit status 0
        for number, (name, *arguments) in enumerate(steps, start=1):
            if len(arguments) != len(self._validator.domain.actions[name].parameters):
                step = plan[number - 1]
                reason = f"step {number}, {step}: a wrong number of arguments, which VAL does not survive"
                return PlanCheck(False, number, step, None, reason)
        return self._validator.check(plan)

    def _fits(self, step: Sequence[str]) -> bool:
        """Whether VAL can read a step: the action is known, and the arguments it has are of their parameters' types.

        How many there are VAL does not look at before it runs the plan.
        """
        objects, domain = self._validator.objects, self._validator.domain
        action = domain.actions.get(step[0])
        return action is not None and all(
            name in objects and domain.fits((objects[name],), parameter.types)
            for name, parameter in zip(step[1:], action.parameters, strict=False)
        )


def cross_check(
    original: PlanningDomain,
    candidate: Candidate,
    problems: Iterable[tuple[str, PlanningProblem]],
    plans_of: Callable[[str, PlanningProblem], tuple[PlannerAnswer, PlannerAnswer]],
) -> CrossCheckResult:
    """The published code's class for the candidate.

    ``plans_of`` gives a problem's plans of the original domain and of the new one. Raises nothing: what the published
    code dropped as a planner error comes back as undecided.
    """
    new = replace(original, actions={**original.actions, candidate.replaced: candidate.action})
    checks: list[CrossCheck] = []
    working = 0
    for name, problem in problems:
        old_answer, new_answer = plans_of(name, problem)
        check = CrossCheck(
            problem=name,
            original_plans=len(old_answer.plans) if old_answer.outcome is Outcome.SOLVED else None,
            new_plans=len(new_answer.plans) if new_answer.outcome in (Outcome.SOLVED, Outcome.UNSOLVABLE) else None,
            new_valid_on_original=None,
            original_valid_on_new=None,
            exercised=exercises((*old_answer.plans, *new_answer.plans), (candidate.replaced,)),
            planner=new_answer.outcome,
            detail=new_answer.detail or new_answer.heuristic,
        )
        stopped = _without_plans(name, old_answer, new_answer)
        if stopped is not None:
            return replace(stopped, checks=(*checks, check), working_plans=0)
        if len(old_answer.plans) != len(new_answer.plans):
            reason = f"{name}: {len(old_answer.plans)} plans in the original domain, {len(new_answer.plans)} in the new"
            return CrossCheckResult(
                ResultClass.DIFFERENT, Subclass.OP_APP, reason, (*checks, check), working_plans=working
            )
        pairs = list(zip(old_answer.plans, new_answer.plans, strict=True))
        crossed, failure = _first_failure(
            pairs,
            ImitatedVal(original, problem, refused=False),
            ImitatedVal(new, problem, refused=_refused_by_val(candidate)),
            name,
        )
        working += crossed
        if failure is not None:
            subclass = Subclass.NP_APP if failure.direction == NEW_ON_ORIGINAL else Subclass.OP_APP
            working += subclass is Subclass.OP_APP  # the code counts a pair whose first half passed
            reason = f"{name}, plan {crossed + 1}, {failure.direction}: {failure.reason}"
            return CrossCheckResult(
                ResultClass.DIFFERENT, subclass, reason, (*checks, check), failure, working_plans=working
            )
        checks.append(replace(check, new_valid_on_original=len(pairs), original_valid_on_new=len(pairs)))
    reason = f"all {2 * working} plans on {len(checks)} problems cross over, both ways"
    return CrossCheckResult(ResultClass.EQUIVALENT, None, reason, tuple(checks), working_plans=working)


def _refused_by_val(candidate: Candidate) -> bool:
    """Whether VAL refuses the domain: over its types, or over the ``(or )`` that stands for an empty precondition."""
    return not candidate.well_typed or candidate.action.precondition == Or(())


def _without_plans(name: str, old: PlannerAnswer, new: PlannerAnswer) -> CrossCheckResult | None:
    """The result where one of the sides has no plans to compare."""
    if old.outcome is not Outcome.SOLVED:
        reason = f"{name}: no plans of the original domain ({old.outcome}: {old.detail})"
        return CrossCheckResult(ResultClass.UNDECIDED, None, reason, ())
    if new.outcome is Outcome.SOLVED:
        return None
    if new.outcome is Outcome.TIME and new.translated:
        reason = f"{name}: the planner ran out of time, which the published code counts as no plan"
        return CrossCheckResult(ResultClass.DIFFERENT, Subclass.NO_PLAN, reason, ())
    if new.exit_code == UNSOLVABLE_EXIT:
        reason = f"with this action there is no plan at all for {name}"
        return CrossCheckResult(ResultClass.DIFFERENT, Subclass.NO_PLAN, reason, ())
    if new.exit_code == REFUSED_EXIT:
        reason = f"{name}: the planner's translator refuses the domain ({new.detail})"
        return CrossCheckResult(ResultClass.SEMANTIC, Subclass.PA_ERROR, reason, ())
    if new.exit_code == UNSUPPORTED_EXIT:
        reason = f"{name}: the planner does not support this task (exit {UNSUPPORTED_EXIT})"
        return CrossCheckResult(ResultClass.SEMANTIC, Subclass.BP_ERROR, reason, ())
    reason = f"{name}: the planner failed ({new.outcome}: {new.detail}); the study dropped such rows"
    return CrossCheckResult(ResultClass.UNDECIDED, None, reason, ())


def _first_failure(
    pairs: Sequence[tuple[Plan, Plan]], on_original: ImitatedVal, on_new: ImitatedVal, problem: str
) -> tuple[int, PlanFailure | None]:
    """How many pairs cross over before the first failure, and that failure."""
    for number, (old_plan, new_plan) in enumerate(pairs):
        for val, plan, direction in ((on_original, new_plan, NEW_ON_ORIGINAL), (on_new, old_plan, ORIGINAL_ON_NEW)):
            check = val.check(plan)
            if not check.valid:
                return number, PlanFailure(
                    problem, direction, plan, check.step, check.action, check.literal, check.reason
                )
    return len(pairs), None
