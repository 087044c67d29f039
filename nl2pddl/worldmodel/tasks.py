"""Tasks planned with an acquired domain, by K* or by a model that it criticises; judged by the hand-made model."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from nl2pddl.domains import misfits, problem_misfits
from nl2pddl.errors import InputError
from nl2pddl.experiment import Turn
from nl2pddl.generation.base import GenerationRequest, never
from nl2pddl.generation.driver import Driver
from nl2pddl.pddl_io import parse_domain
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.planning.kstar import KStar, Outcome
from nl2pddl.planning.one_plan import one_plan
from nl2pddl.task import PlanningDomain, PlanningProblem
from nl2pddl.worldmodel.brief import Task
from nl2pddl.worldmodel.building import Construction
from nl2pddl.worldmodel.carrying import Carrier
from nl2pddl.worldmodel.modulo import ROUNDS, PlanTalk, after_answer, opened

_DOMAIN = re.compile(r"\(\s*:domain\s+[^\s()]+\s*\)")
ACQUIRED, HAND_MADE = "the acquired domain", "the hand-made model"


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
    """The outcome of a task, the plan where there is one, and why it is not solved.

    ``problem`` is the PDDL that was planned with (empty for a misfit), ``turns`` the dialogue where a model planned,
    ``seconds`` how long it took.
    """

    task: str
    outcome: TaskOutcome
    plan: tuple[str, ...] = ()
    reason: str = ""
    problem: str = ""
    turns: tuple[Turn, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class PlanLimits:
    """The limits of one planner call."""

    seconds: float = 60.0
    memory_mb: int = 4096


@dataclass(frozen=True)
class Judge:
    """Who says whether a plan is right: ``checker`` by the hand-made model ``truth``, where there is one.

    ``carrier`` says tasks of the hand-made model in the acquired predicates, and plans in its actions; None where
    tasks are said in the acquired domain's own.
    """

    checker: PlanChecker
    truth: PlanningDomain | None = None
    carrier: Carrier | None = None

    def said(self, task: Task, domain: PlanningDomain) -> PlanningProblem:
        """The task in the domain's words. Raises InputError where it cannot be said with them."""
        problem = self.carrier.problem(task.problem) if self.carrier else task.problem
        if found := list(problem_misfits(problem, domain)):
            raise InputError("; ".join(found[:3]), found)
        # The planner refuses a problem that names another domain.
        text = _DOMAIN.sub(f"(:domain {domain.name})", problem.text, count=1)
        return replace(problem, domain_name=domain.name, text=text)

    def fault_in(self, domain: PlanningDomain, problem: PlanningProblem, plan: Sequence[str]) -> str:
        """Why a plan is none for a problem of the acquired domain; empty where it is one."""
        check = self.checker.check(domain, domain.text, problem, [plan])[0]
        return "" if check.valid else f"in {ACQUIRED}: {check.reason}"

    def fault_by_truth(self, task: Task, plan: Sequence[str]) -> str:
        """Why a plan is none in the hand-made model; empty where it is one, or where there is no such model."""
        if self.truth is None:
            return ""
        try:
            carried = self.carrier.plan(plan) if self.carrier else plan
        except InputError as error:
            return str(error)
        check = self.checker.check(self.truth, self.truth.text, task.problem, [carried])[0]
        return "" if check.valid else f"in {HAND_MADE}: {check.reason}"


def plan_tasks(
    domain_text: str, tasks: Sequence[Task], judge: Judge, limits: PlanLimits = PlanLimits()
) -> Iterator[TaskResult]:
    """The outcome of each task with the domain, planned by K*.

    Raises InputError where the text is no domain that can be planned with.
    """
    domain = plannable(domain_text)
    with KStar() as planner:
        for task in tasks:
            yield _timed(lambda: _planned(domain, task, judge, planner, limits))  # noqa: B023 - called at once


def ask_tasks(
    driver: Driver,
    construction: Construction,
    tasks: Sequence[Task],
    judge: Judge,
    rounds: int = ROUNDS,
    should_stop: Callable[[], bool] = never,
) -> Iterator[TaskResult]:
    """The outcome of each task with a model as planner, whose plans the acquired domain criticises ``rounds`` times.

    With 0 rounds it is the model alone. Ends before the task that ``should_stop`` interrupts. Raises as ``plan_tasks``,
    and ModelError where the model gives no answer.
    """
    domain = plannable(construction.domain_text())
    for task in tasks:
        began = time.monotonic()
        try:
            problem = judge.said(task, domain)
        except InputError as error:
            yield TaskResult(task.name, TaskOutcome.MISFIT, (), str(error))
            continue
        talk = _talked(driver, construction, domain, replace(task, problem=problem), rounds, should_stop)
        if talk is None:
            return
        plan = talk.proposals[-1].plan
        # Of a plan that the acquired domain wrongly refuses the hand-made model decides.
        fault = judge.fault_by_truth(task, plan) if judge.truth else judge.fault_in(domain, problem, plan)
        answers = f"{len(talk.proposals)} answer{'s' if len(talk.proposals) > 1 else ''}"
        told = "; ".join(filter(None, (answers, fault)))
        outcome = TaskOutcome.WRONG if fault else TaskOutcome.SOLVED
        yield TaskResult(task.name, outcome, plan, told, problem.text, talk.turns, time.monotonic() - began)


def _talked(
    driver: Driver, construction: Construction, domain: PlanningDomain, task: Task, rounds: int,
    should_stop: Callable[[], bool],
) -> PlanTalk | None:  # fmt: skip
    """The whole dialogue about a task; None where it was stopped."""
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
        answered = driver.answer(asked, should_stop)
        if answered is None:
            return None
        talk = after_answer(talk, answered[1], domain, task.problem, construction.predicates)
    return talk


def plannable(text: str) -> PlanningDomain:
    """The domain that a text defines. Raises InputError where none can be planned with."""
    domain = parse_domain(text, ACQUIRED)
    if found := list(misfits(domain)):
        raise InputError(f"{ACQUIRED} cannot be planned with: {'; '.join(found[:5])}", found)
    return domain


def _timed(work: Callable[[], TaskResult]) -> TaskResult:
    began = time.monotonic()
    result = work()
    return replace(result, seconds=time.monotonic() - began)


def _planned(domain: PlanningDomain, task: Task, judge: Judge, planner: KStar, limits: PlanLimits) -> TaskResult:
    try:
        problem = judge.said(task, domain)
    except InputError as error:
        return TaskResult(task.name, TaskOutcome.MISFIT, (), str(error))
    answer = one_plan(planner, domain, problem, limits.seconds, limits.memory_mb)
    if answer.outcome is Outcome.UNSOLVABLE:
        reason = "the planner finds that there is no plan"
        if judge.carrier and judge.carrier.unmatched:
            reason += f"; false at first, having no counterpart: {', '.join(judge.carrier.unmatched)}"
        return TaskResult(task.name, TaskOutcome.UNSOLVABLE, (), reason, problem.text)
    if answer.outcome is not Outcome.SOLVED:
        return TaskResult(task.name, TaskOutcome.UNDECIDED, (), answer.detail or answer.outcome.value, problem.text)
    plan = answer.plans[0]
    if fault := judge.fault_in(domain, problem, plan):
        return TaskResult(task.name, TaskOutcome.UNDECIDED, plan, fault, problem.text)
    fault = judge.fault_by_truth(task, plan)
    return TaskResult(task.name, TaskOutcome.WRONG if fault else TaskOutcome.SOLVED, plan, fault, problem.text)
