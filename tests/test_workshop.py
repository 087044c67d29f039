"""Work on constructions in the background: one piece at a time, stopped, failed and gone on with, all of it stored."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from nl2pddl.errors import InputError, RunError
from nl2pddl.generation import EMBEDDED
from nl2pddl.pddl_io import parse_problem
from nl2pddl.planning.validation import PlanValidator
from nl2pddl.settings import Settings
from nl2pddl.store import Store, assessments
from nl2pddl.workshop import Doing, Kind, Workshop
from nl2pddl.worldmodel import person, session
from nl2pddl.worldmodel.brief import Example, load_example
from nl2pddl.worldmodel.building import Setup
from nl2pddl.worldmodel.quality import carrier_of
from nl2pddl.worldmodel.tasks import TaskOutcome, plannable
from nl2pddl.worldmodel.using import Planner, TaskChoice
from tests.conftest import write_script
from tests.worldmodel.conftest import scripted

PATIENCE = 120.0


@pytest.fixture(scope="module")
def logistics() -> Example:
    return load_example("logistics")


@pytest.fixture
def workshop(store: Store, settings: Settings) -> Iterator[Workshop]:
    opened = Workshop(store, settings)
    yield opened
    opened.close()


def ended(doing: Doing) -> Doing:
    assert doing.ended.wait(PATIENCE)
    return doing


def begun(store: Store, path: Path, example: Example, seconds: float = 0.0, *more: dict[str, object]) -> str:
    """A construction of one pass that a script answers rightly, each answer after so many seconds."""
    setup = Setup(example.brief, passes=1)
    model = scripted(path, example, setup)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    write_script(path, [*({**line, "seconds": seconds} for line in lines), *more])
    session.begin(store, "c", setup, model)
    return "c"


def test_a_domain_is_built_planned_with_and_assessed(
    workshop: Workshop, store: Store, tmp_path: Path, logistics: Example
) -> None:
    begun(store, tmp_path / "s.jsonl", logistics)
    built = ended(workshop.build("c"))
    assert (built.kind, built.fault, built.done, built.total) == (Kind.BUILD, "", 6, 6)
    planned = ended(workshop.plan("c", TaskChoice("logistics")))
    assert (planned.fault, planned.done, planned.total) == ("", 24, 24)
    assessed = ended(workshop.assess("c", "logistics"))
    assert assessed.fault == ""
    frame = assessments.tasks_frame(store, "c")
    assert list(frame["outcome"].unique()) == ["solved"]
    assert assessments.assessment_of(store, "c", "logistics") == assessments.StoredAssessment(6, ())
    # Each stored result can be computed again from what is stored with it.
    construction = session.load(store, "c", int(frame["events"][0])).construction
    domain, carrier = plannable(construction.domain_text()), carrier_of(construction, logistics)
    for row, task in zip(frame.itertuples(), logistics.tasks, strict=True):
        plan = json.loads(row.plan)
        assert PlanValidator(domain, parse_problem(row.problem)).check(plan).valid
        assert PlanValidator(logistics.planning, task.problem).check(carrier.plan(plan)).valid


def test_one_piece_of_work_at_a_time_is_stopped_and_goes_on(
    workshop: Workshop, store: Store, tmp_path: Path, logistics: Example
) -> None:
    begun(store, tmp_path / "s.jsonl", logistics, 0.5)
    doing = workshop.build("c")
    with pytest.raises(RunError, match="asking the model is under way for this construction"):
        workshop.plan("c", TaskChoice("logistics"))
    until(lambda: doing.done >= 1)
    workshop.stop("c")
    ended(doing)
    stopped = session.load(store, "c")
    assert 1 <= stopped.events < 6
    assert doing.fault == ""
    ended(workshop.build("c"))
    assert session.load(store, "c").construction.is_built
    assert session.load(store, "c").events == 6  # nothing was asked twice


def test_what_goes_wrong_is_told_and_costs_nothing(
    workshop: Workshop, store: Store, tmp_path: Path, logistics: Example
) -> None:
    begun(store, tmp_path / "s.jsonl", logistics)
    whole = (tmp_path / "s.jsonl").read_text()
    (tmp_path / "s.jsonl").write_text("\n".join(whole.splitlines()[:2]))
    broken = ended(workshop.build("c"))
    assert "no answer about 'load-airplane'" in broken.fault
    assert session.load(store, "c").events == 2
    with pytest.raises(InputError, match="no construction 'd'"):
        workshop.build("d")
    # Planned with what there is: the goals cannot be said, which each task tells.
    assert ended(workshop.plan("c", TaskChoice("logistics"))).fault == ""
    foreign = ended(workshop.plan("c", TaskChoice("household")))
    assert foreign.fault == "it has no action of 'household'; name the example that it was built from"
    (tmp_path / "s.jsonl").write_text(whole)
    assert ended(workshop.build("c")).fault == ""


def test_a_model_plans_with_and_without_criticism_and_the_dialogues_are_kept(
    workshop: Workshop, store: Store, tmp_path: Path, logistics: Example
) -> None:
    first = "(drive-truck truck-p louvre bastille paris)\n(unload-truck letter truck-p bastille)"
    right = f"(load-truck letter truck-p louvre)\n{first}"
    answers = [
        {"domain": "logistics", "action": task.name, "output": text}
        for task in logistics.tasks
        for text in ((first, right) if task.name == "t01" else (first,))
    ]
    begun(store, tmp_path / "s.jsonl", logistics, 0.0, *answers)
    ended(workshop.build("c"))
    for planner in (Planner.MODEL, Planner.MODULO):
        assert ended(workshop.plan("c", TaskChoice("logistics", planner))).fault == ""
    frame = assessments.tasks_frame(store, "c").set_index(["planner", "task"])
    assert frame.loc[("model", "t01"), "outcome"] == "wrong plan"
    assert frame.loc[("modulo", "t01"), "outcome"] == "solved"
    assert frame.loc[("modulo", "t01"), "reason"] == "2 answers"
    assert frame.loc[("modulo", "t02"), "reason"].startswith("9 answers; in the hand-made model: ")
    turns = json.loads(frame.loc[("modulo", "t01"), "turns"])
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user", "assistant"]
    assert "it needs that package letter is in truck truck-p" in turns[2]["content"]
    assert frame["model"].str.endswith("s.jsonl").all()


def test_a_goal_in_words_is_planned_and_its_dialogue_kept(
    workshop: Workshop, store: Store, tmp_path: Path, logistics: Example
) -> None:
    goal = {"domain": "logistics", "action": "goal", "output": "(and (truck-at van b))"}
    begun(store, tmp_path / "s.jsonl", logistics, 0.0, goal)
    ended(workshop.build("c"))
    texts = ("van - truck a b - location town - city", "(truck-at van a) (in-city a town) (in-city b town)")
    for name in ("own-1", "own-2"):
        assert ended(workshop.plan_in_words("c", *texts, "Go to b.", TaskChoice(""))).fault == ""
        row = assessments.tasks_frame(store, "c").set_index("task").loc[name]
        assert (row["outcome"], json.loads(row["plan"])) == ("solved", ["(drive-truck van a b town)"])
        assert len(json.loads(row["turns"])) == 2
    wrong = ended(workshop.plan_in_words("c", "x - ship", "", "Go.", TaskChoice("")))
    assert "'ship'" in wrong.fault


def test_an_edit_meanwhile_makes_results_old_not_wrong(
    workshop: Workshop, store: Store, tmp_path: Path, logistics: Example
) -> None:
    begun(store, tmp_path / "s.jsonl", logistics)
    ended(workshop.build("c"))
    ended(workshop.plan("c", TaskChoice("logistics")))
    work = session.load(store, "c")
    session.add(store, work, person.renamed(work.construction, "truck-at", "truck-stands-at"))
    frame = assessments.tasks_frame(store, "c")
    assert set(frame["events"]) == {6}
    then = session.load(store, "c", 6).construction
    assert "truck-at" in then.predicates


def test_what_a_person_does_while_the_model_is_asked_costs_no_answer(
    workshop: Workshop, store: Store, tmp_path: Path, logistics: Example
) -> None:
    begun(store, tmp_path / "s.jsonl", logistics, 0.6)
    doing = workshop.build("c")
    until(lambda: doing.done >= 1)
    work = session.load(store, "c")
    session.add(store, work, person.remarked(work.construction, "load-truck", "Read."))  # an answer is under way
    assert ended(doing).fault == ""
    construction = session.load(store, "c").construction
    assert construction.is_built
    assert construction.remarks == {"load-truck": ("Read.",)}
    assert session.load(store, "c").events == 7


def test_an_answer_to_a_question_that_has_changed_is_asked_for_again(
    workshop: Workshop, store: Store, tmp_path: Path, logistics: Example
) -> None:
    begun(store, tmp_path / "s.jsonl", logistics, 0.6)
    doing = workshop.build("c")
    until(lambda: doing.done >= 1)
    work = session.load(store, "c")
    session.add(store, work, person.reworded(work.construction, "truck-at", "truck ?t stands at ?l"))
    assert ended(doing).fault == ""
    rows = store.rows("SELECT data FROM construction_events WHERE kind = 'answer' ORDER BY number")
    asked = [json.loads(data)["turns"][0]["content"] for (data,) in rows]
    assert len(asked) == 6
    # The one that had been put in other words is not the one that is answered.
    assert all("truck ?t stands at ?l" in prompt for prompt in asked[1:])


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_with_the_embedded_model_the_flow_ends_with_stored_judged_results(
    workshop: Workshop, store: Store, logistics: Example
) -> None:
    """What it writes is the model's; that each task and each error gets its verdict is ours."""
    brief = replace(logistics.brief, actions=logistics.brief.actions[:1])
    session.begin(store, "c", Setup(brief, rounds=0, passes=1), EMBEDDED, replace(session.DECODING, max_new_tokens=60))
    assert ended(workshop.build("c")).fault == ""
    assert ended(workshop.plan("c", TaskChoice("logistics"))).fault == ""
    assert ended(workshop.assess("c", "logistics")).fault == ""
    construction = session.load(store, "c").construction
    assert construction.is_built
    frame = assessments.tasks_frame(store, "c")
    assert list(frame["task"]) == [task.name for task in logistics.tasks]
    assert set(frame["outcome"]) <= {outcome.value for outcome in TaskOutcome}
    assert frame[frame["outcome"] != "solved"]["reason"].all()
    found = assessments.assessment_of(store, "c", "logistics")
    assert found is not None
    assert len(found.errors) >= 5  # the five actions that were not asked for
    assert all(error["weight"] for error in found.errors)
