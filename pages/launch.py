"""Launch a run: choose models, domains and description classes, see the prompt, and start."""

import streamlit as st

from nl2pddl.errors import InputError, StoreError
from nl2pddl.ui import form_link, launching, shell
from nl2pddl.ui.text import reasons_of, show_fault

handles = shell.open_page()
st.title("Launch a run")
st.caption(
    "Language models write planning actions in PDDL from their description in words; each is judged by planning with "
    "it. Choose below and launch, or look at results from elsewhere: a file of them is imported under Runs."
)

try:
    library = handles.manager.library()
except InputError as error:
    show_fault("The domains cannot be read.", *reasons_of(error))
    st.stop()

form_link.reopen()
config = launching.choose_config(library)
form_link.keep(config)
size, dry, button = st.columns([4, 1, 1], vertical_alignment="center")
size.markdown(launching.size_of(config, library))
tried = dry.button(
    "Dry run", icon=":material/labs:", width="stretch", help="Three prompts a model, and what the whole run would take"
)
if button.button("Launch", type="primary", icon=":material/rocket_launch:", width="stretch") or tried:
    try:
        with st.spinner("Building the prompts"):
            run_id = handles.manager.dry_run(config) if tried else handles.manager.launch(config)
            launching.remember_dry_run(run_id, config, tried=tried)
    except InputError as error:
        show_fault("This run cannot be launched.", *reasons_of(error))
    except StoreError as error:
        show_fault("The run could not be stored.", *reasons_of(error))
    else:
        st.switch_page(shell.RUNS, query_params={"run": run_id})

launching.show_memory(config, handles.manager.settings.data_dir)
launching.show_estimate(handles.manager, config)
launching.show_preview(config, library)
