"""Failures one by one: filter the verdicts, step through them, and see what is behind each."""

import streamlit as st

from nl2pddl.ui import browsing, item, shell
from nl2pddl.ui.choosing import choose_runs
from nl2pddl.ui.filtering import filter_verdicts

handles = shell.open_page()
st.title("Failures")

wanted = filter_verdicts(handles.store, choose_runs(handles.store))
item.show_item(handles, wanted, *browsing.choose_one(handles.store, wanted))
