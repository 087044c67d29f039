"""The figures of a report on paper: the same tables, colours and order as on the screen, drawn by matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from nl2pddl.figures import CLASS_COLOURS, CLASSES
from nl2pddl.figures.marks import named_above, named_left
from nl2pddl.figures.shares import CLASS_OF
from nl2pddl.figures.style import distinct

_WIDE = 7.1  # inches
_INK = "#1c1c1c"
_SERIES = "#0072B2"
_CHAT = "#CC79A7"
_COLUMNS = 4


def ranking(table: pd.DataFrame) -> Figure:
    """Shares of equivalents with their intervals, best first."""
    figure, axes = _drawn(0.7 + 0.22 * len(table))
    places = range(len(table))
    low, high = (table["percent"] - table["low"]).fillna(0), (table["high"] - table["percent"]).fillna(0)
    axes.errorbar(table["percent"], places, xerr=[low, high], fmt="o", color=_SERIES, capsize=3, markersize=6)
    names = zip(table["model"], table["letters"], strict=True)
    axes.set_yticks(places, [_safe(f"{model} ({letters})" if letters else model) for model, letters in names])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("equivalent, percent")
    axes.grid(axis="x", alpha=0.3)
    return figure


def classes(table: pd.DataFrame) -> Figure:
    """Result classes as 100% bars, a block a description class."""
    kinds = distinct(table["description_class"])
    rows = [
        (kind, model) for kind in kinds for model in distinct(table.loc[table["description_class"] == kind, "model"])
    ]
    figure, axes = _drawn(1.0 + 0.24 * len(rows) + 0.25 * len(kinds))
    shares = {
        (str(kind), str(model), name): percent
        for kind, model, name, percent in zip(
            table["description_class"], table["model"], table["result_class"], table["percent"], strict=True
        )
    }
    # A gap before each block but the first, for its heading.
    places = [number + kinds.index(kind) for number, (kind, _) in enumerate(rows)]
    left = [0.0] * len(rows)
    for name in CLASSES:
        widths = [shares[kind, model, name] for kind, model in rows]
        axes.barh(places, widths, left=left, color=CLASS_COLOURS[name], label=name, edgecolor="white", height=0.8)
        for place, start, width in zip(places, left, widths, strict=True):
            if width >= 5:
                axes.text(start + width / 2, place, f"{width:.0f}", ha="center", va="center", fontsize=7, color=_INK)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.set_yticks(places, [_safe(model) for _, model in rows])
    for kind in kinds:
        first = next(place for place, (own, _) in zip(places, rows, strict=True) if own == kind)
        axes.text(0, first - 0.75, kind, fontsize=8.5, fontweight="bold", va="center")
    axes.set_ylim(len(rows) + len(kinds) - 0.9, -1.3)
    axes.set_xlim(0, 100)
    axes.set_xlabel("percent")
    axes.legend(ncols=4, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    return figure


def sizes(table: pd.DataFrame) -> Figure:
    """The share of equivalents against model size."""
    figure, axes = _drawn(3.1)
    tops, lefts = named_above(table), named_left(table)
    for chat, colour, mark, name in ((False, _SERIES, "o", "base models"), (True, _CHAT, "D", "chat models")):
        rows = table[table["chat"] == chat]
        if rows.empty:
            continue
        low, high = (rows["percent"] - rows["low"]).fillna(0), (rows["high"] - rows["percent"]).fillna(0)
        axes.errorbar(
            rows["billions"], rows["percent"], yerr=[low, high], fmt=mark, color=colour, capsize=3, label=name
        )
        for x, y, model in zip(rows["billions"], rows["percent"], rows["model"], strict=True):
            left = str(model) in lefts
            beside = (-6 if left else 6, 5 if str(model) in tops else -9)
            axes.annotate(
                _safe(model), (x, y), xytext=beside, textcoords="offset points", fontsize=7,
                ha="right" if left else "left",
            )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlim(table["billions"].min() / 2.2, table["billions"].max() * 2.4)
    axes.set_ylim(bottom=0)
    ticks = sorted({float(size) for size in table["billions"]})
    axes.set_xticks(ticks, [f"{size:g}" for size in ticks])
    axes.minorticks_off()
    axes.set_xlabel("billion parameters")
    axes.set_ylabel("equivalent, percent")
    axes.legend(frameon=False)
    return figure


def places(table: pd.DataFrame) -> Figure:
    """Shares of equivalents by domain and model."""
    lines, models = distinct(table["place"]), distinct(table.sort_values("model")["model"])
    shares = {
        (str(line), str(model)): percent
        for line, model, percent in zip(table["place"], table["model"], table["percent"], strict=True)
    }
    grid = [[shares.get((line, model), math.nan) for model in models] for line in lines]
    figure, axes = _drawn(1.6 + 0.28 * len(lines))
    axes.imshow(grid, cmap="cividis", vmin=0, vmax=100, aspect="auto")
    for y, row in enumerate(grid):
        for x, share in enumerate(row):
            if not math.isnan(share):
                axes.text(
                    x, y, f"{share:.0f}", ha="center", va="center", fontsize=7, color="white" if share < 55 else _INK
                )
    axes.set_xticks(range(len(models)), [_safe(model) for model in models], rotation=35, ha="left")
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(lines)), [_safe(line) for line in lines])
    axes.spines[:].set_visible(False)
    return figure


def subclasses(table: pd.DataFrame) -> Figure:
    """Every subclass as a share of a model's outputs, a panel a model."""
    models = distinct(table["model"])
    figure, panels = _panels(models, 2.1)
    highest = float(table["percent"].max())
    for model, axes in zip(models, panels, strict=False):
        rows = table[table["model"].astype(str) == model]
        names = [str(name) for name in rows["subclass"]]
        axes.barh(names, rows["percent"], color=[CLASS_COLOURS[CLASS_OF.get(name, name)] for name in names])
        for place, percent in enumerate(rows["percent"]):
            axes.text(percent + highest / 60, place, f"{percent:.1f}", va="center", fontsize=6)
        axes.invert_yaxis()
        axes.set_xlim(0, highest * 1.22)
        axes.set_title(_safe(model), fontsize=8)
    figure.supxlabel("percent of the model's outputs", fontsize=8)
    return figure


