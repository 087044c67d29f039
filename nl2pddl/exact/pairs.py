"""The pairs of states that were reached, each once, with the step that reached it first."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nl2pddl.exact.automaton import Flags, Indices, Rows

_FREE = -1
_FACTORS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


class PairSet:
    """Rows of words, numbered in the order in which they were first inserted.

    An open-addressing hash table in arrays, so that inserting a million rows takes no loop over them.
    """

    def __init__(self, initial: Rows) -> None:
        self.count = 0
        self.rows: Rows = np.empty((0, len(initial)), np.uint64)
        self.parents: Indices = np.empty(0, np.int64)
        self.actions: Indices = np.empty(0, np.int64)
        self._hashes: Rows = np.empty(0, np.uint64)
        self._table = np.empty(0, np.int32)
        none = np.full(1, -1, np.int64)
        self.insert(initial[None, :], none, none)

    def insert(self, rows: Rows, parents: Indices, actions: Indices) -> Rows:
        """Add the rows that are new, each with the pair and the action before it; gives the new ones in order.

        Of equal rows the first counts.
        """
        self._make_room(len(rows))
        hashes = _hashes(rows)
        winners = self._place(hashes, rows)
        start, self.count = self.count, self.count + len(winners)
        self.rows[start : self.count] = rows[winners]
        self.parents[start : self.count] = parents[winners]
        self.actions[start : self.count] = actions[winners]
        self._hashes[start : self.count] = hashes[winners]
        return self.rows[start : self.count]

    def path(self, number: int) -> list[int]:
        """The actions that led from the initial pair to pair ``number``."""
        actions: list[int] = []
        while self.parents[number] >= 0:
            actions.append(int(self.actions[number]))
            number = int(self.parents[number])
        return actions[::-1]

    def _make_room(self, more: int) -> None:
        needed = self.count + more
        if needed > len(self.rows):
            size = max(needed, 2 * len(self.rows), 1024)
            self.rows = self._grown(self.rows, size)
            self.parents, self.actions = self._grown(self.parents, size), self._grown(self.actions, size)
            self._hashes = self._grown(self._hashes, size)
        if 2 * needed > len(self._table):
            self._table = np.full(1 << (3 * needed).bit_length(), _FREE, np.int32)
            known, self.count = self.count, 0
            self._place(self._hashes[:known], None)
            self.count = known

    def _grown(self, old: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
        grown = np.empty((size, *old.shape[1:]), old.dtype)
        grown[: self.count] = old[: self.count]
        return grown

    def _place(self, hashes: Rows, rows: Rows | None) -> Indices:
        """Enter into the table the rows that are not in it, numbered from ``count``; gives their indices, sorted.

        ``rows`` None says that all are known to be new and different.
        """
        mask = len(self._table) - 1
        slots = (hashes & np.uint64(mask)).astype(np.int64)
        pending = np.arange(len(hashes))
        placed: list[Indices] = [pending[:0]]
        while len(pending):
            here = slots[pending]
            found = self._table[here].astype(np.int64)
            free = np.flatnonzero(found == _FREE)
            # Written back to front, so that of several rows the first one gets the slot. Until all have a number, a row
            # stands in the table as -2 - its index.
            self._table[here[free][::-1]] = -2 - pending[free][::-1]
            found[free] = self._table[here[free]]
            placed.append(pending[found == -2 - pending])
            pending = pending[self._differ(found, pending, rows)]
            slots[pending] = (slots[pending] + 1) & mask
        winners = np.sort(np.concatenate(placed))
        self._table[slots[winners]] = self.count + np.arange(len(winners))
        return winners

    def _differ(self, found: Indices, pending: Indices, rows: Rows | None) -> Flags:
        """Which of the rows ``pending`` are not the ones that were found in their slots."""
        differ: Flags = found != -2 - pending
        if rows is not None:
            new, old = np.flatnonzero(found < _FREE), np.flatnonzero(found >= 0)
            for where, other in ((new, rows[-2 - found[new]]), (old, self.rows[found[old]])):
                mine = rows[pending[where]]
                unequal = mine[:, 0] != other[:, 0]
                for word in range(1, rows.shape[1]):  # rows are short: faster than ``any`` over each
                    unequal |= mine[:, word] != other[:, word]
                differ[where] = unequal
        return differ


def _hashes(rows: Rows) -> Rows:
    """A well-mixed hash of each row (the finaliser of splitmix64, word by word)."""
    mixed = np.zeros(len(rows), np.uint64)
    for word in range(rows.shape[1]):
        mixed = (mixed ^ rows[:, word]) * np.uint64(_FACTORS[0])
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_FACTORS[1])
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_FACTORS[2])
        mixed ^= mixed >> np.uint64(31)
    return mixed
