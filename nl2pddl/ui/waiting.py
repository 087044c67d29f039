"""Waits for a job of the bench: with its progress and a way to stop it, and without keeping anybody else waiting."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any, TypeVar

import streamlit as st

from nl2pddl.bench import Bench, Job
from nl2pddl.errors import NL2PDDLError
from nl2pddl.ui.text import plain, reasons_of, show_fault

T = TypeVar("T")

_LOOK_SECONDS = 0.3


@st.cache_resource(show_spinner=False, on_release=Bench.close)
def bench() -> Bench:
    """The one bench of this process."""
    return Bench()


def watch(job: Job[Any], words: str, key: str, said: Callable[[Any], str] = str) -> None:
    """Draw that ``job`` is under way until it has ended; ``said`` puts its progress into words.

    A visitor who does something else on the page meanwhile is served at once: the page is drawn anew, and waits again.
    """
    place = st.empty()
    if job.done(_LOOK_SECONDS):  # what comes at once needs no stop button
        return
    with place.container(), st.spinner(words, show_time=True):
        st.button("Stop", key=f"stop-{key}", on_click=job.stop, icon=":material/stop:")
        line = st.empty()
        while not job.done(_LOOK_SECONDS):
            waiting = "" if job.started else "waiting for other sessions' computations to end"
            line.caption(plain(waiting or (said(job.progress) if job.progress is not None else "")))
    place.empty()


def outcome(job: Job[T], failed: str) -> T | None:
    """What came out of an ended job; None, with the reason on the page, where nothing did."""
    try:
        return job.result()
    except CancelledError:
        st.info("It was stopped.")
    except NL2PDDLError as error:
        show_fault(failed, *reasons_of(error))
    return None
