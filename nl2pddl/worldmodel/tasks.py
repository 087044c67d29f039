"""Tasks planned with an acquired domain, by K* or by a model that it criticises; judged by the hand-made model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from nl2pddl.domains import misfits, problem_misfits
from nl2pddl.errors import InputError
from nl2pddl.generation.base import GenerationRequest
from nl2pddl.generation.driver import Driver
from nl2pddl.pddl_io import parse_domain
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.planning.kstar import KStar, Outcome
from nl2pddl.task import PlanningDomain
from nl2pddl.worldmodel.brief import Task
from nl2pddl.worldmodel.building import Construction
from nl2pddl.worldmodel.modulo import ROUNDS, after_answer, opened


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
    domain = _plannable(domain_text)
    with KStar() as planner:
        for task in tasks:
            yield _planned(domain, task, truth, checker, planner, limits)


def ask_tasks(
    driver: Driver,
    construction: Construction,
    tasks: Sequence[Task],
    truth: PlanningDomain,
    checker: PlanChecker,
    rounds: int = ROUNDS,
) -> Iterator[TaskResult]:
    """The outcome of each task with a model as planner, whose plans the acquired domain criticises ``rounds`` times.

    With 0 rounds it is the model alone. Right is what the hand-made model ``truth`` says. Raises as ``plan_tasks``, and
    ModelError where the model gives no answer.
    """
    domain = _plannable(construction.domain_text())
    for task in tasks:
        if found := list(problem_misfits(task.problem, domain)):
            yield TaskResult(task.name, TaskOutcome.MISFIT, (), "; ".join(found[:3]))
            continue
        talk = opened(construction.drafts, construction.predicates, task.problem, task.words)
        while not talk.is_over(rounds):
            asked = GenerationRequest(
                index=len(talk.proposals),
                domain=construction.setup.brief.name,
                action=task.name,
                sample=len(talk.proposals),
                prompt="\n\n".join([*(turn.content for turn in talk.turns), "Plan:\n"]),
                dialogue=talk.turns,
                round=len(talk.proposals),
            )
            answered = driver.answer(asked)
            assert answered is not None  # nothing stops it
            talk = after_answer(talk, answered[1], domain, task.problem, construction.predicates)
        plan = talk.proposals[-1].plan
        check = checker.check(truth, truth.text, task.problem, [plan])[0]
        answers = f"{len(talk.proposals)} answer{'s' if len(talk.proposals) > 1 else ''}"
        reason = "" if check.valid else f"; in the hand-made model: {check.reason}"
        yield TaskResult(
            task.name, TaskOutcome.SOLVED if check.valid else TaskOutcome.WRONG, plan, f"{answers}{reason}"
        )


def _plannable(text: str) -> PlanningDomain:
    domain = parse_domain(text, "the acquired domain")
    if found := list(misfits(domain)):
        raise InputError(f"the acquired domain cannot be planned with: {'; '.join(found[:5])}", found)
    return domain


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
