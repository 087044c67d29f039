"""Lists of verdicts for pages: filtered, searched and sorted in the database, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nl2pddl.errors import InputError
from nl2pddl.store.database import Store
from nl2pddl.store.notes import LATEST

FILTER_COLUMNS = ("run_id", "model", "domain", "action", "description_class", "result_class", "subclass")
# What else can be filtered by, each with the expression whose text is compared.
MORE_FILTERS: Mapping[str, str] = {
    "round": "round::VARCHAR",
    "grammar": "grammar::VARCHAR",
    "exact": "coalesce(exact, 'not asked')",
    "exercised": "coalesce(exercised::VARCHAR, 'not known')",
    "protocol": "verdicts.protocol",
    "tag": "tag",
}
SORTS: Mapping[str, str] = {
    "newest run first": "run_id DESC, item_index",
    "ARE, highest first": "action_reconstruction_error DESC NULLS LAST, run_id DESC, item_index",
    "ARE, lowest first": "action_reconstruction_error NULLS LAST, run_id DESC, item_index",
    "class and subclass": "result_class, subclass, run_id DESC, item_index",
    "domain and action": "domain, action, description_class, sample, model, run_id DESC, item_index",
}
PAGE = 1000


def filter_choices(store: Store, run_ids: Sequence[str]) -> dict[str, list[str]]:
    """The values that occur in the verdicts of the runs, sorted, for each of ``FILTER_COLUMNS`` and ``MORE_FILTERS``
    but the tags."""
    columns = {name: name for name in FILTER_COLUMNS} | {n: c for n, c in MORE_FILTERS.items() if n != "tag"}
    lists = ", ".join(
        f"list_sort(list(DISTINCT {column}) FILTER ({column} IS NOT NULL))" for column in columns.values()
    )
    rows = store.rows(
        f"SELECT {lists} FROM verdicts JOIN items USING (run_id, item_index) WHERE list_contains(?, run_id)",
        [list(run_ids)],
    )
    return {name: list(values or ()) for name, values in zip(columns, rows[0], strict=True)}


def verdict_list(
    store: Store,
    wanted: Mapping[str, Sequence[str]],
    text: str = "",
    limit: int = PAGE,
    *,
    sort: str = "newest run first",
    offset: int = 0,
) -> tuple[Any, int]:
    """The verdicts that pass a filter, at most ``limit`` of them after ``offset``; and how many pass in all.

    ``wanted`` maps some of ``FILTER_COLUMNS`` and ``MORE_FILTERS`` to the values let through; ``text`` must occur in
    the output, in whatever letter case. Without a wanted protocol each item is listed once, by the protocol its run was
    launched with. Columns: run_id, item_index, model, domain, action, description_class, sample, round, grammar,
    protocol, result_class, subclass, are, exact, exercised, note, tag, reason. Raises InputError for an unknown sort.
    """
    if sort not in SORTS:
        raise InputError(f"'{sort}' is no way to sort; there are: {', '.join(SORTS)}")
    columns = {name: name for name in FILTER_COLUMNS} | dict(MORE_FILTERS)
    chosen = [(columns[name], list(values)) for name, values in wanted.items() if name in columns]
    conditions = [f"list_contains(?, {column})" for column, _ in chosen]
    parameters: list[Any] = [values for _, values in chosen]
    if not wanted.get("protocol"):
        conditions.append("verdicts.protocol = runs.protocol")
    tables = "verdicts JOIN items USING (run_id, item_index) JOIN runs USING (run_id)"
    tables += f" LEFT JOIN ({LATEST}) AS latest USING (run_id, item_index)"
    if text:
        # Only now are the outputs read: they are most of a store.
        tables += " JOIN outputs USING (run_id, item_index)"
        conditions.append("contains(lower(output), lower(?))")
        parameters.append(text)
    where = " AND ".join(conditions) or "true"
    total = store.rows(f"SELECT count(*) FROM {tables} WHERE {where}", parameters)[0][0]
    frame = store.frame(
        f"""
        SELECT run_id, item_index, model, domain, action, description_class, sample, round, grammar,
               verdicts.protocol AS protocol, result_class, subclass, action_reconstruction_error AS are, exact,
               exercised, coalesce(note, '') AS note, coalesce(tag, '') AS tag, reason
        FROM {tables} WHERE {where} ORDER BY {SORTS[sort]} LIMIT {int(limit)} OFFSET {int(offset)}
        """,
        parameters,
    )
    return frame, int(total)


def same_prompt(store: Store, run_ids: Sequence[str], run_id: str, item_index: int, limit: int = 100) -> Any:
    """The verdicts of the runs on the same prompt as an item's, that item's own included: run_id, item_index, model,
    draw, grammar, round, result_class, subclass, are.

    A prompt is the same where domain, action, description class, number and context examples are.
    """
    return store.frame(
        f"""
        SELECT i.run_id, i.item_index, i.model, i.draw, i.grammar, i.round, result_class, subclass,
               action_reconstruction_error AS are
        FROM items own JOIN items i
            ON i.domain = own.domain AND i.action = own.action AND i.description_class = own.description_class
            AND i.sample = own.sample AND i.context = own.context
        JOIN verdicts v ON v.run_id = i.run_id AND v.item_index = i.item_index
        JOIN runs r ON r.run_id = i.run_id AND r.protocol = v.protocol
        WHERE own.run_id = ? AND own.item_index = ? AND list_contains(?, i.run_id)
        ORDER BY i.model, i.run_id, i.grammar, i.draw, i.round LIMIT {int(limit)}
        """,
        [run_id, item_index, list(run_ids)],
    )


def verdicts_of(store: Store, run_id: str, item_index: int) -> list[tuple[str, str, str | None, str]]:
    """The verdicts on an item: protocol, class, subclass, reason; the one of the run's own protocol first."""
    return store.rows(
        """
        SELECT v.protocol, result_class, subclass, reason FROM verdicts v JOIN runs r USING (run_id)
        WHERE run_id = ? AND item_index = ? ORDER BY v.protocol <> r.protocol
        """,
        [run_id, item_index],
    )
