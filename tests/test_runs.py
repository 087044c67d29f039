from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nl2pddl.actions import action_pddl
from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError, RunError, StoreFullError
from nl2pddl.experiment import RunConfig, RunStatus
from nl2pddl.records import DescriptionClass, EvaluationSettings
from nl2pddl.runs import RunManager, status_of
from nl2pddl.store import Store, queries, writes
from tests.conftest import ROOT, write_script

STACK_WRONG = (
    "(:action stack :parameters (?x - block ?y - block) :precondition (and (holding ?x)) "
    ":effect (and (not (holding ?x)) (clear ?x) (handempty) (on ?x ?y)))"
)


@pytest.fixture
def script(tmp_path: Path, library: DomainLibrary) -> str:
    blocksworld = library.find("blocksworld").planning
    lines: list[dict[str, object]] = [
        {"domain": "blocksworld", "action": "pick-up", "output": action_pddl(blocksworld.actions["pick-up"])},
        {"domain": "blocksworld", "action": "put-down", "output": "I cannot."},
        {"domain": "blocksworld", "action": "stack", "output": STACK_WRONG},
        {"domain": "blocksworld", "action": "unstack", "output": "(:action unstack :parameters (?x) :effect (nope))"},
    ]
    return write_script(tmp_path / "script.jsonl", lines)


def config(model: str, **more: object) -> RunConfig:
    return RunConfig(models=(model,), domains=("blocksworld",), **more)  # type: ignore[arg-type]


def test_a_run_ends_with_a_verdict_for_every_item(manager: RunManager, script: str) -> None:
    run_id = manager.launch(config(script))
    assert manager.wait(run_id, 120)
    progress = manager.progress(run_id)
    assert (progress.status, progress.total, progress.generated, progress.judged) == (RunStatus.FINISHED, 4, 4, 4)
    frame = queries.results_frame(manager.store, [run_id])
    assert list(zip(frame["action"], frame["result_class"], frame["subclass"].fillna("-"), strict=True)) == [
        ("pick-up", "equivalent", "-"),
        ("put-down", "syntax", "NoPDDL"),
        ("stack", "different", "NPApp"),
        ("unstack", "semantic", "PAError"),
    ]


def test_an_output_that_is_no_unicode_text_is_kept_and_judged(manager: RunManager, tmp_path: Path) -> None:
    output = "\ud800 \x00 (:action stack :parameters (\ud800) :effect ())"
    run_id = manager.launch(config(write_script(tmp_path / "odd.jsonl", [{"output": output}])))
    assert manager.wait(run_id, 120)
    assert manager.progress(run_id).status is RunStatus.FINISHED
    assert queries.item_detail(manager.store, run_id, 0).output == output.replace("\ud800", "?")


def test_runs_wait_for_each_other(manager: RunManager, script: str) -> None:
    first, second = manager.launch(config(script, prompts=3)), manager.launch(config(script))
    assert manager.active() == [first, second]
    assert manager.progress(second).status is RunStatus.QUEUED
    assert manager.wait(second, 120)
    assert manager.progress(first).status is RunStatus.FINISHED


def test_cancel_and_resume(manager: RunManager, tmp_path: Path) -> None:
    model = write_script(tmp_path / "slow.jsonl", [{"output": "nothing", "seconds": 0.05}])
    run_id = manager.launch(config(model, prompts=200))
    while manager.progress(run_id).generated == 0:
        time.sleep(0.05)
    with pytest.raises(RunError, match="already under way"):
        manager.resume(run_id)
    manager.cancel(run_id)
    assert manager.wait(run_id, 60)
    cancelled = manager.progress(run_id)
    assert cancelled.status is RunStatus.CANCELLED
    assert 0 < cancelled.generated < 800
    write_script(tmp_path / "slow.jsonl", [{"output": "nothing"}])
    manager.resume(run_id)
    assert manager.wait(run_id, 120)
    assert manager.progress(run_id).status is RunStatus.FINISHED
    indices = queries.results_frame(manager.store, [run_id])["item_index"]
    assert sorted(indices) == list(range(800))
    with pytest.raises(RunError, match="is complete"):
        manager.resume(run_id)
    with pytest.raises(RunError, match="not under way"):
        manager.cancel(run_id)


def test_a_cancel_does_not_wait_for_a_long_batch(manager: RunManager, tmp_path: Path) -> None:
    model = write_script(tmp_path / "slow.jsonl", [{"output": "never", "seconds": 3600}])
    run_id = manager.launch(config(model))
    while manager.progress(run_id).status is not RunStatus.RUNNING:
        time.sleep(0.05)
    manager.cancel(run_id)
    assert manager.wait(run_id, 60)
    assert manager.progress(run_id).generated == 0


