"""The store as an evaluator's memory: original plans, and comparisons found again in the verdicts that hold them."""

from __future__ import annotations

import json
from typing import Any

from nl2pddl.equivalence import CrossCheckResult
from nl2pddl.memory import PlansKey
from nl2pddl.planning.kstar import Outcome, PlannerAnswer
from nl2pddl.records import CrossCheck, ExactDecision, ExactOutcome, PlanFailure, ResultClass, Subclass
from nl2pddl.store.database import Store
from nl2pddl.store.writes import add_original_plans


class StoreMemory:
    """See ``memory.Memory``. Only the process that owns the store has one; its workers ask through their pipes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def plans(self, key: PlansKey) -> PlannerAnswer | None:
        """The original plans found before, or None."""
        rows = self._store.rows(
            """
            SELECT plans, heuristic FROM original_plans
            WHERE domain_sha = ? AND problem = ? AND k = ? AND planner_version = ?
            """,
            [key.domain_sha, key.problem, key.k, key.planner_version],
        )
        if not rows:
            return None
        plans, heuristic = rows[0]
        return PlannerAnswer(Outcome.SOLVED, tuple(map(tuple, json.loads(plans))), 0, "", heuristic)

    def remember_plans(self, key: PlansKey, answer: PlannerAnswer) -> None:
        """Keep the original plans."""
        add_original_plans(self._store, key, answer)

    def comparison(self, key: str) -> CrossCheckResult | None:
        """The result that an earlier verdict holds, or None. One that was itself found again is as good."""
        rows = self._store.rows(
            """
            SELECT result_class, subclass, reason, cross_checks, failure, exact_decisions, working_plans
            FROM verdicts WHERE comparison_key = ? AND shortcut IS NULL AND result_class <> 'undecided' LIMIT 1
            """,
            [key],
        )
        return _result(*rows[0]) if rows else None

    def remember_comparison(self, key: str, result: CrossCheckResult) -> None:
        """Nothing to do: the verdict is stored, and with it the comparison."""


def _result(
    result_class: str,
    subclass: str | None,
    reason: str,
    checks: str,
    failure: str | None,
    exact: str | None,
    working_plans: int | None,
) -> CrossCheckResult:
    return CrossCheckResult(
        ResultClass(result_class),
        Subclass(subclass) if subclass else None,
        reason,
        tuple(CrossCheck(**check) for check in json.loads(checks)),
        PlanFailure(**_tuples(json.loads(failure), "plan")) if failure else None,
        tuple(_decision(decision) for decision in json.loads(exact or "[]")),
        working_plans,
    )


def _decision(data: dict[str, Any]) -> ExactDecision:
    return ExactDecision(**{**_tuples(data, "witness"), "outcome": ExactOutcome(data["outcome"])})


def _tuples(data: dict[str, Any], name: str) -> dict[str, Any]:
    """The record's fields with the plan in ``name`` a tuple again."""
    return {**data, name: None if data[name] is None else tuple(data[name])}
