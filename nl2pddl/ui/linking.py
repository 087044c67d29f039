"""Widgets whose values the page's address keeps, so that a link opens the page on the same choice."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nl2pddl import twins
from nl2pddl.domains import Domain, DomainLibrary
from nl2pddl.errors import InputError
from nl2pddl.ui.text import plain, reasons_of, show_fault


def choose_domain(library: DomainLibrary, key: str, words: str, notices: DeltaGenerator) -> Domain | None:
    """A domain or twin by its ID, which the page's address keeps; None, with the reason in ``notices``, for no such."""
    known = list(library.domains)
    name = st.query_params.get("domain", st.session_state.get(key))
    try:
        found = twins.find(library, name).id if name else None
    except InputError:
        found = name  # what is wrong is said below
    st.session_state[key] = found or next(iter(known), None)
    options = known if found in known or not found else [*known, found]
    chosen = st.selectbox(
        "Domain", options, key=key, accept_new_options=True, on_change=_link_domain, args=(key,), help=words,
        placeholder="There is no domain", persist_state="session",
    )  # fmt: skip
    try:
        return twins.find(library, chosen or "")
    except InputError as error:
        broken = library.broken.get(chosen or "")
        with notices:
            show_fault("This domain cannot be used." if broken else "There is no such domain.", *reasons_of(error))
        return None


def linked(key: str, parameter: str, options: list[str], notices: DeltaGenerator | None = None) -> None:
    """Set a widget to what the page's address says, else leave it, else take the first of the options.

    What the address names and is not there is said in ``notices``.
    """
    named = st.query_params.get(parameter)
    if named in options:
        st.session_state[key] = named
        return
    if named and notices is not None:
        told = f"The link asks for the {parameter} {plain(named)}, which is not there."
        notices.warning(told, icon=":material/link_off:")
    if st.session_state.get(key) not in options:
        st.session_state[key] = next(iter(options), None)


def go_to_domain(name: str) -> None:
    """Show this domain next; what the address says of parts of another one does not hold of it."""
    st.query_params["domain"] = name
    for part in ("action", "problem"):
        st.query_params.pop(part, None)


def _link_domain(key: str) -> None:
    go_to_domain(st.session_state[key] or "")


def link(key: str, parameter: str) -> None:
    """Keep a widget's value in the page's address."""
    st.query_params[parameter] = st.session_state[key] or ""
