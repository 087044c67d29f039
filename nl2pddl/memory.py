"""What need not be computed twice: plans of the original domains, and comparisons of plan sets made before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from nl2pddl.equivalence import CrossCheckResult
from nl2pddl.planning.kstar import PlannerAnswer


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
