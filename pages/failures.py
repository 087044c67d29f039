"""Failures one by one: filter the verdicts, step through them, and see what is behind each."""

import streamlit as st

from nl2pddl.store import queries
from nl2pddl.ui import failure, shell
from nl2pddl.ui.choosing import choose_runs, filter_verdicts

handles = shell.open_page()
st.title("Failures")

runs = choose_runs(handles.store)
wanted, text = filter_verdicts(handles.store, runs)
verdicts, total = queries.verdict_list(handles.store, wanted, text)
if verdicts.empty:
    st.info("No output passes these filters. Widen them, or include the equivalent outputs.")
    st.stop()
if total > len(verdicts):
    st.caption(f"The first {len(verdicts):,} of {total:,} outputs. Narrow the filters to see the others.")
failure.show_item(handles.store, *failure.choose_one(verdicts))
