"""Results of the chosen runs, view by view: which model, which description, and why it fails."""

import streamlit as st

from nl2pddl.store import queries
from nl2pddl.ui import charts, shell, views
from nl2pddl.ui.choosing import choose_runs
from nl2pddl.ui.cutting import cut
from nl2pddl.ui.importing import show_hints

handles = shell.open_page()
st.title("Results")
show_hints()

runs = choose_runs(handles.store)
totals = [queries.counts(handles.store, run) for run in runs]
judged = sum(done for _, _, done in totals)
chosen = cut(handles.store, handles.manager.library, runs, judged)
charts.warn_of_missing(sum(total for total, _, _ in totals), judged)
charts.warn_of_mixed_protocols(chosen.cube)
charts.warn_of_mixed_decoding(chosen.cube, {run: queries.run_config(handles.store, run) for run in runs})
if chosen.cube.empty:
    views.show_other_items(handles.store, chosen)
    st.stop()
views.show_chosen(handles.store, chosen)
