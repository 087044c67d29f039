from __future__ import annotations

import json
from dataclasses import replace

import pytest

from nl2pddl.errors import InputError
from nl2pddl.experiment import Completion, ModelInfo, RunConfig, RunItem
from nl2pddl.records import (
    DescriptionClass,
    EvaluationSettings,
    ExactDecision,
    ExactOutcome,
    Protocol,
    ResultClass,
    Subclass,
    Verdict,
)
from nl2pddl.store import Store, listing, notes, queries, writes
from nl2pddl.store.listing import Filter, Sort
from nl2pddl.store.notes import Note

ITEM = RunItem(0, "org/m", "gripper", "move", DescriptionClass.BASE, 0, "prompt", context=("a/b",))
SETTINGS = EvaluationSettings()


def verdict(
    result_class: ResultClass, subclass: Subclass | None = None, are: int | None = None,
    protocol: Protocol = Protocol.STRICT, outcome: ExactOutcome | None = None, exercised: bool | None = None,
) -> Verdict:  # fmt: skip
    exact = (ExactDecision("p01", outcome),) if outcome else ()
    return Verdict(result_class, subclass, "because", protocol, are=are, exact=exact, exercised=exercised)


VERDICTS = (
    verdict(ResultClass.EQUIVALENT, are=4, outcome=ExactOutcome.DIFFERENT, exercised=False),
    verdict(ResultClass.DIFFERENT, Subclass.OP_APP, 2, exercised=True),
    verdict(ResultClass.SYNTAX, Subclass.U_TOKEN),
    verdict(ResultClass.SYNTAX, Subclass.NO_PDDL),
    verdict(ResultClass.EQUIVALENT, are=9, outcome=ExactOutcome.EQUAL, exercised=True),
)


@pytest.fixture
def filled(store: Store) -> Store:
    """Two runs of five items each, the first judged by strict, the second by published too (its own)."""
    for run_id, protocol in (("r1", Protocol.STRICT), ("r2", Protocol.PUBLISHED)):
        config = RunConfig(("org/m",), ("gripper",), evaluation=replace(SETTINGS, protocol=protocol))
        items = [replace(ITEM, index=index, sample=index, grammar=index == 1) for index in range(len(VERDICTS))]
        writes.add_run(store, run_id, config, items, [])
        answers = [Completion(f"Output {run_id} {index}", "length", 1, 0.1) for index in range(len(items))]
        writes.add_outputs(
            store, run_id, [writes.Output(i, answer, ModelInfo("org/m")) for i, answer in enumerate(answers)]
        )
        judged = [(index, replace(one, protocol=protocol)) for index, one in enumerate(VERDICTS)]
        writes.add_verdicts(store, run_id, judged, SETTINGS)
    return store


def listed(store: Store, wanted: Filter) -> list[tuple[str, int]]:
    frame = listing.page(store, wanted)
    found = list(zip(frame["run_id"], (int(index) for index in frame["item_index"]), strict=True))
    assert listing.count(store, wanted) == len(found)
    return found


R1 = ("r1",)


def test_the_newest_run_comes_first_in_the_order_of_its_items(filled: Store) -> None:
    assert listed(filled, Filter(("r2", "r1"))) == [(run, index) for run in ("r2", "r1") for index in range(5)]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        (Sort.ARE_HIGHEST, [4, 0, 1, 2, 3]),
        (Sort.ARE_LOWEST, [1, 0, 4, 2, 3]),
        (Sort.CLASS, [3, 2, 1, 0, 4]),
        (Sort.NEWEST, [0, 1, 2, 3, 4]),
    ],
)
def test_every_order_has_its_places(filled: Store, sort: Sort, order: list[int]) -> None:
    wanted = Filter(R1, sort=sort)
    assert [index for _, index in listed(filled, wanted)] == order
    assert [listing.place_of(filled, wanted, "r1", index) for index in order] == [0, 1, 2, 3, 4]
    later = listing.page(filled, wanted, start=3, limit=1)
    assert list(later["item_index"]) == [order[3]]


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("result_class", "syntax", [2, 3]),
        ("subclass", "OPApp", [1]),
        ("grammar", "on", [1]),
        ("exact", "different", [0]),
        ("exact", listing.NOT_ASKED, [1, 2, 3]),
        ("exercised", "no", [0]),
        ("exercised", listing.UNKNOWN, [2, 3]),
        ("round", "0", [0, 1, 2, 3, 4]),
        ("round", "1", []),
    ],
)
def test_each_filter_lets_its_values_through(filled: Store, name: str, value: str, found: list[int]) -> None:
    assert [index for _, index in listed(filled, Filter(R1, {name: [value]}))] == found


def test_text_is_searched_in_the_output_alone(filled: Store) -> None:
    assert listed(filled, Filter(("r2", "r1"), text="oUTPUT r1 3")) == [("r1", 3)]
    assert listed(filled, Filter(("r2", "r1"), text="because")) == []


