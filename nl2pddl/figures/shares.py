"""From counts of verdicts to tidy tables of counts and percentages. Knows nothing of figures.

Frames come from ``store.counts``; the column ``model`` may hold any label. Percentages are over the outputs with one of
the four classes: ``undecided`` is in none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from nl2pddl.figures.style import CLASSES, DIFFERENT_COLOURS, PARSED_CLASSES, Frame
from nl2pddl.records import SUBCLASSES, DescriptionClass, ResultClass

CLASS_OF = {subclass.value: name.value for name, members in SUBCLASSES.items() for subclass in members}
SUBCLASS_NAMES = tuple(sorted(CLASS_OF, key=lambda subclass: CLASSES.index(CLASS_OF[subclass])))


def class_table(counts: Frame) -> Frame:
    """Count and percentage of every result class: description_class, model, result_class, count, total, percent."""
    return _shares(counts, ["description_class", "model"], "result_class", CLASSES)


def subclass_table(counts: Frame) -> Frame:
    """Count of every subclass, and its percentage of all decided outputs of the model: model, subclass, count, …"""
    decided = counts[counts["result_class"].isin(CLASSES)]
    labelled = decided.assign(subclass=decided["subclass"].where(decided["subclass"].notna(), "equivalent"))
    return _shares(labelled, ["model"], "subclass", ("equivalent", *SUBCLASS_NAMES))


def different_table(counts: Frame) -> Frame:
    """As ``subclass_table``, but only within the class "different" and in percent of it."""
    within = counts[counts["result_class"] == ResultClass.DIFFERENT.value]
    return _shares(within, ["model"], "subclass", tuple(DIFFERENT_COLOURS))


def are_table(counts: Frame) -> Frame:
    """How many actions have which action reconstruction error (ARE): model, result_class, are, count."""
    parsed = counts[counts["result_class"].isin(PARSED_CLASSES)]
    return _ordered(parsed, ["model", "result_class", "are"]).loc[:, ["model", "result_class", "are", "count"]]


_BEYOND = {"equal": "Proved", "different": "Refuted", "undecided": "Open"}


def beyond_table(equivalents: Frame) -> Frame:
    """What is known of the equivalents: one row a protocol, counts by the exact decision and by use of the action.

    ``equivalents`` has the columns protocol, exact (or missing), exercised (or missing) and count.
    """
    rows = []
    for protocol, group in equivalents.groupby("protocol"):
        decided = group.dropna(subset=["exact"]).groupby("exact")["count"].sum()
        known = {label: int(decided.get(outcome, 0)) for outcome, label in _BEYOND.items()}
        total = int(group["count"].sum())
        unused = int(group.loc[group["exercised"].eq(False), "count"].sum())
        rows.append(
            {
                "Protocol": protocol,
                "Equivalent": total,
                **known,
                "Not asked": total - sum(known.values()),
                "Not exercised": unused,
            }
        )
    return pd.DataFrame(rows)


def undecided_count(counts: Frame) -> int:
    """How many outputs have no class, because of a time or memory limit or a crash."""
    return int(counts.loc[counts["result_class"] == ResultClass.UNDECIDED.value, "count"].sum())


def _shares(counts: Frame, by: list[str], part: str, parts: Sequence[str]) -> Frame:
    """Sum ``count`` by group and part, every part present in every group, with the group's total and percentages."""
    columns = [*by, part, "count", "total", "percent"]
    wanted = counts[counts[part].isin(parts)]
    if wanted.empty:
        return pd.DataFrame({name: [] for name in columns})
    groups = wanted[by].drop_duplicates()
    grid = groups.merge(pd.DataFrame({part: list(parts)}), how="cross")
    sums = wanted.groupby([*by, part], as_index=False)["count"].sum()
    table = grid.merge(sums, how="left", on=[*by, part])
    table["count"] = table["count"].fillna(0).astype(int)
    table["total"] = table.groupby(by)["count"].transform("sum")
    table["percent"] = 100 * table["count"] / table["total"]
    return _ordered(table, [*by, part])[columns]


_ORDERS: Mapping[str, Sequence[str]] = {
    "description_class": [name.value for name in DescriptionClass],
    "result_class": CLASSES,
    "subclass": ("equivalent", *SUBCLASS_NAMES),
}


def _ordered(frame: Frame, by: list[str]) -> Frame:
    """Sorted by these columns, each in its fixed order where it has one; unknown values come last."""

    def key(column: pd.Series) -> pd.Series:
        order = _ORDERS.get(str(column.name))
        if order is None:
            return column
        return column.map({name: number for number, name in enumerate(order)}).fillna(len(order))

    return frame.sort_values(by, key=key, kind="stable", ignore_index=True)


def best_descriptions(table: Frame) -> set[tuple[str, str]]:
    """The (model, description class) with the largest share of equivalents, for each model that has several.

    Ties are all best, unless no class is worse.
    """
    shares = table[table["result_class"] == ResultClass.EQUIVALENT.value]
    best: set[tuple[str, str]] = set()
    for model, rows in shares.groupby("model"):
        highest = rows["percent"].max()
        if highest > rows["percent"].min():
            best |= {(str(model), str(name)) for name in rows.loc[rows["percent"] == highest, "description_class"]}
    return best


def stacked(tables: Sequence[Frame]) -> Frame:
    """Tables of the same columns as one."""
    return pd.concat(list(tables), ignore_index=True)


def round_table(counts: Frame) -> Frame:
    """As ``class_table``, by model and round of corrections: round, model, result_class, count, total, percent."""
    return _shares(counts, ["round", "model"], "result_class", CLASSES)
