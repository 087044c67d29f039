"""Outputs judged by both protocols: counted, listed, and brought about by the run manager."""

from __future__ import annotations

from pathlib import Path

import pytest

from nl2pddl.actions import action_pddl
from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError
from nl2pddl.experiment import RunConfig, RunKind, RunStatus
from nl2pddl.records import Protocol
from nl2pddl.runs import RunManager
from nl2pddl.store import counts, flips, queries
from tests.conftest import write_script


@pytest.fixture
def run(manager: RunManager, tmp_path: Path, library: DomainLibrary) -> str:
    """A run of blocksworld: the truth, one without a precondition keyword (NoPDDL in published only), two that fail."""
    actions = library.find("blocksworld").planning.actions
    lines: list[dict[str, object]] = [
        {"domain": "blocksworld", "action": "stack", "output": action_pddl(actions["stack"])},
        {
            "domain": "blocksworld",
            "action": "pick-up",
            "output": "(:action pick-up :parameters (?x - block) :effect (and (holding ?x)))",
        },
        {"output": "no action"},
    ]
    run_id = manager.launch(RunConfig((write_script(tmp_path / "s.jsonl", lines),), ("blocksworld",)))
    assert manager.wait(run_id, 120)
    return run_id


def test_the_other_protocol_adds_verdicts_and_changes_none(manager: RunManager, run: str) -> None:
    store = manager.store
    before = counts.class_counts(store, [run])
    assert flips.missing(store, [run]) == {run: 4}
    assert flips.class_pairs(store, [run], {}).empty
    manager.judge_by_other(run)
    assert manager.wait(run, 120)
    assert flips.missing(store, [run]) == {}
    assert manager.progress(run).status is RunStatus.FINISHED
    assert list(queries.runs_frame(store)["event"]) == ["finished"]
    assert counts.class_counts(store, [run]).equals(before)  # a run is counted by its own protocol
    pairs = flips.class_pairs(store, [run], {})
    assert pairs["count"].sum() == 4
    (flip,) = flips.flipped(store, [run], {}).to_dict("records")
    assert (flip["action"], flip["published"]) == ("pick-up", "syntax NoPDDL")
    assert flip["strict"].startswith("different")
    assert "':precondition' is missing" in flip["published_reason"]
    assert flips.flipped(store, [run], {"action": ["stack"]}).empty
    assert flips.class_pairs(store, [run], {"action": ["stack"]})["count"].sum() == 1


def test_what_was_published_is_judged_strictly(manager: RunManager, tmp_path: Path) -> None:
    from nl2pddl.records import EvaluationSettings

    model = write_script(tmp_path / "s.jsonl", [{"output": "no action"}])
    config = RunConfig((model,), ("gripper",), evaluation=EvaluationSettings(protocol=Protocol.PUBLISHED))
    run = manager.launch(config)
    assert manager.wait(run, 120)
    manager.judge_by_other(run)
    assert manager.wait(run, 120)
    assert set(queries.results_frame(manager.store, [run])["protocol"]) == {"strict", "published"}
    assert flips.flipped(manager.store, [run], {}).empty


def test_whole_domains_are_not_judged_by_the_study_s_code(manager: RunManager, tmp_path: Path) -> None:
    model = write_script(tmp_path / "s.jsonl", [{"output": "no action"}])
    run = manager.launch(RunConfig((model,), ("gripper",), kind=RunKind.DOMAIN))
    assert manager.wait(run, 120)
    with pytest.raises(InputError, match="it is of whole domains"):
        manager.judge_by_other(run)
