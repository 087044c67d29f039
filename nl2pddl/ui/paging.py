"""The way through the list of the failures page: next, previous, by number, by row, by link."""

from __future__ import annotations

from typing import Any

import streamlit as st

from nl2pddl import terms
from nl2pddl.errors import InputError
from nl2pddl.store import Store, listing, queries
from nl2pddl.ui.choosing import model_labels
from nl2pddl.ui.listing import Wanted
from nl2pddl.ui.text import plain

_NOTHING = "No output passes these filters. Widen them, or include the equivalent outputs."
_NO_TEXT = "These verdicts were imported without outputs, so there is no text to search in. Empty the search field."
# Columns that say something only where a value differs from this one.
_USUAL: dict[str, Any] = {"round": 0, "grammar": False, "exact": None, "tag": "", "note": ""}


def choose_one(store: Store, wanted: Wanted) -> tuple[str, int]:
    """Draw the list and the buttons; gives run and index of the item to show. Stops the page where there is none."""
    total = listing.count(store, wanted.values, wanted.text)
    _find_place(store, wanted, total)
    aside: tuple[str, int] | None = st.session_state.get("aside")
    if not total:
        searched = bool(wanted.text) and not listing.any_output(store, wanted.values["run_id"])
        st.info(_NO_TEXT if searched else _NOTHING)
        if aside is None:
            st.stop()
        return _shown(aside)
    position = st.session_state["position"]
    start = (position - 1) // listing.PAGE * listing.PAGE
    verdicts = listing.page(store, wanted.values, wanted.text, sort=wanted.sort, offset=start)
    here = position - 1 - start
    _show_list(verdicts, start, -1 if aside else here)
    _show_steps(position, total)
    if aside is not None:
        st.info("This output is not in the list above: the filters leave it out.", icon=":material/filter_alt_off:")
        return _shown(aside)
    return _shown((str(verdicts["run_id"].iloc[here]), int(verdicts["item_index"].iloc[here])))


def go_to(run_id: str, index: int) -> None:
    """Show this item next, whether the filters leave it in the list or not. For callbacks."""
    st.query_params["item"] = f"{run_id}.{index}"


def _shown(item: tuple[str, int]) -> tuple[str, int]:
    st.session_state["shown"] = item
    go_to(*item)
    return item


def _find_place(store: Store, wanted: Wanted, total: int) -> None:
    """Find the item of the address, or the one shown before, in a list that has changed."""
    linked, before = _linked(), st.session_state.get("shown")
    is_new = linked is not None and linked != before
    signature = f"{wanted}, {total}"
    if st.session_state.get("listed") == signature and "position" in st.session_state and not is_new:
        return
    st.session_state["listed"] = signature
    item = linked or before
    place = listing.place_of(store, wanted.values, wanted.text, wanted.sort, *item) if item else None
    st.session_state["position"] = 1 if place is None else place + 1
    st.session_state["aside"] = None
    if item and is_new and place is None:
        if _is_judged(store, *item):
            st.session_state["aside"] = item
        else:
            st.warning(
                f"The run {plain(item[0])} has no output number {item[1]} with a verdict.", icon=":material/link_off:"
            )


def _linked() -> tuple[str, int] | None:
    """The item that the page's address names."""
    named = st.query_params.get("item", "")
    run_id, _, index = named.rpartition(".")
    if run_id and index.isdecimal() and len(index) < 10:
        return run_id, int(index)
    if named:
        st.warning(f"The link's item {plain(named)} is none; one is RUN.NUMBER.", icon=":material/link_off:")
    return None


def _is_judged(store: Store, run_id: str, index: int) -> bool:
    try:
        queries.item_detail(store, run_id, index)
    except InputError:
        return False
    return True


def _step(by: int) -> None:
    st.session_state["position"] += by
    _leave_aside()


def _leave_aside() -> None:
    st.session_state["aside"] = None


def _take_selected(start: int) -> None:
    rows = st.session_state["list"].selection.rows
    if rows:
        st.session_state["position"] = start + rows[0] + 1
        _leave_aside()


def _show_steps(position: int, total: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Previous", icon=":material/arrow_back:", on_click=_step, args=(-1,), disabled=position <= 1, shortcut="P",
            help="Key P",
        )  # fmt: skip
        st.button(
            "Next", icon=":material/arrow_forward:", on_click=_step, args=(1,), disabled=position >= total,
            shortcut="N", help="Key N",
        )  # fmt: skip
        st.number_input(
            "Number in the list", min_value=1, max_value=total, step=1, key="position", label_visibility="collapsed",
            width=130, on_change=_leave_aside,
        )  # fmt: skip
        st.markdown(f"of {total:,}", width="content")


def _show_list(verdicts: Any, start: int, here: int) -> None:
    columns: dict[str, Any] = {
        "shown": st.column_config.TextColumn("", width=30, help="What is shown below"),
        "result_class": st.column_config.TextColumn("Class", help=terms.HELP["result_class"]),
        "subclass": st.column_config.TextColumn("Subclass", help=terms.HELP["subclass"]),
        "are": st.column_config.NumberColumn("ARE", help=terms.ARE, width="small"),
        "exact": st.column_config.TextColumn("Exact", help=terms.HELP["exact"]),
        "exercised": st.column_config.TextColumn("Used", help=terms.HELP["exercised"]),
        "domain": st.column_config.TextColumn("Domain", help=terms.HELP["domain"]),
        "action": st.column_config.TextColumn("Action", help=terms.HELP["action"]),
        "description_class": st.column_config.TextColumn("Description", help=terms.HELP["description_class"]),
        "sample": st.column_config.NumberColumn("Prompt", help="Prompts of one action differ in their examples"),
        "round": st.column_config.NumberColumn("Round", help=terms.HELP["round"]),
        "grammar": st.column_config.CheckboxColumn("Grammar", help=terms.HELP["grammar"]),
        "model": st.column_config.TextColumn("Model", help=terms.HELP["model"]),
        "tag": st.column_config.TextColumn("Tag", help=terms.HELP["tag"]),
        "note": st.column_config.TextColumn("Note", help="What a person has noted"),
        "reason": st.column_config.TextColumn("Reason", width="large"),
    }
    unusual = {name for name, usual in _USUAL.items() if not verdicts[name].isin([usual]).all()}
    exercised = verdicts["exercised"].map({True: "yes", False: "no"})
    unusual |= {"exercised"} if exercised.notna().any() else set()
    order = [name for name in columns if name in unusual or name not in (*_USUAL, "exercised")]
    st.dataframe(
        verdicts.assign(
            shown=["▶" if row == here else "" for row in range(len(verdicts))],
            model=verdicts["model"].map(model_labels(verdicts["model"].unique())),
            exercised=exercised,
            sample=verdicts["sample"] + 1,
        ),
        column_order=order,
        column_config=columns,
        hide_index=True,
        height=min(38 + 35 * len(verdicts), 260),
        on_select=lambda: _take_selected(start),
        selection_mode="single-row",
        placeholder="–",
        key="list",
    )
