"""A pool of worker processes that judge outputs, so that planning runs beside generation and dies with the program.

Each worker is a fresh Python process (never a fork: this process may hold torch, DuckDB and Streamlit threads) that
receives tasks and sends messages: what it asks of the shared memory while it works, and at last the verdict. A worker
that dies is replaced and its task tried once more.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from multiprocessing.connection import Pipe
from types import TracebackType

from nl2pddl.errors import NL2PDDLError
from nl2pddl.judge_process import ANSWER, ASKING
from nl2pddl.memory import SharedMemory
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.records import ResultClass, Verdict

_GRACE_SECONDS = 60.0
# Enough to keep every worker busy, few enough that a file of any length needs little memory.
_WAITING_PER_WORKER = 16


class WorkerDiedError(RuntimeError):
    """The worker process ended, or had to be killed, before it answered."""


class _Worker:
    """One worker process and the pipes to it."""

    def __init__(self) -> None:
        # The worker watches the reading end: it closes when this process ends in any way, by SIGKILL too.
        watched, self._lifeline = os.pipe()
        # A connection reads one message and no byte more, so that ``poll`` tells the truth about the next.
        self._connection, theirs = Pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "nl2pddl.judge_process", str(watched), str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=(watched, theirs.fileno()),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        os.close(watched)
        theirs.close()

    def judge(self, task: EvaluationTask, memory: SharedMemory) -> Verdict:
        """The worker's verdict; what it asks of ``memory`` meanwhile is answered.

        Raises WorkerDiedError; InputError where the task itself is wrong, ValidatorsDifferError where two validators
        differ.
        """
        try:
            self._connection.send(task)
            answer = self._answer(task, memory)
        except (EOFError, OSError, pickle.UnpicklingError, ValueError) as error:
            self.kill()
            raise WorkerDiedError(f"exit {self._process.poll()}") from error
        finally:
            memory.release()
        if isinstance(answer, NL2PDDLError):
            raise answer
        if isinstance(answer, Exception):
            raise WorkerDiedError(f"{type(answer).__name__}: {answer}")
        assert isinstance(answer, Verdict)
        return answer

    def _answer(self, task: EvaluationTask, memory: SharedMemory) -> object:
        """Serve the worker until it has the verdict or an exception. Waiting for another worker costs it no time."""
        limit = left = time_limit(task)
        while True:
            started = time.monotonic()
            if not self._connection.poll(left):
                self.kill()
                raise WorkerDiedError(f"no answer within {limit:.0f} s")
            left = max(0.0, left - (time.monotonic() - started))
            request, *arguments = self._connection.recv()
            if request == ANSWER:
                return arguments[0]
            reply = getattr(memory, request)(*arguments)
            if request in ASKING:
                self._connection.send(reply)

    def kill(self) -> None:
        """End the worker; its planner sees that and ends too."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the worker and close what this process holds of it."""
        self.kill()
        self._connection.close()
        os.close(self._lifeline)


def time_limit(task: EvaluationTask) -> float:
    """Seconds after which a worker that has no verdict must be hanging.

    Each problem is planned in two domains, with two heuristics at worst, and its plans are checked both ways.
    """
    settings = task.settings
    a_problem = 6 * settings.seconds + (settings.exact_seconds if settings.exact else 0)
    return _GRACE_SECONDS + a_problem * max(1, len(task.source.problems))


class JudgePool:
    """Judges tasks in ``workers`` processes at once; use it with ``with``.

    ``memory`` is shared by the workers; without one they share what they find for as long as the pool lives.
    """

    def __init__(self, workers: int, memory: SharedMemory | None = None) -> None:
        self.appetite = _WAITING_PER_WORKER * workers
        self._memory = memory or SharedMemory()
        self._threads = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="judge")
        self._mine = threading.local()
        self._all: set[_Worker] = set()
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> JudgePool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def submit(self, task: EvaluationTask) -> Future[Verdict]:
        """The verdict of ``task``, later. A worker that dies twice on it gives an undecided one that says so.

        Raises CancelledError once the pool is closed or the program is ending.
        """
        try:
            return self._threads.submit(self._judge, task)
        except RuntimeError as error:
            raise CancelledError("the program is ending") from error

    def close(self) -> None:
        """Drop what is waiting, end all workers, and wait for the threads."""
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._all:
            worker.close()
        self._all.clear()

    def _judge(self, task: EvaluationTask) -> Verdict:
        fault = ""
        for _ in range(2):
            worker = self._worker()
            try:
                return worker.judge(task, self._memory)
            except WorkerDiedError as error:
                fault = str(error)
                self._discard(worker)
        reason = f"the worker process failed twice on this output ({fault}); evaluate it again"
        return Verdict(ResultClass.UNDECIDED, None, reason, task.settings.protocol)

    def _worker(self) -> _Worker:
        worker: _Worker | None = getattr(self._mine, "worker", None)
        if worker is None:
            with self._lock:
                if self._closed:
                    raise CancelledError
                worker = self._mine.worker = _Worker()
                self._all.add(worker)
        return worker

    def _discard(self, worker: _Worker) -> None:
        self._mine.worker = None
        with self._lock:
            if self._closed:
                raise CancelledError
            self._all.discard(worker)
        worker.close()
