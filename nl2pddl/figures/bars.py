"""The paper's figures: classes and subclasses as bars or pies, and the histogram of the ARE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from nl2pddl.figures.shares import CLASS_OF, best_descriptions
from nl2pddl.figures.style import (
    BAR_HEIGHT,
    CLASS_COLOURS,
    CLASSES,
    COLUMNS,
    DIFFERENT_COLOURS,
    EDGE,
    HEADING,
    PARSED_CLASSES,
    PIE_COLUMNS,
    TEXT_ON_COLOUR,
    Frame,
    distinct,
    empty_figure,
    laid_out,
    panels,
    plain,
    points,
    short_share,
)

LINKED = ("model", "description_class", "result_class", "subclass")  # columns by which outputs can be listed


def class_bars(table: Frame) -> go.Figure:
    """Result classes as 100% bars, one a model, a heading for each description class (paper, Fig. 2 top, 4)."""
    return _bars(table, "description_class", "result_class", CLASS_COLOURS, best_descriptions(table))


def round_bars(table: Frame) -> go.Figure:
    """Result classes as 100% bars, one a model, a heading for each round of corrections."""
    return _bars(table.assign(stage=table["round"].map(_stage)), "stage", "result_class", CLASS_COLOURS)


def protocol_bars(table: Frame) -> go.Figure:
    """Result classes as 100% bars, one a model, a heading for each protocol."""
    return _bars(table, "protocol", "result_class", CLASS_COLOURS)


def _stage(number: int) -> str:
    return "first answers" if number == 0 else f"after {number} correction{'s' if number > 1 else ''}"


def class_pies(table: Frame) -> go.Figure:
    """Result classes as the paper draws them: a pie a model, a row a description class, the best one starred."""
    return _pies(table, "description_class", "result_class", CLASS_COLOURS, best_descriptions(table))


def different_bars(table: Frame) -> go.Figure:
    """Subclasses within "different" as 100% bars, one a model (paper, Fig. 2 bottom)."""
    return _bars(table.assign(all=""), "all", "subclass", DIFFERENT_COLOURS)


def different_pies(table: Frame) -> go.Figure:
    """Subclasses within "different" as pies, one a model (paper, Fig. 2 bottom)."""
    return _pies(table.assign(all=""), "all", "subclass", DIFFERENT_COLOURS)


def subclass_bars(table: Frame) -> go.Figure:
    """Every subclass as a share of all decided outputs, a panel a model, coloured by result class."""
    if table.empty:
        return empty_figure("No verdicts to show yet")
    models = distinct(table["model"])
    figure, places = panels(models)
    for model, (row, column) in zip(models, places, strict=True):
        rows = table[table["model"] == model]
        classes = rows["subclass"].map(lambda name: CLASS_OF.get(name, name))
        for name, colour in CLASS_COLOURS.items():
            bar = _subclass_bar(rows[classes == name], name, colour, legend=(row, column) == (1, 1))
            figure.add_trace(bar, row=row, col=column)
    limit = min(125, 1.3 * float(table["percent"].max()))
    figure.update_xaxes(range=[0, limit], ticksuffix="%", nticks=5)
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(barmode="overlay")  # one bar a line: the classes do not share lines
    return laid_out(figure, 110 + 300 * -(-len(models) // COLUMNS))


def _subclass_bar(rows: Frame, name: str, colour: str, *, legend: bool) -> go.Bar:
    return go.Bar(
        x=rows["percent"],
        y=rows["subclass"],
        orientation="h",
        name=name,
        legendgroup=name,
        showlegend=legend,
        marker={"color": colour},
        text=[f"{count} ({short_share(share)})" for count, share in zip(rows["count"], rows["percent"], strict=True)],
        textposition="outside",
        cliponaxis=False,
        customdata=points(rows, ["model", "subclass"], result_class=name),
        hovertemplate="%{y}: %{customdata[0]} of %{customdata[1]} (%{x:.1f}%%{customdata[3]})<extra></extra>",
    )


def are_histogram(table: Frame) -> go.Figure:
    """Histogram of the ARE, a panel a model, stacked by class (paper, Fig. 5)."""
    if table.empty:
        return empty_figure("No output parsed as an action yet, so there is no ARE to show")
    models = distinct(table["model"])
    figure, places = panels(models, shared_xaxes="all")
    shown: set[str] = set()
    for model, (row, column) in zip(models, places, strict=True):
        for name in PARSED_CLASSES:
            rows = table[(table["model"] == model) & (table["result_class"] == name)]
            if rows.empty:
                continue
            bar = go.Bar(
                x=rows["are"],
                y=rows["count"],
                name=name,
                legendgroup=name,
                legendrank=CLASSES.index(name),
                showlegend=name not in shown,
                marker={"color": CLASS_COLOURS[name], "line": EDGE},
                customdata=points(rows, ["model", "result_class", "are"]),
                hovertemplate=f"ARE %{{x}}, {name}: %{{y}} actions<extra></extra>",
            )
            shown.add(name)
            figure.add_trace(bar, row=row, col=column)
    highest = int(table["are"].max())
    figure.update_xaxes(range=[-0.6, highest + 0.6], dtick=max(1, -(-highest // 12)), showticklabels=True)
    tallest = int(table.groupby(["model", "are"])["count"].sum().max())
    # Left alone, plotly puts ticks at halves of an action where there are few.
    figure.update_yaxes(rangemode="tozero", tickformat="d", dtick=1 if tallest <= 6 else None)
    for row, column in places:
        figure.update_xaxes(title_text="ARE (literals that differ)", row=row, col=column)
        if column == 1:
            figure.update_yaxes(title_text="actions", row=row, col=column)
    figure.update_layout(barmode="stack", bargap=0.08)
    return laid_out(figure, 110 + 260 * -(-len(models) // COLUMNS))


def _bars(
    table: Frame, facet: str, part: str, colours: Mapping[str, str], starred: Iterable[tuple[str, str]] = ()
) -> go.Figure:
    if table.empty:
        return empty_figure("No verdicts to show yet")
    facets = distinct(table[facet])
    sizes = [table.loc[table[facet] == name, "model"].nunique() for name in facets]
    height = 60 + BAR_HEIGHT * sum(sizes) + HEADING * len(facets)
    figure = make_subplots(
        rows=len(facets), cols=1, shared_xaxes=True, row_heights=sizes, subplot_titles=[plain(n) for n in facets],
        vertical_spacing=HEADING / height,
    )  # fmt: skip
    for number, name in enumerate(facets, start=1):
        panel = table[table[facet] == name]
        for value, colour in colours.items():
            rows = panel[panel[part] == value]
            told = [column for column in ("model", facet, part) if column in LINKED]
            bar = _bar(rows, value, colour, points(rows, told), legend=number == 1)
            figure.add_trace(bar, row=number, col=1)
        for row in panel.drop_duplicates("model").itertuples():
            star = "★ " if (row.model, name) in set(starred) else ""
            figure.add_annotation(
                x=100, y=plain(str(row.model)), text=f"{star}n = {row.total}", xanchor="left", xshift=8,
                showarrow=False, row=number, col=1,
            )  # fmt: skip
    figure.update_xaxes(range=[0, 100], ticksuffix="%", dtick=25)
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_layout(barmode="stack", bargap=0.25)
    figure.update_annotations(patch={"x": 0, "xanchor": "left"}, selector={"xref": "paper"})
    return laid_out(figure, height, right=80)


def _bar(rows: Frame, name: str, colour: str, told: list[list[object]], *, legend: bool) -> go.Bar:
    texts = [f"{percent:.0f}%" if percent >= 5 else "" for percent in rows["percent"]]
    return go.Bar(
        x=rows["percent"],
        y=[plain(model) for model in rows["model"]],
        orientation="h",
        name=name,
        legendgroup=name,
        showlegend=legend,
        marker={"color": colour, "line": EDGE},
        text=texts,
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"color": TEXT_ON_COLOUR},
        customdata=told,
        hovertemplate=f"%{{y}}<br>{name}: %{{customdata[0]}} of %{{customdata[1]}} "
        "(%{x:.1f}%%{customdata[3]})<extra></extra>",
    )


def _pies(
    table: Frame, facet: str, part: str, colours: Mapping[str, str], starred: Iterable[tuple[str, str]] = ()
) -> go.Figure:
    if table.empty:
        return empty_figure("No verdicts to show yet")
    facets, models = distinct(table[facet]), distinct(table["model"])
    cells = [(name, model) for name in facets for model in models]
    columns = len(models) if len(facets) > 1 else min(len(models), PIE_COLUMNS)
    lines = -(-len(cells) // columns)
    figure = make_subplots(
        rows=lines, cols=columns, specs=[[{"type": "domain"}] * columns] * lines,
        subplot_titles=[plain(model) for model in models],
        row_titles=[plain(name) for name in facets] if any(facets) else None,
        vertical_spacing=0.2 / lines, horizontal_spacing=0.1 / columns,
    )  # fmt: skip
    for number, (name, model) in enumerate(cells):
        rows = table[(table[facet] == name) & (table["model"] == model)]
        if not rows.empty:
            star = "★ " if (model, name) in set(starred) else ""
            pie = _pie(rows, part, colours, f"{star}n = {rows['total'].iloc[0]}")
            figure.add_trace(pie, row=number // columns + 1, col=number % columns + 1)
    figure.update_layout(uniformtext={"minsize": 10, "mode": "hide"})
    return laid_out(figure, 90 + lines * min(230, 70 + 800 // columns))


def _pie(rows: Frame, part: str, colours: Mapping[str, str], title: str) -> go.Pie:
    return go.Pie(
        labels=rows[part],
        values=rows["count"],
        title={"text": title, "position": "bottom center"},
        sort=False,
        direction="clockwise",
        marker={"colors": [colours[value] for value in rows[part]], "line": EDGE},
        texttemplate="%{percent:.0%}",
        textposition="inside",
        insidetextorientation="horizontal",
        textfont={"color": TEXT_ON_COLOUR},
        hovertemplate="%{label}: %{value} (%{percent:.1%})<extra></extra>",
    )
