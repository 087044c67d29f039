"""Does what a person asked for on a page: it is stored and the page drawn anew, or the reason stands on the page."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from nl2pddl.errors import NL2PDDLError
from nl2pddl.ui.text import plain, reasons_of, show_fault


def keep(does: Callable[[], object], refused: str, told: str = "") -> None:
    """Do it and draw the page anew, on which ``told`` is said; or, under the title ``refused``, why it cannot be."""
    try:
        does()
    except NL2PDDLError as error:
        show_fault(refused, *reasons_of(error))
        return
    if told:
        st.toast(plain(told), icon=":material/check:")
    st.rerun()
