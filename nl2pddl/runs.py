"""The run manager: launches, watches, cancels and resumes runs in a background thread. Knows nothing of Streamlit.

A run's items are stored before anything is generated, so whatever is killed when, what is missing can be told from the
store: items without an output are generated, outputs without a verdict are judged, and nothing is done twice.
"""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, wait
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from nl2pddl.domains import DomainLibrary, load_library
from nl2pddl.errors import InputError, ModelError, NL2PDDLError, RunError, StoreError, ValidatorsDifferError
from nl2pddl.experiment import Completion, Decoding, RunConfig, RunItem, RunProgress, RunStatus
from nl2pddl.generation import Backend, GenerationRequest, check_model, open_backend
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.pools import Pool, open_pool
from nl2pddl.prompts import plan_items
from nl2pddl.records import DomainSource, Verdict
from nl2pddl.settings import Settings
from nl2pddl.store import Store, StoreMemory, queries, writes

OpenBackend = Callable[[str, Decoding, Path], Backend]

_ENDED = {
    "finished": RunStatus.FINISHED,
    "cancelled": RunStatus.CANCELLED,
    "failed": RunStatus.FAILED,
}
_VERDICT_BATCH = 50


def status_of(event: str, *, live: bool, queued: bool = False) -> RunStatus:
    """A run's status from its last event: what neither ended nor lives in this process was cut off."""
    if queued:
        return RunStatus.QUEUED
    if live:
        return RunStatus.RUNNING
    return _ENDED.get(event, RunStatus.INTERRUPTED)


def check_config(config: RunConfig, library: DomainLibrary) -> None:
    """Raise InputError with every reason why a run cannot be launched like this."""
    faults: list[str] = []
    for what, chosen in (("model", config.models), ("domain", config.domains), ("description", config.descriptions)):
        if not chosen:
            faults.append(f"choose at least one {what}")
        if len(set(chosen)) != len(chosen):
            faults.append(f"a {what} is chosen twice")
    if config.prompts < 1:
        faults.append("ask for at least one prompt an action")
    if config.context_examples < 0:
        faults.append("the number of context examples cannot be negative")
    if config.decoding.max_new_tokens < 1 or config.decoding.batch_size < 1:
        faults.append("new tokens and batch size must be at least 1")
    if config.evaluation.k < 1 or config.evaluation.seconds <= 0:
        faults.append("k and the planner's seconds must be positive")
    try:
        PlanChecker(config.evaluation.validator)
    except InputError as error:
        faults.append(str(error))
    for name in config.domains:
        try:
            if library.find(name).language is None:
                faults.append(f"the domain '{name}' has no language.toml, which prompts are made from")
        except InputError as error:
            faults.append(str(error))
    for name in config.models:
        try:
            check_model(name)
        except ModelError as error:
            faults.append(str(error))
    if faults:
        raise InputError("; ".join(faults), faults)


def items_of(config: RunConfig, library: DomainLibrary) -> list[RunItem]:
    """The items of a run as it would be launched: for a preview, and for the launch itself."""
    domains = [library.find(name) for name in config.domains]
    return list(plan_items(config, domains, library.with_language()))


@dataclass
class _Live:
    """A run this process is working on, or has waiting."""

    run_id: str
    cancelled: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    started_at: float | None = None
    judged_before: int = 0
    message: str = "waiting"
    failures: list[str] = field(default_factory=list)


