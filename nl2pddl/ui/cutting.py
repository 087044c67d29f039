"""What the results page looks at: the runs' counts, cut by the filters, with names that people read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from nl2pddl import breakdown, terms, twins
from nl2pddl.breakdown import ANONYMISED, FILTERS, GRAMMAR
from nl2pddl.domains import DomainLibrary
from nl2pddl.generation.listed import listed_sizes
from nl2pddl.store import Store, counts
from nl2pddl.ui.choosing import filter_key, model_labels, tell_unknown

_LABELS = {
    "model": "Models",
    "domain": "Domains",
    "action": "Actions",
    "description_class": "Description classes",
    "protocol": "Protocols",
}


@dataclass(frozen=True)
class Cut:
    """The chosen runs and their counts (``store.counts.cube``), filtered, with the column ``label``.

    ``wanted`` are the filters as they stand; ``names`` the short name of each model; ``originals`` what the actions of
    anonymised twins stand for.
    """

    runs: Sequence[str]
    cube: Any
    wanted: Mapping[str, Sequence[str]]
    names: Mapping[str, str]
    originals: Mapping[str, str]

    def link(self, told: Mapping[str, str]) -> dict[str, str | list[str]]:
        """The query of a link to the outputs that a mark of a chart stands for (``told`` as in ``figures.points``)."""
        query: dict[str, str | list[str]] = {"run": list(self.runs)}
        for name, values in self.wanted.items():
            if values:
                shown = [self.names.get(value, value) for value in values] if name == "model" else list(values)
                query[filter_key(name)] = shown
        for name, value in told.items():
            if name == "model":
                query |= self._model_query(value)
            elif name == "are":
                query["sort"] = "ARE, highest first"
            elif name == "subclass" and value == "equivalent":
                query["result_class"] = "equivalent"
            else:
                query[filter_key(name)] = value
        if query.get("result_class") == "equivalent" or "result_class" not in query:
            query["equivalent"] = "true"
        return query

    def link_all(self) -> dict[str, str | list[str]]:
        """The query of a link to all failures among these outputs."""
        query = self.link({})
        del query["equivalent"]
        return query

    def _model_query(self, label: str) -> dict[str, str | list[str]]:
        # A widget's address holds what it shows: the short name.
        query: dict[str, str | list[str]] = {"model": label.removesuffix(ANONYMISED).removesuffix(GRAMMAR)}
        if GRAMMAR in label:
            query[filter_key("grammar")] = "true"
        return query


def cut(store: Store, library: Callable[[], DomainLibrary], runs: Sequence[str], judged: int) -> Cut:
    """The runs' counts, by the filters that are drawn here. ``judged`` is how many verdicts they have by now."""
    cube = _cube(store, tuple(runs), judged)
    wanted = _filters(cube)
    names = model_labels(cube["model"].unique())
    labelled = breakdown.labelled(breakdown.chosen(cube, wanted), names, listed_sizes())
    return Cut(runs, labelled, wanted, names, twins.originals(library, labelled["domain"].unique()))


@st.cache_data(show_spinner=False, max_entries=20)
def _cube(_store: Store, runs: tuple[str, ...], judged: int) -> Any:
    """Counted again only when there are more verdicts."""
    return counts.cube(_store, runs)


def _filters(cube: Any) -> dict[str, list[str]]:
    wanted: dict[str, list[str]] = {}
    missing: list[str] = []
    # Keys of their own: a page cannot send the browser to another one with a parameter that its own widget holds.
    with st.expander(
        "Filter", icon=":material/filter_alt:", expanded=any(f"cut_{name}" in st.query_params for name in FILTERS)
    ):
        places = st.columns(len(FILTERS))
        for place, name in zip(places, FILTERS, strict=True):
            options = sorted(cube[name].unique())
            labels = model_labels(options) if name == "model" else {option: option for option in options}
            missing += [value for value in st.query_params.get_all(f"cut_{name}") if value not in labels.values()]
            wanted[name] = list(
                place.multiselect(
                    _LABELS[name], options, format_func=labels.__getitem__, placeholder="All", key=f"cut_{name}",
                    bind="query-params", help=terms.HELP[name],
                )
            )  # fmt: skip
    tell_unknown(missing)
    return wanted
