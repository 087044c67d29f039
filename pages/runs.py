"""All runs: live progress of those under way, and cancel, resume, look at any, or import results."""

import streamlit as st

from nl2pddl.store import queries
from nl2pddl.ui import running, shell
from nl2pddl.ui.choosing import run_labels
from nl2pddl.ui.importing import offer_import

handles = shell.open_page()
st.title("Runs")
running.show_deleted()

if queries.runs_frame(handles.store).empty:
    st.info("No run has been launched yet. Choose a model and domains, and launch one.")
    st.page_link(shell.LAUNCH, label="Launch a run", icon=":material/rocket_launch:")
    offer_import(handles, expanded=True)
    st.stop()


# Polls only while something runs; when a run ends the page is drawn anew, and without polling if it was the last.
@st.fragment(run_every=1.0 if handles.manager.active() else None)
def live() -> None:
    runs = running.with_status(handles, queries.runs_frame(handles.store))
    labels = run_labels(runs)
    running.show_active(handles, labels)
    running.show_table(runs)
    running.show_one(handles, runs, labels)


live()
offer_import(handles)
