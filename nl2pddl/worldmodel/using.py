"""What a built domain is used for, with the store: tasks planned and judged, errors counted, all of it kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from nl2pddl.errors import InputError
from nl2pddl.exact import ExactLimits
from nl2pddl.experiment import Turn
from nl2pddl.generation import check_model
from nl2pddl.generation.base import never
from nl2pddl.generation.driver import Driver, OpenBackend
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.records import ValidatorChoice
from nl2pddl.store import Store, assessments
from nl2pddl.worldmodel import goals
from nl2pddl.worldmodel.brief import Example, Task, load_example
from nl2pddl.worldmodel.building import Construction
from nl2pddl.worldmodel.impossible import never_possible_in
from nl2pddl.worldmodel.matching import Match
from nl2pddl.worldmodel.modulo import ROUNDS
from nl2pddl.worldmodel.quality import ModelError, carrier_of, errors, mapping_of, weighed
from nl2pddl.worldmodel.reaching import reached_in
from nl2pddl.worldmodel.session import Work, load
from nl2pddl.worldmodel.tasks import Judge, TaskResult, ask_tasks, plan_tasks

LIMITS = ExactLimits(states=200_000, seconds=10.0)  # of a task: there are tasks enough


class Planner(StrEnum):
    """Who plans: K*, a model whose plans the acquired domain criticises (LLM-modulo), or the model alone."""

    KSTAR = "kstar"
    MODULO = "modulo"
    MODEL = "model"

    @property
    def rounds(self) -> int:
        """How often the acquired domain's findings go back to the model."""
        return ROUNDS if self is Planner.MODULO else 0


@dataclass(frozen=True)
class TaskChoice:
    """What is planned, by whom (``model``: the one that built the domain by default), and who validates.

    ``example`` names whose tasks and hand-made model; where it is empty, ``own`` are tasks in the domain's own
    words, and ``asked`` is the dialogue in which a model put their goal into PDDL.
    """

    example: str
    planner: Planner = Planner.KSTAR
    model: str | None = None
    validator: ValidatorChoice = ValidatorChoice.AUTO
    own: tuple[Task, ...] = ()
    asked: tuple[Turn, ...] = ()


def put_into_pddl(
    store: Store,
    construction_id: str,
    texts: tuple[str, str, str],
    choice: TaskChoice,
    open_model: OpenBackend,
    data_dir: Path,
    should_stop: Callable[[], bool] = never,
) -> TaskChoice | None:
    """The choice with a task of a person's own, whose goal a model puts into PDDL; None where it was stopped.

    ``texts`` are objects, initial state and the goal in words. Raises as ``goals.ask_goal``.
    """
    work = load(store, construction_id)
    model = choice.model or work.model
    check_model(model)
    driver = Driver(open_model, model, work.decoding, data_dir)
    try:
        name = assessments.next_own(store, construction_id)
        found = goals.ask_goal(driver, work.construction, *texts, name, should_stop)
    finally:
        driver.close()
    return replace(choice, example="", planner=Planner.KSTAR, own=(found[0],), asked=found[1]) if found else None


def run_tasks(
    store: Store,
    construction_id: str,
    choice: TaskChoice,
    open_model: OpenBackend,
    data_dir: Path,
    should_stop: Callable[[], bool] = never,
) -> Iterator[TaskResult]:
    """Plan the tasks one after another; each result is stored as it comes, and given.

    Raises InputError where the domain cannot be planned with, ModelError where a model gives no answer.
    """
    work = load(store, construction_id)
    checker = PlanChecker(choice.validator)
    tasks, judge = _asked(work.construction, choice, checker)
    model = "" if choice.planner is Planner.KSTAR else choice.model or work.model
    for result in _results(work, tasks, judge, choice, model, open_model, data_dir, should_stop):
        words = next(task.words for task in tasks if task.name == result.task)
        stored = assessments.TaskRow(
            construction_id, work.events, choice.example, result.task, words, result.problem, choice.planner.value,
            model, result.outcome.value, result.plan, result.reason, (*choice.asked, *result.turns), result.seconds,
            checker.version,
        )  # fmt: skip
        assessments.add_task(store, stored)
        yield result
        if should_stop():
            return


def _asked(construction: Construction, choice: TaskChoice, checker: PlanChecker) -> tuple[Sequence[Task], Judge]:
    if not choice.example:
        return choice.own, Judge(checker)
    example = load_example(choice.example)
    check_shares_actions(construction, example)
    return example.tasks, Judge(checker, example.planning, carrier_of(construction, example))


def check_shares_actions(construction: Construction, example: Example) -> None:
    """Raise InputError where a construction has none of an example's actions."""
    if not set(example.planning.actions) & {action.name for action in construction.setup.brief.actions}:
        raise InputError(f"it has no action of '{example.id}'; name the example that it was built from")


def _results(
    work: Work, tasks: Sequence[Task], judge: Judge, choice: TaskChoice, model: str,
    open_model: OpenBackend, data_dir: Path, should_stop: Callable[[], bool],
) -> Iterator[TaskResult]:  # fmt: skip
    construction = work.construction
    if choice.planner is Planner.KSTAR:
        yield from plan_tasks(construction.domain_text(), tasks, judge)
        return
    check_model(model)
    driver = Driver(open_model, model, work.decoding, data_dir)
    try:
        yield from ask_tasks(driver, construction, tasks, judge, choice.planner.rounds, should_stop)
    finally:
        driver.close()


@dataclass(frozen=True)
class Assessment:
    """A construction beside an example's hand-made model: what stands for what, every error, what no task can do."""

    mapping: dict[str, Match]
    errors: tuple[ModelError, ...]
    impossible: tuple[str, ...]


def assessed(report: Callable[[object], None], construction: Construction, example: str, weigh: bool) -> Assessment:
    """Count a construction's errors, and decide of each whether it changes plans; ``report`` hears each error.

    Takes up to ``LIMITS`` for each error and task, so the dashboard runs it in a process of its own.
    """
    shown = load_example(example)
    check_shares_actions(construction, shown)
    mapping = mapping_of(construction, shown)
    found = []
    every = errors(construction, shown, mapping)
    for number, error in enumerate(every):
        report((number, len(every)))
        found.append(weighed(error, shown, LIMITS) if weigh else error)
    return Assessment(mapping, tuple(found), tuple(_impossible(construction, shown)))


def _impossible(construction: Construction, example: Example) -> Iterator[str]:
    try:
        yield from reached_in(construction, example).sentences()
    except InputError as error:  # it cannot be planned with, so only the actions themselves are looked at
        yield from never_possible_in(construction)
        yield str(error)


def keep_assessment(store: Store, work: Work, example: str, assessment: Assessment) -> None:
    """Store an assessment of a construction as it stands in ``work``."""
    mapping = {name: (match.predicate, match.order, match.negated) for name, match in assessment.mapping.items()}
    listed = tuple(asdict(error) for error in assessment.errors)
    found = assessments.StoredAssessment(work.events, listed, assessment.impossible)
    assessments.add_assessment(store, work.id, example, mapping, found)
