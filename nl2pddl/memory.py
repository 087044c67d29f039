"""What need not be computed twice: plans of the original domains, and comparisons of plan sets made before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from nl2pddl.equivalence import CrossCheckResult
from nl2pddl.planning.kstar import PlannerAnswer

_MOST_HELD = 20_000  # some 2 KB each; of a run of any length the latest, the store knows the others


@dataclass(frozen=True)
class PlansKey:
    """What the plans of an original domain depend on; ``domain_sha`` covers the texts of domain and problems."""

    domain_sha: str
    problem: str
    k: int
    planner_version: str


class Memory(Protocol):
    """Where an evaluator looks before it computes, and leaves what it found.

    Only facts are left here: no search stopped by a limit, no undecided comparison.
    """

    def plans(self, key: PlansKey) -> PlannerAnswer | None:
        """The original plans found before, or None."""

    def remember_plans(self, key: PlansKey, answer: PlannerAnswer) -> None:
        """Keep the original plans."""

    def comparison(self, key: str) -> CrossCheckResult | None:
        """The result of the same comparison made before, or None."""

    def remember_comparison(self, key: str, result: CrossCheckResult) -> None:
        """Keep the result of a comparison."""


class LocalMemory:
    """A memory that lives as long as its process."""

    def __init__(self) -> None:
        self._plans: dict[PlansKey, PlannerAnswer] = {}
        self._comparisons: dict[str, CrossCheckResult] = {}

    def plans(self, key: PlansKey) -> PlannerAnswer | None:
        """See Memory."""
        return self._plans.get(key)

    def remember_plans(self, key: PlansKey, answer: PlannerAnswer) -> None:
        """See Memory."""
        self._plans[key] = answer

    def comparison(self, key: str) -> CrossCheckResult | None:
        """See Memory."""
        return self._comparisons.get(key)

    def remember_comparison(self, key: str, result: CrossCheckResult) -> None:
        """See Memory."""
        self._comparisons[key] = result


class SharedMemory:
    """A memory for several threads, each of which works for one worker at a time.

    Who asks for something that is not there yet has claimed it: others who ask for the same wait until it is
    remembered, or until the one who claimed it calls ``release``. So nothing is computed twice at the same time. What
    was claimed once and not remembered (a limit struck) is not waited for again: that would only make a queue.
    ``backing`` is asked for what this process does not hold, and told what it has found.
    """

    def __init__(self, backing: Memory | None = None) -> None:
        self._backing = backing
        self._known: dict[Hashable, Any] = {}
        self._claims: dict[Hashable, int] = {}
        self._given_up: set[Hashable] = set()
        self._changed = threading.Condition()

    def plans(self, key: PlansKey) -> PlannerAnswer | None:
        """See Memory."""
        known: PlannerAnswer | None = self._known_or_claimed(key, self._backing.plans if self._backing else None)
        return known

    def remember_plans(self, key: PlansKey, answer: PlannerAnswer) -> None:
        """See Memory."""
        if self._backing is not None:
            self._backing.remember_plans(key, answer)
        self._remember(key, answer)

    def comparison(self, key: str) -> CrossCheckResult | None:
        """See Memory."""
        ask = self._backing.comparison if self._backing else None
        known: CrossCheckResult | None = self._known_or_claimed(key, ask)
        return known

    def remember_comparison(self, key: str, result: CrossCheckResult) -> None:
        """See Memory."""
        if self._backing is not None:
            self._backing.remember_comparison(key, result)
        self._remember(key, result)

    def release(self) -> None:
        """Give up what this thread has claimed and not remembered."""
        me = threading.get_ident()
        with self._changed:
            mine = [key for key, owner in self._claims.items() if owner == me]
            self._given_up.update(mine)
            for key in mine:
                del self._claims[key]
            self._changed.notify_all()

    def _known_or_claimed(self, key: Hashable, ask_backing: Callable[[Any], Any] | None) -> Any:
        me = threading.get_ident()
        with self._changed:
            # Everybody asks for the problems of a domain in the same order, so nobody waits in a circle.
            self._changed.wait_for(lambda: key in self._known or not self._claimed_by_another(key, me))
            if key in self._known:
                return self._known[key]
            self._claims.setdefault(key, me)
        found = ask_backing(key) if ask_backing else None
        if found is not None:
            self._remember(key, found)
        return found

    def _claimed_by_another(self, key: Hashable, me: int) -> bool:
        return key not in self._given_up and self._claims.get(key, me) != me

    def _remember(self, key: Hashable, value: Any) -> None:
        with self._changed:
            if len(self._known) >= _MOST_HELD:
                del self._known[next(iter(self._known))]
            self._known[key] = value
            self._claims.pop(key, None)
            self._changed.notify_all()