def are(table: pd.DataFrame) -> Figure:
    """Histograms of the ARE by class, a panel a model."""
    models = distinct(table["model"])
    figure, panels = _panels(models, 1.7)
    highest = int(table["are"].max())
    for model, axes in zip(models, panels, strict=False):
        rows = table[table["model"].astype(str) == model]
        bottom = [0.0] * (highest + 1)
        for name in CLASSES[:3]:
            own = rows[rows["result_class"] == name].set_index("are")["count"]
            heights = [float(own.get(value, 0)) for value in range(highest + 1)]
            axes.bar(range(highest + 1), heights, bottom=bottom, color=CLASS_COLOURS[name], label=name, width=0.9)
            bottom = [start + height for start, height in zip(bottom, heights, strict=True)]
        axes.set_title(_safe(model), fontsize=8)
    figure.supxlabel("literals that differ (ARE)", fontsize=8)
    figure.supylabel("actions", fontsize=8)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper left", ncols=3, fontsize=7, frameon=False)
    return figure


def _drawn(height: float) -> tuple[Figure, Any]:
    """A figure over the page's width with one field to draw in; ``height`` is in inches."""
    figure = Figure(figsize=(_WIDE, min(height, 8.8)), layout="constrained")
    axes = figure.add_subplot()
    axes.tick_params(labelsize=7.5)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _panels(models: Sequence[str], height: float) -> tuple[Figure, list[Any]]:
    columns = min(_COLUMNS, len(models))
    lines = -(-len(models) // columns)
    figure = Figure(figsize=(_WIDE, min(height * lines + 0.3, 8.8)), layout="constrained")
    panels = [figure.add_subplot(lines, columns, number + 1) for number in range(len(models))]
    for axes in panels:
        axes.tick_params(labelsize=6)
        axes.spines[["top", "right"]].set_visible(False)
    return figure, panels


def _safe(text: object) -> str:
    """Text as matplotlib shows it literally: it would read formulas between dollar signs."""
    return str(text).replace("$", r"\$")
