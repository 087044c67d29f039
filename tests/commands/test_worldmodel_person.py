"""A person's part on the command line: read, say, accept, edit, rename, match, export, and tasks of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nl2pddl.generation import open_backend
from nl2pddl.store import Store
from nl2pddl.worldmodel import session
from nl2pddl.worldmodel.asking import answer_text
from nl2pddl.worldmodel.brief import load_example
from nl2pddl.worldmodel.building import Ask, Construction, Setup
from nl2pddl.worldmodel.reference import reference_answer, reference_predicates
from tests.commands.test_cli import command
from tests.conftest import write_script
from tests.worldmodel.conftest import scripted

WANTED = "truck ?t is at location ?l"


@pytest.fixture
def store(tmp_path: Path) -> list[str]:
    """The options of a store with a construction c, whose load-truck is wrong until the model is told."""
    example = load_example("logistics")
    setup = Setup(example.brief, passes=1)

    def change(ask: Ask, text: str) -> str:
        return text.replace("    (truck-at ?t ?l)\n", "") if ask.action == "load-truck" else text

    script, file = tmp_path / "s.jsonl", tmp_path / "s.duckdb"
    model = scripted(script, example, setup, change)
    lines = [json.loads(line) for line in script.read_text(encoding="utf-8").splitlines()]
    answer = reference_answer(example, "load-truck", reference_predicates(example))
    told = {"domain": "logistics", "action": "load-truck", "output": answer}
    goal = {"domain": "logistics", "action": "goal", "output": "(and (truck-at van b))"}
    write_script(script, [*lines, told, goal])
    with Store(file) as opened:
        session.begin(opened, "c", setup, model)
        session.work_on(opened, "c", open_backend, tmp_path)
    return ["--store", str(file)]


def stored(store: list[str]) -> Construction:
    with Store(Path(store[1])) as opened:
        return session.load(opened, "c").construction


def done(*arguments: object) -> str:
    ran = command("worldmodel", *arguments)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_an_action_is_read_corrected_and_accepted(store: list[str]) -> None:
    assert "c Logistics, by " in done("list", *store)
    before = done("show", "c", "--action", "load-truck", *store)
    assert "package ?p is at location ?l" in before
    assert WANTED not in before
    after = done("tell", "c", "--action", "load-truck", "The truck must be there.", *store)
    assert WANTED in after
    assert "(truck-at ?t ?l)" in after
    done("accept", "c", "--action", "load-truck", *store)
    assert "== load-truck (accepted)" in done("show", "c", *store)
    done("note", "c", "--action", "load-truck", "Fine now.", *store)
    assert "note: Fine now." in done("show", "c", *store)
    done("undo", "c", "--action", "load-truck", *store)
    assert WANTED not in done("show", "c", "--action", "load-truck", *store)


def test_what_is_edited_renamed_matched_and_exported(store: list[str], tmp_path: Path) -> None:
    draft = stored(store).drafts["fly-airplane"]
    (tmp_path / "edit.txt").write_text(answer_text(draft).replace("    (airport ?to)\n", ""), encoding="utf-8")
    done("edit", "c", "--action", "fly-airplane", tmp_path / "edit.txt", *store)
    done("rename", "c", "airport", "has-airport", *store)
    done("reword", "c", "has-airport", "planes land at ?l", *store)
    done("match", "c", "has-airport", "airport", "--example", "logistics", *store)
    construction = stored(store)
    assert "has-airport" not in str(construction.drafts["fly-airplane"].action.precondition)
    assert construction.predicates["has-airport"].words == "planes land at ?l"
    assert construction.matches["has-airport"] is not None
    records, domain = tmp_path / "r.json", tmp_path / "d.pddl"
    done("note", "c", "--action", "drive-truck", "Why?", *store)
    done("export", "c", "--records", records, "--domain", domain, *store)
    assert json.loads(records.read_text())[load_example("logistics").brief.action("drive-truck").title][
        "annotation"
    ] == ["Why?"]
    assert domain.read_text() == construction.domain_text()


def test_a_task_of_one_s_own(store: list[str]) -> None:
    texts = ["--objects", "van - truck a b - location town - city"]
    texts += ["--init", "(truck-at van a) (in-city a town) (in-city b town)"]
    for goal in (["--goal", "(truck-at van b)"], ["--words", "Drive to b."]):
        lines = done("solve", "c", *texts, *goal, *store).splitlines()
        assert lines[0] == "goal: (truck-at van b)"
        assert lines[1].endswith(" solved")
        assert lines[2] == "(drive-truck van a b town)"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "d"], "no construction 'd'"),
        (["show", "c", "--action", "fly"], "there is no action 'fly' in this domain; there are: load-truck"),
        (["tell", "c", "--action", "load-truck", " "], "say in words what is wrong"),
        (["undo", "c", "--action", "load-truck"], "there is no version of 'load-truck' before this one"),
        (["rename", "c", "airport", "and"], "no word that PDDL keeps"),
        (["reword", "c", "airport", "?zzz lands"], "has no parameter ?zzz"),
        (["match", "c", "airport", "in-city", "--example", "logistics"], "differ in parameters"),
        (["solve", "c", "--objects", "", "--init", ""], "give the goal in PDDL with --goal, or in words with --words"),
        (["export", "c"], "name a file with --records or --domain"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(store: list[str], arguments: list[str], said: str) -> None:
    before = stored(store)
    ran = command("worldmodel", *arguments, *store)
    assert ran.returncode == 2
    assert said in ran.stderr
    assert stored(store) == before
