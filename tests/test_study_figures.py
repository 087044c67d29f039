"""The paper's figures of the imported study: what each mark says is counted here again, straight from the CSV."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import pytest

from nl2pddl import breakdown, figures, study
from nl2pddl.runs import import_results
from nl2pddl.store import Store, counts

CLASSES = {
    "EqDomain": "equivalent",
    "DifDomain": "different",
    "SemanticError": "semantic",
    "SyntaxError": "syntax",
}
WITHIN_DIFFERENT = {"NoPlan": "NoPlan", "NewToOriginal": "NPApp", "OriginalToNew": "OPApp"}
DESCRIBED = {"Base": "base", "Flipped": "flipped", "Rand": "random"}
SIZES = {"7b": 7, "13b": 13, "70b": 70, "starcoder": 15.5}  # billions, as the names have them


@pytest.fixture
def lines(published: Path) -> list[dict[str, str]]:
    with (published / "results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def cube(published: Path, store: Store) -> pd.DataFrame:
    file = published / "results.csv"
    run_id = import_results(store, study.read_results(file.read_bytes(), file.name))
    found = counts.cube(store, [run_id])
    return breakdown.labelled(found, breakdown.short_names(found["model"].unique()), {})


def short(line: dict[str, str]) -> str:
    return line["model"].rpartition("/")[2]


def marks(figure: go.Figure) -> Iterator[tuple[dict[str, str], int, int]]:
    """What each mark stands for, its count, and the total that its share is of."""
    for trace in figure.data:
        for count, total, told, *_ in trace.customdata:
            yield json.loads(told), count, total


def test_figures_2_and_4_result_classes(lines: list[dict[str, str]], cube: pd.DataFrame) -> None:
    expected = Counter((short(line), DESCRIBED[line["class"]], CLASSES[line["resultClass"]]) for line in lines)
    totals = Counter((short(line), DESCRIBED[line["class"]]) for line in lines)
    figure = figures.class_bars(figures.class_table(breakdown.counts_of(cube)))
    seen = {}
    for told, count, total in marks(figure):
        key = (told["model"], told["description_class"], told["result_class"])
        seen[key] = count
        assert total == totals[key[:2]]
    assert len(seen) == 7 * 3 * 4
    assert Counter(seen) == expected
    shares = [(share, count, total) for trace in figure.data for share, (count, total, *_) in zip(
        trace.x, trace.customdata, strict=True)]  # fmt: skip
    assert all(share == pytest.approx(100 * count / total) for share, count, total in shares)


def test_figure_2_pies_hold_the_same(lines: list[dict[str, str]], cube: pd.DataFrame) -> None:
    expected = Counter((DESCRIBED[line["class"]], CLASSES[line["resultClass"]]) for line in lines)
    pies = figures.class_pies(figures.class_table(breakdown.counts_of(cube))).data
    assert len(pies) == 7 * 3
    drawn: Counter[tuple[str, str]] = Counter()
    for number, pie in enumerate(pies):
        described = ("base", "flipped", "random")[number // 7]
        drawn.update({(described, str(name)): int(value) for name, value in zip(pie.labels, pie.values, strict=True)})
    assert drawn == expected


def test_figure_2_bottom_within_different(lines: list[dict[str, str]], cube: pd.DataFrame) -> None:
    different = [line for line in lines if line["resultClass"] == "DifDomain"]
    expected = Counter((short(line), WITHIN_DIFFERENT[line["subClass"]]) for line in different)
    totals = Counter(short(line) for line in different)
    seen = {}
    for told, count, total in marks(figures.different_bars(figures.different_table(breakdown.counts_of(cube)))):
        seen[told["model"], told["subclass"]] = count
        assert total == totals[told["model"]]
    assert len(seen) == 7 * 3
    assert Counter(seen) == expected


def test_figure_3_shares_against_size(lines: list[dict[str, str]], cube: pd.DataFrame) -> None:
    totals = Counter(map(short, lines))
    hits = Counter(short(line) for line in lines if line["resultClass"] == "EqDomain")
    table = breakdown.equivalent_shares(cube, ["label", "model"])
    table["billions"] = [breakdown.size_of(model, {}) for model in table["model"]]
    table["chat"] = [breakdown.is_chat(model) for model in table["model"]]
    figure = figures.size_scatter(table.drop(columns="model").rename(columns={"label": "model"}))
    seen = {}
    for trace in figure.data:
        for size, percent, (count, total, model) in zip(trace.x, trace.y, trace.customdata, strict=True):
            seen[model] = (count, total)
            assert percent == pytest.approx(100 * count / total)
            assert (trace.name == "chat models") == model.endswith("-chat")
            assert size == pytest.approx(SIZES[model.removesuffix("-chat").rpartition("-")[2]], rel=0.05)
    assert seen == {model: (hits[model], totals[model]) for model in totals}


def test_figure_5_are_of_what_parses(lines: list[dict[str, str]], cube: pd.DataFrame) -> None:
    parsed = [line for line in lines if line["actionDif"] not in ("", "nan")]
    expected = Counter((short(line), CLASSES[line["resultClass"]], line["actionDif"]) for line in parsed)
    figure = figures.are_histogram(figures.are_table(breakdown.are_of(cube)))
    seen = {
        (told["model"], told["result_class"], told["are"]): count
        for told, count, _ in marks(figure)
    }  # fmt: skip
    assert Counter(seen) == expected
    assert all(list(trace.y) == [count for count, *_ in trace.customdata] for trace in figure.data)


def test_shares_by_domain_and_action(lines: list[dict[str, str]], cube: pd.DataFrame) -> None:
    table = breakdown.equivalent_shares(cube, ["label", "domain", "action"])
    groups = table.groupby("label", observed=True)
    by_model = {model: sorted(zip(rows["count"], rows["total"], strict=True)) for model, rows in groups}
    hits, totals = Counter(), Counter()
    for line in lines:
        key = (short(line), line["domain"].lower(), line["action"].lower())
        totals[key] += 1
        hits[key] += line["resultClass"] == "EqDomain"
    for model, found in by_model.items():
        assert found == sorted((hits[key], total) for key, total in totals.items() if key[0] == model)
