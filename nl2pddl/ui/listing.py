"""What the failures page lists: filters, search and order, all of which the address keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from nl2pddl import terms
from nl2pddl.records import ResultClass
from nl2pddl.store import Store, listing, notes
from nl2pddl.ui.choosing import filter_key, model_labels, tell_unknown

_FILTERS = {
    "model": "Model",
    "domain": "Domain",
    "action": "Action",
    "description_class": "Description class",
    "result_class": "Result class",
    "subclass": "Subclass",
}
_MORE = {
    "round": "Round",
    "grammar": "Held to the grammar",
    "exact": "Exact decision",
    "exercised": "Plans use the action",
    "protocol": "Protocol",
    "tag": "Tag",
}


@dataclass(frozen=True)
class Wanted:
    """What is listed: the values let through by column, the text in the output, and the order."""

    values: Mapping[str, Sequence[str]]
    text: str
    sort: str

    @property
    def protocol(self) -> str | None:
        """The protocol that the verdicts are listed by, where that need not be their runs' own."""
        named = self.values.get("protocol", ())
        return named[0] if len(named) == 1 else None


@st.cache_data(show_spinner=False, max_entries=20)
def _choices(_store: Store, runs: tuple[str, ...], judged: int) -> dict[str, list[str]]:
    """Read again only when there are more verdicts."""
    return listing.filter_choices(_store, runs)


def filter_verdicts(store: Store, runs: Sequence[str], judged: int) -> Wanted:
    """The widgets, and what they say. ``judged`` is how many verdicts the runs have by now."""
    choices = {**_choices(store, tuple(runs), judged), "tag": notes.tags(store, runs)}
    wanted = {"run_id": list(runs)}
    tell_unknown([value for name in (*_FILTERS, *_MORE) for value in _unknown(name, choices[name])])
    with st.container(border=True):
        wanted |= _filters(_FILTERS, choices)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            text = st.text_input(
                "Text in the output", placeholder="Any", key="text", bind="query-params",
                help="In whatever letter case. Imported verdicts have no output to search in.",
            )  # fmt: skip
            sort = st.selectbox("Order", list(listing.SORTS), key="sort", bind="query-params", help=terms.SORT)
            everything = st.checkbox("Include equivalent outputs", key="equivalent", bind="query-params")
        with st.expander("More filters", expanded=any(filter_key(name) in st.query_params for name in _MORE)):
            wanted |= _filters(_MORE, choices)
    if "result_class" not in wanted and not everything:
        wanted["result_class"] = [name.value for name in ResultClass if name is not ResultClass.EQUIVALENT]
    return Wanted(wanted, text.strip(), sort or next(iter(listing.SORTS)))


def _filters(labels: Mapping[str, str], choices: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    chosen = {}
    with st.container(horizontal=True):  # wraps: six in a row on a laptop, two on a telephone
        for name, label in labels.items():
            options = choices[name]
            shown = model_labels(options) if name == "model" else {option: option for option in options}
            if name == "model":
                _take_full_names(shown)
            values = st.multiselect(
                label, options, format_func=shown.__getitem__, placeholder="All", key=filter_key(name),
                bind="query-params", help=terms.HELP[name],
            )  # fmt: skip
            if values:
                chosen[name] = list(values)
    return chosen


def _unknown(name: str, options: Sequence[str]) -> list[str]:
    """What the address filters a column by and is not among its values; models by their short names or whole ones."""
    known = {*options, *(model_labels(options).values() if name == "model" else ())}
    return [value for value in st.query_params.get_all(filter_key(name)) if value not in known]


def _take_full_names(labels: Mapping[str, str]) -> None:
    """Links may name a model in full; the widget's own binding knows its labels only."""
    linked = st.query_params.get_all("model")
    if "model" not in st.session_state and any(name in labels for name in linked):
        st.session_state["model"] = [name for name, label in labels.items() if name in linked or label in linked]
