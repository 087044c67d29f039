"""The run manager: launches, watches, cancels and resumes runs in a background thread. Knows nothing of Streamlit.

A run's items are stored before anything is generated, so whatever is killed when, what is missing can be told from the
store: items without an output are generated, outputs without a verdict are judged, and nothing is done twice.
"""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from nl2pddl import twins
from nl2pddl.cluster import check_address
from nl2pddl.domains import Domain, DomainLibrary, load_library
from nl2pddl.durations import duration
from nl2pddl.errors import InputError, ModelError, RunError
from nl2pddl.experiment import WHOLE_DOMAIN, RunConfig, RunItem, RunKind, RunProgress, RunStatus
from nl2pddl.generation import check_answers, check_grammar, check_model, open_backend
from nl2pddl.generation.driver import OpenBackend
from nl2pddl.generation.listed import read_models
from nl2pddl.grammar import ActionGrammar
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.prompts import plan_items
from nl2pddl.records import Protocol
from nl2pddl.session import Live, Session
from nl2pddl.settings import Settings
from nl2pddl.store import Store, queries, writes
from nl2pddl.store.imports import add_imported
from nl2pddl.study import Results

MOST_ITEMS = 500_000
MOST_ROUNDS = 20  # of corrections; each prompt holds all rounds before it
LARGEST_SEED = 2**53 - 1  # what a browser's number field still takes exactly

_AGAIN = "again:"

_ENDED = {
    "finished": RunStatus.FINISHED,
    "cancelled": RunStatus.CANCELLED,
    "paused": RunStatus.PAUSED,
    "failed": RunStatus.FAILED,
    "imported": RunStatus.IMPORTED,
}


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
    domains = tuple(_domain_id(library, name) for name in config.domains)
    asked = (("model", config.models), ("domain", domains), ("description class", config.descriptions))
    for named, chosen in asked:
        if not chosen:
            faults.append(f"choose at least one {named}")
        if len(set(chosen)) != len(chosen):
            faults.append(f"a {named} is chosen twice")
    if config.prompts < 1:
        faults.append("ask for at least one prompt an action")
    if not 0 <= config.seed <= LARGEST_SEED:
        faults.append(f"the seed must be from 0 to {LARGEST_SEED:,}")
    if config.context_examples < 0:
        faults.append("the number of context examples cannot be negative")
    if config.decoding.max_new_tokens < 1 or config.decoding.batch_size < 1:
        faults.append("new tokens and batch size must be at least 1")
    faults += _decoding_faults(config)
    faults += config.evaluation.faults()
    try:
        PlanChecker(config.evaluation.validator)
    except InputError as error:
        faults.append(str(error))
    faults += _too_many(config, library)
    if True in config.grammars:
        faults += _cut_off(config, library)
    for name in config.domains:
        try:
            if twins.find(library, name).language is None:
                faults.append(f"the domain '{name}' has no language.toml, which prompts are made from")
        except InputError as error:
            faults.append(str(error))
    for name in config.models:
        try:
            check_model(name)
            if True in config.grammars:
                check_grammar(name)
            for domain in _found(config, library):
                check_answers(name, domain.id, domain.planning.actions)
        except ModelError as error:
            faults.append(str(error))
    if faults:
        raise InputError("; ".join(faults), faults)


def _domain_id(library: DomainLibrary, name: str) -> str:
    """The ID of a domain by any spelling of its name; the name itself where there is none, which is told elsewhere."""
    try:
        return twins.find(library, name).id
    except InputError:
        return name


def _found(config: RunConfig, library: DomainLibrary) -> Iterator[Domain]:
    """The chosen domains that there are; what is wrong with the others is told elsewhere."""
    for name in config.domains:
        with suppress(InputError):
            yield twins.find(library, name)


def _too_many(config: RunConfig, library: DomainLibrary) -> Iterator[str]:
    """The fault of a run's size, told before any prompt is built."""
    actions = sum(len(domain.planning.actions) for domain in _found(config, library))
    choices = len(config.models) * len(config.descriptions) * len(config.grammars)
    items = actions * choices * config.prompts * config.draws * (1 + max(config.rounds, 0))
    if items > MOST_ITEMS:
        yield f"this makes {items:,} items, and a run takes at most {MOST_ITEMS:,}; ask for fewer prompts"


def _cut_off(config: RunConfig, library: DomainLibrary) -> Iterator[str]:
    """Domains whose grammar could not always close an action within the new tokens."""
    for domain in _found(config, library):
        needed = max(
            (ActionGrammar(domain.planning, action).least_tokens for action in domain.planning.actions), default=0
        )
        if config.decoding.max_new_tokens < needed:
            yield f"held to the grammar, an action of '{domain.id}' may need {needed} new tokens; allow so many"


