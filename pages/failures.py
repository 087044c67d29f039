"""Failures one by one: filter the verdicts, step through them, and see what is behind each."""

import streamlit as st

from nl2pddl.errors import InputError, StoreError
from nl2pddl.experiment import RunKind
from nl2pddl.store import queries
from nl2pddl.ui import failure, listing, paging, shell
from nl2pddl.ui.choosing import choose_runs
from nl2pddl.ui.text import reasons_of, show_fault

handles = shell.open_page()
st.title("Failures")

runs = choose_runs(handles.store)
wanted = listing.filter_verdicts(handles.store, runs, queries.verdict_count(handles.store, runs))
run_id, index = paging.choose_one(handles.store, wanted)
failure.show_item(handles.store, handles.manager.library(), runs, run_id, index, wanted.protocol)
kind = queries.run_config(handles.store, run_id).kind
if kind is not RunKind.IMPORTED and st.button(
    "Ask again", icon=":material/replay:", help="This item alone, in a run of its own"
):
    try:
        again = handles.manager.again(run_id, [index])
    except (InputError, StoreError) as error:
        show_fault("It cannot be asked again.", *reasons_of(error))
    else:
        st.switch_page(shell.RUNS, query_params={"run": again})
