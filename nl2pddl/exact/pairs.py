"""The pairs of states that were reached, each once, with the step that reached it first."""

from __future__ import annotations

import numpy as np

from nl2pddl.exact.automaton import Flags, Indices, Rows

_FREE = -1
_FACTORS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


class PairSet:
    """Rows of words, numbered in the order in which they were first inserted.

    An open-addressing hash table in arrays, so that inserting a million rows takes no loop over them.
    """

    def __init__(self, initial: Rows) -> None:
        self.count = 0
        self.rows: Rows = np.zeros((1024, len(initial)), np.uint64)
        self.parents = np.zeros(1024, np.int64)
        self.actions = np.zeros(1024, np.int64)
        self._table = np.full(1 << 12, _FREE, np.int32)
        none = np.full(1, -1, np.int64)
        self.insert(initial[None, :], none, none)

    def insert(self, rows: Rows, parents: Indices, actions: Indices) -> Rows:
        """Add the rows that are new, each with the pair and the action before it; gives the new ones in order.

        Of equal rows the first counts.
        """
        self._make_room(len(rows))
        winners = self._place(rows)
        start, self.count = self.count, self.count + len(winners)
        self.rows[start : self.count] = rows[winners]
        self.parents[start : self.count] = parents[winners]
        self.actions[start : self.count] = actions[winners]
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
            size = max(needed, 2 * len(self.rows))
            self.rows, self.parents, self.actions = (
                np.concatenate([old, np.zeros((size - len(old), *old.shape[1:]), old.dtype)])
                for old in (self.rows, self.parents, self.actions)
            )
        if 2 * needed > len(self._table):
            self._table = np.full(1 << (3 * needed).bit_length(), _FREE, np.int32)
            known, self.count = self.count, 0
            self._place(self.rows[:known])
            self.count = known

    def _place(self, rows: Rows) -> Indices:
        """Enter into the table the rows that are not in it, numbered from ``count``; gives their indices, sorted."""
        mask = len(self._table) - 1
        slots = (_hashes(rows) & np.uint64(mask)).astype(np.int64)
        pending = np.arange(len(rows))
        placed: list[Indices] = []
        while len(pending):
            here = slots[pending]
            found = self._table[here]
            free = np.flatnonzero(found == _FREE)
            # Written back to front, so that of several rows the first one gets the slot. Until all have a number, a row
            # stands in the table as -2 - its index.
            self._table[here[free][::-1]] = -2 - pending[free][::-1]
            found[free] = self._table[here[free]]
            new, old = np.flatnonzero(found < _FREE), np.flatnonzero(found >= 0)
            differs = np.zeros(len(pending), np.bool_)
            differs[new] = _differ(rows[-2 - found[new]], rows[pending[new]])
            differs[old] = _differ(self.rows[found[old]], rows[pending[old]])
            placed.append(pending[new[found[new] == -2 - pending[new]]])
            pending = pending[differs]
            slots[pending] = (slots[pending] + 1) & mask
        winners = np.sort(np.concatenate(placed)) if placed else pending
        self._table[slots[winners]] = self.count + np.arange(len(winners))
        return winners


def _differ(one: Rows, other: Rows) -> Flags:
    """Which rows differ; word by word, as rows are short."""
    differ: Flags = one[:, 0] != other[:, 0]
    for word in range(1, one.shape[1]):
        differ |= one[:, word] != other[:, word]
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
