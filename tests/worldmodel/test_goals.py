"""Tasks of a person's own: what does not fit is named, and a goal in words becomes PDDL or says why not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nl2pddl.errors import InputError
from nl2pddl.generation import open_backend
from nl2pddl.generation.driver import Driver
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.worldmodel import goals
from nl2pddl.worldmodel.brief import Task, load_example
from nl2pddl.worldmodel.building import Construction
from nl2pddl.worldmodel.session import DECODING
from nl2pddl.worldmodel.tasks import Judge, TaskOutcome, plan_tasks
from tests.conftest import write_script
from tests.worldmodel.test_carrying import built

OBJECTS = "a b - location  town - city\nvan - truck parcel - package"
INIT = "(in-city a town) (in-city b town)\n(truck-at van a) (package-at parcel a)"


@pytest.fixture(scope="module")
def construction() -> Construction:
    return built(load_example("logistics"))


def test_three_texts_are_a_problem_that_is_planned(construction: Construction) -> None:
    problem = goals.own_problem(construction, OBJECTS, INIT, "(package-at parcel b)")
    assert goals.goal_in_words(construction, problem) == ["package parcel is at location b"]
    task = Task("own", "", problem, 0)
    result = next(plan_tasks(construction.domain_text(), [task], Judge(PlanChecker())))
    assert result.outcome is TaskOutcome.SOLVED
    assert result.plan == ("(load-truck parcel van a)", "(drive-truck van a b town)", "(unload-truck parcel van b)")
    away = goals.own_problem(construction, OBJECTS, INIT, "(not (truck-at van a))")
    result = next(plan_tasks(construction.domain_text(), [replace(task, problem=away)], Judge(PlanChecker())))
    assert result.plan == ("(drive-truck van a b town)",)


def test_the_texts_of_a_problem_give_it_again(construction: Construction) -> None:
    for task in load_example("logistics").tasks:
        texts = (goals.objects_text(task.problem), goals.init_text(task.problem), goals.goal_text(task.problem))
        again = goals.own_problem(construction, *texts)
        assert (again.objects, again.init) == (task.problem.objects, task.problem.init)
        assert goals.goal_text(again) == goals.goal_text(task.problem)


@pytest.mark.parametrize(
    ("objects", "init", "goal", "said"),
    [
        (OBJECTS, INIT, "", "the goal is missing"),
        (OBJECTS, INIT, "bring it", "the goal is missing"),
        (OBJECTS, INIT, "(package-at parcel b", "the goal: 1 parentheses open and 0 close"),
        (OBJECTS, INIT, "(package-at parcel nowhere)", "nowhere"),
        (OBJECTS, INIT, "(parcel-at parcel b)", "parcel-at"),
        (OBJECTS, INIT + " (truck-at parcel a)", "(package-at parcel b)", "parcel"),
        (OBJECTS + " x - ship", INIT, "(package-at parcel b)", "'ship'"),
        (f"({OBJECTS})", INIT, "(package-at parcel b)", "without parentheses"),
        (OBJECTS, INIT, "(or (package-at parcel b) (truck-at van b))", "conjunction of literals"),
        (OBJECTS, INIT, "x" * (goals.LONGEST + 1), "at most 100,000 are taken"),
    ],
)
def test_what_does_not_fit_is_named(construction: Construction, objects: str, init: str, goal: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        goals.own_problem(construction, objects, init, goal)
    assert said in str(caught.value)


def asked(path: Path, construction: Construction, *answers: str, words: str = "Bring the parcel to b.") -> object:
    lines = [{"domain": "logistics", "action": "goal", "output": text} for text in answers]
    driver = Driver(open_backend, write_script(path / "s.jsonl", lines), DECODING, path)
    try:
        return goals.ask_goal(driver, construction, OBJECTS, INIT, words, "own-7")
    finally:
        driver.close()


@pytest.mark.parametrize(
    "answer",
    [
        "(and (package-at parcel b))",
        "Sure (as you say): ```\n(and (package-at parcel b))\n``` That is it (I hope).",
        "(package-at parcel b)",
    ],
)
def test_a_goal_in_words_is_put_into_pddl(tmp_path: Path, construction: Construction, answer: str) -> None:
    task, turns = asked(tmp_path, construction, answer)  # type: ignore[misc]
    assert (task.name, task.words, goals.goal_text(task.problem)) == (
        "own-7",
        "Bring the parcel to b.",
        "(package-at parcel b)",
    )
    assert len(turns) == 2
    assert "Bring the parcel to b." in turns[0].content
    assert "(package-at ?p - package ?l - location)" in turns[0].content


def test_what_is_wrong_with_a_goal_goes_back(tmp_path: Path, construction: Construction) -> None:
    task, turns = asked(tmp_path, construction, "(and (parcel-at b))", "(and (package-at parcel b))")  # type: ignore[misc]
    assert goals.goal_text(task.problem) == "(package-at parcel b)"
    assert "parcel-at" in turns[2].content


def test_after_the_last_objection_the_reason_is_told(tmp_path: Path, construction: Construction) -> None:
    with pytest.raises(InputError, match="no goal that can be used, last because the goal is missing"):
        asked(tmp_path, construction, *["I do not know."] * (goals.ROUNDS + 1))
    with pytest.raises(InputError, match="say in words what is wanted"):
        asked(tmp_path, construction, "(and)", words=" ")
