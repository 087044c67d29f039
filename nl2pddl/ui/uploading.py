"""The form that adds a domain from files in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import streamlit as st

from nl2pddl.beside import BesideError
from nl2pddl.domain_upload import (
    LONGEST_NAME,
    MOST_FILES,
    NewDomain,
    Template,
    Upload,
    add_domain,
    faults_of,
    size_faults,
    template_of,
)
from nl2pddl.errors import DomainError
from nl2pddl.ui.linking import go_to_domain
from nl2pddl.ui.text import plain, reasons_of, show_fault
from nl2pddl.ui.waiting import bench, outcome, watch

_MOST_SECONDS = 60.0  # to read all files: every page that lists domains reads them again
_MOST_MEGABYTES = 1
_MOST_SHOWN = 40
_NAME_HELP = f"By which the domain is chosen: a to z, 0 to 9 and -, at most {LONGEST_NAME} characters."
_DOMAIN_HELP = "A (define (domain …) …) in PDDL: types, predicates and actions, which become the ground truth."
_PROBLEM_HELP = (
    "One or more (define (problem …) …) for this domain: objects, initial state and goal. Outputs are judged by the "
    "plans of these problems, so each should have a plan, and use every action if possible."
)
_LANGUAGE_HELP = (
    "How predicates and actions are said in words, which prompts are made from. Without it outputs can be judged, but "
    "no run can be launched. Make a template, and fill it in."
)


def show_added() -> None:
    """Say once that a domain was added."""
    name = st.session_state.pop("domain_added", None)
    if name is not None:
        st.success(f"The domain {plain(name)} was added.", icon=":material/check:")


def offer_upload(directory: Path, others: Path) -> None:
    """The form; a domain that is right is written into ``directory`` and shown. Names in ``others`` are taken, too."""
    # New keys after a success: a file cannot be taken out of its widget otherwise.
    turn = st.session_state.setdefault("upload_turn", 0)
    with st.expander("Add a domain", icon=":material/add:"):
        st.caption(f"At most {MOST_FILES} files of {_MOST_MEGABYTES} MB each. Nothing is written unless all is right.")
        name = st.text_input(
            "ID of the new domain", key=f"upload_name-{turn}", help=_NAME_HELP, placeholder="my-domain"
        )
        first, second, third = st.columns(3)
        domain = first.file_uploader(
            "domain.pddl", "pddl", key=f"upload_domain-{turn}", max_upload_size=_MOST_MEGABYTES, help=_DOMAIN_HELP
        )
        problems = second.file_uploader(
            "Problems", "pddl", accept_multiple_files=True, key=f"upload_problems-{turn}", help=_PROBLEM_HELP,
            max_upload_size=_MOST_MEGABYTES,
        )  # fmt: skip
        language = third.file_uploader(
            "language.toml (optional)", "toml", key=f"upload_language-{turn}", help=_LANGUAGE_HELP,
            max_upload_size=_MOST_MEGABYTES,
        )  # fmt: skip
        with st.container(horizontal=True):
            pressed = st.button("Add the domain", key="upload_add", type="primary", icon=":material/add:")
            asked = st.button(
                "Template for language.toml", key="upload_template", icon=":material/edit_note:",
                disabled=domain is None,
                help="Made of domain.pddl, with every predicate and action, to be filled in",
            )  # fmt: skip
        if asked and domain is not None:
            _offer_template(_upload(domain))
        if pressed:
            _add(name.strip(), domain, problems, language, directory, others)


def _upload(file: Any) -> Upload:
    return Upload(file.name, file.getvalue())


def _add(name: str, domain: Any, problems: Sequence[Any], language: Any, directory: Path, others: Path) -> None:
    if domain is None:
        show_fault("The domain was not added.", "choose its domain.pddl")
        return
    # By name, so that their order is that of their owner's folder and not that of the upload.
    ordered = sorted((_upload(problem) for problem in problems), key=lambda upload: upload.name)
    new = NewDomain(name, _upload(domain), tuple(ordered), _upload(language) if language else None)
    try:
        add_domain(new, directory, _read, others)
    except DomainError as error:
        reasons = reasons_of(error)
        more = [f"and {len(reasons) - _MOST_SHOWN:,} more"] if len(reasons) > _MOST_SHOWN else []
        show_fault("The domain was not added; nothing was written.", *reasons[:_MOST_SHOWN], *more)
        return
    st.session_state["upload_turn"] += 1
    st.session_state["domain_added"] = name
    go_to_domain(name)
    st.rerun()


def _read(folder: Path) -> Sequence[str]:
    """What is wrong with the domain in ``folder``, found in a process of its own."""
    job = bench().beside(faults_of, folder, seconds=_MOST_SECONDS)
    try:
        watch(job, "Reading the files", "upload")
        return job.result()
    except CancelledError:
        return ("reading the files was stopped",)
    except BesideError as error:
        return (f"the files cannot be read: {error}",)
    finally:
        job.stop()  # where the page was drawn anew meanwhile, nobody waits for it


def _offer_template(domain: Upload) -> None:
    faults = list(size_faults(domain))
    if faults:
        show_fault("There is no template.", *faults)
        return
    job = bench().beside(template_of, domain.content.decode("utf-8-sig"), seconds=_MOST_SECONDS)
    watch(job, "Reading domain.pddl", "template")
    template: Template | None = outcome(job, "There is no template.")
    if template is None:
        return
    if template.faults:
        show_fault("There is no template.", *template.faults)
        return
    st.download_button(
        "Download language.toml", template.text, "language.toml", "text/plain", key="upload_template_file",
        icon=":material/download:", on_click="ignore",
    )  # fmt: skip