def test_an_item_outside_the_list_has_no_place_in_it(filled: Store) -> None:
    wanted = Filter(R1, {"result_class": ["syntax"]})
    assert listing.place_of(filled, wanted, "r1", 0) is None
    assert listing.place_of(filled, wanted, "r2", 2) is None
    assert listing.place_of(filled, wanted, "r1", 3) == 1


def test_an_item_with_two_verdicts_is_listed_once_under_its_run_s_own(filled: Store) -> None:
    # Stored last: the verdict that was asked for later must not push the run's own aside.
    second = verdict(ResultClass.DIFFERENT, Subclass.NP_APP, 4, Protocol.PUBLISHED)
    writes.add_verdicts(filled, "r1", [(0, second)], replace(SETTINGS, protocol=Protocol.PUBLISHED))
    assert listed(filled, Filter(R1)) == [("r1", index) for index in range(5)]
    assert listed(filled, Filter(R1, {"result_class": ["equivalent"]})) == [("r1", 0), ("r1", 4)]
    published = Filter(("r2", "r1"), {"protocol": ["published"]})
    assert listed(filled, published) == [*(("r2", index) for index in range(5)), ("r1", 0)]
    assert list(listing.page(filled, published)["subclass"])[-1] == "NPApp"
    both = Filter(R1, {"protocol": ["published", "strict"]})
    assert listed(filled, both) == [("r1", index) for index in range(5)]


def test_a_detail_is_under_the_run_s_own_protocol_unless_another_is_asked_for(filled: Store) -> None:
    second = verdict(ResultClass.DIFFERENT, Subclass.NP_APP, 4, Protocol.PUBLISHED)
    writes.add_verdicts(filled, "r1", [(0, second)], SETTINGS)
    own = queries.item_detail(filled, "r1", 0)
    assert (own.verdict["protocol"], own.verdict["result_class"]) == ("strict", "equivalent")
    assert own.protocols == ("strict", "published")
    other = queries.item_detail(filled, "r1", 0, "published")
    assert (other.verdict["protocol"], other.verdict["subclass"]) == ("published", "NPApp")
    assert queries.item_detail(filled, "r1", 1, "published").verdict["protocol"] == "strict"
    assert queries.item_detail(filled, "r2", 0).verdict["protocol"] == "published"


def test_the_latest_note_counts_and_its_tag_is_found(filled: Store) -> None:
    assert notes.latest_note(filled, "r1", 3) == Note()
    notes.add_note(filled, "r1", 3, Note("first", "a"))
    notes.add_note(filled, "r1", 3, Note(" <b>second</b>\n", "  to \n check "))
    assert notes.latest_note(filled, "r1", 3) == Note("<b>second</b>", "to check")
    assert notes.all_tags(filled) == ["to check"]
    assert listing.choices(filled, R1)["tag"] == [listing.UNTAGGED, "to check"]
    assert listed(filled, Filter(R1, {"tag": ["to check"]})) == [("r1", 3)]
    assert listed(filled, Filter(R1, {"tag": [listing.UNTAGGED]})) == [("r1", index) for index in (0, 1, 2, 4)]
    shown = listing.page(filled, Filter(R1))
    assert list(shown["note"]) == ["", "", "", "<b>second</b>", ""]
    notes.add_note(filled, "r1", 3, Note())
    assert (notes.latest_note(filled, "r1", 3), notes.all_tags(filled)) == (Note(), [])
    assert filled.rows("SELECT count(*) FROM notes") == [(3,)]


@pytest.mark.parametrize(
    ("index", "note", "message"),
    [
        (0, Note("x" * (notes.LONGEST_NOTE + 1)), "the note has 4,001 characters"),
        (0, Note(tag="x" * (notes.LONGEST_TAG + 1)), "the tag has 41 characters"),
        (99, Note("x"), "no item 99"),
    ],
)
def test_what_cannot_be_noted_is_refused(filled: Store, index: int, note: Note, message: str) -> None:
    with pytest.raises(InputError, match=message):
        notes.add_note(filled, "r1", index, note)
    assert filled.rows("SELECT count(*) FROM notes") == [(0,)]


def test_the_choices_are_those_that_occur(filled: Store) -> None:
    found = listing.choices(filled, R1)
    assert found["subclass"] == ["NoPDDL", "OPApp", "UToken"]
    assert found["exact"] == ["different", "equal", listing.NOT_ASKED]
    assert found["grammar"] == ["off", "on"]
    assert found["protocol"] == ["strict"]
    assert set(found) == set(listing.COLUMNS)


def test_the_same_prompt_is_one_with_the_same_context(filled: Store) -> None:
    item = queries.item_detail(filled, "r1", 1).item
    frame = queries.same_prompt(filled, ["r1", "r2"], item)
    assert list(zip(frame["run_id"], frame["item_index"], strict=True)) == [("r2", 1), ("r1", 1)]
    assert list(queries.same_prompt(filled, ["r2"], item)["run_id"]) == ["r2"]
    with filled.transaction() as cursor:
        cursor.execute("UPDATE items SET context = ? WHERE run_id = 'r2'", [json.dumps(["a/c"])])
    assert list(queries.same_prompt(filled, ["r1", "r2"], item)["run_id"]) == ["r1"]
