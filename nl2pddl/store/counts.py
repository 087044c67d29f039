"""Counts of verdicts for tables and figures: by class, ARE, exact decision, round of corrections, whole domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nl2pddl.store.database import Store

# First answers to single actions, and a model's name with what its answers were held to.
_FIRST = "round = 0 AND action <> '*'"
# An output may be judged by the other protocol as well; what a run is counted by is its own.
_JUDGED = """verdicts JOIN items USING (run_id, item_index) JOIN runs USING (run_id)
    WHERE verdicts.protocol = runs.protocol"""
_VARIANT = """(model || CASE WHEN grammar THEN ' + grammar' ELSE '' END
    || CASE WHEN contains(domain, '~') THEN ' (anonymised)' ELSE '' END)"""


def cube(store: Store, run_ids: Sequence[str]) -> Any:
    """The first answers of the runs, counted by everything that charts tell apart, each judged by its run's protocol.

    Columns: run_id, model, grammar, domain, action, description_class, protocol, result_class, subclass, are, exact,
    exercised (the last four perhaps missing), count. A million verdicts make some ten thousand rows.
    """
    return store.frame(
        f"""
        SELECT run_id, model, grammar, domain, action, description_class, verdicts.protocol AS protocol, result_class,
               subclass, action_reconstruction_error AS are, exact, exercised, count(*) AS count
        FROM {_JUDGED} AND list_contains(?, run_id) AND {_FIRST}
        GROUP BY ALL ORDER BY ALL
        """,
        [list(run_ids)],
    )


def outcomes(
    store: Store,
    run_ids: Sequence[str],
    wanted: Mapping[str, Sequence[str]],
    across: str,
    originals: Mapping[str, str] | None = None,
) -> Any:
    """Whether each prompt's first answer is equivalent, a column for each value of ``across``: 1, 0, or missing.

    ``across``: "model" (columns are models, as in ``class_counts``) or "description_class". The column ``cluster`` is
    the prompt's action with its domain. Prompts are the same where action, description class, number and context
    examples are; across description classes the class may differ, and the model may not. Of several answers to one
    prompt the latest run's first counts; the undecided do not. ``wanted`` as in ``round_counts``. ``originals`` maps
    the clusters of anonymised twins to those whose prompts theirs are compared with (``twins.originals``).
    """
    where, values = conditions(wanted)
    column = {"model": _VARIANT, "description_class": "description_class"}[across]
    other = {"model": "description_class", "description_class": _VARIANT}[across]
    judged = f"""
        SELECT {column} AS compared, {other} AS fixed,
               coalesce(list_extract(?, list_position(?, domain || '/' || action)), domain || '/' || action) AS cluster,
               sample, context,
               arg_max((result_class = 'equivalent')::TINYINT, (run_id, -draw)) AS hit
        FROM {_JUDGED} AND list_contains(?, run_id) AND {_FIRST} AND result_class <> 'undecided'{where}
        GROUP BY ALL
    """
    twins = originals or {}
    parameters = [list(twins.values()), list(twins), list(run_ids), *values]
    names = [str(name) for (name,) in store.rows(f"SELECT DISTINCT compared FROM ({judged}) ORDER BY 1", parameters)]
    columns = ", ".join(f"max(hit) FILTER (compared = ?) AS c{number}" for number in range(len(names)))
    frame = store.frame(
        f"SELECT cluster{', ' if names else ''}{columns} FROM ({judged}) GROUP BY fixed, cluster, sample, context",
        [*names, *parameters],
    )
    return frame.rename(columns={f"c{number}": name for number, name in enumerate(names)})


def class_counts(store: Store, run_ids: Sequence[str]) -> Any:
    """How many first answers of the runs: model, description_class, result_class, subclass (or missing), count.

    Corrections and whole domains are counted elsewhere. ``model`` tells the answers that a grammar held, and those for
    anonymised twins, from the others.
    """
    return store.frame(
        f"""
        SELECT {_VARIANT} AS model, description_class, result_class, subclass, count(*) AS count
        FROM {_JUDGED} AND list_contains(?, run_id) AND {_FIRST}
        GROUP BY ALL ORDER BY ALL
        """,
        [list(run_ids)],
    )


def are_counts(store: Store, run_ids: Sequence[str]) -> Any:
    """How many first answers have which ARE: model (as in ``class_counts``), result_class, are, count.

    What did not parse has none.
    """
    return store.frame(
        f"""
        SELECT {_VARIANT} AS model, result_class, action_reconstruction_error AS are, count(*) AS count
        FROM {_JUDGED} AND list_contains(?, run_id) AND action_reconstruction_error IS NOT NULL AND {_FIRST}
        GROUP BY ALL ORDER BY ALL
        """,
        [list(run_ids)],
    )


def exact_counts(store: Store, run_ids: Sequence[str]) -> Any:
    """What is known of first answers beyond the class: protocol, result_class, exact, exercised (or missing), count."""
    return store.frame(
        f"""
        SELECT verdicts.protocol AS protocol, result_class, exact, exercised, count(*) AS count
        FROM {_JUDGED} AND list_contains(?, run_id) AND {_FIRST}
        GROUP BY ALL ORDER BY ALL
        """,
        [list(run_ids)],
    )


def round_counts(store: Store, run_ids: Sequence[str], wanted: Mapping[str, Sequence[str]] | None = None) -> Any:
    """Where the answers stand after each round of corrections: model, round, result_class, count.

    An answer that needed no further round counts in all later ones as it is. Empty where no run has corrections.
    ``wanted`` maps columns of items to the values let through (none: all).
    """
    where, values = conditions(wanted or {})
    return store.frame(
        f"""
        WITH judged AS (
            SELECT run_id, item_index % total AS first, round, {_VARIANT} AS model, result_class
            FROM {_JUDGED} AND list_contains(?, run_id) AND action <> '*'{where}
        ),
        rounds AS (SELECT run_id, unnest(range(max(round) + 1)) AS number FROM judged GROUP BY run_id)
        SELECT model, number AS round, result_class, count(*) AS count
        FROM (
            SELECT model, number, first, run_id, arg_max(result_class, round) AS result_class
            FROM judged JOIN rounds USING (run_id) WHERE round <= number GROUP BY ALL
        )
        WHERE run_id IN (SELECT run_id FROM judged WHERE round > 0)
        GROUP BY ALL ORDER BY ALL
        """,
        [list(run_ids), *values],
    )


def whole_domain_counts(store: Store, run_ids: Sequence[str], wanted: Mapping[str, Sequence[str]] | None = None) -> Any:
    """How many generated domains: model, domain, result_class, subclass (or missing), count.

    ``wanted`` as in ``round_counts``.
    """
    where, values = conditions(wanted or {})
    return store.frame(
        f"""
        SELECT {_VARIANT} AS model, domain, result_class, subclass, count(*) AS count
        FROM {_JUDGED} AND list_contains(?, run_id) AND action = '*'{where}
        GROUP BY ALL ORDER BY ALL
        """,
        [list(run_ids), *values],
    )


def conditions(wanted: Mapping[str, Sequence[str]]) -> tuple[str, list[list[str]]]:
    """The conditions that let the wanted values through, each beginning with AND, and their parameters."""
    columns = ("model", "domain", "action", "description_class", "protocol")
    chosen = [(name, list(wanted[name])) for name in columns if wanted.get(name)]
    places = {"protocol": "runs.protocol"}
    tests = (f" AND list_contains(?, {places.get(name, name)})" for name, _ in chosen)
    return "".join(tests), [values for _, values in chosen]
