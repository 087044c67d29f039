"""Build a whole domain from its description with a model, tools and a person; then plan with it."""

import streamlit as st

from nl2pddl.ui import briefing, constructing, shell

handles = shell.open_page()
st.title("Build a domain")
st.caption(
    "From a description in words to a checked planning domain: a language model writes one action after another, tools "
    "and you say what is wrong, and the finished domain is planned with (the method LLM-DM of Guan et al., 2023)."
)
construction = constructing.choose(handles.store)
if construction is None:
    briefing.describe(handles)
else:
    constructing.show(handles, construction)
