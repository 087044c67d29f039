"""Results of the chosen runs: result classes, subclasses and the action reconstruction error."""

import streamlit as st

from nl2pddl import figures
from nl2pddl.store import counts as count
from nl2pddl.store import queries
from nl2pddl.ui import charts, shell
from nl2pddl.ui.choosing import choose_runs, link_query

handles = shell.open_page()
st.title("Results")

runs = choose_runs(handles.store)
counts = count.class_counts(handles.store, runs)
charts.show_full_names(counts)
totals = [queries.counts(handles.store, run) for run in runs]
charts.warn_of_missing(sum(total for total, _, _ in totals), sum(judged for _, _, judged in totals))
charts.show_headline(counts, len(runs))
beyond = count.exact_counts(handles.store, runs)
charts.warn_of_mixed_protocols(beyond)
counts = charts.labelled(counts)
st.page_link(
    shell.FAILURES, label="Look at the failures", icon=":material/troubleshoot:", query_params=link_query(runs)
)

heading, choice = st.columns([4, 1], vertical_alignment="bottom")
heading.subheader("Result classes by model and description class")
with choice:
    pies = st.segmented_control("Draw as", ["Bars", "Pies"], default="Bars", key="as") == "Pies"
classes = figures.class_table(counts)
charts.show_figure(figures.class_pies(classes) if pies else figures.class_bars(classes), classes, "classes")
if figures.best_descriptions(classes):
    st.caption("★ the description class with the largest share of equivalents for this model")

st.subheader("Subclasses")
subclasses = figures.subclass_table(counts)
charts.show_figure(figures.subclass_bars(subclasses), subclasses, "subclasses")

different = figures.different_table(counts)
if not different.empty:
    st.subheader("Within “different”")
    drawn = figures.different_pies(different) if pies else figures.different_bars(different)
    charts.show_figure(drawn, different, "different")
    st.caption(
        "NoPlan: no plan with the new action. NPApp: a new plan fails in the original domain. "
        "OPApp: an original plan fails in the new one."
    )

charts.show_rounds(count.round_counts(handles.store, runs))
charts.show_whole_domains(count.whole_domain_counts(handles.store, runs))
charts.show_beyond(beyond)

st.subheader("Action reconstruction error")
errors = figures.are_table(charts.labelled(count.are_counts(handles.store, runs)))
charts.show_figure(figures.are_histogram(errors), errors, "are")
st.caption(
    "How many literals of precondition, add and delete effects differ from the ground truth; 0: the same action."
)
