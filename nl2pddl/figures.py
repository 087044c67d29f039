"""From counts to the paper's figures: a frame in, a tidy table or a plotly figure out. Knows nothing of Streamlit.

Frames come from ``store.counts``; the column ``model`` may hold any label. Percentages are over the outputs with one of
the four classes: ``undecided`` is in none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from nl2pddl.records import SUBCLASSES, DescriptionClass, ResultClass

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
_TEXT_ON_COLOUR = "#111111"
_EDGE = {"color": "rgba(255,255,255,0.6)", "width": 1}
_BAR_HEIGHT = 34  # pixels, as all heights here
_HEADING = 50
_COLUMNS = 3
_PIE_COLUMNS = 4
_CLASS_OF = {subclass.value: name.value for name, members in SUBCLASSES.items() for subclass in members}
_SUBCLASSES = tuple(sorted(_CLASS_OF, key=lambda subclass: CLASSES.index(_CLASS_OF[subclass])))
Frame = pd.DataFrame


def class_table(counts: Frame) -> Frame:
    """Count and percentage of every result class: description_class, model, result_class, count, total, percent."""
    return _shares(counts, ["description_class", "model"], "result_class", CLASSES)


def subclass_table(counts: Frame) -> Frame:
    """Count of every subclass, and its percentage of all decided outputs of the model: model, subclass, count, …"""
    decided = counts[counts["result_class"].isin(CLASSES)]
    labelled = decided.assign(subclass=decided["subclass"].where(decided["subclass"].notna(), "equivalent"))
    return _shares(labelled, ["model"], "subclass", ("equivalent", *_SUBCLASSES))


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
    "subclass": ("equivalent", *_SUBCLASSES),
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


def class_bars(table: Frame) -> go.Figure:
    """Result classes as 100% bars, one a model, a heading for each description class (paper, Fig. 2 top, 4)."""
    return _bars(table, "description_class", "result_class", CLASS_COLOURS, best_descriptions(table))


def round_table(counts: Frame) -> Frame:
    """As ``class_table``, by model and round of corrections: round, model, result_class, count, total, percent."""
    return _shares(counts, ["round", "model"], "result_class", CLASSES)


def round_bars(table: Frame) -> go.Figure:
    """Result classes as 100% bars, one a model, a heading for each round of corrections."""
    return _bars(table.assign(stage=table["round"].map(_stage)), "stage", "result_class", CLASS_COLOURS)


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
    models = _distinct(table["model"])
    figure, places = _panels(models)
    for model, (row, column) in zip(models, places, strict=True):
        rows = table[table["model"] == model]
        classes = rows["subclass"].map(lambda name: _CLASS_OF.get(name, name))
        for name, colour in CLASS_COLOURS.items():
            bar = _subclass_bar(rows[classes == name], name, colour, legend=(row, column) == (1, 1))
            figure.add_trace(bar, row=row, col=column)
    limit = min(125, 1.3 * float(table["percent"].max()))
    figure.update_xaxes(range=[0, limit], ticksuffix="%", nticks=5)
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(barmode="overlay")  # one bar a line: the classes do not share lines
    return _laid_out(figure, 110 + 300 * -(-len(models) // _COLUMNS))


def _subclass_bar(rows: Frame, name: str, colour: str, *, legend: bool) -> go.Bar:
    return go.Bar(
        x=rows["percent"],
        y=rows["subclass"],
        orientation="h",
        name=name,
        legendgroup=name,
        showlegend=legend,
        marker={"color": colour},
        text=[f"{count} ({_share(share)})" for count, share in zip(rows["count"], rows["percent"], strict=True)],
        textposition="outside",
        cliponaxis=False,
        customdata=rows[["count", "total"]],
        hovertemplate="%{y}: %{customdata[0]} of %{customdata[1]} (%{x:.1f}%)<extra></extra>",
    )


def are_histogram(table: Frame) -> go.Figure:
    """Histogram of the ARE, a panel a model, stacked by class (paper, Fig. 5)."""
    if table.empty:
        return empty_figure("No output parsed as an action yet, so there is no ARE to show")
    models = _distinct(table["model"])
    figure, places = _panels(models, shared_xaxes="all")
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
                marker={"color": CLASS_COLOURS[name], "line": _EDGE},
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
    return _laid_out(figure, 110 + 260 * -(-len(models) // _COLUMNS))


def _share(percent: float) -> str:
    """A share for a label: whole percents, but never "0%" of something that occurred."""
    return "<1%" if 0 < percent < 1 else f"{percent:.0f}%"


def empty_figure(message: str) -> go.Figure:
    """A figure that says why there is nothing to see."""
    figure = go.Figure()
    figure.add_annotation(text=_plain(message), showarrow=False, font={"size": 15})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return _laid_out(figure, 140)


def _bars(
    table: Frame, facet: str, part: str, colours: Mapping[str, str], starred: Iterable[tuple[str, str]] = ()
) -> go.Figure:
    if table.empty:
        return empty_figure("No verdicts to show yet")
    facets = _distinct(table[facet])
    sizes = [table.loc[table[facet] == name, "model"].nunique() for name in facets]
    height = 60 + _BAR_HEIGHT * sum(sizes) + _HEADING * len(facets)
    figure = make_subplots(
        rows=len(facets), cols=1, shared_xaxes=True, row_heights=sizes, subplot_titles=[_plain(n) for n in facets],
        vertical_spacing=_HEADING / height,
    )  # fmt: skip
    for number, name in enumerate(facets, start=1):
        panel = table[table[facet] == name]
        for value, colour in colours.items():
            figure.add_trace(_bar(panel[panel[part] == value], value, colour, legend=number == 1), row=number, col=1)
        for row in panel.drop_duplicates("model").itertuples():
            star = "★ " if (row.model, name) in set(starred) else ""
            figure.add_annotation(
                x=100, y=_plain(str(row.model)), text=f"{star}n = {row.total}", xanchor="left", xshift=8,
                showarrow=False, row=number, col=1,
            )  # fmt: skip
    figure.update_xaxes(range=[0, 100], ticksuffix="%", dtick=25)
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_layout(barmode="stack", bargap=0.25)
    figure.update_annotations(patch={"x": 0, "xanchor": "left"}, selector={"xref": "paper"})
    return _laid_out(figure, height, right=80)


def _bar(rows: Frame, name: str, colour: str, *, legend: bool) -> go.Bar:
    texts = [f"{percent:.0f}%" if percent >= 5 else "" for percent in rows["percent"]]
    return go.Bar(
        x=rows["percent"],
        y=[_plain(model) for model in rows["model"]],
        orientation="h",
        name=name,
        legendgroup=name,
        showlegend=legend,
        marker={"color": colour, "line": _EDGE},
        text=texts,
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"color": _TEXT_ON_COLOUR},
        customdata=rows[["count", "total"]],
        hovertemplate=f"%{{y}}<br>{name}: %{{customdata[0]}} of %{{customdata[1]}} (%{{x:.1f}}%)<extra></extra>",
    )


def _pies(
    table: Frame, facet: str, part: str, colours: Mapping[str, str], starred: Iterable[tuple[str, str]] = ()
) -> go.Figure:
    if table.empty:
        return empty_figure("No verdicts to show yet")
    facets, models = _distinct(table[facet]), _distinct(table["model"])
    cells = [(name, model) for name in facets for model in models]
    columns = len(models) if len(facets) > 1 else min(len(models), _PIE_COLUMNS)
    lines = -(-len(cells) // columns)
    figure = make_subplots(
        rows=lines, cols=columns, specs=[[{"type": "domain"}] * columns] * lines,
        subplot_titles=[_plain(model) for model in models],
        row_titles=[_plain(name) for name in facets] if any(facets) else None,
        vertical_spacing=0.2 / lines, horizontal_spacing=0.1 / columns,
    )  # fmt: skip
    for number, (name, model) in enumerate(cells):
        rows = table[(table[facet] == name) & (table["model"] == model)]
        if not rows.empty:
            star = "★ " if (model, name) in set(starred) else ""
            pie = _pie(rows, part, colours, f"{star}n = {rows['total'].iloc[0]}")
            figure.add_trace(pie, row=number // columns + 1, col=number % columns + 1)
    figure.update_layout(uniformtext={"minsize": 10, "mode": "hide"})
    return _laid_out(figure, 90 + lines * min(230, 70 + 800 // columns))


def _pie(rows: Frame, part: str, colours: Mapping[str, str], title: str) -> go.Pie:
    return go.Pie(
        labels=rows[part],
        values=rows["count"],
        title={"text": title, "position": "bottom center"},
        sort=False,
        direction="clockwise",
        marker={"colors": [colours[value] for value in rows[part]], "line": _EDGE},
        texttemplate="%{percent:.0%}",
        textposition="inside",
        insidetextorientation="horizontal",
        textfont={"color": _TEXT_ON_COLOUR},
        hovertemplate="%{label}: %{value} (%{percent:.1%})<extra></extra>",
    )


def _panels(models: Sequence[str], **options: str) -> tuple[go.Figure, list[tuple[int, int]]]:
    """Subplots, one a model, and the (row, column) of each."""
    columns = min(len(models), _COLUMNS)
    lines = -(-len(models) // columns)
    figure = make_subplots(
        rows=lines, cols=columns, subplot_titles=[_plain(model) for model in models],
        vertical_spacing=0.32 / lines, horizontal_spacing=0.2 / columns, **options,
    )  # fmt: skip
    return figure, [(number // columns + 1, number % columns + 1) for number in range(len(models))]


def _laid_out(figure: go.Figure, height: int, right: int = 20) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": right, "t": 70, "b": 40},
        legend={"orientation": "h", "yanchor": "top", "y": 1, "yref": "container", "xanchor": "left", "x": 0},
        legend_traceorder="normal",
        dragmode=False,
    )
    return figure


def _distinct(column: pd.Series) -> list[str]:
    return [str(value) for value in dict.fromkeys(column)]


def _plain(text: str) -> str:
    """Text as plotly shows it literally: it would read tags in a model's name as markup."""
    return escape(text, quote=False)
