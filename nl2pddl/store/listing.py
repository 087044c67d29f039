"""The list of verdicts to look through: filtered, sorted and read a page at a time; and what goes with one of them.

An item may be judged under both protocols. It is listed once, under its run's own, unless the filter names one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from nl2pddl.records import SUBCLASSES, ResultClass
from nl2pddl.store.database import Store
from nl2pddl.store.notes import LATEST

NOT_ASKED = "not asked"
UNKNOWN = "not known"
UNTAGGED = "none"

# What can be filtered by, and the expression whose text is compared.
COLUMNS: Mapping[str, str] = {
    "model": "model",
    "domain": "domain",
    "action": "action",
    "description_class": "description_class",
    "result_class": "result_class",
    "subclass": "subclass",
    "round": "round::VARCHAR",
    "grammar": "CASE WHEN grammar THEN 'on' ELSE 'off' END",
    "protocol": "v.protocol",
    "exact": f"coalesce(v.exact, '{NOT_ASKED}')",
    "exercised": f"CASE WHEN exercised THEN 'yes' WHEN NOT exercised THEN 'no' ELSE '{UNKNOWN}' END",
    "tag": f"coalesce(nullif(tag, ''), '{UNTAGGED}')",
}


class Sort(StrEnum):
    """The order of the list. Equal places keep the order of ``NEWEST``."""

    NEWEST = "newest run"
    ARE_HIGHEST = "ARE, highest first"
    ARE_LOWEST = "ARE, lowest first"
    CLASS = "class"


def _ranked(column: str, names: Sequence[str]) -> str:
    cases = " ".join(f"WHEN '{name}' THEN {place}" for place, name in enumerate(names))
    return f"CASE {column} {cases} ELSE {len(names)} END"


_SUBCLASSES = [name.value for names in SUBCLASSES.values() for name in names]
_LAST = 2**31 - 1
# Whole numbers, ascending: so a place in the list is a row comparison.
_SORT_KEYS = {
    Sort.NEWEST: "0",
    Sort.ARE_HIGHEST: f"coalesce(-action_reconstruction_error, {_LAST})",
    Sort.ARE_LOWEST: f"coalesce(action_reconstruction_error, {_LAST})",
    Sort.CLASS: (
        f"100 * ({_ranked('result_class', [name.value for name in ResultClass])}) + {_ranked('subclass', _SUBCLASSES)}"
    ),
}


@dataclass(frozen=True)
class Filter:
    """What the list shows: the runs, newest first; the values let through, by name in ``COLUMNS``; and the order.

    ``text`` must occur in the output, in whatever letter case.
    """

    run_ids: tuple[str, ...]
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    text: str = ""
    sort: Sort = Sort.NEWEST

    @property
    def protocol(self) -> str | None:
        """The protocol that verdicts are listed under where that need not be their run's own."""
        named = self.values.get("protocol", ())
        return named[0] if len(named) == 1 else None


def _tables(wanted: Filter) -> str:
    """The tables that a filter and its order are about; outputs and notes only where they are asked for."""
    tables = "verdicts v JOIN items i USING (run_id, item_index)"
    if wanted.protocol is None:
        tables += " JOIN runs r ON r.run_id = v.run_id AND r.protocol = v.protocol"
    if "tag" in wanted.values:
        tables += f" LEFT JOIN {LATEST} n USING (run_id, item_index)"
    return tables + (" JOIN outputs o USING (run_id, item_index)" if wanted.text else "")


def _conditions(wanted: Filter) -> tuple[str, list[Any]]:
    conditions = ["v.run_id IN (SELECT unnest(?))"]
    parameters: list[Any] = [list(wanted.run_ids)]
    for name, values in wanted.values.items():
        conditions.append(f"list_contains(?, {COLUMNS[name]})")
        parameters.append(list(values))
    if wanted.text:
        conditions.append("contains(lower(o.output), lower(?))")
        parameters.append(wanted.text)
    return " AND ".join(conditions), parameters


def _place(wanted: Filter) -> tuple[str, list[Any]]:
    """The expression that the list is ordered by, a row of whole numbers."""
    return f"row({_SORT_KEYS[wanted.sort]}, list_position(?, v.run_id), v.item_index)", [list(wanted.run_ids)]


def count(store: Store, wanted: Filter) -> int:
    """How many verdicts pass."""
    where, parameters = _conditions(wanted)
    return int(store.rows(f"SELECT count(*) FROM {_tables(wanted)} WHERE {where}", parameters)[0][0])


def page(store: Store, wanted: Filter, start: int = 0, limit: int = 200) -> Any:
    """The verdicts from place ``start`` (from 0) in the list, at most ``limit``, as a frame.

    Columns: run_id, item_index, model, domain, action, description_class, sample, draw, grammar, round, protocol,
    result_class, subclass, are, exact, exercised, tag, note, reason.
    """
    where, parameters = _conditions(wanted)
    place, places = _place(wanted)
    # Only what orders the list is read of all rows; the texts of the few that are shown come after.
    return store.frame(
        f"""
        WITH chosen AS (
            SELECT v.run_id, v.item_index, v.protocol, {place} AS place FROM {_tables(wanted)} WHERE {where}
            ORDER BY place LIMIT {int(limit)} OFFSET {int(start)}
        )
        SELECT run_id, item_index, model, domain, action, description_class, sample, draw, grammar, round,
               c.protocol, result_class, subclass, action_reconstruction_error AS are, v.exact, exercised,
               coalesce(tag, '') AS tag, coalesce(note, '') AS note, reason
        FROM chosen c JOIN verdicts v USING (run_id, item_index) JOIN items i USING (run_id, item_index)
        LEFT JOIN {LATEST} n USING (run_id, item_index)
        WHERE v.protocol = c.protocol ORDER BY c.place
        """,
        [*places, *parameters],
    )


def place_of(store: Store, wanted: Filter, run_id: str, item_index: int) -> int | None:
    """An item's place in the list, from 0; None where it is not in it."""
    where, parameters = _conditions(wanted)
    place, places = _place(wanted)
    tables = _tables(wanted)
    own = f"SELECT {place} FROM {tables} WHERE {where} AND v.run_id = ? AND v.item_index = ? LIMIT 1"
    found = store.rows(own, [*places, *parameters, run_id, item_index])
    if not found:
        return None
    before = f"SELECT count(*) FROM {tables} WHERE {where} AND {place} < row(?::INTEGER, ?::INTEGER, ?::INTEGER)"
    return int(store.rows(before, [*parameters, *places, *found[0][0]])[0][0])


def choices(store: Store, run_ids: Sequence[str]) -> dict[str, list[str]]:
    """The values that occur in the verdicts of the runs, sorted, for each name in ``COLUMNS``."""
    lists = ", ".join(
        f"list_sort(list(DISTINCT {expression}) FILTER ({expression} IS NOT NULL))" for expression in COLUMNS.values()
    )
    rows = store.rows(
        f"""
        SELECT {lists} FROM verdicts v JOIN items i USING (run_id, item_index)
        LEFT JOIN {LATEST} n USING (run_id, item_index) WHERE v.run_id IN (SELECT unnest(?))
        """,
        [list(run_ids)],
    )
    return {name: list(values or ()) for name, values in zip(COLUMNS, rows[0], strict=True)}
