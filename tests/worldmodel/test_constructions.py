"""Constructions with a model and a store: they go on after a restart, and what comes out plans every task."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from nl2pddl.errors import InputError, ModelError
from nl2pddl.experiment import ChatMode, Decoding
from nl2pddl.generation import EMBEDDED, open_backend
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.settings import Settings
from nl2pddl.store import Store, constructions
from nl2pddl.worldmodel import person, session
from nl2pddl.worldmodel.brief import ActionBrief, Brief, Condition, Example, TypeBrief, example_ids, load_example
from nl2pddl.worldmodel.building import Ask, EventKind, Origin, Setup
from nl2pddl.worldmodel.tasks import Judge, TaskOutcome, plan_tasks
from tests.commands.test_cli import command
from tests.conftest import write_script
from tests.worldmodel.conftest import scripted


@pytest.fixture(scope="module")
def logistics() -> Example:
    return load_example("logistics")


@pytest.mark.parametrize("name", example_ids())
def test_with_right_answers_every_task_is_planned_and_validated(name: str, tmp_path: Path, store: Store) -> None:
    example = load_example(name)
    setup = Setup(example.brief)
    session.begin(store, "c", setup, scripted(tmp_path / "s.jsonl", example, setup))
    work = session.work_on(store, "c", open_backend, tmp_path)
    assert work.construction.missing == []
    results = list(plan_tasks(work.construction.domain_text(), example.tasks, Judge(PlanChecker(), example.planning)))
    assert [result for result in results if result.outcome is not TaskOutcome.SOLVED] == []
    assert [len(result.plan) for result in results] == [task.shortest for task in example.tasks]


def test_a_half_finished_construction_survives_a_restart(
    tmp_path: Path, settings: Settings, logistics: Example
) -> None:
    setup = Setup(logistics.brief)

    def once_wrong(ask: Ask, text: str) -> str:
        return text.replace("- truck", "- lorry") if (ask.action, ask.round) == ("load-truck", 0) else text

    model = scripted(tmp_path / "s.jsonl", logistics, setup, once_wrong)
    with Store(settings.store) as store:
        session.begin(store, "c", setup, model)
    for answers in (1, 2, 7, 99):  # within the tools' objections, between actions, in the second pass
        told: list[int] = []
        with Store(settings.store) as store:
            session.work_on(store, "c", open_backend, tmp_path, partial(_enough, told, answers), partial(_told, told))
    with Store(settings.store) as store:
        work = session.load(store, "c")
        session.begin(store, "whole", setup, model)
        whole = session.work_on(store, "whole", open_backend, tmp_path)
        assert list(constructions.constructions_frame(store)["events"]) == [14, 14]
    assert work.construction == whole.construction
    assert work.construction.is_built
    assert len(work.construction.versions["load-truck"]) == 4


def _enough(told: list[int], answers: int) -> bool:
    return len(told) >= answers


def _told(told: list[int], work: session.Work) -> None:
    told.append(work.events)


def test_every_answer_is_stored_with_how_it_came_about(tmp_path: Path, store: Store, logistics: Example) -> None:
    setup = Setup(logistics.brief, passes=1)
    session.begin(store, "c", setup, scripted(tmp_path / "s.jsonl", logistics, setup))
    session.work_on(store, "c", open_backend, tmp_path)
    rows = store.rows("SELECT number, kind, completion, model_info FROM construction_events ORDER BY number")
    assert [row[0] for row in rows] == list(range(6))
    assert all(
        kind == "answer" and "end of text" in completion and "s.jsonl" in info for _, kind, completion, info in rows
    )


def test_a_person_s_words_are_stored_and_the_model_is_asked_again(
    tmp_path: Path, store: Store, logistics: Example
) -> None:
    setup = Setup(logistics.brief, passes=1)
    model = scripted(tmp_path / "s.jsonl", logistics, setup)
    session.begin(store, "c", setup, model)
    work = session.work_on(store, "c", open_backend, tmp_path)
    session.add(store, work, person.objected(work.construction, "load-truck", "That is not all."))
    with pytest.raises(InputError, match="gone on meanwhile"):  # another tab
        session.add(store, work, person.objected(work.construction, "load-truck", "Nor is this."))
    work = session.work_on(store, "c", open_backend, tmp_path)
    version = work.construction.current("load-truck")
    assert version is not None
    assert version.origin is Origin.FEEDBACK
    assert work.construction.feedback == {"load-truck": 1}
    assert session.load(store, "c").construction == work.construction


def test_a_model_without_an_answer_costs_nothing_of_what_there_is(
    tmp_path: Path, store: Store, logistics: Example
) -> None:
    setup = Setup(logistics.brief, passes=1)
    script = tmp_path / "s.jsonl"
    model = scripted(script, logistics, setup)
    whole = script.read_text()
    script.write_text("\n".join(whole.splitlines()[:3]))
    session.begin(store, "c", setup, model)
    with pytest.raises(ModelError):
        session.work_on(store, "c", open_backend, tmp_path)
    assert session.load(store, "c").events == 3
    script.write_text(whole)
    assert session.work_on(store, "c", open_backend, tmp_path).construction.is_built


def test_unknown_ones_are_named(store: Store, logistics: Example) -> None:
    with pytest.raises(InputError, match="no construction 'x'; the latest are: none"):
        session.load(store, "x")
    with pytest.raises(ModelError):
        session.begin(store, "c", Setup(logistics.brief), "scripted:/nowhere.jsonl")


def test_a_task_that_cannot_be_solved_says_why(logistics: Example) -> None:
    text = logistics.planning.source

    def outcomes(old: str, new: str) -> set[tuple[TaskOutcome, str]]:
        assert old in text
        tasks = logistics.tasks[9:10]
        changed = plan_tasks(text.replace(old, new), tasks, Judge(PlanChecker(), logistics.planning))
        return {(result.outcome, result.reason) for result in changed}

    ((outcome, reason),) = outcomes("airport", "landing-place")
    assert outcome is TaskOutcome.MISFIT
    assert "'airport'" in reason
    ((outcome, reason),) = outcomes("(plane-at ?a ?to) (not", "(not")
    assert (outcome, reason) == (TaskOutcome.UNSOLVABLE, "the planner finds that there is no plan")
    ((outcome, reason),) = outcomes(" (in-city ?to ?c))", ")")
    assert outcome is TaskOutcome.WRONG
    assert "(in-city" in reason
    with pytest.raises(InputError, match="cannot be planned with: line"):
        outcomes("(package-at ?p ?l) (truck-at ?t ?l)", "(package-at ?p ?l) (truck-at ?p ?l)")


def test_the_embedded_model_builds_for_real(
    tmp_path: Path, models_dir: Path, embedded_folder: Path, store: Store
) -> None:
    brief = Brief(
        "lights",
        "Lights",
        "A robot switches lamps.",
        (TypeBrief("lamp", words="a lamp"),),
        (ActionBrief("switch-on", "Switch on", "The robot switches on a lamp that is off.", ""),),
    )
    decoding = Decoding(max_new_tokens=60, stop_strings=session.DECODING.stop_strings, chat=ChatMode.TEMPLATE)
    session.begin(
        store, "c", Setup(brief, Condition.DETAILED, rounds=1, passes=1, demonstrations=1), EMBEDDED, decoding
    )
    work = session.work_on(store, "c", open_backend, models_dir)
    assert work.construction.is_built
    versions = work.construction.versions["switch-on"]
    assert 1 <= len(versions) <= 2
    assert versions[0].turns[-1].content.strip()
    rows = store.rows("SELECT kind, model_info FROM construction_events")
    assert {kind for kind, _ in rows} == {EventKind.ANSWER.value}
    assert all(EMBEDDED in info for _, info in rows)


def test_errors_are_counted_and_weighed_by_the_command(tmp_path: Path, logistics: Example) -> None:
    setup = Setup(logistics.brief, rounds=0, passes=1)

    def change(ask: Ask, text: str) -> str:
        if ask.action == "drive-truck":
            return text.replace("    (in-city ?to ?c)\n", "")
        return text.replace("(airport ?to)", "(airport ?to) (airport ?from)")

    model = scripted(tmp_path / "s.jsonl", logistics, setup, change)
    store = ["--store", str(tmp_path / "s.duckdb")]
    options = ["--example", "logistics", "--rounds", "0", "--passes", "1", "--model", model]
    first = command("worldmodel", "build", *options, *store).stdout.splitlines()[0]
    told = command("worldmodel", "errors", first, "--example", "logistics", *store).stdout.splitlines()
    assert told[-3].startswith("drive-truck: missing precondition (in-city ?to ?c): changes plans (seen on t")
    assert told[-2] == "fly-airplane: extra precondition (airport ?from): changes no plan of the tasks"
    assert told[-1] == "2 errors against the hand-made model: 1 changes plans; 1 changes no plan of the tasks"


def solutions(example: Example) -> dict[str, str]:
    """A plan for each task, as a model would write it."""
    planned = plan_tasks(example.planning.source, example.tasks, Judge(PlanChecker(), example.planning))
    return {result.task: "\n".join(result.plan) for result in planned}


def test_the_commands(tmp_path: Path, logistics: Example) -> None:
    setup = Setup(logistics.brief, Condition.MINIMAL, passes=1)
    model = scripted(tmp_path / "s.jsonl", logistics, setup)
    store, out = ["--store", str(tmp_path / "s.duckdb")], tmp_path / "domain.pddl"
    options = ["--example", "logistics", "--condition", "minimal", "--passes", "1", "--model", model, "--out", str(out)]
    done = command("worldmodel", "build", *options, *store)
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    assert last == f"construction {first}: 6 of 6 actions, 7 predicates, 6 events; tools still object to 0"
    assert out.read_text().startswith("(define (domain logistics)")
    again = command("worldmodel", "resume", first, *store)
    assert again.stdout.splitlines() == [first, last]
    solved = command("worldmodel", "tasks", first, "--example", "logistics", *store).stdout.splitlines()
    assert len(solved) == len(logistics.tasks) + 1
    assert solved[-1] == "24 of 24 tasks solved: 24 solved"
    plans = {task.name: task for task in logistics.tasks}
    answers = [
        {"domain": "logistics", "action": name, "output": text}
        for name, found in solutions(logistics).items()
        for text in (["Let me think.", found] if plans[name].shortest > 20 else [found])
    ]
    planner = ["--model", write_script(tmp_path / "plans.jsonl", answers), "--example", "logistics", *store]
    criticised = command("worldmodel", "tasks", first, "--by", "modulo", *planner).stdout.splitlines()
    assert criticised[0].startswith("t01 solved 3 steps: 1 answer")
    assert criticised[-2].startswith("t24 solved 25 steps: 2 answers")
    assert criticised[-1] == "24 of 24 tasks solved: 24 solved"
    alone = command("worldmodel", "tasks", first, "--by", "model", *planner).stdout.splitlines()
    assert alone[-1] == "18 of 24 tasks solved: 18 solved, 6 wrong plan"
    counted = command("worldmodel", "errors", first, "--example", "logistics", *store).stdout.splitlines()
    assert sorted(counted[:-1]) == sorted(f"{name}: {name}" for name in logistics.planning.predicates)
    assert counted[-1] == "0 errors against the hand-made model"
    for wrong, words in (
        (["errors", first, "--example", "tyres", *store], "has no action of 'tyres'"),
        (["resume", "nope", *store], "no construction 'nope'"),
        (["resume", first, "--store", str(tmp_path / "none.duckdb")], "no such store"),
        (["build", "--example", "logistics", "--rounds", "-1", *store], "--rounds must be"),
        (
            ["build", "--example", "logistics", "--model", write_script(tmp_path / "e.jsonl", []), *store],
            "no scripted outputs",
        ),
    ):
        refused = command("worldmodel", *wrong)
        assert refused.returncode in (1, 2)
        assert words in refused.stderr
