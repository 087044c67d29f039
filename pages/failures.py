"""Failures one by one: filter the verdicts, step through them, and see what is behind each."""

import streamlit as st

from nl2pddl.errors import InputError, StoreError
from nl2pddl.store import queries
from nl2pddl.ui import failure, shell
from nl2pddl.ui.choosing import choose_runs, filter_verdicts
from nl2pddl.ui.text import reasons_of, show_fault

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
run_id, index = failure.choose_one(verdicts)
failure.show_item(handles.store, run_id, index)
if st.button("Ask again", icon=":material/replay:", help="This item alone, in a run of its own"):
    try:
        again = handles.manager.again(run_id, [index])
    except (InputError, StoreError) as error:
        show_fault("It cannot be asked again.", *reasons_of(error))
    else:
        st.switch_page(shell.RUNS, query_params={"run": again})
