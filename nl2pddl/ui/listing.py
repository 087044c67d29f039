"""The list of the failures page: filters, search and order, which the address keeps, and the way through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from nl2pddl.records import ResultClass
from nl2pddl.store import Store, listing, notes
from nl2pddl.ui.choosing import filter_key, model_labels

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
_HELP = {
    "description_class": "How much the description gives away: base one line, flipped also what is deleted, random "
    "also some literals.",
    "result_class": "syntax: no PDDL action. semantic: it does not fit the domain. different: the domain plans "
    "differently. equivalent: the top-k plans cross over.",
    "round": "0: the first answer; above: corrections.",
    "grammar": "Whether decoding was held to valid actions.",
    "exact": "Whether both domains have the same plans, decided exactly: equal, different, undecided, not asked.",
    "exercised": "Whether any plan that was compared uses the action; where none does, the class says nothing of it.",
    "protocol": "The rules of the verdict. Left open, each output is listed by the protocol its run was launched with.",
    "tag": "What somebody wrote on the output.",
}


@st.cache_data(show_spinner=False, max_entries=20)
def _choices(_store: Store, runs: tuple[str, ...], judged: int) -> dict[str, list[str]]:
    """Read again only when there are more verdicts."""
    return listing.filter_choices(_store, runs)


def filter_verdicts(store: Store, runs: Sequence[str], judged: int) -> tuple[dict[str, list[str]], str, str]:
    """The widgets: what ``listing.verdict_list`` takes as ``wanted``, ``text`` and ``sort``.

    ``judged`` is how many verdicts the runs have by now.
    """
    choices = {**_choices(store, tuple(runs), judged), "tag": notes.tags(store, runs)}
    wanted = {"run_id": list(runs)}
    with st.container(border=True):
        wanted |= _filters(_FILTERS, choices)
        search, order, include = st.columns([3, 2, 2], vertical_alignment="bottom")
        text = search.text_input("Text in the output", placeholder="Any", key="text", bind="query-params")
        sort = order.selectbox(
            "Order", list(listing.SORTS), key="sort", bind="query-params",
            help="The further an equivalent action is from the original, the likelier it is a false positive: hunt "
            "them by the highest ARE.",
        )  # fmt: skip
        everything = include.checkbox("Include equivalent outputs", key="equivalent", bind="query-params")
        with st.expander("More filters", expanded=any(filter_key(name) in st.query_params for name in _MORE)):
            wanted |= _filters(_MORE, choices)
    if "result_class" not in wanted and not everything:
        wanted["result_class"] = [name.value for name in ResultClass if name is not ResultClass.EQUIVALENT]
    return wanted, text.strip(), sort or next(iter(listing.SORTS))


def _filters(labels: Mapping[str, str], choices: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    chosen = {}
    for place, (name, label) in zip(st.columns(len(labels)), labels.items(), strict=True):
        options = choices[name]
        shown = model_labels(options) if name == "model" else {option: option for option in options}
        values = place.multiselect(
            label, options, format_func=shown.__getitem__, placeholder="All", key=filter_key(name), bind="query-params",
            help=_HELP.get(name),
        )  # fmt: skip
        if values:
            chosen[name] = list(values)
    return chosen


def page_of(store: Store, wanted: Mapping[str, Sequence[str]], text: str, sort: str) -> Any:
    """A page of the list, and the widget that turns pages where there are several; stops the page where it is empty."""
    number = st.session_state.get("page", 1)
    size = listing.PAGE
    rows, total = listing.verdict_list(store, wanted, text, size, sort=sort, offset=(number - 1) * size)
    pages = max(1, -(-total // size))
    if number > pages:
        st.session_state["page"] = 1
        rows, total = listing.verdict_list(store, wanted, text, size, sort=sort)
    if not total:
        st.info("No output passes these filters. Widen them, or include the equivalent outputs.")
        st.stop()
    if pages > 1:
        turn, said = st.columns([1, 5], vertical_alignment="bottom")
        turn.number_input("Page", 1, pages, key="page")
        said.caption(f"of {pages:,}; {total:,} outputs pass these filters, {size:,} on a page.")
    return rows


def choose_one(verdicts: Any) -> tuple[str, int]:
    """The list of verdicts and the buttons to step through it; gives run and index of the item to show."""
    items = list(zip(verdicts["run_id"], (int(index) for index in verdicts["item_index"]), strict=True))
    if st.session_state.get("listed") != items or "position" not in st.session_state:
        # A changed filter, or back from another page: stay with the item that was shown, if it is in the list.
        before = linked_item() or st.session_state.get("shown")
        st.session_state["position"] = items.index(before) + 1 if before in items else 1
        st.session_state["listed"] = items
    elif (asked := linked_item()) in items and asked != st.session_state.get("shown"):
        st.session_state["position"] = items.index(asked) + 1
    _show_list(verdicts)
    back, number, total, forward, _ = st.columns([3, 3, 2, 3, 7], vertical_alignment="center")
    position = st.session_state["position"]
    back.button(
        "Previous", icon=":material/arrow_back:", on_click=_step, args=(-1,), disabled=position <= 1, width="stretch",
        shortcut="p",
    )  # fmt: skip
    number.number_input(
        "Number in the list", min_value=1, max_value=len(items), step=1, key="position", label_visibility="collapsed"
    )
    forward.button(
        "Next", icon=":material/arrow_forward:", on_click=_step, args=(1,), disabled=position >= len(items),
        width="stretch", shortcut="n",
    )  # fmt: skip
    total.markdown(f"of {len(items):,}")
    shown: tuple[str, int] = items[st.session_state["position"] - 1]
    st.session_state["shown"] = shown
    st.query_params["item"] = f"{shown[0]}.{shown[1]}"
    return shown


def linked_item() -> tuple[str, int] | None:
    """The item that the page's address names."""
    run_id, _, index = st.query_params.get("item", "").rpartition(".")
    return (run_id, int(index)) if run_id and index.isdecimal() and index.isascii() else None