def _decoding_faults(config: RunConfig) -> Iterator[str]:
    decoding = config.decoding
    if not (0 <= decoding.temperature <= 100 and 0 < decoding.top_p <= 1):
        yield "the temperature must be from 0, and top-p above 0 and at most 1"
    if decoding.greedy and decoding.top_p != 1:
        yield "top-p needs a temperature above 0: greedy decoding samples nothing"
    if config.draws < 1:
        yield "ask for at least one answer a prompt"
    if config.draws > 1 and decoding.greedy:
        yield "several answers a prompt need a temperature above 0: greedy decoding gives the same one again"
    if not config.grammars or len(set(config.grammars)) != len(config.grammars):
        yield "choose whether decoding is held to the grammar: without, with, or both"
    if not 0 <= config.rounds <= MOST_ROUNDS:
        yield f"the number of correction rounds must be from 0 to {MOST_ROUNDS}"
    if config.rounds and config.kind is RunKind.DOMAIN:
        yield "corrections are for runs of single actions; a whole domain is generated without"
    if config.kind is RunKind.DOMAIN and config.evaluation.protocol is not Protocol.STRICT:
        yield "whole domains are judged by protocol strict: the published code judges one action only"


def items_of(config: RunConfig, library: DomainLibrary) -> list[RunItem]:
    """The items of a run as it would be launched: for a preview, and for the launch itself."""
    domains = [twins.find(library, name) for name in config.domains]
    return list(plan_items(config, domains, library.with_language()))


