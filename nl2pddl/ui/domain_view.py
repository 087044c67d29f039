"""The view Domain of the page Build: the whole of it as PDDL, what looks odd in it, and what can be taken along."""

from __future__ import annotations

import streamlit as st

from nl2pddl.ui.shell import Handles
from nl2pddl.ui.text import plain, show_fault, show_text
from nl2pddl.worldmodel import checking, published
from nl2pddl.worldmodel.impossible import never_possible_in
from nl2pddl.worldmodel.session import Work


def show(handles: Handles, work: Work) -> None:
    """The domain as it stands."""
    construction = work.construction
    if construction.missing:
        st.warning(plain(f"There is no version yet of: {', '.join(construction.missing)}."))
    name = construction.setup.brief.name
    with st.container(horizontal=True):
        st.download_button(
            "domain.pddl", construction.domain_text(), f"{name}.pddl", "text/plain", icon=":material/download:",
            key="domain_file", on_click="ignore",
        )  # fmt: skip
        st.download_button(
            "Records and annotations", published.records_json(construction), f"{name}.json", "application/json",
            icon=":material/download:", key="records_file", on_click="ignore",
            help="For each action its description, its text and your notes, in the layout of Guan et al.",
        )  # fmt: skip
    certain = list(never_possible_in(construction))
    if certain:
        show_fault("Something in it can never be done:", *certain)
    hints = list(checking.hints(construction.drafts, construction.predicates))
    if hints:
        st.markdown(
            "**To look at:** it may be right, and is worth a thought.\n" + "\n".join(f"- {plain(one)}" for one in hints)
        )
    show_text(construction.domain_text())
