"""What a person adds to an output: a note and a tag; and the verdict by the other protocol."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from nl2pddl.bench import Job
from nl2pddl.errors import InputError, StoreError
from nl2pddl.experiment import WHOLE_DOMAIN
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.records import EvaluationSettings, Protocol, Verdict
from nl2pddl.store import Store, listing, notes, queries, writes
from nl2pddl.store.queries import ItemDetail
from nl2pddl.ui.text import plain, show_fault
from nl2pddl.ui.waiting import bench, outcome, watch


def show_note(store: Store, run_id: str, index: int) -> None:
    """The note and the tag of an output, to be read and changed. What is typed is kept when its field is left."""
    known = notes.note_of(store, run_id, index)
    title = "Note" + (f" · {known.tag}" if known.tag else "")
    keys = _Keys(f"note-{run_id}-{index}", f"tag-{run_id}-{index}")
    # As it was when the output came up: an expander that changes while somebody types in it takes the field away.
    came_up: tuple[str, bool] = st.session_state.get("note_open", ("", False))
    if came_up[0] != keys.note:
        came_up = st.session_state["note_open"] = (keys.note, bool(known.note or known.tag))
    with st.expander(plain(title), icon=":material/edit_note:", expanded=came_up[1]):
        words, tag = st.columns([5, 2], vertical_alignment="bottom")
        # Kept by the callback and not by a button: whoever goes on to the next output has left the field, and a note
        # that is not stored by then would be lost with the field.
        words.text_area(
            "Note", known.note, key=keys.note, height=80, on_change=_keep,
            args=(store, run_id, index, keys), placeholder="Kept when you leave the field",
        )  # fmt: skip
        tag.text_input(
            "Tag", known.tag, key=keys.tag, max_chars=notes.LONGEST_TAG, on_change=_keep,
            args=(store, run_id, index, keys), placeholder="A word to filter by",
        )  # fmt: skip
        if known.note or known.tag:
            st.caption("Kept.")


class _Keys(NamedTuple):
    """The keys of the two fields of an output."""

    note: str
    tag: str


def _keep(store: Store, run_id: str, index: int, keys: _Keys) -> None:
    try:
        notes.add_note(store, run_id, index, notes.Note(st.session_state[keys.note], st.session_state[keys.tag]))
    except (InputError, StoreError) as error:
        # Not beside the field: the page may be about to show another output, or none.
        st.toast(plain(f"The note was not kept: {error}"), icon=":material/error:", duration="long")


def show_protocols(store: Store, detail: ItemDetail, run_id: str) -> None:
    """The verdicts under both protocols where there are both; else a button that evaluates by the other."""
    index = detail.item.index
    verdicts = listing.verdicts_of(store, run_id, index)
    if len(verdicts) > 1:
        lines = [_line(*verdict) for verdict in verdicts]
        same = verdicts[0][1:3] == verdicts[1][1:3]
        st.markdown("**Both protocols** " + ("agree" if same else "differ") + ":\n" + "\n".join(lines))
        return
    if detail.output is None or detail.item.action == WHOLE_DOMAIN:
        return
    own = Protocol(detail.verdict["protocol"])
    other = next(protocol for protocol in Protocol if protocol is not own)
    key = f"again-{run_id}-{index}"
    if st.button(
        f"Evaluate by protocol {other} too", icon=":material/gavel:", key=key,
        help="strict: the paper's definitions. published: what the study's own code does. This verdict stays as it is.",
    ):  # fmt: skip
        settings = replace(queries.run_config(store, run_id).evaluation, protocol=other)
        source = queries.domain_source(store, detail.item.domain_sha)
        task = EvaluationTask(source, detail.item.action, detail.output, settings)
        st.session_state["judging_again"] = (key, bench().judge(task), settings)
    asked: tuple[str, Job[Verdict], EvaluationSettings] | None = st.session_state.get("judging_again")
    if asked is None or asked[0] != key:
        return
    watch(asked[1], f"Evaluating by protocol {other}", key, lambda progress: "")
    del st.session_state["judging_again"]
    verdict = outcome(asked[1], "It could not be evaluated.")
    if verdict is None:
        return
    try:
        writes.add_verdicts(store, run_id, [(index, verdict)], asked[2])
    except (InputError, StoreError) as error:
        show_fault("The verdict could not be stored.", str(error))
    else:
        st.rerun()


def _line(protocol: str, result_class: str, subclass: str | None, reason: str) -> str:
    return f"- {protocol}: **{result_class}{f' {subclass}' if subclass else ''}**, {plain(reason)}"