def _step(by: int) -> None:
    st.session_state["position"] += by
    st.query_params.pop("item", None)  # the address follows


def _take_selected() -> None:
    rows = st.session_state["list"].selection.rows
    if rows:
        st.session_state["position"] = rows[0] + 1
        st.query_params.pop("item", None)


def _is_told(column: Any) -> bool:
    """Whether any row has something to say there."""
    return bool((column.notna() & ~column.isin([0, "", False])).any())


def _show_list(verdicts: Any) -> None:
    labels = model_labels(verdicts["model"].unique())
    columns: dict[str, Any] = {
        "result_class": "Class",
        "subclass": "Subclass",
        "domain": "Domain",
        "action": "Action",
        "description_class": "Description",
        "sample": st.column_config.NumberColumn("Prompt"),
        "round": st.column_config.NumberColumn("Round", help=_HELP["round"]),
        "grammar": st.column_config.TextColumn("Grammar", help=_HELP["grammar"]),
        "model": "Model",
        "are": st.column_config.NumberColumn("ARE", help="Action reconstruction error: literals that differ"),
        "exact": st.column_config.TextColumn("Exact", help=_HELP["exact"]),
        "exercised": st.column_config.TextColumn("Used", help=_HELP["exercised"]),
        "tag": "Tag",
        "note": "Note",
        "reason": st.column_config.TextColumn("Reason", width="large"),
    }
    # What no output has is left out: the list is wide enough.
    shown = [name for name in columns if (name not in _MORE and name != "note") or _is_told(verdicts[name])]
    words = {True: "yes", False: "no"}
    st.dataframe(
        verdicts.assign(
            model=verdicts["model"].map(labels), sample=verdicts["sample"] + 1,
            grammar=verdicts["grammar"].map(words), exercised=verdicts["exercised"].astype(object).map(words),
        ),
        column_order=shown, column_config=columns, hide_index=True, height=min(38 + 35 * len(verdicts), 260),
        on_select=_take_selected, selection_mode="single-row", placeholder="–", key="list",
    )  # fmt: skip
