"""What all figures share: colours, order of the classes, layout, and text that plotly does not read as markup."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from html import escape

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from nl2pddl.records import ResultClass

# Best first, so that a bar reads from left to right; the same order and colours in every figure.
CLASSES = (
    ResultClass.EQUIVALENT.value,
    ResultClass.DIFFERENT.value,
    ResultClass.SEMANTIC.value,
    ResultClass.SYNTAX.value,
)
PARSED_CLASSES = CLASSES[:3]
# Okabe and Ito's palette, which people with any colour vision can tell apart; dark text is readable on all of them.
CLASS_COLOURS = {"equivalent": "#009E73", "different": "#56B4E9", "semantic": "#E69F00", "syntax": "#D55E00"}
DIFFERENT_COLOURS = {"NoPlan": "#3B8BC4", "NPApp": "#7CC4EE", "OPApp": "#C6E5F7"}  # shades of "different"
TEXT_ON_COLOUR = "#111111"
EDGE = {"color": "rgba(255,255,255,0.6)", "width": 1}
BAR_HEIGHT = 34  # pixels, as all heights here
HEADING = 50
COLUMNS = 3
PIE_COLUMNS = 4
LEGEND_LINE = 19
TITLE_LINE = 24
Frame = pd.DataFrame


def short_share(percent: float) -> str:
    """A share for a label: whole percents, but never "0%" of something that occurred."""
    return "<1%" if 0 < percent < 1 else f"{percent:.0f}%"


def empty_figure(message: str) -> go.Figure:
    """A figure that says why there is nothing to see."""
    figure = go.Figure()
    figure.add_annotation(text=plain(message), showarrow=False, font={"size": 15})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return laid_out(figure, 140)


def panels(models: Sequence[str], **options: str) -> tuple[go.Figure, list[tuple[int, int]]]:
    """Subplots, one a model, and the (row, column) of each."""
    columns = min(len(models), COLUMNS)
    lines = -(-len(models) // columns)
    figure = make_subplots(
        rows=lines, cols=columns, subplot_titles=[plain(model) for model in models],
        vertical_spacing=0.32 / lines, horizontal_spacing=0.2 / columns, **options,
    )  # fmt: skip
    return figure, [(number // columns + 1, number % columns + 1) for number in range(len(models))]


def laid_out(figure: go.Figure, height: int, right: int = 20) -> go.Figure:
    """The figure with the height (pixels, without its legend), margins and legend that all have."""
    # On a telephone a legend has an entry a line: it grows upwards from the titles, and there is room for it.
    legend = LEGEND_LINE * _legend_entries(figure) + 10
    height, top = height + legend - 10, legend + TITLE_LINE
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": right, "t": top, "b": 40},
        legend={
            "entrywidth": 74,
            "orientation": "h",
            "yanchor": "bottom",
            "y": 1 - (top - TITLE_LINE) / height,
            "yref": "container",
            "xanchor": "left",
            "x": 0,
        },
        legend_traceorder="normal",
        dragmode=False,
    )
    return figure


def _legend_entries(figure: go.Figure) -> int:
    names: set[str] = set()
    for trace in figure.data:
        if trace.type == "pie":
            names.update(trace.labels)
        elif trace.showlegend is not False and trace.type != "heatmap":
            names.add(trace.name or "")
    return len(names) if len(names) > 1 else 0


def points(rows: Frame, columns: Sequence[str], **fixed: str) -> list[list[object]]:
    """What each mark of a figure stands for: count, total, and as JSON the values that tell its outputs from others.

    ``columns`` are those of ``rows`` that tell them apart, ``fixed`` what all rows share. A missing total is the count.
    Fourth comes the interval of the share in words, or nothing.
    """
    intervals = [""] * len(rows)
    if "low" in rows:
        intervals = [_interval(low, high) for low, high in zip(rows["low"], rows["high"], strict=True)]
    totals = rows["total"] if "total" in rows else rows["count"]
    told = [
        {**dict(zip(columns, values, strict=True)), **fixed} for values in rows[list(columns)].itertuples(index=False)
    ]
    return [
        # With "<" escaped: the library reads tags in texts that it shows, and this one should be none wherever it goes.
        [
            int(count),
            int(total),
            json.dumps({name: str(value) for name, value in one.items()}).replace("<", "\\u003c"),
            interval,
        ]
        for count, total, one, interval in zip(rows["count"], totals, told, intervals, strict=True)
    ]


def _interval(low: float, high: float) -> str:
    return "" if math.isnan(low) or math.isnan(high) else f", 95% interval {low:.1f}–{high:.1f}%"


def distinct(column: pd.Series) -> list[str]:
    """The values of a column as texts, each once, in the order they come."""
    return [str(value) for value in dict.fromkeys(column)]


def plain(text: str) -> str:
    """Text as plotly shows it literally: it would read tags in a model's name as markup."""
    return escape(text, quote=False)
