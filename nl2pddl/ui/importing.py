"""Imports a results file that somebody chose in the browser."""

from __future__ import annotations

import streamlit as st

from nl2pddl import study
from nl2pddl.errors import InputError, StoreError
from nl2pddl.runs import import_results
from nl2pddl.ui import shell
from nl2pddl.ui.choosing import link_query
from nl2pddl.ui.shell import Handles
from nl2pddl.ui.text import plain, reasons_of, show_fault

_HELP = (
    "A CSV file in the layout of the published study (Oswald et al. 2024, results.csv): one line a verdict, with the "
    f"columns {', '.join(study.COLUMNS)}. It becomes a run of its own, marked as imported."
)


def show_hints() -> None:
    """Say once what looks wrong in the file that was just imported."""
    for hint in st.session_state.pop("import_hints", ()):
        st.warning(
            plain(
                f"Lines may be there twice: {hint}. They would count twice in every share. If so, delete this run "
                "under Runs, and import a mended file."
            ),
            icon=":material/content_copy:",
        )


def offer_import(handles: Handles, *, expanded: bool = False) -> None:
    """A place for a results file; what is imported is shown on the results page."""
    with st.expander("Import results", icon=":material/upload_file:", expanded=expanded):
        file = st.file_uploader(
            "Results file (CSV)", type="csv", key="results-file", help=_HELP, max_upload_size=study.LARGEST_FILE >> 20
        )
        if st.button("Import", key="import", icon=":material/download:", disabled=file is None) and file is not None:
            try:
                with st.spinner("Importing"):
                    results = study.read_results(file.getvalue(), file.name)
                    run_id = import_results(handles.store, results)
            except InputError as error:
                show_fault("Nothing was imported.", *reasons_of(error)[:10])
            except StoreError as error:
                show_fault("The verdicts could not be stored.", str(error))
            else:
                st.session_state["import_hints"] = results.hints
                st.switch_page(shell.RESULTS, query_params=link_query([run_id]))
