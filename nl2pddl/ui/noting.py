"""The note and the tag that a person can put on an output."""

from __future__ import annotations

import streamlit as st

from nl2pddl.errors import InputError, StoreError
from nl2pddl.store import Store, notes
from nl2pddl.store.notes import LONGEST_NOTE, LONGEST_TAG, Note
from nl2pddl.ui.text import plain, reasons_of, show_fault


def note_form(store: Store, run_id: str, index: int, note: Note) -> None:
    """A button that opens the form; what is saved there shows at once."""
    key = f"{run_id}.{index}"
    with st.popover("Note and tag", icon=":material/sticky_note_2:"), st.form(f"note-{key}", border=False):
        text = st.text_area("Note", value=note.note, max_chars=LONGEST_NOTE, key=f"note-text-{key}")
        used = notes.all_tags(store)
        tag = st.text_input(
            "Tag", value=note.tag, max_chars=LONGEST_TAG, key=f"note-tag-{key}",
            help="One short word or two; the list can be filtered by it.",
        )  # fmt: skip
        if used:
            st.caption(plain(f"In use: {', '.join(used[:20])}"))
        if st.form_submit_button("Save", type="primary"):
            try:
                notes.add_note(store, run_id, index, Note(text, tag))
            except (InputError, StoreError) as error:
                show_fault("The note was not saved.", *reasons_of(error))
            else:
                st.rerun()


def show_note(note: Note) -> None:
    """What is noted, as text."""
    if note.tag:
        st.badge(plain(note.tag), icon=":material/label:")
    if note.note:
        with st.container(border=True):
            st.text(note.note)
