"""Tasks planned with an acquired domain: K* finds a plan, and it is validated there and on the hand-made model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from nl2pddl.domains import misfits, problem_misfits
from nl2pddl.errors import InputError
from nl2pddl.pddl_io import parse_domain
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.planning.kstar import KStar, Outcome
from nl2pddl.task import PlanningDomain
from nl2pddl.worldmodel.brief import Task


class TaskOutcome(StrEnum):
    """What became of a task. ``WRONG``: there is a plan, and it does not work in the hand-made model. ``MISFIT``: the
    task cannot be said with the domain's types and predicates. ``UNDECIDED``: a limit or a fault came first."""

    SOLVED = "solved"
    WRONG = "wrong plan"
    UNSOLVABLE = "no plan"
    MISFIT = "misfit"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class TaskResult:
    """The outcome of a task, the plan where there is one, and why it is not solved."""

    task: str
    outcome: TaskOutcome
    plan: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class PlanLimits:
    """The limits of one planner call."""

    seconds: float = 60.0
    memory_mb: int = 4096


def plan_tasks(
    domain_text: str,
    tasks: Sequence[Task],
    truth: PlanningDomain,
    checker: PlanChecker,
    limits: PlanLimits = PlanLimits(),
) -> Iterator[TaskResult]:
    """The outcome of each task with the domain, by the hand-made model ``truth``.

    Raises InputError where the text is no domain that can be planned with.
    """
    domain = parse_domain(domain_text, "the acquired domain")
    if found := list(misfits(domain)):
        raise InputError(f"the acquired domain cannot be planned with: {'; '.join(found[:5])}", found)
    with KStar() as planner:
        for task in tasks:
            yield _planned(domain, task, truth, checker, planner, limits)


def _planned(
    domain: PlanningDomain, task: Task, truth: PlanningDomain, checker: PlanChecker, planner: KStar, limits: PlanLimits
) -> TaskResult:
    if found := list(problem_misfits(task.problem, domain)):
        return TaskResult(task.name, TaskOutcome.MISFIT, (), "; ".join(found[:3]))
    answer = planner.top_k(domain.text, task.problem.text, 1, limits.seconds, limits.memory_mb)
    if answer.outcome is Outcome.UNSOLVABLE:
        return TaskResult(task.name, TaskOutcome.UNSOLVABLE, (), "the planner finds that there is no plan")
    if answer.outcome is not Outcome.SOLVED:
        return TaskResult(task.name, TaskOutcome.UNDECIDED, (), answer.detail or answer.outcome.value)
    plan = answer.plans[0]
    for where, model in (("the acquired domain", domain), ("the hand-made model", truth)):
        check = checker.check(model, model.text, task.problem, [plan])[0]
        if not check.valid:
            outcome = TaskOutcome.WRONG if model is truth else TaskOutcome.UNDECIDED
            return TaskResult(task.name, outcome, plan, f"in {where}: {check.reason}")
    return TaskResult(task.name, TaskOutcome.SOLVED, plan)
