"""Cuts the cube of counts (``store.counts.cube``) to what is chosen, and breaks it down for charts and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import pandas as pd

from nl2pddl.figures import CLASSES
from nl2pddl.records import ResultClass
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
    twin = cube["domain"].str.contains("~", regex=False).map({True: ANONYMISED, False: ""})
    named = cube.assign(variant=grammar + twin, label=cube["model"].map(names) + grammar + twin)
    # Those of unknown size come last.
    by_size = {str(model): size_of(str(model), sizes) or math.inf for model in named["model"].unique()}
    pairs = {(by_size[model], label) for model, label in zip(named["model"], named["label"], strict=True)}
    ordered = [label for _, label in sorted(pairs)]
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


def clusters(cube: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """How many decided outputs and equivalents each group has of each action: *by, cluster, hits, total.

    The action (of its domain; a twin's is its original's) is the cluster: prompts of one action are not independent.
    """
    decided = cube[cube["result_class"].isin(CLASSES)]
    twin_of = decided["domain"].str.split("~").str[0]
    # A twin's action has another name; its place among the domain's actions is what both share, but not in the cube.
    table = decided.assign(
        cluster=twin_of + "/" + decided["action"],
        hits=decided["count"].where(decided["result_class"] == _EQUIVALENT, 0),
        total=decided["count"],
    )
    summed: pd.DataFrame = table.groupby([*by, "cluster"], sort=False)[["hits", "total"]].sum().reset_index()
    return summed


def equivalent_shares(cube: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """The share of equivalents of each group, in percent of its decided outputs: *by, count, total, percent."""
    table = clusters(cube, by).groupby(list(by), sort=False)[["hits", "total"]].sum().reset_index()
    return table.rename(columns={"hits": "count"}).assign(percent=100 * table["hits"] / table["total"])


def outputs_of(cube: pd.DataFrame) -> list[int]:
    """How many decided outputs each model (label) has."""
    decided = cube[cube["result_class"].isin(CLASSES)]
    return [int(total) for total in decided.groupby("label", sort=False)["count"].sum()]


def is_chat(model: str) -> bool:
    """Whether a model's name says that it was tuned to chat."""
    return re.search(r"chat|instruct|(?<![a-z])it(?![a-z])", model.rsplit("/", 1)[-1].lower()) is not None


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
    summed: pd.DataFrame = cube.groupby(by, dropna=False, sort=False)["count"].sum().reset_index()
    return summed
