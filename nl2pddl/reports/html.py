"""A report as one HTML page: figures that answer to the mouse, nothing from the network."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd
import plotly.graph_objects as go
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from nl2pddl import figures
from nl2pddl.reports.content import Report, Section

_TEMPLATES = Environment(loader=PackageLoader("nl2pddl.reports", ""), autoescape=select_autoescape(default=True))
_WIDTH = 980  # pixels, as a figure is drawn before the page fits it into the window


def as_html(report: Report) -> str:
    """The whole page as text (some 5 MB: the library that draws is in it)."""
    drawn = []
    for number, section in enumerate(report.sections):
        figure = _DRAWN[section.key](section) if section.key in _DRAWN else None
        drawn.append((section, _figure(figure, first=not number) if figure is not None else _table(section.table)))
    page: str = _TEMPLATES.get_template("page.html").render(report=report, drawn=drawn)
    return page


def _figure(figure: go.Figure, *, first: bool) -> Markup:
    """The figure as HTML; the first one brings the library along. Texts in it are escaped where they are made."""
    figure.update_layout(template="plotly_white", font={"family": "system-ui, sans-serif"})
    config = {
        "displaylogo": False,
        "responsive": True,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "svg"},
    }
    return Markup(figure.to_html(full_html=False, include_plotlyjs=first, config=config, default_width="100%"))


def _table(table: pd.DataFrame) -> Markup:
    return Markup(table.to_html(float_format="{:.2f}".format, border=0, escape=True))


def lettered(ranking: pd.DataFrame) -> list[str]:
    """The names of a ranking's models, with their letters where there are any."""
    named = zip(ranking["model"], ranking["letters"], strict=True)
    return [f"{model} ({letters})" if letters else str(model) for model, letters in named]


_DRAWN: Mapping[str, Callable[[Section], go.Figure]] = {
    "ranking": lambda section: figures.share_dots(
        section.table, "series", lettered(section.table)
    ),
    "classes": lambda section: figures.class_bars(section.table),
    "sizes": lambda section: figures.size_scatter(section.table),
    "places": lambda section: figures.heat_map(
        section.table, "place", list(dict.fromkeys(map(str, section.table.sort_values("model")["model"]))), ["domain"]
    ),
    "subclasses": lambda section: figures.subclass_bars(section.table),
    "are": lambda section: figures.are_histogram(section.table),
}  # fmt: skip
