"""Whole runs against a server that misbehaves: each item ends with an output or a recorded reason, and no key leaks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from nl2pddl.actions import action_pddl
from nl2pddl.domains import DomainLibrary
from nl2pddl.experiment import Decoding, RunConfig, RunStatus
from nl2pddl.generation import Backend
from nl2pddl.generation.models import parse_model
from nl2pddl.generation.server_backend import ServerBackend
from nl2pddl.generation.server_client import Patience
from nl2pddl.runs import RunManager
from nl2pddl.settings import Settings
from nl2pddl.store import Store, queries
from tests.generation import fake_server
from tests.generation.fake_server import FakeServer, Reply, Seen

KEY = "sk-very-secret-0123456789"
TRIES = 3


def open_impatient(name: str, decoding: Decoding, data_dir: Path) -> Backend:
    """The backend that a run opens, with waits that a test can bear."""
    server = parse_model(name).server
    assert server is not None
    return ServerBackend(name, server, decoding, Patience(tries=TRIES, first_wait=0.001, longest_wait=0.01, ask=0.02))


@pytest.fixture
def server() -> Iterator[FakeServer]:
    fake = FakeServer()
    yield fake
    fake.close()


@pytest.fixture
def manager(store: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunManager]:
    monkeypatch.setenv("NL2PDDL_API_KEY", KEY)
    running = RunManager(store, settings, open_impatient)
    yield running
    running.close()


def config(server: FakeServer, **options: object) -> RunConfig:
    made = RunConfig((f"{server.url}#served",), ("blocksworld", "gripper"), decoding=Decoding(batch_size=7))
    return replace(made, **options)  # type: ignore[arg-type]


def misbehaving(truth: Callable[[Seen], str]) -> Callable[[Seen], Reply]:
    """Each action gets a trouble of its own; which request it is for is told by the prompt's last action name."""
    tries: dict[str, int] = {}

    def script(seen: Seen) -> Reply:
        name = seen.prompt.rpartition('The action "')[2].partition('"')[0]
        tries[name] = tries.get(name, 0) + 1
        good = fake_server.text(truth(seen))
        troubles = {
            "pick-up": good if tries[name] > 1 else fake_server.error(429, KEY, Retry_After="0"),
            "put-down": good if tries[name] > 2 else fake_server.error(500, f"internal error, {KEY}"),
            "stack": Reply(b'{"choices": [', cut=True),
            "unstack": Reply(b"<html>not JSON</html>"),
            "move": fake_server.text(f"{truth(seen)}\n\nInput:\nand so on"),
            "pick": fake_server.as_json({"choices": []}),
            "drop": fake_server.text(f"{truth(seen)}\n; your key is {KEY}"),
        }
        return troubles[name]

    return script


def test_every_item_ends_with_an_output_or_a_recorded_reason(
    manager: RunManager, server: FakeServer, library: DomainLibrary, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    truths = {
        name: action_pddl(action)
        for domain in ("blocksworld", "gripper")
        for name, action in library.find(domain).planning.actions.items()
    }
    server.script = misbehaving(lambda seen: truths[seen.prompt.rpartition('The action "')[2].partition('"')[0]])
    run_id = manager.launch(config(server))
    assert manager.wait(run_id, 120)
    progress = manager.progress(run_id)
    assert (progress.status, progress.generated, progress.judged, progress.faults) == (RunStatus.FAILED, 4, 4, 3)
    frame = queries.results_frame(manager.store, [run_id])
    assert dict(zip(frame["action"], frame["result_class"], strict=True)) == {
        "pick-up": "equivalent", "put-down": "equivalent", "move": "equivalent", "drop": "equivalent",
    }  # fmt: skip
    faults = queries.latest_faults(manager.store, run_id)
    assert sorted(zip(faults["kind"], faults["attempts"], strict=True)) == [
        ("connection", TRIES), ("invalid answer", TRIES), ("invalid answer", TRIES),
    ]  # fmt: skip
    assert len(server.seen) == 2 + 3 + TRIES + TRIES + 1 + TRIES + 1
    assert all(seen.headers["Authorization"] == f"Bearer {KEY}" for seen in server.seen)
    _nowhere(KEY, manager, run_id, caplog)

    server.script = lambda seen: fake_server.text("no action")
    asked = len(server.seen)
    manager.resume(run_id)
    assert manager.wait(run_id, 120)
    assert manager.progress(run_id).status is RunStatus.FINISHED
    assert len(server.seen) == asked + 3


def _nowhere(key: str, manager: RunManager, run_id: str, caplog: pytest.LogCaptureFixture) -> None:
    """The key stands in no message, log or table."""
    assert key not in caplog.text
    assert key not in manager.progress(run_id).message
    for (table,) in manager.store.rows("SELECT table_name FROM duckdb_tables()"):
        assert key not in str(manager.store.rows(f"SELECT * FROM {table}")), table
    manager.store.rows("CHECKPOINT")
    assert key.encode() not in manager.store.path.read_bytes()


def test_progress_says_why_no_answer_comes(manager: RunManager, server: FakeServer) -> None:
    release, tries = threading.Event(), []

    def script(seen: Seen) -> Reply:
        tries.append(seen)
        if len(tries) == 1:
            return fake_server.error(500, "overloaded")
        release.wait(60)
        return fake_server.text("no action")

    server.script = script
    run_id = manager.launch(config(server, domains=("gripper",), decoding=Decoding(batch_size=1)))
    while len(tries) < 2:
        assert not manager.wait(run_id, 0.02)
    told = manager.progress(run_id).message
    release.set()
    assert told.endswith("#served: try 1 of 3 got no answer (HTTP 500: overloaded)")
    assert manager.wait(run_id, 60)
    assert manager.progress(run_id).message == ""


def test_a_server_that_is_gone_is_given_up_and_the_run_goes_on_later(manager: RunManager, server: FakeServer) -> None:
    server.script = lambda seen: Reply(b"", cut=True)
    run_id = manager.launch(config(server, prompts=3, decoding=Decoding(batch_size=2)))
    assert manager.wait(run_id, 120)
    progress = manager.progress(run_id)
    assert (progress.status, progress.generated, progress.faults) == (RunStatus.FAILED, 0, 6)
    assert "got no answer at all (connection:" in progress.message
    assert "15 further prompts were not tried" in progress.message
    assert len(server.seen) == 6 * TRIES
    server.script = lambda seen: fake_server.text("no action")
    manager.resume(run_id)
    assert manager.wait(run_id, 120)
    assert (manager.progress(run_id).status, manager.progress(run_id).judged) == (RunStatus.FINISHED, 21)


def test_a_refused_key_names_its_variable_only(manager: RunManager, server: FakeServer) -> None:
    server.script = lambda seen: fake_server.error(401, f"wrong key {KEY}")
    run_id = manager.launch(config(server))
    assert manager.wait(run_id, 60)
    message = manager.progress(run_id).message
    assert "NL2PDDL_API_KEY" in message
    assert KEY not in message


def test_a_cancel_does_not_wait_for_a_slow_server(manager: RunManager, server: FakeServer) -> None:
    server.script = lambda seen: Reply(until_gone=True)
    run_id = manager.launch(config(server))
    while not server.seen:
        pass
    manager.cancel(run_id)
    assert manager.wait(run_id, 30)
    assert manager.progress(run_id).status is RunStatus.CANCELLED
    assert manager.progress(run_id).faults == 0
