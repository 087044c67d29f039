"""One session of work on one run: what is missing in the store is generated and judged, until nothing is.

Everything is read from the store, so it does not matter whether a run begins here or goes on after a kill.
"""

from __future__ import annotations

import hashlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, replace

from nl2pddl import completion, corrections
from nl2pddl.domains import from_source
from nl2pddl.errors import ModelError, NL2PDDLError, StoreError, ValidatorsDifferError
from nl2pddl.experiment import WHOLE_DOMAIN, Completion, Fault, ModelInfo, RunItem, RunKind
from nl2pddl.generation import GenerationRequest
from nl2pddl.generation.driver import Answer, Driver, OpenBackend
from nl2pddl.grammar import ActionGrammar
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.pools import Pool, open_pool
from nl2pddl.records import DomainSource, Protocol, Verdict
from nl2pddl.settings import Settings
from nl2pddl.store import Store, StoreMemory, queries, writes
from nl2pddl.task import PlanningDomain

_VERDICT_BATCH = 50
_MOST_NAMED = 3


@dataclass
class Live:
    """A run this process is working on, or has waiting. ``stopped`` asks it to end; ``stop_event`` is how it ends.

    With a ``protocol`` its outputs are judged by that one too, and nothing else is done.
    """

    run_id: str
    protocol: Protocol | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    stop_event: str = "cancelled"
    ended: threading.Event = field(default_factory=threading.Event)
    started_at: float | None = None
    judged_before: int = 0
    message: str = "waiting"
    trouble: Callable[[], str] = str  # what keeps answers from coming right now; empty where nothing does
    failures: list[str] = field(default_factory=list)


