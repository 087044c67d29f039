"""The workbench's computations: a few at once for all sessions, each in processes of its own that can be ended.

Judging goes the way of runs (``JudgePool``), everything else through ``beside``. Nothing is stored.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeVar

from nl2pddl.beside import run_beside
from nl2pddl.judging import JudgePool
from nl2pddl.memory import SharedMemory
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.records import Verdict

T = TypeVar("T")

LANES = 3  # computations at once; each may take a core and a few gigabytes
_LOOK_SECONDS = 0.1


class Job(Generic[T]):
    """A computation under way. ``progress`` is what it last said of itself, None at first."""

    def __init__(self) -> None:
        self.progress: Any = None
        self.started = False
        self.stopped = threading.Event()
        self._future: Future[T] = Future()

    def done(self, seconds: float = 0.0) -> bool:
        """Whether it has ended, after at most so many seconds of waiting."""
        return bool(wait([self._future], seconds).done)

    def stop(self) -> None:
        """End it; ``result`` raises CancelledError then, unless it came first."""
        self.stopped.set()

    def result(self) -> T:
        """What came out. Raises CancelledError where it was stopped, BesideError, InputError and the like."""
        return self._future.result()

    def report(self, progress: object) -> None:
        """Say how far it is."""
        self.progress = progress

    def run(self, work: Callable[[], T]) -> None:
        """Do the work, and end with what comes out of it."""
        try:
            self._future.set_result(work())
        except Exception as error:
            # It belongs to the session that asks for the result, whatever it is; here is only a thread.
            self._future.set_exception(error)


class Bench:
    """Runs jobs in threads, at most ``lanes`` at once; the others wait for their turn."""

    def __init__(self, lanes: int = LANES) -> None:
        self._lanes = threading.BoundedSemaphore(lanes)
        self._memory = SharedMemory()
        self._idle: list[JudgePool] = []
        self._jobs: set[Job[Any]] = set()
        self._lock = threading.Lock()
        self._probe = ThreadPoolExecutor(1)

    def judge(self, task: EvaluationTask) -> Job[Verdict]:
        """The verdict on an output, within the limits of the task's settings."""
        job: Job[Verdict] = Job()
        return self._start(job, lambda: self._judged(job, task))

    def beside(self, function: Callable[..., T], *arguments: object, seconds: float) -> Job[T]:
        """What ``function(report, *arguments)`` gives, within so many seconds of its own process."""
        job: Job[T] = Job()
        return self._start(
            job,
            lambda: run_beside(function, *arguments, seconds=seconds, stopped=job.stopped, report=job.report),
        )

    def close(self) -> None:
        """Stop every job and end all processes."""
        with self._lock:
            jobs, idle, self._idle = list(self._jobs), self._idle, []
        for job in jobs:
            job.stop()
        for job in jobs:
            job.done(10)
        for pool in idle:
            pool.close()
        self._probe.shutdown(wait=False)

    def _start(self, job: Job[T], work: Callable[[], T]) -> Job[T]:
        with self._lock:
            self._jobs.add(job)
        threading.Thread(target=self._work, args=(job, work), name="bench", daemon=True).start()
        return job

    def _work(self, job: Job[T], work: Callable[[], T]) -> None:
        job.run(lambda: self._in_turn(job, work))
        with self._lock:
            self._jobs.discard(job)

    def _in_turn(self, job: Job[T], work: Callable[[], T]) -> T:
        while not self._lanes.acquire(timeout=_LOOK_SECONDS):
            if job.stopped.is_set():
                raise CancelledError
        try:
            job.started = True
            return work()
        finally:
            self._lanes.release()

    def _judged(self, job: Job[Verdict], task: EvaluationTask) -> Verdict:
        """The verdict of a pool that is idle, or of a new one. One that is stopped is closed with all its processes."""
        with self._lock:
            pool = self._idle.pop() if self._idle else JudgePool(1, self._memory)
        verdict = pool.submit(task)
        while not wait([verdict], _LOOK_SECONDS).done:
            if job.stopped.is_set() or self._program_ends():
                pool.close()
                raise CancelledError
        with self._lock:
            self._idle.append(pool)
        return verdict.result()

    def _program_ends(self) -> bool:
        """Whether the interpreter is about to end: it would wait for the pool's thread, as long as the limits say.

        An executor that takes no more work is the one public sign of it that comes in time.
        """
        try:
            self._probe.submit(int)
        except RuntimeError:
            return True
        return False
