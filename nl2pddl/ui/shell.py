"""The frame around every page: navigation, the guard for cold links, and the handles to store and run manager."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page

from nl2pddl.errors import InputError, StoreError, StoreLockedError
from nl2pddl.runs import RunManager
from nl2pddl.settings import Settings, load_settings
from nl2pddl.store import Store
from nl2pddl.ui.markup import STYLE
from nl2pddl.ui.text import show_fault
from nl2pddl.workshop import Workshop

LAUNCH, RUNS, RESULTS, FAILURES = "pages/launch.py", "pages/runs.py", "pages/results.py", "pages/failures.py"
WORKBENCH, DOMAINS, BUILD = "pages/workbench.py", "pages/domains.py", "pages/build.py"
_NAVIGATED = "navigated"


def navigation() -> Page:
    """Register the pages and give the one that was asked for. Only app.py calls this."""
    st.session_state[_NAVIGATED] = True
    return st.navigation(_pages(), position="top")


def ask_for_login() -> None:
    """Stop with a button to log in, where Streamlit's settings name an OIDC provider and nobody is logged in yet."""
    try:
        wanted = "auth" in st.secrets
    except FileNotFoundError:  # no settings of that kind at all
        return
    if wanted and not st.user.get("is_logged_in", False):
        st.title("NL2PDDL")
        st.button("Log in", type="primary", on_click=st.login)
        st.stop()


def _pages() -> list[Page]:
    return [
        # Streamlit serves its default page at the root alone; this one makes /launch a link that works as well.
        st.Page(_home, title="NL2PDDL", default=True, visibility="hidden"),
        # No icons: the browser would fetch that of the first page as its favicon from outside.
        st.Page(LAUNCH, title="Launch", url_path="launch"),
        st.Page(RUNS, title="Runs", url_path="runs"),
        st.Page(RESULTS, title="Results", url_path="results"),
        st.Page(FAILURES, title="Failures", url_path="failures"),
        st.Page(WORKBENCH, title="Workbench", url_path="workbench"),
        st.Page(DOMAINS, title="Domains", url_path="domains"),
        st.Page(BUILD, title="Build", url_path="build"),
    ]


def _home() -> None:
    st.switch_page(LAUNCH)


@dataclass(frozen=True)
class Handles:
    """The one store, run manager and workshop of this process, shared by all sessions."""

    store: Store
    manager: RunManager
    workshop: Workshop


def open_page() -> Handles:
    """What every page begins with. Stops the page with a clear message where the store cannot be opened."""
    if _NAVIGATED not in st.session_state:
        # On a cold server a link to a page runs that file alone; after this app.py runs first, as it should.
        st.navigation(_pages(), position="hidden")
        st.rerun()
    st.html(STYLE)
    try:
        settings = load_settings()
        return _handles(str(settings.data_dir), str(settings.domains_dir), str(settings.store), settings.workers)
    except StoreLockedError as error:
        show_fault("The result store is in use by another program.", str(error))
    except StoreError as error:
        show_fault("The result store cannot be opened.", str(error))
    except InputError as error:
        show_fault("A setting is wrong.", str(error))
    if st.button("Try again"):
        st.rerun()
    st.stop()


def open_handles() -> Handles:
    """The handles again, for a part of a page that has been opened."""
    settings = load_settings()
    return _handles(str(settings.data_dir), str(settings.domains_dir), str(settings.store), settings.workers)


def _close(handles: Handles) -> None:
    handles.workshop.close()
    handles.manager.close()
    handles.store.close()


@st.cache_resource(show_spinner=False, on_release=_close)
def _handles(data_dir: str, domains_dir: str, store: str, workers: int) -> Handles:
    """Open everything once a process. What raises is not cached, so the next visit tries again."""
    settings = Settings(Path(data_dir), Path(domains_dir), Path(store), workers)
    opened = Store(settings.store)
    return Handles(opened, RunManager(opened, settings), Workshop(opened, settings))
