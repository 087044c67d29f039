"""Judges outputs on the workers of a Dask cluster. Only tasks and verdicts travel: no worker ever sees a store.

``distributed`` is imported only when a cluster is used. A worker needs this project importable, in the same version and
with the same planner and validator: the numbers must be the same wherever they are computed.
"""

from __future__ import annotations

import logging
import platform
import threading
import time
import uuid
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from types import TracebackType
from typing import Any

from nl2pddl import __version__
from nl2pddl.errors import InputError, NL2PDDLError
from nl2pddl.judge_process import judged
from nl2pddl.memory import LocalMemory
from nl2pddl.pipeline import EvaluationTask, Evaluator
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.planning.kstar import planner_version
from nl2pddl.planning.validation import VALIDATOR_VERSION
from nl2pddl.records import EvaluationSettings, Protocol, ResultClass, ValidatorChoice, Verdict

_CONNECT_SECONDS = 5
_FIRST_WORKER_SECONDS = 10
_WAITING_PER_THREAD = 16
_ATTEMPTS = 2
_WATCH_SECONDS = 1.0
ALONE_SECONDS = 120.0
_NO_DASK = "--dask needs the package distributed; install it with: pip install distributed"
_LOG = logging.getLogger(__name__)

# In a worker process: one evaluator a thread, and what they all have found.
_mine = threading.local()
_found = LocalMemory()


def versions(validator: ValidatorChoice = ValidatorChoice.OURS) -> dict[str, str]:
    """What a verdict depends on in this process, where ``validator`` checks the plans."""
    return {
        "nl2pddl": __version__,
        "planner": planner_version(),
        "validator": _validator_version(validator),
        "python": ".".join(platform.python_version_tuple()[:2]),
    }


def _validator_version(choice: ValidatorChoice) -> str:
    try:
        return PlanChecker(choice).version
    except InputError as error:
        return f"none ({error})"


def _settled(settings: EvaluationSettings) -> EvaluationSettings:
    """The settings with ``auto`` replaced by what it means on this machine, so that no worker takes it otherwise."""
    if settings.validator is not ValidatorChoice.AUTO:
        return settings
    # Protocol published imitates VAL and asks neither.
    ours = settings.protocol is Protocol.PUBLISHED or PlanChecker().version == VALIDATOR_VERSION
    return replace(settings, validator=ValidatorChoice.OURS if ours else ValidatorChoice.VAL)


def _judge(task: EvaluationTask, expected: dict[str, str]) -> Verdict | Exception:
    """In a worker: the verdict, or the error that stands for it."""
    fault = _difference(expected, versions(task.settings.validator))
    if fault:
        return InputError(f"a worker differs from this machine: {fault}")
    if not hasattr(_mine, "evaluator"):
        _mine.evaluator = Evaluator(memory=_found)
    return judged(_mine.evaluator, task)


def _difference(ours: dict[str, str], theirs: dict[str, str]) -> str:
    return ", ".join(
        f"{name} {theirs.get(name)} instead of {version}"
        for name, version in ours.items()
        if theirs.get(name) != version
    )


