from __future__ import annotations

from dataclasses import replace

import pytest

from nl2pddl.experiment import WHOLE_DOMAIN, Completion, Fault, ModelInfo, RunConfig, RunItem
from nl2pddl.records import DescriptionClass, EvaluationSettings, Protocol, ResultClass, Subclass, Verdict
from nl2pddl.store import Store, counts, queries, writes

ITEM = RunItem(0, "m", "gripper", "move", DescriptionClass.BASE, 0, "prompt")
E, S, D = ResultClass.EQUIVALENT, ResultClass.SYNTAX, ResultClass.DIFFERENT


@pytest.fixture
def filled(store: Store) -> Store:
    """A run of three items and their corrections: right at once, at the second correction, and never."""
    first = [replace(ITEM, index=index, action=name) for index, name in enumerate(("move", "pick", "drop"))]
    writes.add_run(store, "r", RunConfig(("m",), ("gripper",), rounds=2), first, [])
    corrections = [replace(first[index - 3 * number], index=index, round=number) for index, number in
                   ((4, 1), (5, 1), (7, 2), (8, 2))]  # fmt: skip
    writes.add_items(store, "r", corrections)
    judge(store, "r", {0: E, 1: S, 2: S, 4: D, 5: S, 7: E, 8: D})
    return store


def judge(store: Store, run_id: str, classes: dict[int, ResultClass]) -> None:
    info = ModelInfo("m")
    outputs = [writes.Output(index, Completion("x", "length", 10, 0.5, 100), info, f"key{index}") for index in classes]
    writes.add_outputs(store, run_id, outputs)
    subclasses = {S: Subclass.P_ERROR, D: Subclass.NO_PLAN}
    verdicts = [(i, Verdict(found, subclasses.get(found), "", Protocol.STRICT)) for i, found in classes.items()]
    writes.add_verdicts(store, run_id, verdicts, EvaluationSettings())


def test_only_first_answers_are_counted_as_the_model_s(filled: Store) -> None:
    frame = counts.class_counts(filled, ["r"])
    assert dict(zip(frame["result_class"], frame["count"], strict=True)) == {"equivalent": 1, "syntax": 2}


def test_each_round_counts_where_every_answer_stands(filled: Store) -> None:
    frame = counts.round_counts(filled, ["r"])
    assert list(frame.itertuples(index=False, name=None)) == [
        ("m", 0, "equivalent", 1), ("m", 0, "syntax", 2),
        ("m", 1, "different", 1), ("m", 1, "equivalent", 1), ("m", 1, "syntax", 1),
        ("m", 2, "different", 1), ("m", 2, "equivalent", 2),
    ]  # fmt: skip
    assert queries.failed_items(filled, "r") == [2]
    assert queries.uncorrected(filled, "r", "m", 2) == []
    assert queries.uncorrected(filled, "r", "m", 3) == [8]


def test_grammars_and_twins_are_told_apart_and_whole_domains_are_apart(store: Store) -> None:
    items = [
        ITEM,
        replace(ITEM, index=1, grammar=True),
        replace(ITEM, index=2, domain="gripper~nonsense~1"),
        replace(ITEM, index=3, action=WHOLE_DOMAIN),
    ]
    writes.add_run(store, "r", RunConfig(("m",), ("gripper",)), items, [])
    judge(store, "r", {0: S, 1: D, 2: E, 3: D})
    frame = counts.class_counts(store, ["r"])
    assert dict(zip(frame["model"], frame["result_class"], strict=True)) == {
        "m": "syntax", "m + grammar": "different", "m (anonymised)": "equivalent",
    }  # fmt: skip
    whole = counts.whole_domain_counts(store, ["r"])
    assert list(whole.itertuples(index=False, name=None)) == [("m", "gripper", "different", "NoPlan", 1)]
    assert counts.round_counts(store, ["r"]).empty


def test_what_a_run_measured_and_used(filled: Store) -> None:
    writes.add_outputs(
        filled, "r", [writes.Output(3, Completion("x", "length", 10, 0.5, 100, reused=True), ModelInfo("m"), "key0")]
    )
    assert queries.tokens(filled, "r") == [("m", 700, 70)]
    ((model, generating, judging, asked, answered),) = queries.measured(filled, "r")
    assert (model, generating, judging, asked, answered) == ("m", 0.5, 0.0, 100, 10)
    assert queries.known_answers(filled, ["key1", "nothing"]) == {"key1": Completion("x", "length", 10, 0.5, 100)}


def test_faults_count_until_there_is_an_answer(store: Store) -> None:
    writes.add_run(store, "r", RunConfig(("m",), ("gripper",)), [ITEM, replace(ITEM, index=1)], [])
    writes.add_faults(store, "r", [(0, Fault("server", "first", 6)), (1, Fault("timeout", "slow", 6))])
    writes.add_faults(store, "r", [(0, Fault("connection", "second", 3))])
    faults = queries.latest_faults(store, "r")
    assert list(zip(faults["item_index"], faults["kind"], faults["attempts"], strict=True)) == [
        (0, "connection", 3), (1, "timeout", 6),
    ]  # fmt: skip
    judge(store, "r", {0: E})
    assert queries.fault_count(store, "r") == 1
