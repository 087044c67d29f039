"""The domains: what each holds, how it is described, how large its problems are, and how to add one."""

import streamlit as st

from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError
from nl2pddl.ui import browsing, shell, uploading
from nl2pddl.ui.text import reasons_of, show_fault

handles = shell.open_page()
st.title("Domains")

try:
    library = handles.manager.library()
except InputError as error:
    show_fault("The domains cannot be read.", *reasons_of(error))
    library = DomainLibrary({})

uploading.show_added()
browsing.show_list(library)
browsing.show_broken(library)
settings = handles.manager.settings
uploading.offer_upload(settings.added_domains, settings.domains_dir)
browsing.show_domain(library)