class DaskPool:
    """The workers behind a Dask scheduler, used like a ``JudgePool``; the cluster itself is left running.

    Raises InputError where the scheduler cannot be reached, has no workers, or its workers differ from this machine.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._client = _connected(address)
        self._lock = threading.Lock()
        self._pending: dict[Future[Verdict], Any] = {}
        self._closed = False
        try:
            self._check_workers()
        except BaseException:
            self._client.close()
            raise
        self.appetite = _WAITING_PER_THREAD * sum(self._client.nthreads().values())
        self._ended = threading.Event()
        threading.Thread(target=self._watch, name="dask workers", daemon=True).start()

    def __enter__(self) -> DaskPool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _check_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=_FIRST_WORKER_SECONDS)
        except TimeoutError as error:
            raise InputError(
                f"the Dask scheduler at {self._address} has no workers; start some with: dask worker {self._address}"
            ) from error
        for worker, found in self._client.run(versions, on_error="return").items():
            if isinstance(found, Exception):
                message = f"cannot use nl2pddl ({type(found).__name__}: {found}); install this project there"
                raise InputError(f"the Dask worker {worker} {message}")
            fault = _difference(versions(), found)
            if fault:
                raise InputError(f"the Dask worker {worker} differs from this machine: {fault}")

    def submit(self, task: EvaluationTask) -> Future[Verdict]:
        """The verdict of ``task``, later. A task that keeps killing its workers gives an undecided one that says so.

        Raises CancelledError once the pool is closed.
        """
        result: Future[Verdict] = Future()
        self._send(replace(task, settings=_settled(task.settings)), result, attempt=1)
        return result

    def close(self) -> None:
        """Drop what is waiting and disconnect."""
        self._ended.set()
        with self._lock:
            self._closed = True
            pending, self._pending = self._pending, {}
        for result, future in pending.items():
            future.cancel()
            result.cancel()
        self._client.close()

    def _watch(self) -> None:
        """Give up what waits where no worker has been connected for long: Dask itself would wait for ever."""
        alone_since: float | None = None
        while not self._ended.wait(_WATCH_SECONDS):
            try:
                alone = not self._client.nthreads()
            except Exception:  # the scheduler itself is gone: the futures end and say so
                return
            if not alone:
                alone_since = None
            elif alone_since is None:
                alone_since = time.monotonic()
                _LOG.warning("no worker is connected to %s; waiting %g s for one", self._address, ALONE_SECONDS)
            elif time.monotonic() - alone_since > ALONE_SECONDS:
                self._give_up()
                return

    def _give_up(self) -> None:
        with self._lock:
            pending, self._pending = self._pending, {}
        for result, future in pending.items():
            future.cancel()
            result.set_exception(
                NL2PDDLError(
                    f"no worker has been connected to the Dask scheduler at {self._address} for {ALONE_SECONDS:g} s; "
                    "start workers, and the command again"
                )
            )

    def _send(self, task: EvaluationTask, result: Future[Verdict], attempt: int) -> None:
        expected = versions(task.settings.validator)
        with self._lock:
            if self._closed:
                raise CancelledError
            # A key of its own: two equal tasks are two items, each with its own time.
            future = self._client.submit(_judge, task, expected, key=f"nl2pddl-{uuid.uuid4()}", pure=False)
            self._pending[result] = future
        future.add_done_callback(lambda done: self._receive(done, task, result, attempt))

    def _receive(self, future: Any, task: EvaluationTask, result: Future[Verdict], attempt: int) -> None:
        """Hand on what a worker answered; Dask itself has tried again where a worker was lost."""
        with self._lock:
            if self._closed or self._pending.pop(result, None) is None:
                return
        if future.status == "finished":
            answer = future.result()
        elif future.status == "error":
            answer = future.exception()
            if type(answer).__name__ == "KilledWorker" and attempt < _ATTEMPTS:
                # Perhaps only its neighbours on those workers were to blame: it has another chance.
                self._send(task, result, attempt + 1)
                return
        else:
            answer = NL2PDDLError(f"the Dask scheduler at {self._address} was lost; start the command again")
        if isinstance(answer, NL2PDDLError):
            result.set_exception(answer)
        elif isinstance(answer, Verdict):
            result.set_result(answer)
        else:
            reason = f"the worker process failed on this output ({type(answer).__name__}: {answer}); evaluate it again"
            result.set_result(Verdict(ResultClass.UNDECIDED, None, reason, task.settings.protocol))


def check_address(address: str) -> None:
    """Raise InputError for what can be no address of a scheduler, without asking whether one is there."""
    try:
        from distributed.comm.addressing import parse_address, parse_host_port

        scheme, place = parse_address(address)
        if scheme in ("tcp", "tls"):
            parse_host_port(place)
    except ImportError as error:
        raise InputError(_NO_DASK) from error
    except ValueError as error:
        raise InputError(
            f"'{address}' is no address of a Dask scheduler ({error}); give one such as tcp://host:8786"
        ) from error


def _connected(address: str) -> Any:
    try:
        import distributed
    except ImportError as error:
        raise InputError(_NO_DASK) from error
    client: Any = distributed.Client  # its methods have no types

    class ClosingClient(client):  # type: ignore[misc]
        """A client that fails to connect is closed here and now.

        Left to the garbage collector it may be closed in the thread of the next client's event loop, while that
        client holds the lock that closing needs: the next connection would fail.
        """

        def start(self, **options: Any) -> Any:
            try:
                return super().start(**options)
            except BaseException:
                self.close()
                raise

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # its reports of lost workers are handled here
    try:
        return ClosingClient(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at '{address}' ({error or type(error).__name__}); expected an address such as "
            "tcp://host:8786"
        ) from error