class RunManager:
    """Owns the store's runs in this process.

    One background thread works on one run at a time, in the order launched.
    """

    def __init__(self, store: Store, settings: Settings, open_model: OpenBackend = open_backend) -> None:
        self.store = store
        self.settings = settings
        self._open_model = open_model
        self._queue: queue.Queue[_Live | None] = queue.Queue()
        self._live: dict[str, _Live] = {}
        self._last_message: dict[str, str] = {}
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="runs", daemon=True)
        self._thread.start()

    def library(self) -> DomainLibrary:
        """The domains as they are on disk now."""
        return load_library(self.settings.domains_dir)

    def launch(self, config: RunConfig) -> str:
        """Store a new run with all its items, queue it, and give its id.

        Raises InputError for a wrong configuration.
        """
        library = self.library()
        check_config(config, library)
        items = items_of(config, library)
        run_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        writes.add_run(self.store, run_id, config, items, [library.find(name).source for name in config.domains])
        self._enqueue(run_id)
        return run_id

    def resume(self, run_id: str) -> None:
        """Queue what is missing of a run.

        Raises InputError for an unknown run, RunError where it is being worked on.
        """
        queries.run_config(self.store, run_id)
        total, _, judged = queries.counts(self.store, run_id)
        if judged >= total:
            raise RunError(f"run {run_id} is complete: all {total} items have a verdict")
        self._enqueue(run_id)

    def _enqueue(self, run_id: str) -> None:
        with self._lock:
            if run_id in self._live:
                raise RunError(f"run {run_id} is already under way")
            live = self._live[run_id] = _Live(run_id)
            self._last_message.pop(run_id, None)
        self._queue.put(live)

    def cancel(self, run_id: str) -> None:
        """Ask a run to stop after what it is doing now; what it has stored stays, and it can be resumed."""
        with self._lock:
            live = self._live.get(run_id)
        if live is None:
            raise RunError(f"run {run_id} is not under way, so there is nothing to cancel")
        live.message = "cancelling"
        live.cancelled.set()

    def wait(self, run_id: str, seconds: float | None = None) -> bool:
        """Wait until this process is done with a run; False if it is not after ``seconds``."""
        with self._lock:
            live = self._live.get(run_id)
        return live is None or live.ended.wait(seconds)

    def active(self) -> list[str]:
        """The runs under way or waiting in this process, in order."""
        with self._lock:
            return list(self._live)

    def progress(self, run_id: str) -> RunProgress:
        """Where a run stands. Raises InputError for an unknown run."""
        queries.run_config(self.store, run_id)
        total, generated, judged = queries.counts(self.store, run_id)
        event, detail = queries.last_event(self.store, run_id)
        with self._lock:
            live = self._live.get(run_id)
        waiting = live is not None and live.started_at is None
        status = status_of(event, live=live is not None, queued=waiting)
        if live is None or live.started_at is None:
            message = live.message if live else detail or self._last_message.get(run_id, "")
            return RunProgress(run_id, status, total, generated, judged, message=message)
        minutes = (time.monotonic() - live.started_at) / 60
        done = judged - live.judged_before
        rate = done / minutes if done and minutes > 0 else None
        left = (total - judged) / rate * 60 if rate else None
        return RunProgress(run_id, status, total, generated, judged, rate, left, live.message)

    def close(self) -> None:
        """Cancel everything and wait for the background thread. The store stays open: it belongs to the caller."""
        with self._lock:
            for live in self._live.values():
                live.cancelled.set()
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (live := self._queue.get()) is not None:
            try:
                _Run(self, live).execute()
            except Exception as error:
                # The store could not even take the note that the run failed, so the run reads as interrupted; the next
                # run must be worked on all the same.
                self._last_message[live.run_id] = str(error) or type(error).__name__
            finally:
                with self._lock:
                    self._live.pop(live.run_id, None)
                live.ended.set()

    def open_model(self, name: str, decoding: Decoding) -> Backend:
        """Load a model, the slow way to find out that it cannot be loaded."""
        return self._open_model(name, decoding, self.settings.data_dir)


