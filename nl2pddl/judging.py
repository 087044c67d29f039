"""A pool of worker processes that judge outputs, so that planning runs beside generation and dies with the program.

Each worker is a fresh Python process (never a fork: this process may hold torch, DuckDB and Streamlit threads) that
reads pickled tasks and writes pickled answers. A worker that dies is replaced and its task tried once more.
"""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from types import TracebackType
from typing import IO

from nl2pddl.errors import InputError
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.records import ResultClass, Verdict

_GRACE_SECONDS = 60.0


class WorkerDiedError(RuntimeError):
    """The worker process ended, or had to be killed, before it answered."""


class _Worker:
    """One worker process and the pipes to it."""

    def __init__(self) -> None:
        # The worker watches the reading end: it closes when this process ends in any way, by SIGKILL too.
        watched, self._lifeline = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "nl2pddl.judge_process", str(watched)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(watched,),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        os.close(watched)

    def judge(self, task: EvaluationTask) -> Verdict:
        """The worker's verdict. Raises WorkerDiedError, or InputError where the task itself is wrong."""
        stdin, stdout = self._pipes()
        # Two domains, two heuristics at worst, for each problem; a worker slower than that hangs.
        limit = _GRACE_SECONDS + 4 * task.settings.seconds * max(1, len(task.source.problems))
        try:
            pickle.dump(task, stdin)
            stdin.flush()
            if not select.select([stdout], [], [], limit)[0]:
                self.kill()
                raise WorkerDiedError(f"no answer within {limit:.0f} s")
            answer = pickle.load(stdout)
        except (EOFError, OSError, pickle.UnpicklingError, ValueError) as error:
            self.kill()
            raise WorkerDiedError(f"exit {self._process.poll()}") from error
        if isinstance(answer, InputError):
            raise answer
        if isinstance(answer, Exception):
            raise WorkerDiedError(f"{type(answer).__name__}: {answer}")
        assert isinstance(answer, Verdict)
        return answer

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def kill(self) -> None:
        """End the worker; its planner sees that and ends too."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the worker and close what this process holds of it."""
        self.kill()
        for pipe in self._pipes():
            # Closing flushes what a dead worker never read.
            try:
                pipe.close()
            except OSError:
                continue
        os.close(self._lifeline)


class JudgePool:
    """Judges tasks in ``workers`` processes at once; use it with ``with``."""

    def __init__(self, workers: int) -> None:
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
                return worker.judge(task)
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