class Session:
    """The work on one run, in the thread that calls ``execute``."""

    def __init__(self, store: Store, settings: Settings, open_model: OpenBackend, live: Live) -> None:
        self.store = store
        self.settings = settings
        self.open_model = open_model
        self.live = live
        self.run_id = live.run_id
        self.config = queries.run_config(store, live.run_id)
        own = self.config.evaluation
        self.evaluation = own if live.protocol is None else replace(own, protocol=live.protocol)
        self.total = queries.planned_total(store, live.run_id)
        self.verdicts: queue.Queue[tuple[int, Verdict] | threading.Event | None] = queue.Queue()
        self.judging = 0  # outputs handed to the pool whose verdicts are not in the queue yet
        self.judged = threading.Condition()
        self.sources: dict[str, DomainSource] = {}
        self.domains: dict[str, PlanningDomain] = {}
        self.grammars: dict[tuple[str, str], ActionGrammar] = {}
        self.faulted: set[int] = set()
        self.store_error: StoreError | None = None
        self.validators_differ = False

    def execute(self) -> None:
        """Work until nothing is missing, or something stops it; what ended it is the run's last event."""
        if self.live.stopped.is_set():
            writes.add_event(self.store, self.run_id, self.live.stop_event, "stopped before it started")
            return
        _, generated, judged = queries.counts(self.store, self.run_id)
        self.live.judged_before = judged
        self.live.started_at = time.monotonic()
        if self.live.protocol is None:
            writes.add_event(self.store, self.run_id, "resumed" if generated else "started")
        ending = self._work_until_the_end()
        if self.store_error is not None:
            raise self.store_error
        if ending is not None:
            # How the run itself ended stays its last word.
            ending = ending if self.live.protocol is None else (queries.ASIDE, ": ".join(ending))
            writes.add_event(self.store, self.run_id, *ending)
        self.store.checkpoint()

    def _work_until_the_end(self) -> tuple[str, str] | None:
        """Do what is missing. Gives the event that ends the run and its detail; None where the program is ending."""
        writer = threading.Thread(target=self._write_verdicts, name="verdicts", daemon=True)
        writer.start()
        fault = ""
        try:
            with open_pool(self.settings.workers, self.settings.dask, StoreMemory(self.store)) as pool:
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
        if self.live.stopped.is_set():
            return self.live.stop_event, f"{self.live.stop_event}; resume to go on"
        if self.live.failures:
            return "failed", "; ".join(self.live.failures)
        total, _, judged = queries.counts(self.store, self.run_id)
        if self.faulted:
            return "failed", self._faults_in_words()
        if judged < total:
            return "failed", f"{total - judged} items have no verdict; resume the run"
        return "finished", ""

    def _faults_in_words(self) -> str:
        faults = queries.latest_faults(self.store, self.run_id)
        kinds = zip(faults["kind"], faults["message"], strict=True)
        shown = "; ".join(list(dict.fromkeys(f"{kind}: {text}" for kind, text in kinds))[:_MOST_NAMED])
        many = f"{len(faults):,} items have" if len(faults) > 1 else "1 item has"
        return f"{many} no answer, and not by the model's fault; resume to try again. {shown}"[:1000]

    def _is_stopped(self) -> bool:
        return self.live.stopped.is_set() or self.store_error is not None or self.validators_differ

    def _generate_and_judge(self, pool: Pool) -> None:
        waiting = queries.outputs_without_verdict(self.store, self.run_id, self.evaluation.protocol.value)
        for item, output in waiting:
            self._judge(pool, item, output, self._parts(item))
        if self.live.protocol is not None:
            self.live.message = f"judging {len(waiting):,} outputs by protocol {self.live.protocol} too"
            self._wait_for_verdicts()
            return
        for model in self.config.models:
            if self._is_stopped():
                break
            try:
                self._work_on(pool, model)
            except ModelError as error:
                # The other models of the run can still be worked on.
                text = str(error)
                self.live.failures.append(text if text.startswith(model) else f"{model}: {text}")
        self.live.message = "judging the last outputs"
        self._wait_for_verdicts()

    def _work_on(self, pool: Pool, model: str) -> None:
        """Everything of one model, wave by wave: what the answers of one wave lead to is the next."""
        driver: Driver | None = None
        try:
            while not self._is_stopped():
                requests = self._ready(pool, model)
                if requests:
                    driver = driver or self._driver(model)
                    self.live.trouble = driver.trouble
                    self._generate(pool, driver, model, requests)
                elif not self._add_corrections(model):
                    return
        finally:
            self.live.trouble = str
            if driver is not None:
                driver.close()

    def _driver(self, model: str) -> Driver:
        self.live.message = f"loading {model} (its first use takes longer: it is downloaded or converted)"
        return Driver(
            self.open_model,
            model,
            self.config.decoding,
            self.settings.data_dir,
            lambda keys: queries.known_answers(self.store, keys),
        )

    def _ready(self, pool: Pool, model: str) -> list[GenerationRequest]:
        """What can be generated now. A whole domain whose actions are there is put together and judged."""
        if self.config.kind is RunKind.ACTIONS:
            missing = queries.items_without_output(self.store, self.run_id)
            return [self._request(i, i.prompt) for i in missing if i.model == model and i.index not in self.faulted]
        items = queries.run_items(self.store, self.run_id, model)
        ready = []
        for step in completion.next_steps(items, queries.outputs(self.store, self.run_id)):
            if step.item.index in self.faulted:
                continue
            if step.prompt is None:
                self._complete(pool, step.item)
            else:
                ready.append(self._request(step.item, step.prompt))
        return ready

    def _request(self, item: RunItem, prompt: str) -> GenerationRequest:
        grammar = self._grammar(item.domain_sha, item.action) if item.grammar else None
        # Not of the index or the model: what is compared starts from the same seed.
        parts = (self.config.seed, item.domain, item.action, item.description_class, item.sample, item.draw, item.round)
        digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
        return GenerationRequest(
            index=item.index,
            domain=item.domain,
            action=item.action,
            sample=item.sample,
            prompt=prompt,
            dialogue=item.dialogue,
            draw=item.draw,
            round=item.round,
            seed=int.from_bytes(digest[:4], "big"),
            grammar=grammar,
            description_class=item.description_class.value,
        )

    def _generate(self, pool: Pool, driver: Driver, model: str, requests: Sequence[GenerationRequest]) -> None:
        self.live.message = f"generating with {model}"
        items = {item.index: item for item in queries.run_items(self.store, self.run_id, model)}
        for batch in driver.answers(requests, self._is_stopped):
            faults = [(a.request.index, a.result) for a in batch if isinstance(a.result, Fault)]
            self.faulted |= {index for index, _ in faults}
            writes.add_faults(self.store, self.run_id, faults)
            outputs = [
                _output(answer, items[answer.request.index])
                for answer in batch
                if isinstance(answer.result, Completion)
            ]
            writes.add_outputs(self.store, self.run_id, outputs)
            for output in outputs:
                self._judge(pool, items[output.index], output.completion.text)

    def _complete(self, pool: Pool, item: RunItem) -> None:
        """Put a generated domain together and have it judged."""
        parts = self._parts(item)
        text = completion.domain_text(self._domain(item.domain_sha), dict(parts))
        answer = Completion(text, "put together", 0, 0.0)
        writes.add_outputs(self.store, self.run_id, [writes.Output(item.index, answer, ModelInfo(item.model))])
        self._judge(pool, item, text, parts)

    def _parts(self, item: RunItem) -> tuple[tuple[str, str], ...]:
        """The answers for each action that a whole domain was put together from; none for a single action."""
        if item.action != WHOLE_DOMAIN:
            return ()
        answers = queries.outputs(self.store, self.run_id)
        items = queries.run_items(self.store, self.run_id, item.model)
        own = next(one for one in completion.sequences(items) if one[-1].index == item.index)
        return tuple((one.action, answers[one.index]) for one in own[:-1])

    def _add_corrections(self, model: str) -> bool:
        """Store the next round's items for the answers that failed; False where there are none."""
        if not self.config.rounds:
            return False
        self.live.message = "judging before the next round of corrections"
        self._wait_for_verdicts()
        if self._is_stopped():
            return False
        added = []
        for index in queries.uncorrected(self.store, self.run_id, model, self.config.rounds):
            detail = queries.item_detail(self.store, self.run_id, index)
            told = corrections.feedback(detail.verdict)
            if told is not None:
                added.append(corrections.correction(detail.item, detail.output or "", told, self.total))
        writes.add_items(self.store, self.run_id, added)
        return bool(added)

    def _domain(self, sha: str) -> PlanningDomain:
        if sha not in self.domains:
            self.domains[sha] = from_source(self._source(sha)).planning
        return self.domains[sha]

    def _grammar(self, sha: str, action: str) -> ActionGrammar:
        if (sha, action) not in self.grammars:
            self.grammars[sha, action] = ActionGrammar(self._domain(sha), action)
        return self.grammars[sha, action]

    def _source(self, sha: str) -> DomainSource:
        if sha not in self.sources:
            self.sources[sha] = queries.domain_source(self.store, sha)
        return self.sources[sha]

    def _judge(self, pool: Pool, item: RunItem, output: str, parts: tuple[tuple[str, str], ...] = ()) -> None:
        task = EvaluationTask(self._source(item.domain_sha), item.action, output, self.evaluation, parts)
        future = pool.submit(task)
        with self.judged:
            self.judging += 1

        def done(finished: Future[Verdict]) -> None:
            self._take(item, finished)
            with self.judged:
                self.judging -= 1
                self.judged.notify_all()

        future.add_done_callback(done)

    def _take(self, item: RunItem, finished: Future[Verdict]) -> None:
        if finished.cancelled() or isinstance(finished.exception(), CancelledError):
            return
        fault = finished.exception()
        if fault is not None:
            self.live.failures.append(f"item {item.index}: {fault}")
            self.validators_differ |= isinstance(fault, ValidatorsDifferError)
        else:
            self.verdicts.put((item.index, finished.result()))

    def _wait_for_verdicts(self) -> None:
        """Until every output so far is judged and its verdict stored, or the run is stopped."""
        # Not for the futures: one is done before its callbacks have run.
        with self.judged:
            while self.judging and not self._is_stopped():
                self.judged.wait(timeout=0.2)
        stored = threading.Event()
        self.verdicts.put(stored)
        stored.wait()

    def _write_verdicts(self) -> None:
        """The one writer of verdicts: stores what has come in, in one transaction, until a None comes."""
        ending = False
        while not ending:
            batch: list[tuple[int, Verdict]] = []
            entry = self.verdicts.get()
            while isinstance(entry, tuple):
                batch.append(entry)
                if len(batch) >= _VERDICT_BATCH or self.verdicts.empty():
                    break
                entry = self.verdicts.get()
            ending = entry is None
            if self.store_error is None:
                try:
                    writes.add_verdicts(self.store, self.run_id, batch, self.evaluation)
                except StoreError as error:
                    self.store_error = error
            if isinstance(entry, threading.Event):
                entry.set()


def _output(answer: Answer, item: RunItem) -> writes.Output:
    assert isinstance(answer.result, Completion)
    sent = answer.result.prompt or answer.request.prompt
    other = sent if sent != item.prompt else None
    return writes.Output(item.index, _storable(answer.result), answer.info, answer.key, other)


def _storable(completion: Completion) -> Completion:
    """The completion with what is no Unicode text (half of a surrogate pair) replaced: no store takes that."""

    def text(value: str) -> str:
        return value.encode("utf-8", "replace").decode("utf-8")

    return replace(completion, text=text(completion.text), thinking=text(completion.thinking))
