"""The widgets that say which verdicts are listed, and in which order; all of them are kept in the page's address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from nl2pddl.records import ResultClass
from nl2pddl.store import Store, listing
from nl2pddl.store.listing import Filter, Sort
from nl2pddl.ui import terms
from nl2pddl.ui.choosing import model_labels

_FIRST = {
    "model": "Model",
    "domain": "Domain",
    "action": "Action",
    "description_class": "Description class",
    "result_class": "Result class",
    "subclass": "Subclass",
}
_FURTHER = {
    "exact": "Exact decision",
    "exercised": "Plans use the action",
    "tag": "Tag",
    "round": "Round",
    "grammar": "Grammar",
    "protocol": "Protocol",
}
# Widgets of the launch form, whose values outlive its page, have these names.
_KEYS = {"exact": "exact_decision", "grammar": "held_to_grammar", "protocol": "judged_by"}


def filter_verdicts(store: Store, runs: Sequence[str]) -> Filter:
    """Draw the filters and give what they say."""
    choices = listing.choices(store, runs)
    values: dict[str, list[str]] = {}
    with st.container(border=True):
        with st.container(horizontal=True):
            for name, label in _FIRST.items():
                values[name] = _filter_by(name, label, choices[name])
        with st.container(horizontal=True, vertical_alignment="bottom"):
            text = st.text_input(
                "Text in the output", placeholder="Any", key="text", bind="query-params", width="stretch",
                help="In whatever letter case. Imported verdicts have no output to search in.",
            )  # fmt: skip
            sort = st.selectbox(
                "Sort by", [order.value for order in Sort], key="sort", bind="query-params", width="stretch",
                help=terms.SORT_HELP,
            )  # fmt: skip
            everything = st.checkbox("Include equivalent outputs", key="equivalent", bind="query-params")
        active = any(_KEYS.get(name, name) in st.query_params for name in _FURTHER)
        with st.expander("More filters", expanded=active), st.container(horizontal=True):
            for name, label in _FURTHER.items():
                values[name] = _filter_by(name, label, choices[name])
    wanted: dict[str, Sequence[str]] = {name: chosen for name, chosen in values.items() if chosen}
    if "result_class" not in wanted and not everything:
        wanted["result_class"] = [name.value for name in ResultClass if name is not ResultClass.EQUIVALENT]
    return Filter(tuple(sorted(runs, reverse=True)), wanted, text.strip(), Sort(sort))


def _filter_by(name: str, label: str, options: Sequence[str]) -> list[str]:
    labels = model_labels(options) if name == "model" else {option: option for option in options}
    if name == "model":
        _take_full_names(labels)
    return list(
        st.multiselect(
            label, options, format_func=labels.__getitem__, placeholder="All", key=_KEYS.get(name, name),
            bind="query-params", width="stretch", help=terms.HELP[name],
        )
    )  # fmt: skip


def _take_full_names(labels: Mapping[str, str]) -> None:
    """Links may name a model in full; the widget's own binding knows its labels only."""
    linked = st.query_params.get_all("model")
    if "model" not in st.session_state and any(name in labels for name in linked):
        st.session_state["model"] = [name for name, label in labels.items() if name in linked or label in linked]
