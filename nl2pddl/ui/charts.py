"""The parts of the results page: headline numbers, and each figure with its table beneath."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from nl2pddl import figures, terms
from nl2pddl.experiment import ChatMode, RunConfig, RunKind
from nl2pddl.ui import shell
from nl2pddl.ui.choosing import model_labels
from nl2pddl.ui.text import decoding_in_words, plain

Link = Callable[[Mapping[str, str]], Mapping[str, str | Sequence[str]]]
_OUTPUTS_HELP = "First answers to single actions. Corrections and whole domains are counted further below."
_CLUSTERS = "Prompts of one action resemble each other, so the actions are what is counted on."
_COLUMNS = {
    "description_class": "Description class",
    "model": "Model",
    "result_class": "Result class",
    "subclass": "Subclass",
    "are": "ARE",
    "count": "Outputs",
    "total": "Of",
    "round": "Round",
    "place": "Place",
    "billions": "Billion parameters",
    "letters": "Letters",
    "pair": "Pair",
    "prompts": "Prompts",
    "actions": "Actions",
    "told_apart": "Told apart",
    "reason": "Note",
    "note": "Note",
}
_PANELS = 3  # side by side
_NUMBERS = {
    "percent": "Percent",
    "difference": "Difference, points",
    "low": "95% interval from",
    "high": "to",
}
_P_VALUES = {"p_value": "p", "adjusted": "p, by Holm"}


def choose_pictures() -> None:
    """In which form a chart's camera button saves it."""
    st.segmented_control(
        "Save pictures as", ["PNG", "SVG"], default="PNG", key="pictures", persist_state="session",
        help="What the camera button of each chart makes: SVG can be scaled and edited, PNG goes everywhere.",
    )  # fmt: skip


def _config() -> dict[str, Any]:
    form = str(st.session_state.get("pictures") or "PNG").lower()
    picture = {"format": form, "filename": "nl2pddl", "scale": 2 if form == "png" else 1}
    # These charts need no zoom.
    return {"displaylogo": False, "modeBarButtons": [["toImage"]], "toImageButtonOptions": picture}


def labelled(counts: Any) -> Any:
    """Counts with each model under its short name."""
    return counts.assign(model=counts["model"].map(model_labels(counts["model"].unique())))


def show_headline(counts: Any, runs: int, shares: Any) -> None:
    """The share of every class over all chosen outputs; the undecided are counted apart.

    ``shares`` has the interval of each (``breakdown.shares``).
    """
    sums = counts.groupby("result_class")["count"].sum().to_dict()
    decided = sum(sums.get(name, 0) for name in figures.CLASSES)
    undecided = figures.undecided_count(counts)
    places = st.container(key="headline").columns(len(figures.CLASSES) + 2)
    places[0].metric(
        "Outputs", f"{decided + undecided:,}", f"{runs} run{'s' if runs > 1 else ''}", delta_color="off",
        delta_arrow="off", border=True, help=_OUTPUTS_HELP,
    )  # fmt: skip
    for place, name in zip(places[1:], figures.CLASSES, strict=False):
        count = sums.get(name, 0)
        share = f"{100 * count / decided:.1f}%" if decided else "–"
        place.metric(
            name.capitalize(), share, f"{count:,} of {decided:,}", delta_color="off", delta_arrow="off",
            help=terms.class_help(name), border=True,
        )  # fmt: skip
    known = [
        f"{row.result_class} {row.low:.1f}–{row.high:.1f}%" for row in shares.itertuples() if not math.isnan(row.low)
    ]
    places[-1].metric(
        "Undecided", f"{undecided:,}", "counted apart", delta_color="off", delta_arrow="off",
        help=f"{terms.class_help('undecided')} In none of the percentages.", border=True,
    )  # fmt: skip

    if known:
        st.caption(plain(f"95% intervals: {', '.join(known)}. {_CLUSTERS}"))


def warn_of_mixed_protocols(cube: Any) -> None:
    """Say where the chosen runs were judged by different rules: their shares do not compare."""
    protocols = sorted(cube["protocol"].unique())
    if len(protocols) > 1:
        st.warning(
            f"These runs follow different protocols ({', '.join(protocols)}); to compare, "
            "choose runs of one, or filter by protocol.",
            icon=":material/rule:",
        )


def warn_of_mixed_decoding(cube: Any, configs: Mapping[str, RunConfig]) -> None:
    """Say which models' answers come from different decoding: one bar then stands for several ways of asking."""
    ways: dict[str, set[str]] = {}
    for run_id, model in cube[["run_id", "model"]].drop_duplicates().itertuples(index=False):
        config = configs[run_id]
        if config.kind is RunKind.IMPORTED:
            way = "as imported"
        else:
            template = ", chat template" if config.decoding.chat is ChatMode.TEMPLATE else ""
            way = f"{decoding_in_words(config.decoding)}{template}"
        ways.setdefault(model, set()).add(way)
    mixed = [f"{model} ({'; '.join(sorted(found))})" for model, found in sorted(ways.items()) if len(found) > 1]
    if mixed:
        st.warning(
            plain(
                f"Answers from different decoding are counted together: {', '.join(mixed)}. "
                "Choose runs of one to compare."
            ),
            icon=":material/tune:",
        )


