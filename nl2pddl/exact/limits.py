"""What an exact decision may cost: states, seconds, and the memory that grounding and states take."""

from __future__ import annotations

import time
from dataclasses import dataclass

# Memory is bounded by counts, whatever the limits of states and seconds: about 3 GB where all are reached at once.
GROUND_ACTIONS = 200_000
PARTS = 3_000_000  # arguments, literals and effects of all ground actions, a few hundred bytes each
MASK_WORDS = 8_000_000  # 64-bit words a bit mask of all ground actions may take; a domain has five masks
STATE_BYTES = 1 << 30

_TICKS = 1024


@dataclass(frozen=True)
class ExactLimits:
    """How far the decision on one problem may go.

    ``states`` counts pairs of states, one of each domain; ``seconds`` is wall time, grounding included, kept to within
    about a second. Memory needs no limit of its own: beyond 200,000 ground actions, or a gigabyte of states (the
    default million stays below it up to some 4,000 facts a domain), the decision is undecided too.
    """

    states: int = 2_000_000
    seconds: float = 60.0


class Undecided(Exception):
    """The decision ends without an answer; the message says which limit was reached."""


class Budget:
    """Counts what was done, and raises Undecided where that is too much.

    ``facts`` counts atoms found reachable while grounding goes on, those that remain after pruning from then on.
    """

    def __init__(self, limits: ExactLimits) -> None:
        self.limits = limits
        self.started = time.monotonic()
        self.facts = 0
        self.actions = 0
        self.states = 0
        self.transitions = 0
        self._ticks = 0
        self._parts = 0

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def tick(self) -> None:
        """One small step of a loop that may be long; looks at the clock now and then."""
        self._ticks += 1
        if self._ticks % _TICKS == 0:
            self.check_time()

    def check_time(self) -> None:
        """Look at the clock."""
        if self.elapsed > self.limits.seconds:
            raise Undecided(f"the limit of {self.limits.seconds:g} s was reached")

    def count_action(self, arguments: int) -> None:
        """One more ground action."""
        self.actions += 1
        self._parts += arguments
        if self.actions > GROUND_ACTIONS:
            raise Undecided(f"the limit of {GROUND_ACTIONS:,} ground actions was reached")

    def count_part(self) -> None:
        """One more literal or effect of a ground action."""
        self.tick()
        self._parts += 1
        if self._parts > PARTS:
            raise Undecided(f"the limit of {PARTS:,} arguments, literals and effects of ground actions was reached")

    def check_masks(self, words: int) -> None:
        """Whether bit masks of ``words`` words each are small enough."""
        if words > MASK_WORDS:
            raise Undecided(f"the ground actions are too many for their facts ({words:,} words of bits)")

    def check_states(self, states: int, bytes_taken: int) -> None:
        """``states`` pairs of states were found, and take ``bytes_taken``."""
        self.states = min(states, self.limits.states)
        if states > self.limits.states:
            raise Undecided(f"the limit of {self.limits.states:,} states was reached")
        if bytes_taken > STATE_BYTES:
            raise Undecided(f"the limit of {STATE_BYTES >> 20} MB of states was reached")

    @property
    def sizes(self) -> str:
        """What was reached, in words."""
        return (
            f"{self.facts:,} facts, {self.actions:,} ground actions, {self.states:,} states and "
            f"{self.transitions:,} transitions in {self.elapsed:.1f} s"
        )
