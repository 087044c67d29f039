"""The published record layout: read into a construction, written again, and what is wrong with files is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nl2pddl.actions import canonical
from nl2pddl.errors import InputError
from nl2pddl.store import Store
from nl2pddl.worldmodel import building, published, session
from nl2pddl.worldmodel.published import read_records, records_json, slug
from tests.commands.test_cli import command

TYPES = {"hierarchy": {"Lamp": ["deskLamp"], "room": []}, "requirements": ["typing"]}
PREDICATES = "(lit ?l - Lamp): true if ?l is lit\n\n(lamp-in ?l - Lamp ?r - room): true if ?l is in ?r\n"
TEXT = (
    "1. ?l - Lamp: the lamp\n\nPreconditions:\n```\n(and\n    (not (lit ?l))\n)\n```\n\n"
    "Effects:\n```\n(and\n    (lit ?l)\n)\n```"
)
ACTIONS: dict[str, Any] = {
    "Switch a lamp on (by hand)": {
        "action_desc": "It lights.",
        "llm_output": TEXT,
        "annotation": ["Where is the robot?"],
    },
    "Carry a lamp": {
        "action_desc": "It carries.",
        "parameters": ["?l - deskLamp: the lamp", "?a - room: from", "?b - room: to"],
        "preconditions": "(and\n  (lamp-in ?l ?a)\n  (or (lit ?l) (not (lit ?l)))\n)",
        "effects": "(and (lamp-in ?l ?b) (not (lamp-in ?l ?a)))",
        "annotation": [],
    },
}


def read(actions: Any = None, predicates: str = PREDICATES, types: Any = None) -> published.Records:
    return read_records(
        json.dumps(ACTIONS if actions is None else actions).encode(), predicates.encode(),
        json.dumps(TYPES if types is None else types).encode(), "lamps",
    )  # fmt: skip


def test_a_record_becomes_a_construction_that_is_through() -> None:
    records = read()
    construction = records.construction
    assert building.next_ask(construction) is None
    assert list(construction.drafts) == ["switch-a-lamp-on-by-hand", "carry-a-lamp"]
    assert {one.name: one.parent for one in records.setup.brief.types} == {
        "lamp": "object", "room": "object", "desklamp": "lamp",
    }  # fmt: skip
    assert construction.predicates["lit"].said_of(["?x"]) == "?x is lit"
    assert construction.remarks == {"switch-a-lamp-on-by-hand": ("Where is the robot?",)}
    assert all(version.faults == () for versions in construction.versions.values() for version in versions)


def test_what_was_read_is_written_again() -> None:
    construction = read().construction
    again = read(json.loads(records_json(construction))).construction
    assert again.predicates == construction.predicates
    assert again.remarks == construction.remarks
    for name, draft in construction.drafts.items():
        assert canonical(again.drafts[name].action) == canonical(draft.action)
        assert again.drafts[name].words == draft.words


def test_what_is_wrong_in_an_action_is_kept_as_what_tools_object_to() -> None:
    wrong = {**ACTIONS, "Sing": {"llm_output": "La la la."}}
    wrong["Carry a lamp"] = {**wrong["Carry a lamp"], "effects": "(and (lamp-in ?b ?l))"}
    construction = read(wrong).construction
    assert construction.missing == ["sing"]
    (version,) = construction.versions["carry-a-lamp"]
    assert version.faults == (
        "'?b' is of type room, but 'lamp-in' takes lamp there",
        "'?l' is of type desklamp, but 'lamp-in' takes room there",
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"actions": []}, "must be a JSON object"),
        ({"actions": {"Sing": {"annotation": []}}}, "'Sing' has neither llm_output nor"),
        ({"actions": {"Sing": ACTIONS["Carry a lamp"], "sing!": ACTIONS["Carry a lamp"]}}, "stands twice"),
        ({"types": ["lamp"]}, 'needs a table "hierarchy"'),
        ({"types": {"hierarchy": {"lamp": 3}}}, "a list of subtypes"),
        ({"types": {"hierarchy": {"object": []}}}, "'object' cannot be the name of a type"),
        ({"predicates": "(lit ?l - Lamp"}, "1 parenthesis is never closed"),
        ({"predicates": "(lit ?l - moon): true if ?l shines"}, "a type that is not there"),
    ],
)
def test_files_of_another_layout_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        read(**change)
    with pytest.raises(InputError, match="is no JSON"):
        read_records(b"{", b"", b"{}", "lamps")
    with pytest.raises(InputError, match="no text in UTF-8"):
        read_records(b"\xff", b"", b"{}", "lamps")


def test_names_from_titles() -> None:
    assert slug("Load a package into a truck") == "load-a-package-into-a-truck"
    assert slug("2nd (try)") == "action-2nd-try"


def test_the_command(tmp_path: Path) -> None:
    for name, content in (("a.json", json.dumps(ACTIONS)), ("p.txt", PREDICATES), ("t.json", json.dumps(TYPES))):
        (tmp_path / name).write_text(content)
    options = ["--actions", "a.json", "--predicates", "p.txt", "--types", "t.json", "--name", "lamps"]
    options = [str(tmp_path / one) if "." in one else one for one in options]
    out, store = tmp_path / "lamps.pddl", tmp_path / "s.duckdb"
    done = command("worldmodel", "import", *options, "--out", str(out), "--store", str(store))
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    assert last == (f"construction {first}: 2 of 2 actions, 2 predicates; tools object to 0, people to 1 (1 remarks)")
    assert "(:action carry-a-lamp" in out.read_text()
    with Store(store) as opened:
        assert session.load(opened, first).construction == read().construction
    missing = command(
        "worldmodel", "import", *[one.replace("p.txt", "q.txt") for one in options], "--store", str(store)
    )
    assert missing.returncode == 2
    assert "q.txt" in missing.stderr