def new_id() -> str:
    """An ID for a run: when, and what tells it from others of the same second."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def import_results(store: Store, results: Results) -> str:
    """Store a results file as a run, and give its ID. Raises InputError where the same content is there already."""
    run_id = new_id()
    add_imported(store, run_id, results)
    return run_id


@dataclass(frozen=True)
class RunEstimate:
    """What a run is expected to take: items, seconds, and dollars where its models have a price."""

    items: int
    seconds: float
    dollars: float
    notes: tuple[str, ...] = ()

    @property
    def in_words(self) -> str:
        """For a person, such as "240 items, about 12 min, 0.52 dollars (a guess from three prompts a model)"."""
        cost = f", {self.dollars:.2f} dollars" if self.dollars else ""
        notes = "; ".join(("a guess from three prompts a model", *self.notes))
        return f"{self.items:,} items, about {duration(self.seconds)}{cost} ({notes})"


class RunManager:
    """Owns the store's runs in this process.

    One background thread works on one run at a time, in the order launched.
    """

    def __init__(self, store: Store, settings: Settings, open_model: OpenBackend = open_backend) -> None:
        self.store = store
        self.settings = settings
        self._open_model = open_model
        self._queue: queue.Queue[Live | None] = queue.Queue()
        self._live: dict[str, Live] = {}
        self._last_message: dict[str, str] = {}
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="runs", daemon=True)
        self._thread.start()

    def library(self) -> DomainLibrary:
        """The domains as they are on disk now."""
        return load_library(*self.settings.domain_folders)

    def launch(self, config: RunConfig, whole: RunConfig | None = None) -> str:
        """Store a new run with all its items, queue it, and give its id. ``whole`` is what a dry run is a trial of.

        Raises InputError for a wrong configuration.
        """
        library = self.library()
        check_config(config, library)
        if self.settings.dask:
            check_address(self.settings.dask)
        items = items_of(config, library)
        run_id = new_id()
        sources = [twins.find(library, name).source for name in config.domains]
        writes.add_run(self.store, run_id, config, items, sources, whole)
        self._enqueue(run_id)
        return run_id

    def dry_run(self, config: RunConfig) -> str:
        """Launch the run with three prompts a model only, from its beginning, middle and end; gives its id."""
        library = self.library()
        check_config(config, library)
        name = f"dry run: {config.name}" if config.name else "dry run"
        alone = replace(config, name=name, kind=RunKind.ACTIONS, rounds=0, items=())
        count = len(items_of(alone, library))
        each = count // len(config.models)
        places = {start + at for start in range(0, count, each) for at in (0, each // 2, each - 1)}
        return self.launch(replace(alone, items=tuple(sorted(places))), config)

    def estimate(self, dry_run: str, config: RunConfig) -> RunEstimate:
        """What a run would take by the measurements of a dry run of it. Corrections are not counted: who knows."""
        items = items_of(config, self.library())
        models = read_models()
        seconds = dollars = 0.0
        for model, generation, judging, prompt_tokens, new_tokens in queries.measured(self.store, dry_run):
            count = sum(item.model == model and item.action != WHOLE_DOMAIN for item in items)
            # Judging goes on beside generation; the slower of the two decides.
            seconds += count * max(generation, judging / self.settings.workers)
            if model in models:
                dollars += count * models[model].cost(prompt_tokens, new_tokens)
        notes = ["corrections not counted"] if config.rounds else []
        if found := queries.reused_count(self.store, dry_run):
            notes.append(f"{found} of the dry run's answers were in the store already and took no time")
        return RunEstimate(len(items), seconds, dollars, tuple(notes))

    def again(self, run_id: str, indices: Sequence[int]) -> str:
        """Launch a new run of some items of an old one, by their index; corrections of an item go with it."""
        config = queries.run_config(self.store, run_id)
        if config.kind is RunKind.IMPORTED:
            raise InputError("this run was imported: its prompts are not known, so nothing of it can be run again")
        if config.kind is RunKind.DOMAIN:
            raise InputError("the steps of a whole domain build on each other; launch a copy of the run instead")
        total = queries.planned_total(self.store, run_id)
        places = config.items or tuple(range(total))
        chosen = tuple(sorted({places[index % total] for index in indices}))
        if not chosen:
            raise InputError("choose at least one item to run again")
        name = config.name if config.name.startswith(_AGAIN) else f"{_AGAIN} {config.name}".strip()
        return self.launch(replace(config, name=name, items=chosen))

    def resume(self, run_id: str) -> None:
        """Queue what is missing of a run.

        Raises InputError for an unknown run, RunError where it is being worked on.
        """
        queries.run_config(self.store, run_id)
        total, _, judged = queries.counts(self.store, run_id)
        if judged >= total:
            raise RunError(f"run {run_id} is complete: all {total} items have a verdict")
        self._enqueue(run_id)

    def judge_by_other(self, run_id: str) -> None:
        """Queue the outputs of a run to be judged by the protocol that it was not launched with, too.

        Raises InputError where there is nothing to judge, RunError where the run is being worked on.
        """
        config = queries.run_config(self.store, run_id)
        if config.kind is not RunKind.ACTIONS:
            what = "its outputs are not in the store" if config.kind is RunKind.IMPORTED else "it is of whole domains"
            raise InputError(f"run {run_id} cannot be judged by the other protocol: {what}")
        own = config.evaluation.protocol
        self._enqueue(run_id, next(protocol for protocol in Protocol if protocol is not own))

    def _enqueue(self, run_id: str, protocol: Protocol | None = None) -> None:
        with self._lock:
            if run_id in self._live:
                raise RunError(f"run {run_id} is already under way")
            live = self._live[run_id] = Live(run_id, protocol)
            self._last_message.pop(run_id, None)
        self._queue.put(live)

    def cancel(self, run_id: str) -> None:
        """Ask a run to stop after what it is doing now; what it has stored stays, and it can be resumed."""
        self._stop(run_id, "cancelled")

    def pause(self, run_id: str) -> None:
        """Like ``cancel``, for a run that shall go on later: it reads as paused."""
        self._stop(run_id, "paused")

    def _stop(self, run_id: str, event: str) -> None:
        with self._lock:
            live = self._live.get(run_id)
        if live is None:
            raise RunError(f"run {run_id} is not under way, so there is nothing to stop")
        live.message = "stopping; what is being generated now is dropped, and asked for again on resume"
        live.stop_event = event
        live.stopped.set()

    def delete(self, run_id: str) -> None:
        """Take a run out of the store for good, with its outputs, verdicts and notes.

        Raises InputError for an unknown run, RunError where it is being worked on.
        """
        with self._lock:  # so that nobody resumes it meanwhile
            if run_id in self._live:
                raise RunError(f"run {run_id} is under way; cancel it first")
            writes.delete_run(self.store, run_id)

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
        faults = queries.fault_count(self.store, run_id)
        with self._lock:
            live = self._live.get(run_id)
        waiting = live is not None and live.started_at is None
        status = status_of(event, live=live is not None, queued=waiting)
        if live is None or live.started_at is None:
            message = live.message if live else detail or self._last_message.get(run_id, "")
            return RunProgress(run_id, status, total, generated, judged, message=message, faults=faults)
        minutes = (time.monotonic() - live.started_at) / 60
        done = judged - live.judged_before
        rate = done / minutes if done and minutes > 0 else None
        left = (total - judged) / rate * 60 if rate else None
        message = ": ".join(filter(None, (live.message, live.trouble())))
        return RunProgress(run_id, status, total, generated, judged, rate, left, message, faults)

    def close(self) -> None:
        """Cancel everything and wait for the background thread. The store stays open: it belongs to the caller."""
        with self._lock:
            for live in self._live.values():
                live.stopped.set()
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (live := self._queue.get()) is not None:
            try:
                Session(self.store, self.settings, self._open_model, live).execute()
            except Exception as error:
                # The store could not even take the note that the run failed, so the run reads as interrupted; the next
                # run must be worked on all the same.
                self._last_message[live.run_id] = str(error) or type(error).__name__
            finally:
                with self._lock:
                    self._live.pop(live.run_id, None)
                live.ended.set()