def test_a_model_that_fails_does_not_cost_the_others(manager: RunManager, tmp_path: Path, script: str) -> None:
    short = write_script(tmp_path / "short.jsonl", [{"domain": "blocksworld", "action": "stack", "output": "x"}])
    run_id = manager.launch(RunConfig(models=(short, script), domains=("blocksworld",)))
    assert manager.wait(run_id, 120)
    progress = manager.progress(run_id)
    assert progress.status is RunStatus.FAILED
    assert "short.jsonl: no answer for domain blocksworld, action put-down" in progress.message
    assert progress.judged == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": ()}, "at least one model"),
        ({"models": ("scripted:/nowhere",)}, "/nowhere"),
        ({"models": ("no spaces allowed/in names",)}, "no spaces"),
        ({"domains": ("atlantis",)}, "no domain is called 'atlantis'"),
        ({"domains": ()}, "at least one domain"),
        ({"prompts": 0}, "at least one prompt"),
        ({"rounds": 21}, "correction rounds must be from 0 to 20"),
        ({"prompts": 10_000, "rounds": 20}, "840,000 items"),
        ({"domains": ("blocksworld~nonsense~7",)}, r"no answer for any action of the domain 'blocksworld~nonsense~7'"),
        ({"descriptions": ()}, "at least one description"),
        ({"context_examples": 1000}, "context examples"),
        ({"evaluation": EvaluationSettings(k=0)}, "k must be more than 0"),
    ],
)
def test_a_wrong_launch_says_why_and_stores_nothing(
    manager: RunManager, script: str, change: dict[str, object], message: str
) -> None:
    wrong = RunConfig(**{"models": (script,), "domains": ("blocksworld",), **change})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message):
        manager.launch(wrong)
    assert len(queries.runs_frame(manager.store)) == 0


def test_a_model_folder_without_weights_is_refused(manager: RunManager, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    with pytest.raises(InputError, match="weights"):
        manager.launch(config(str(tmp_path / "model")))


def test_a_full_disk_ends_the_run_and_keeps_what_was_stored(
    manager: RunManager, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = writes.add_verdicts

    def full(*arguments: object) -> None:
        raise StoreFullError("no space is left on the disk")

    monkeypatch.setattr(writes, "add_verdicts", full)
    run_id = manager.launch(config(script))
    assert manager.wait(run_id, 60)
    stopped = manager.progress(run_id)
    assert stopped.status is RunStatus.INTERRUPTED
    assert "no space is left" in stopped.message
    assert (stopped.generated, stopped.judged) == (4, 0)
    monkeypatch.setattr(writes, "add_verdicts", real)
    manager.resume(run_id)
    assert manager.wait(run_id, 60)
    assert manager.progress(run_id).status is RunStatus.FINISHED
    assert manager.progress(run_id).message == ""


def test_status_of_a_run_that_no_one_works_on() -> None:
    assert status_of("started", live=False) is RunStatus.INTERRUPTED
    assert status_of("created", live=False) is RunStatus.INTERRUPTED
    assert status_of("cancelled", live=False) is RunStatus.CANCELLED
    assert status_of("cancelled", live=True) is RunStatus.RUNNING
    assert status_of("created", live=True, queued=True) is RunStatus.QUEUED


def test_five_kills_lose_and_double_nothing(tmp_path: Path, script: str, library: DomainLibrary) -> None:
    """SIGKILL at random moments of a 40-item run, resumed each time, ends with the rows of an uninterrupted one."""
    names = [name.value for name in (DescriptionClass.BASE, DescriptionClass.RANDOM)]
    slow = tmp_path / "slow.jsonl"
    slow.write_text(
        "".join(
            json.dumps({**json.loads(line), "seconds": 0.1}) + "\n"
            for line in Path(script.removeprefix("scripted:")).read_text().splitlines()
        )
    )
    options = ["--domain", "blocksworld", "--prompts", "5", "--seed", "11", "--batch-size", "2", "--no-cache"]
    options += [part for name in names for part in ("--description", name)]
    whole = run_command(tmp_path / "whole", ["--model", script, *options])
    assert whole.wait(300) == 0

    random_moments = random.Random(5)
    killed = run_command(tmp_path / "killed", ["--model", f"scripted:{slow}", *options])
    assert killed.stdout is not None
    run_id, unfinished = killed.stdout.readline().strip(), 0
    for _ in range(5):
        time.sleep(random_moments.uniform(0.1, 0.7))
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        with Store(tmp_path / "killed" / "store.duckdb") as store:
            total, generated, judged = queries.counts(store, run_id)
            assert total == 40
            assert judged <= generated
            unfinished += judged < total
        killed = run_command(tmp_path / "killed", ["--resume", run_id])
        assert killed.stdout is not None
        killed.stdout.readline()
    assert killed.wait(300) == 0
    assert unfinished == 5

    assert rows(tmp_path / "killed") == rows(tmp_path / "whole")
    assert len(rows(tmp_path / "whole")) == 40


def run_command(data: Path, options: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "nl2pddl", "run", *options],
        cwd=ROOT,
        env={**os.environ, "NL2PDDL_DATA": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def rows(data: Path) -> list[tuple[object, ...]]:
    with Store(data / "store.duckdb") as store:
        return store.rows(
            """
            SELECT item_index, domain, action, description_class, sample, prompt, output, result_class, subclass,
                   reason, action_reconstruction_error, cross_checks, failure
            FROM items JOIN outputs USING (run_id, item_index) JOIN verdicts USING (run_id, item_index)
            ORDER BY item_index
            """
        )
