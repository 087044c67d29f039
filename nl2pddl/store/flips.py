"""Verdicts of the same outputs under both protocols: how many there are, and which of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nl2pddl.store.counts import conditions
from nl2pddl.store.database import Store

_BOTH = """
    verdicts s JOIN verdicts p USING (run_id, item_index) JOIN items USING (run_id, item_index)
    JOIN runs USING (run_id)
    WHERE s.protocol = 'strict' AND p.protocol = 'published' AND round = 0 AND action <> '*'
      AND list_contains(?, run_id)
"""
# An undecided verdict is no class; and the subclasses of one class may differ.
_DIFFER = "(s.result_class <> p.result_class OR s.subclass IS DISTINCT FROM p.subclass)"


def missing(store: Store, run_ids: Sequence[str]) -> dict[str, int]:
    """How many judged first answers of each run lack a verdict under one of the protocols; runs that lack none are not
    in it. Imported verdicts have no output that could be judged, and are left out."""
    rows = store.rows(
        """
        SELECT run_id, count(*) FILTER (protocols < 2) AS lacking FROM (
            SELECT run_id, item_index, count(DISTINCT protocol) AS protocols
            FROM verdicts JOIN items USING (run_id, item_index) SEMI JOIN outputs USING (run_id, item_index)
            WHERE list_contains(?, run_id) AND round = 0 AND action <> '*' GROUP BY ALL
        ) GROUP BY run_id HAVING lacking > 0
        """,
        [list(run_ids)],
    )
    return {run: int(lacking) for run, lacking in rows}


def class_pairs(store: Store, run_ids: Sequence[str], wanted: Mapping[str, Sequence[str]]) -> Any:
    """First answers that were judged by both: model, strict, strict_subclass, published, published_subclass, count.

    ``wanted`` maps columns of items to the values let through (none: all).
    """
    where, values = conditions(wanted)
    return store.frame(
        f"""
        SELECT model, s.result_class AS strict, s.subclass AS strict_subclass, p.result_class AS published,
               p.subclass AS published_subclass, count(*) AS count
        FROM {_BOTH} {where} GROUP BY ALL ORDER BY ALL
        """,
        [list(run_ids), *values],
    )


def flipped(store: Store, run_ids: Sequence[str], wanted: Mapping[str, Sequence[str]], limit: int = 500) -> Any:
    """Outputs whose class or subclass differs, at most ``limit``: run_id, item_index, model, domain, action,
    description_class, strict, published (class and subclass), strict_reason, published_reason."""
    where, values = conditions(wanted)
    return store.frame(
        f"""
        SELECT run_id, item_index, model, domain, action, description_class,
               s.result_class || coalesce(' ' || s.subclass, '') AS strict,
               p.result_class || coalesce(' ' || p.subclass, '') AS published,
               s.reason AS strict_reason, p.reason AS published_reason
        FROM {_BOTH} {where} AND {_DIFFER} ORDER BY strict, published, run_id, item_index LIMIT {int(limit)}
        """,
        [list(run_ids), *values],
    )
