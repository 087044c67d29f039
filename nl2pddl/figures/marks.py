"""Figures of shares: dots with their intervals, a heat map over domains or actions, and shares against model size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from nl2pddl.figures.bars import LINKED
from nl2pddl.figures.style import BAR_HEIGHT, CLASS_COLOURS, Frame, distinct, empty_figure, laid_out, plain, points

# Okabe and Ito's other colours, for what is no result class.
SERIES = ("#0072B2", "#CC79A7", "#D55E00", "#009E73", "#E69F00", "#56B4E9")
_SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up", "x")
_NEUTRAL = "#7f7f7f"
_NEAR = 2.0  # times as large


def share_dots(table: Frame, series: str, named: Sequence[str] | None = None) -> go.Figure:
    """Shares of equivalents with their intervals, a line a model, a colour and a mark a series.

    ``named`` are other names for the lines, in their order.

    ``table`` has the columns model, ``series``, percent, low, high (percent, nan where unknown), count, total.
    """
    if table.empty:
        return empty_figure("No verdicts to show yet")
    figure = go.Figure()
    models, names = distinct(table["model"]), distinct(table[series])
    for number, name in enumerate(names):
        rows = table[table[series] == name]
        # Beside one another, where several series share a line.
        shift = 0.0 if len(names) == 1 else 0.5 * (number / (len(names) - 1) - 0.5)
        figure.add_trace(
            go.Scatter(
                x=rows["percent"],
                y=[models.index(str(model)) + shift for model in rows["model"]],
                mode="markers",
                name=plain(name),
                marker={"color": SERIES[number % len(SERIES)], "symbol": _SYMBOLS[number % len(_SYMBOLS)], "size": 11},
                error_x=_errors(rows),
                customdata=points(rows, ["model", *([series] if series in LINKED else [])]),
                hovertemplate=plain(name)
                + ": %{x:.1f}%%{customdata[3]}<br>%{customdata[0]} of %{customdata[1]}<extra></extra>",
            )
        )
    figure.update_yaxes(
        tickvals=list(range(len(models))), ticktext=[plain(name) for name in named or models], autorange="reversed",
        automargin=True, zeroline=False,
    )  # fmt: skip
    figure.update_xaxes(ticksuffix="%", rangemode="tozero", title_text="equivalent<br>with 95% interval")
    return laid_out(figure, 130 + BAR_HEIGHT * len(models) * max(1, math.ceil(len(names) / 2)))


def _errors(rows: Frame) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": (rows["high"] - rows["percent"]).fillna(0),
        "arrayminus": (rows["percent"] - rows["low"]).fillna(0),
        "thickness": 1.5,
    }


def heat_map(table: Frame, rows: str, columns: Sequence[str], linked: Sequence[str]) -> go.Figure:
    """Shares of equivalents as a heat map: a line a value of ``rows``, a column a model (in the order given).

    ``table`` has the columns model, ``rows``, percent, count, total, and ``linked``, by which outputs can be listed.
    """
    if table.empty:
        return empty_figure("No verdicts to show yet")
    lines = distinct(table[rows])
    shares = {
        (str(line), str(model)): share
        for line, model, share in zip(table[rows], table["model"], table["percent"], strict=True)
    }
    grid = [[shares.get((line, model)) for model in columns] for line in lines]
    figure = go.Figure(
        go.Heatmap(
            z=grid,
            x=[plain(model) for model in columns],
            y=[plain(line) for line in lines],
            text=[["" if share is None else f"{share:.0f}" for share in line] for line in grid],
            texttemplate="%{text}",
            hoverinfo="skip",
            colorscale="Cividis",  # made for all kinds of colour vision
            zmin=0,
            zmax=100,
            xgap=2,
            ygap=2,
            showscale=False,  # the cells hold the numbers, and a telephone has no room for it
        )
    )
    # A heat map's cells cannot be clicked on; marks that nobody sees can.
    figure.add_trace(
        go.Scatter(
            x=[plain(str(model)) for model in table["model"]],
            y=[plain(str(line)) for line in table[rows]],
            mode="markers",
            marker={"symbol": "square", "size": 24, "opacity": 0},
            text=[f"{share:.1f}%" for share in table["percent"]],
            customdata=points(table, ["model", *linked]),
            hovertemplate="%{y}, %{x}: %{text}%{customdata[3]}<br>%{customdata[0]} of %{customdata[1]}<extra></extra>",
            showlegend=False,
        )
    )
    # The cells and no more: the library makes room for the marks, whose size it takes for theirs.
    figure.update_yaxes(range=[len(lines) - 0.5, -0.5], automargin=True)
    figure.update_xaxes(
        side="top", automargin=True, tickangle=-45, tickvals=[plain(model) for model in columns],
        range=[-0.5, len(columns) - 0.5],
    )  # fmt: skip
    # The button that saves the picture stands beside the names, not on the last of them.
    return laid_out(figure, 160 + 28 * len(lines), right=44).update_layout(modebar_orientation="v")


def size_scatter(table: Frame) -> go.Figure:
    """The share of equivalents against a model's size (paper, Fig. 3), with intervals; the sizes' axis is logarithmic.

    ``table`` has the columns model, billions, percent, low, high, count, total, chat (whether it is a chat model).
    """
    known = table[table["billions"].notna()].sort_values("billions")
    if known.empty:
        return empty_figure("The size of none of these models is known; the model list may hold it (parameters)")
    tops, lefts = named_above(known), named_left(known)
    figure = go.Figure()
    for number, (chat, name) in enumerate(((False, "base models"), (True, "chat models"))):
        rows = known[known["chat"] == chat]
        if rows.empty:
            continue
        figure.add_trace(
            go.Scatter(
                x=rows["billions"],
                y=rows["percent"],
                mode="markers+text",
                name=name,
                text=[plain(model) for model in rows["model"]],
                # Aslant, since the interval stands above and below the mark.
                textposition=[
                    f"{'top' if name in tops else 'bottom'} {'left' if name in lefts else 'right'}"
                    for name in rows["model"]
                ],
                marker={"color": SERIES[number], "symbol": _SYMBOLS[number], "size": 12},
                error_y=_errors(rows),
                cliponaxis=False,  # a name beside the axis is wider than its mark
                customdata=[[hits, total, model] for hits, total, model in zip(
                    rows["count"], rows["total"], rows["model"], strict=True)],
                hovertemplate="%{customdata[2]}: %{y:.1f}%, %{customdata[0]} of %{customdata[1]}<br>"
                "%{x:g} billion parameters<extra></extra>",
            )
        )  # fmt: skip
    low, high = (math.log10(size) for size in (known["billions"].min(), known["billions"].max()))
    beside = 0.2 * max(high - low, 0.5)
    figure.update_xaxes(
        type="log", title_text="billion parameters", tickvals=_ticks(list(known["billions"])),
        range=[low - beside, high + beside],
    )  # fmt: skip
    figure.update_yaxes(ticksuffix="%", rangemode="tozero", title_text="equivalent")
    return laid_out(figure, 430)


def named_above(table: Frame) -> set[str]:
    """Of models of one size the best, which is named above its mark; the others are below theirs.

    ``table`` has the columns model, billions and percent.
    """
    return {str(name) for name in table.sort_values("percent").drop_duplicates("billions", keep="last")["model"]}


def named_left(table: Frame) -> set[str]:
    """The models whose next larger one is so near that a name to the right would run into its interval."""
    sizes = sorted(table["billions"].unique())
    crowded = {size for size, larger in pairwise(sizes) if larger < _NEAR * size}
    return {str(name) for name in table.loc[table["billions"].isin(crowded), "model"]}


def _ticks(sizes: Sequence[float]) -> list[float]:
    steps = [10.0**power * digit for power in range(-3, 4) for digit in (1, 2, 5)]
    low, high = min(sizes) / 2, max(sizes) * 2
    return [step for step in steps if low <= step <= high]


def difference_dots(table: Frame) -> go.Figure:
    """Paired differences in percentage points with their intervals: pair, difference, low, high, told_apart."""
    if table.empty:
        return empty_figure("Choose at least two models that answered the same prompts")
    figure = go.Figure()
    for apart, name, colour in ((True, "told apart", CLASS_COLOURS["syntax"]), (False, "tied", _NEUTRAL)):
        rows = table[table["told_apart"] == apart]
        if rows.empty:
            continue
        shown = rows.rename(columns={"difference": "percent"})
        figure.add_trace(
            go.Scatter(
                x=shown["percent"],
                y=[plain(pair) for pair in shown["pair"]],
                mode="markers",
                name=name,
                marker={"color": colour, "symbol": "circle" if apart else "circle-open", "size": 11},
                error_x=_errors(shown),
                hovertemplate="%{y}: %{x:+.1f} points<extra></extra>",
            )
        )
    figure.add_vline(x=0, line={"color": _NEUTRAL, "width": 1, "dash": "dot"})
    figure.update_yaxes(autorange="reversed", automargin=True, categoryorder="array", categoryarray=[
        plain(pair) for pair in table["pair"]])  # fmt: skip
    figure.update_xaxes(title_text="percentage points<br>with 95% interval")
    return laid_out(figure, 130 + BAR_HEIGHT * len(table))
