"""Judge any text at once, or compare two domains given as texts. Nothing is stored."""

import streamlit as st

from nl2pddl.errors import InputError
from nl2pddl.ui import comparison, shell, workbench
from nl2pddl.ui.text import reasons_of, show_fault

handles = shell.open_page()
st.title("Workbench")
st.html(workbench.MONOSPACED)

try:
    library = handles.manager.library()
except InputError as error:
    show_fault("The domains cannot be read.", *reasons_of(error))
    st.stop()

judge, compare = st.tabs(["Judge an action", "Compare two domains"], key="bench", bind="query-params")
if compare.open:
    with compare:
        comparison.show_comparison(library)
else:
    with judge:
        workbench.show_bench(library)
