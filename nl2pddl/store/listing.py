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
_OF_VERDICTS = frozenset({"result_class", "subclass", "exact", "exercised", "protocol"})
_LAST = 2**31 - 1
# Ascending keys without NULL, so that a place in the list is a row comparison. Equal places: newest run first.
SORTS: Mapping[str, Sequence[str]] = {
    "newest run first": (),
    "ARE, highest first": (f"coalesce(-action_reconstruction_error, {_LAST})",),
    "ARE, lowest first": (f"coalesce(action_reconstruction_error, {_LAST})",),
    "class and subclass": ("result_class", "coalesce(subclass, '')"),
    "domain and action": ("domain", "action", "description_class", "sample", "model"),
}
PAGE = 200


def filter_choices(store: Store, run_ids: Sequence[str]) -> dict[str, list[str]]:
    """The values that occur in the items and verdicts of the runs, sorted, for each of ``FILTER_COLUMNS`` and
    ``MORE_FILTERS`` but the tags."""
    columns = {name: name for name in FILTER_COLUMNS} | {n: c for n, c in MORE_FILTERS.items() if n != "tag"}
    found: dict[str, list[str]] = {}
    # Each table for itself: joined, a million of them take ten times as long.
    for table, names in (("verdicts", _OF_VERDICTS), ("items", columns.keys() - _OF_VERDICTS)):
        lists = (f"list_sort(list(DISTINCT {columns[name]}) FILTER ({columns[name]} IS NOT NULL))" for name in names)
        rows = store.rows(f"SELECT {', '.join(lists)} FROM {table} WHERE list_contains(?, run_id)", [list(run_ids)])
        found |= {name: list(values or ()) for name, values in zip(names, rows[0], strict=True)}
    return {name: found[name] for name in columns}


def count(store: Store, wanted: Mapping[str, Sequence[str]], text: str = "") -> int:
    """How many verdicts pass a filter; see ``page``."""
    tables, where, parameters = _source(wanted, text)
    return int(store.rows(f"SELECT count(*) FROM {tables} WHERE {where}", parameters)[0][0])


def any_output(store: Store, runs: Sequence[str]) -> bool:
    """Whether any of the runs has outputs; imported ones have none."""
    return bool(store.rows("SELECT 1 FROM outputs WHERE list_contains(?, run_id) LIMIT 1", [list(runs)]))


def page(
    store: Store,
    wanted: Mapping[str, Sequence[str]],
    text: str = "",
    *,
    sort: str = "newest run first",
    offset: int = 0,
) -> Any:
    """The verdicts that pass a filter, at most ``PAGE`` of them after ``offset``.

    ``wanted`` maps some of ``FILTER_COLUMNS`` and ``MORE_FILTERS`` to the values let through; ``text`` must occur in
    the output, in whatever letter case. Each item is listed once: by the one protocol that is wanted, else by the one
    that its run was launched with. Columns: run_id, item_index, model, domain, action, description_class, sample,
    round, grammar, protocol, result_class, subclass, are, exact, exercised, note, tag, reason. Raises InputError for an
    unknown sort.
    """
    order = ", ".join([*_keys(sort), "run_id DESC", "item_index"])
    tables, where, parameters = _source(wanted, text)
    # What is long, such as the reason, is read for this page alone and not for all that is sorted.
    return store.frame(
        f"""
        WITH chosen AS MATERIALIZED (
            SELECT run_id, item_index, verdicts.protocol AS protocol
            FROM {tables} WHERE {where} ORDER BY {order} LIMIT {PAGE} OFFSET {int(offset)}
        )
        SELECT run_id, item_index, model, domain, action, description_class, sample, round, grammar, protocol,
               result_class, subclass, action_reconstruction_error AS are, exact, exercised,
               coalesce(note, '') AS note, coalesce(tag, '') AS tag, reason
        FROM chosen JOIN verdicts USING (run_id, item_index, protocol) JOIN items USING (run_id, item_index)
        LEFT JOIN ({LATEST}) AS latest USING (run_id, item_index)
        ORDER BY {order}
        """,
        parameters,
    )


def place_of(
    store: Store, wanted: Mapping[str, Sequence[str]], text: str, sort: str, run_id: str, item_index: int
) -> int | None:
    """An item's place, from 0, in the list that ``page`` gives a part of; None where it is not in it."""
    keys = _keys(sort)
    tables, where, parameters = _source(wanted, text)
    own = store.rows(
        f"SELECT run_id, {', '.join([*keys, 'item_index'])} FROM {tables} WHERE {where} AND run_id = ? "
        "AND item_index = ? LIMIT 1",
        [*parameters, run_id, item_index],
    )
    if not own:
        return None
    before = "run_id > ? OR (run_id = ? AND item_index < ?)"
    values: list[Any] = [run_id, run_id, item_index]
    if keys:
        mine, marks = f"row({', '.join(keys)})", f"row({', '.join('?' * len(keys))})"
        before = f"{mine} < {marks} OR ({mine} = {marks} AND ({before}))"
        values = [*own[0][1:-1], *own[0][1:-1], *values]
    return int(store.rows(f"SELECT count(*) FROM {tables} WHERE {where} AND ({before})", [*parameters, *values])[0][0])


def _keys(sort: str) -> Sequence[str]:
    if sort not in SORTS:
        raise InputError(f"'{sort}' is no way to sort; there are: {', '.join(SORTS)}")
    return SORTS[sort]


def _source(wanted: Mapping[str, Sequence[str]], text: str) -> tuple[str, str, list[Any]]:
    """The tables of a list, its condition, and the parameters of that."""
    columns = {name: name for name in FILTER_COLUMNS} | dict(MORE_FILTERS)
    chosen = [(columns[name], list(values)) for name, values in wanted.items() if name in columns]
    conditions = [f"list_contains(?, {column})" for column, _ in chosen]
    parameters: list[Any] = [values for _, values in chosen]
    if len(wanted.get("protocol", ())) != 1:
        conditions.append("verdicts.protocol = runs.protocol")
    tables = "verdicts JOIN items USING (run_id, item_index) JOIN runs USING (run_id)"
    tables += f" LEFT JOIN ({LATEST}) AS latest USING (run_id, item_index)"
    if text:
        # Only now are the outputs read: they are most of a store.
        tables += " JOIN outputs USING (run_id, item_index)"
        conditions.append("contains(lower(output), lower(?))")
        parameters.append(text)
    return tables, " AND ".join(conditions) or "true", parameters


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
