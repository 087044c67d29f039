"""The dashboard's entry: page settings and navigation. Start it with `make run` or `streamlit run app.py`."""

import streamlit as st

from nl2pddl.ui import shell

st.set_page_config(page_title="NL2PDDL", page_icon="🧩", layout="wide")
shell.ask_for_login()
shell.navigation().run()