class _Run:
    """One session of work on one run."""

    def __init__(self, manager: RunManager, live: _Live) -> None:
        self.manager = manager
        self.store = manager.store
        self.live = live
        self.run_id = live.run_id
        self.config = queries.run_config(self.store, live.run_id)
        self.verdicts: queue.Queue[tuple[int, Verdict] | None] = queue.Queue()
        self.futures: list[Future[Verdict]] = []
        self.sources: dict[str, DomainSource] = {}
        self.store_error: StoreError | None = None
        self.validators_differ = False

    def execute(self) -> None:
        if self.live.cancelled.is_set():
            writes.add_event(self.store, self.run_id, "cancelled", "cancelled before it started")
            return
        _, generated, judged = queries.counts(self.store, self.run_id)
        writes.add_event(self.store, self.run_id, "resumed" if generated else "started")
        self.live.judged_before = judged
        self.live.started_at = time.monotonic()
        ending = self._work_until_the_end()
        if self.store_error is not None:
            raise self.store_error
        if ending is not None:
            writes.add_event(self.store, self.run_id, *ending)

    def _work_until_the_end(self) -> tuple[str, str] | None:
        """Do what is missing. Gives the event that ends the run and its detail; None where the program is ending."""
        writer = threading.Thread(target=self._write_verdicts, name="verdicts", daemon=True)
        writer.start()
        fault = ""
        try:
            settings = self.manager.settings
            with open_pool(settings.workers, settings.dask, StoreMemory(self.store)) as pool:
                self._generate_and_judge(pool)
        except CancelledError:
            return None
        except NL2PDDLError as error:
            fault = str(error)
        except Exception as error:
            # The thread must outlive any fault of a backend; what it was is kept with the run.
            fault = f"{type(error).__name__}: {error}"
        finally:
            self.verdicts.put(None)
            writer.join()
        return ("failed", fault) if fault else self._outcome()

    def _outcome(self) -> tuple[str, str]:
        if self.live.cancelled.is_set():
            return "cancelled", "cancelled; resume to go on"
        if self.live.failures:
            return "failed", "; ".join(self.live.failures)
        total, _, judged = queries.counts(self.store, self.run_id)
        if judged < total:
            return "failed", f"{total - judged} items have no verdict; resume the run"
        return "finished", ""

    def _stopped(self) -> bool:
        return self.live.cancelled.is_set() or self.store_error is not None or self.validators_differ

    def _generate_and_judge(self, pool: Pool) -> None:
        protocol = self.config.evaluation.protocol.value
        for item, output in queries.outputs_without_verdict(self.store, self.run_id, protocol):
            self._judge(pool, item, output)
        missing = queries.items_without_output(self.store, self.run_id)
        for model, items in groupby(missing, key=lambda item: item.model):
            if self._stopped():
                break
            try:
                self._generate(pool, model, list(items))
            except ModelError as error:
                # The other models of the run can still be worked on.
                self.live.failures.append(f"{model}: {error}")
        self.live.message = "judging the last outputs"
        pending: set[Future[Verdict]] = set(self.futures)
        while pending and not self._stopped():
            _, pending = wait(pending, timeout=0.2)

    def _generate(self, pool: Pool, model: str, items: Sequence[RunItem]) -> None:
        self.live.message = f"loading {model} (its first use takes longer: it is downloaded or converted)"
        backend = self.manager.open_model(model, self.config.decoding)
        try:
            self.live.message = f"generating with {model}"
            for batch in _batches(items, self.config.decoding.batch_size):
                if self._stopped():
                    return
                requests = [
                    GenerationRequest(item.index, item.domain, item.action, item.sample, item.prompt) for item in batch
                ]
                completions = [_storable(answer) for answer in backend.generate(requests, self._stopped)]
                if self._stopped():
                    return  # a batch cut short is no answer of the model
                outputs = [(item.index, completion) for item, completion in zip(batch, completions, strict=True)]
                writes.add_outputs(self.store, self.run_id, outputs, backend.info)
                for item, completion in zip(batch, completions, strict=True):
                    self._judge(pool, item, completion.text)
        finally:
            backend.close()

    def _judge(self, pool: Pool, item: RunItem, output: str) -> None:
        if item.domain_sha not in self.sources:
            self.sources[item.domain_sha] = queries.domain_source(self.store, item.domain_sha)
        task = EvaluationTask(self.sources[item.domain_sha], item.action, output, self.config.evaluation)
        future = pool.submit(task)

        def done(finished: Future[Verdict]) -> None:
            if finished.cancelled() or isinstance(finished.exception(), CancelledError):
                return
            fault = finished.exception()
            if fault is not None:
                self.live.failures.append(f"item {item.index}: {fault}")
                self.validators_differ |= isinstance(fault, ValidatorsDifferError)
            else:
                self.verdicts.put((item.index, finished.result()))

        future.add_done_callback(done)
        self.futures.append(future)

    def _write_verdicts(self) -> None:
        """The one writer of verdicts: stores what has come in, in one transaction, until a None comes."""
        ending = False
        while not ending:
            batch: list[tuple[int, Verdict]] = []
            entry = self.verdicts.get()
            while entry is not None:
                batch.append(entry)
                if len(batch) >= _VERDICT_BATCH or self.verdicts.empty():
                    break
                entry = self.verdicts.get()
            ending = entry is None
            if self.store_error is None:
                try:
                    writes.add_verdicts(self.store, self.run_id, batch, self.config.evaluation)
                except StoreError as error:
                    self.store_error = error


def _storable(completion: Completion) -> Completion:
    """The completion with what is no Unicode text (half of a surrogate pair) replaced: no store takes that."""
    return replace(completion, text=completion.text.encode("utf-8", "replace").decode("utf-8"))


def _batches(items: Sequence[RunItem], size: int) -> Iterator[Sequence[RunItem]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
