"""Chooses who judges: this machine's worker processes, or those of a Dask cluster."""

from __future__ import annotations

from concurrent.futures import Future
from types import TracebackType
from typing import Protocol

from nl2pddl.cluster import DaskPool
from nl2pddl.judging import JudgePool
from nl2pddl.memory import Memory, SharedMemory
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.records import Verdict


class Pool(Protocol):
    """Judges tasks beside its caller. ``appetite`` is how many may wait so that no worker ever does."""

    appetite: int

    def submit(self, task: EvaluationTask) -> Future[Verdict]:
        """The verdict of ``task``, later."""
        ...

    def close(self) -> None:
        """Drop what is waiting and end the work."""
        ...

    def __enter__(self) -> Pool: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...


def open_pool(workers: int, dask: str | None = None, memory: Memory | None = None) -> Pool:
    """A pool of ``workers`` processes here, which share ``memory``; with ``dask`` the workers of that scheduler.

    Workers elsewhere remember for themselves. Raises InputError where the scheduler cannot be used.
    """
    return DaskPool(dask) if dask else JudgePool(workers, SharedMemory(memory))