def warn_of_missing(total: int, judged: int) -> None:
    """Say how many items the shares leave out, because they have no verdict."""
    if judged < total:
        st.warning(
            f"{total - judged:,} of the {total:,} items of these runs (corrections and whole domains counted too) have "
            "no verdict and are in none of the shares: not generated or judged yet, or without an answer for a reason "
            "that Runs tells.",
            icon=":material/pending:",
        )


def show_beyond(beyond: Any) -> None:
    """What is known of the equivalents beyond their class: how many are refuted exactly, how many use the action.

    ``beyond`` is ``counts.exact_counts``. Nothing is drawn where there are no equivalents.
    """
    equivalents = beyond[beyond["result_class"] == "equivalent"]
    if equivalents.empty:
        return
    st.subheader("Behind “equivalent”")
    table = figures.beyond_table(equivalents)
    st.dataframe(table, hide_index=True, key="beyond")
    refuted = int(table["Refuted"].sum())
    decided = refuted + int(table["Proved"].sum())
    if decided:
        st.markdown(
            f"The exact decision refutes **{refuted:,} of {decided:,}** equivalents that it could decide: false "
            "positives of the comparison by top-k plans."
        )
    st.caption(
        "Proved: both domains have the same plans for every problem. Refuted: a plan of the one is none of the other. "
        "Open: a limit came first. Not asked: the run was launched without the exact decision. Not exercised: no plan "
        "compared uses the action, so its class says nothing about it."
    )


def show_rounds(counts: Any) -> None:
    """The classes after each round of corrections; nothing where no run has any."""
    if counts.empty:
        return
    st.subheader("Corrections")
    table = figures.round_table(labelled(counts))
    show_figure(figures.round_bars(table), table, "rounds")
    st.caption(
        "After a failed verdict the model is told what the checks, the planner or the plan validator say, and asked "
        "again. An answer that is equivalent counts in the later rounds as it is."
    )


def show_whole_domains(counts: Any) -> None:
    """Domains whose actions were generated one after another, judged as a whole; nothing where there are none."""
    if counts.empty:
        return
    st.subheader("Whole domains")
    columns = {**_COLUMNS, "domain": "Domain"}
    shown = [name for name in ("model", "domain", "result_class", "subclass", "count") if name in counts.columns]
    config: dict[str, Any] = {name: columns[name] for name in shown}
    config["count"] = "Domains generated"
    st.dataframe(labelled(counts), column_order=shown, column_config=config, hide_index=True, key="whole")
    st.caption(
        "A whole domain is equivalent where all its generated actions together plan as the original does; it takes the "
        "class of the worst that is found, in its actions first, then in its plans."
    )


def show_figure(figure: Any, table: Any, key: str, link: Link | None = None) -> None:
    """A figure, and its numbers in an expander below.

    With ``link`` a click on a mark opens the outputs behind it: it gives the query from what the mark stands for (see
    ``figures.points``).
    """
    _chart(figure, key, link)
    _numbers(table, key)


def _chart(figure: Any, key: str, link: Link | None) -> None:
    if link is None:
        st.plotly_chart(figure, width="stretch", config=_config(), key=key)
        return
    event: Any = st.plotly_chart(
        figure, width="stretch", config=_config(), key=key, on_select="rerun", selection_mode="points"
    )
    marks = [mark.get("customdata") for mark in event.selection.points]
    if marks and marks[0]:
        st.switch_page(shell.FAILURES, query_params=link(json.loads(marks[0][2])))


def _numbers(table: Any, key: str) -> None:
    if table.empty:
        return
    with st.expander("Numbers"):
        columns: dict[str, Any] = {name: label for name, label in _COLUMNS.items() if name in table.columns}
        numbers = {name: label for name, label in _NUMBERS.items() if name in table.columns}
        columns |= {name: st.column_config.NumberColumn(label, format="%.2f") for name, label in numbers.items()}
        tests = {name: label for name, label in _P_VALUES.items() if name in table.columns}
        columns |= {name: st.column_config.NumberColumn(label, format="%.4f") for name, label in tests.items()}
        st.dataframe(table, column_order=list(columns), column_config=columns, hide_index=True, key=f"{key}-numbers")


def show_panels(table: Any, key: str, draw: Callable[[Any], Any], link: Link | None = None) -> None:
    """A chart of its own for each model, side by side where there is room, and all numbers below."""
    models = list(dict.fromkeys(map(str, table["model"])))
    if not models:
        st.plotly_chart(draw(table), width="stretch", config=_config(), key=key)
        return
    for first in range(0, len(models), _PANELS):
        row = models[first : first + _PANELS]
        for place, model in zip(st.columns(min(_PANELS, len(models))), row, strict=False):
            with place:
                _chart(draw(table[table["model"].astype(str) == model]), f"{key}-{model}", link)
    _numbers(table, key)


def show_full_names(labels: Mapping[str, str]) -> None:
    """What the short model names stand for, where they were shortened."""
    shortened = [f"{short}: {model}" for model, short in labels.items() if short != model]
    if shortened:
        st.caption(plain("Models: " + " · ".join(shortened)))
