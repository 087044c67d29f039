"""Judging on a real Dask cluster of two worker processes: the same verdicts, in order, whatever is killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from nl2pddl import cluster
from nl2pddl.actions import action_pddl
from nl2pddl.cluster import DaskPool
from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError, NL2PDDLError
from nl2pddl.experiment import RunConfig
from nl2pddl.pipeline import EvaluationTask, Evaluator
from nl2pddl.planning.val import VAL_VARIABLE
from nl2pddl.planning.validation import VALIDATOR_VERSION
from nl2pddl.records import EvaluationSettings, Protocol, ResultClass, ValidatorChoice, Verdict
from nl2pddl.runs import RunManager
from nl2pddl.settings import Settings
from nl2pddl.store import Store, queries
from tests.conftest import write_script
from tests.planning.test_val import install_fake
from tests.test_protocols import ROWS

FULL = EvaluationSettings(shortcuts=False)


@pytest.fixture(scope="module")
def dask() -> Iterator[LocalCluster]:
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(processes=True, **options) as started:
        yield started


def timeless(verdict: Verdict) -> Verdict:
    return replace(verdict, seconds=0.0, cached=False)


def tasks(library: DomainLibrary, settings: EvaluationSettings) -> list[EvaluationTask]:
    return [EvaluationTask(library.find(row[1]).source, row[2], row[3], settings) for row in ROWS[::5]]


@pytest.mark.parametrize("protocol", list(Protocol))
def test_the_same_verdicts_as_here_in_the_same_order(
    dask: LocalCluster, library: DomainLibrary, evaluator: Evaluator, protocol: Protocol
) -> None:
    wanted = tasks(library, EvaluationSettings(protocol=protocol))
    with DaskPool(dask.scheduler_address) as pool:
        found = [future.result(120) for future in [pool.submit(task) for task in wanted]]
        assert pool.appetite == 32
    assert [timeless(verdict) for verdict in found] == [timeless(evaluator.evaluate(task)) for task in wanted]


def test_a_worker_killed_in_the_middle_loses_nothing(dask: LocalCluster, library: DomainLibrary) -> None:
    wanted = tasks(library, FULL) * 2
    with DaskPool(dask.scheduler_address) as pool:
        futures = [pool.submit(task) for task in wanted]
        with Client(dask.scheduler_address, set_as_default=False) as client:
            pids = client.run(os.getpid)
        assert not all(future.done() for future in futures)
        os.kill(next(iter(pids.values())), signal.SIGKILL)
        found = [future.result(120) for future in futures]
    assert len(found) == len(wanted)
    assert all(verdict.result_class is not ResultClass.UNDECIDED for verdict in found)


def _deadly(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_an_item_that_kills_every_worker_is_undecided_and_hurts_no_other(
    dask: LocalCluster, library: DomainLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first, second) = tasks(library, EvaluationSettings())[:2]
    with DaskPool(dask.scheduler_address) as pool:
        monkeypatch.setattr(cluster, "_judge", _deadly)
        doomed = pool.submit(first)
        verdict = doomed.result(120)
        monkeypatch.undo()
        assert verdict.result_class is ResultClass.UNDECIDED
        assert "evaluate it again" in verdict.reason
        assert pool.submit(second).result(120).result_class is not ResultClass.UNDECIDED


def test_a_run_is_judged_there_and_stored_here(
    dask: LocalCluster, library: DomainLibrary, store: Store, settings: Settings, tmp_path: Path
) -> None:
    move = action_pddl(library.find("gripper").planning.actions["move"])
    model = write_script(tmp_path / "s.jsonl", [{"output": move}])
    manager = RunManager(store, replace(settings, dask=dask.scheduler_address))
    try:
        run_id = manager.launch(RunConfig((model,), ("gripper",), prompts=2))
        assert manager.wait(run_id, 120)
    finally:
        manager.close()
    frame = queries.results_frame(store, [run_id])
    assert list(frame["result_class"]) == ["equivalent"] * 2 + ["semantic"] * 4


def test_a_wrong_task_is_an_error_of_its_own(dask: LocalCluster, library: DomainLibrary) -> None:
    with DaskPool(dask.scheduler_address) as pool:
        wrong = EvaluationTask(library.find("gripper").source, "fly", "", FULL)
        with pytest.raises(InputError, match="has no action 'fly'"):
            pool.submit(wrong).result(60)


def test_workers_of_another_version_are_refused(dask: LocalCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "__version__", "0.0.1")
    with pytest.raises(InputError, match=r"differs from this machine: nl2pddl .* instead of 0\.0\.1"):
        DaskPool(dask.scheduler_address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "foo://here:1"])
def test_an_address_where_nobody_answers(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Client] = []
    start = Client.start

    def recorded(client: Client, **options: Any) -> Any:
        made.append(client)
        return start(client, **options)

    monkeypatch.setattr(Client, "start", recorded)
    with pytest.raises(InputError, match=f"no Dask scheduler answers at '{address}'"):
        DaskPool(address)
    # Left open, it would be closed by the garbage collector, perhaps in the thread of the next client's event loop.
    assert [client.status for client in made] == ["closed"]


def _set_val(program: str | None) -> None:
    os.environ.pop(VAL_VARIABLE, None)
    if program is not None:
        os.environ[VAL_VARIABLE] = program


def test_a_worker_s_own_val_does_not_answer_for_this_machine(
    dask: LocalCluster, library: DomainLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VAL_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    val = str(install_fake(tmp_path / "bin"))
    stack = action_pddl(library.find("blocksworld").planning.actions["stack"])
    asked = EvaluationTask(library.find("blocksworld").source, "stack", stack, FULL)
    with Client(dask.scheduler_address, set_as_default=False) as client:
        client.run(_set_val, val)
        try:
            with DaskPool(dask.scheduler_address) as pool:
                verdict = pool.submit(asked).result(60)
                both = replace(asked, settings=replace(FULL, validator=ValidatorChoice.BOTH))
                with pytest.raises(InputError, match="a worker differs from this machine: validator"):
                    pool.submit(both).result(60)
        finally:
            client.run(_set_val, None)
    assert (verdict.result_class, verdict.validator_version) == (ResultClass.EQUIVALENT, VALIDATOR_VERSION)


def test_a_cluster_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_FIRST_WORKER_SECONDS", 1)
    options: dict[str, Any] = {"n_workers": 0, "dashboard_address": ":0"}
    with LocalCluster(processes=True, **options) as empty, pytest.raises(InputError, match="has no workers"):
        DaskPool(empty.scheduler_address)


def test_closing_drops_what_waits(dask: LocalCluster, library: DomainLibrary) -> None:
    endless = EvaluationSettings(k=50_000_000, seconds=5, shortcuts=False)
    pool = DaskPool(dask.scheduler_address)
    futures = [pool.submit(task) for task in tasks(library, endless)]
    pool.close()
    assert all(future.done() for future in futures)


def test_without_any_worker_left_it_waits_a_while_and_says_so(
    library: DomainLibrary, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cluster, "ALONE_SECONDS", 1.0)
    monkeypatch.setattr(cluster, "_WATCH_SECONDS", 0.2)
    options: dict[str, Any] = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(processes=True, **options) as started, DaskPool(started.scheduler_address) as pool:
        started.scale(0)
        with Client(started.scheduler_address, set_as_default=False) as client:
            while client.nthreads():
                time.sleep(0.05)
        future = pool.submit(tasks(library, FULL)[0])
        with pytest.raises(NL2PDDLError, match=r"no worker has been connected to .* for 1 s; start workers"):
            future.result(60)
    assert "waiting 1 s for one" in caplog.text
