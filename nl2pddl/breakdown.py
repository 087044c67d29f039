"""Cuts the cube of counts (``store.counts.cube``) to what is chosen, and breaks it down for charts and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from nl2pddl.figures import CLASSES
from nl2pddl.records import ResultClass
from nl2pddl.statistics import share_intervals
from nl2pddl.study import study_model

FILTERS = ("model", "domain", "action", "description_class", "protocol")
GRAMMAR, ANONYMISED = " + grammar", " (anonymised)"
_EQUIVALENT = ResultClass.EQUIVALENT.value
# A size as names write it: 7b, 13B, 0.5b, 135M; not the 2 of llama-2, and not the active share of a mixture (A3B).
_SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])", re.IGNORECASE)


def chosen(cube: pd.DataFrame, wanted: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """The rows whose values are among the wanted, column by column; a column with none wanted lets all through."""
    for column, values in wanted.items():
        if values:
            cube = cube.loc[cube[column].isin(list(values))]
    return cube


def labelled(cube: pd.DataFrame, names: Mapping[str, str], sizes: Mapping[str, float]) -> pd.DataFrame:
    """The cube with ``variant``: what tells answers of one model apart (held to a grammar, for anonymised twins); and
    with ``label``: the model's short name and the variant, in an order by size (``sizes`` as in ``size_of``)."""
    grammar = cube["grammar"].map({True: GRAMMAR, False: ""})
    twin = cube["domain"].map({name: ANONYMISED if "~" in name else "" for name in cube["domain"].unique()})
    named = cube.assign(variant=grammar + twin, label=cube["model"].map(names) + grammar + twin)
    # Those of unknown size come last.
    by_size = {str(model): size_of(str(model), sizes) or math.inf for model in named["model"].unique()}
    pairs = named[["model", "label"]].drop_duplicates()
    ordered = [label for _, label in sorted({(by_size[str(row.model)], str(row.label)) for row in pairs.itertuples()})]
    return named.assign(label=pd.Categorical(named["label"], categories=ordered))


def counts_of(cube: pd.DataFrame) -> pd.DataFrame:
    """What the figures take: model (the label), description_class, result_class, subclass, count."""
    by = ["label", "description_class", "result_class", "subclass"]
    return _summed(cube, by).rename(columns={"label": "model"})


def are_of(cube: pd.DataFrame) -> pd.DataFrame:
    """What the ARE's histogram takes: model (the label), result_class, are, count."""
    return _summed(cube[cube["are"].notna()], ["label", "result_class", "are"]).rename(columns={"label": "model"})


def beyond_of(cube: pd.DataFrame) -> pd.DataFrame:
    """Equivalents by what is known of them: protocol, result_class, exact, exercised, count."""
    return _summed(cube, ["protocol", "result_class", "exact", "exercised"])


def shares(cube: pd.DataFrame, by: Sequence[str], part: str, parts: Sequence[str]) -> pd.DataFrame:
    """The share of each part (of the column ``part``) in each group, with its 95% interval.

    Columns: *by, ``part``, count, total, percent, low, high (percent), reason (why an interval is missing or wide).
    Shares are of the decided outputs. Prompts of one action are not independent, so the actions are the clusters.
    """
    decided = cube[cube["result_class"].isin(CLASSES)]
    if decided.empty or not parts:
        return pd.DataFrame(columns=[*by, part, "count", "total", "percent", "low", "high", "reason"])
    keyed = decided.assign(cluster=decided["domain"].astype(str) + "/" + decided["action"].astype(str))
    totals = _wide(keyed, by)
    tables = []
    for value in parts:
        hits = _wide(keyed[keyed[part] == value], by).reindex(index=totals.index, columns=totals.columns).fillna(0)
        found = share_intervals(hits.where(totals.notna()), totals)
        tables.append(
            pd.DataFrame(
                {
                    part: value,
                    "count": hits.sum(axis=1).astype(int),
                    "total": totals.sum(axis=1).astype(int),
                    "percent": 100 * hits.sum(axis=1) / totals.sum(axis=1),
                    "low": 100 * found["low"].to_numpy(),
                    "high": 100 * found["high"].to_numpy(),
                    "reason": found["reason"].to_numpy(),
                },
                index=totals.index,
            )
        )
    return pd.concat(tables).reset_index()


def _wide(keyed: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """The counts, a line a group and a column a cluster."""
    summed = keyed.groupby([*by, "cluster"], sort=False, observed=True)["count"].sum()
    return summed.unstack("cluster")


def equivalent_shares(cube: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """The share of equivalents of each group, as ``shares``."""
    return shares(cube, by, "result_class", [_EQUIVALENT])


def outputs_of(cube: pd.DataFrame) -> list[int]:
    """How many decided outputs each model (label) has."""
    decided = cube[cube["result_class"].isin(CLASSES)]
    return [int(total) for total in decided.groupby("label", sort=False, observed=True)["count"].sum()]


def is_chat(model: str) -> bool:
    """Whether a model's name says that it was tuned to chat."""
    return re.search(r"chat|instruct|(?<![a-z])it(?![a-z])", model.rsplit("/", 1)[-1].lower()) is not None


def short_names(models: Iterable[str]) -> dict[str, str]:
    """Each model's last path component, or its whole name where two models would look the same."""
    short = {model: model.rstrip("/").rsplit("/", 1)[-1] or model for model in models}
    names = list(short.values())
    return {model: name if names.count(name) == 1 else model for model, name in short.items()}


def size_of(model: str, listed: Mapping[str, float]) -> float | None:
    """A model's parameters in billions: by the model list, as the study's model, or as its name says; None else."""
    if model in listed:
        return listed[model]
    if (known := study_model(model)) is not None:
        return known.parameters
    found = _SIZE.search(model.rsplit("/", 1)[-1])
    if found is None:
        return None
    return float(found[1]) * (1 if found[2].lower() == "b" else 0.001)


def _summed(cube: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    summed: pd.DataFrame = cube.groupby(by, dropna=False, sort=False, observed=True)["count"].sum().reset_index()
    return summed
