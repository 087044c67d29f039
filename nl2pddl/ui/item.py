"""One output: its verdict, what can be done with it, and what else was answered to its prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from nl2pddl.errors import InputError, NL2PDDLError, StoreError
from nl2pddl.experiment import WHOLE_DOMAIN
from nl2pddl.rejudging import judge_again, other_protocol
from nl2pddl.store import notes, queries
from nl2pddl.store.listing import Filter
from nl2pddl.store.queries import ItemDetail
from nl2pddl.ui import browsing, failure, markup, shell, terms
from nl2pddl.ui.choosing import model_labels
from nl2pddl.ui.noting import note_form, show_note
from nl2pddl.ui.text import reasons_of, show_fault

_BOTH = {
    "result_class": "Class",
    "subclass": "Subclass",
    "action_reconstruction_error": "ARE",
    "reason": "Reason",
    "exercised": "Plans use the action",
    "plan_relation": "Plan sets",
    "validator_version": "Validator",
    "action_text": "Extracted action",
}


def show_item(handles: shell.Handles, wanted: Filter, run_id: str, index: int) -> None:
    """The item with its verdict, what can be done with it, what is behind it, and the other models' answers."""
    detail = _under_chosen_protocol(handles, wanted, run_id, index)
    failure.show_verdict(detail)
    note = notes.latest_note(handles.store, run_id, index)
    show_note(note)
    with st.container(horizontal=True):
        note_form(handles.store, run_id, index, note)
        _offer_other_protocol(handles, run_id, index, detail)
        if detail.output is not None and detail.item.action != WHOLE_DOMAIN:
            _offer_asking_again(handles, run_id, index)
    if len(detail.protocols) > 1:
        _show_both(handles, run_id, index, detail)
    with st.expander("The same prompt across models", icon=":material/compare_arrows:"):
        _show_same_prompt(handles, wanted.run_ids, (run_id, index), detail)
    if detail.output is None:
        failure.show_imported(handles.manager.library(), detail)
    else:
        failure.show_output(handles.store, run_id, detail)


def _under_chosen_protocol(handles: shell.Handles, wanted: Filter, run_id: str, index: int) -> ItemDetail:
    detail = queries.item_detail(handles.store, run_id, index, wanted.protocol)
    if len(detail.protocols) == 1:
        return detail
    chosen = st.segmented_control(
        "Verdict by protocol", detail.protocols, default=detail.verdict["protocol"], required=True,
        key="verdict", bind="query-params", help=terms.HELP["protocol"],
    )  # fmt: skip
    return queries.item_detail(handles.store, run_id, index, chosen)


def _offer_other_protocol(handles: shell.Handles, run_id: str, index: int, detail: ItemDetail) -> None:
    other = other_protocol(detail)
    if other is None:
        return
    pressed = st.button(
        f"Evaluate again: {other.value}", icon=":material/gavel:",
        help=f"Judge this output by protocol {other.value} too; both verdicts are kept. " + terms.HELP["protocol"],
    )  # fmt: skip
    if not pressed:
        return
    try:
        with st.spinner(f"Judging by protocol {other.value} …", show_time=True):
            judge_again(handles.store, handles.manager.settings, run_id, index)
    except NL2PDDLError as error:
        show_fault("It cannot be judged again.", *reasons_of(error))
    else:
        st.rerun()


def _offer_asking_again(handles: shell.Handles, run_id: str, index: int) -> None:
    if not st.button("Ask again", icon=":material/replay:", help="This item alone, in a run of its own"):
        return
    try:
        again = handles.manager.again(run_id, [index])
    except (InputError, StoreError) as error:
        show_fault("It cannot be asked again.", *reasons_of(error))
    else:
        st.switch_page(shell.RUNS, query_params={"run": again})


def _show_both(handles: shell.Handles, run_id: str, index: int, detail: ItemDetail) -> None:
    """Both verdicts side by side, as far as they differ; the class always."""
    verdicts = [queries.item_detail(handles.store, run_id, index, name).verdict for name in detail.protocols]
    flips = len({(verdict["result_class"], verdict["subclass"]) for verdict in verdicts}) > 1
    st.markdown(f"**Both protocols: {'the verdict flips' if flips else 'the same verdict'}**")
    told = {name: [_told(verdict, name) for verdict in verdicts] for name in _BOTH}
    differing = [name for name, values in told.items() if len(set(values)) > 1]
    rows = [(_BOTH[name], told[name]) for name in dict.fromkeys(["result_class", *differing])]
    st.html(markup.beside_html(detail.protocols, rows))


def _told(verdict: Mapping[str, Any], name: str) -> str:
    value = terms.reason_sentence(verdict) if name == "reason" else verdict[name]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)


def _show_same_prompt(
    handles: shell.Handles, run_ids: Sequence[str], shown: tuple[str, int], detail: ItemDetail
) -> None:
    """A row for each answer to the same prompt in the chosen runs; a click on one goes there."""
    frame = queries.same_prompt(handles.store, run_ids, detail.item)
    items = list(zip(frame["run_id"], (int(place) for place in frame["item_index"]), strict=True))
    st.caption("Every answer to this prompt in the chosen runs, up to 200. Select a row to go to it.")
    key = f"same-{shown[0]}.{shown[1]}"

    def take() -> None:
        rows = st.session_state[key].selection.rows
        if rows:
            browsing.go_to(*items[rows[0]])

    columns: dict[str, Any] = {
        "here": st.column_config.TextColumn("", width=30, help="What is shown above"),
        "model": "Model",
        "result_class": st.column_config.TextColumn("Class", help=terms.HELP["result_class"]),
        "subclass": st.column_config.TextColumn("Subclass", help=terms.HELP["subclass"]),
        "are": st.column_config.NumberColumn("ARE", help=terms.ARE),
        "protocol": st.column_config.TextColumn("Protocol", help=terms.HELP["protocol"]),
        "draw": st.column_config.NumberColumn("Answer", help="Of several answers to one prompt"),
        "round": st.column_config.NumberColumn("Round", help=terms.HELP["round"]),
        "grammar": st.column_config.CheckboxColumn("Grammar", help=terms.HELP["grammar"]),
        "run_id": "Run",
    }
    st.dataframe(
        frame.assign(
            here=["▶" if item == shown else "" for item in items],
            model=frame["model"].map(model_labels(frame["model"].unique())),
            draw=frame["draw"] + 1,
        ),
        column_order=list(columns), column_config=columns, hide_index=True, on_select=take,
        height=min(38 + 35 * len(frame), 320), selection_mode="single-row", placeholder="–", key=key,
    )  # fmt: skip
