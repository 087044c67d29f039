"""How large the problems of a domain are, counted on request."""

from __future__ import annotations

from typing import Any

import streamlit as st

from nl2pddl.bench import Job
from nl2pddl.comparing import measure
from nl2pddl.domains import Domain
from nl2pddl.exact import ExactLimits
from nl2pddl.exact.space import StateSpace
from nl2pddl.ui.waiting import bench, outcome, watch

LIMITS = ExactLimits(states=1_000_000, seconds=20.0)
_STARTING_SECONDS = 60.0


def show_spaces(domain: Domain) -> None:
    """A button, and the sizes once they are known; they are kept for the session."""
    st.caption(
        f"Counted up to {LIMITS.states:,} states and {LIMITS.seconds:g} s a problem. A state is the set of facts that "
        "hold at one time; a ground action is an action with objects for its parameters."
    )
    jobs: dict[str, Job[tuple[StateSpace, ...]]] = st.session_state.setdefault("space_jobs", {})
    if st.button("Count states", key="count_states", icon=":material/calculate:"):
        if domain.source.sha in jobs:
            jobs[domain.source.sha].stop()
        seconds = LIMITS.seconds * len(domain.problems) + _STARTING_SECONDS
        jobs[domain.source.sha] = bench().beside(measure, domain.source, LIMITS, seconds=seconds)
    job = jobs.get(domain.source.sha)
    if job is None:
        return
    total = len(domain.problems)
    watch(job, "Counting", "spaces", lambda progress: f"{len(progress[0])} of {total} done, {progress[1]:,} states")
    spaces = outcome(job, "The states could not be counted.")
    if spaces is None:
        # What was finished before it ended is worth showing.
        spaces = job.progress[0] if job.progress else ()
    if spaces:
        _show_table(spaces)


def _show_table(spaces: tuple[StateSpace, ...]) -> None:
    rows: list[dict[str, Any]] = [
        {
            "Problem": space.problem,
            "Reachable states": in_words(space),
            "Ground actions": _number(space.ground_actions),
            "Facts": _number(space.facts),
            "Note": space.detail,
        }
        for space in spaces
    ]
    columns = {
        "Reachable states": st.column_config.TextColumn(help="From the initial state, by any sequence of actions"),
        "Ground actions": st.column_config.TextColumn(help="Those that could apply if nothing were ever made false"),
        "Facts": st.column_config.TextColumn(help="Those that some action can change"),
    }
    st.dataframe(rows, hide_index=True, column_config=columns, key="space_table")


def in_words(space: StateSpace) -> str:
    """The number of states, or that there are more than were counted."""
    if space.states is None:
        return "not counted"
    return f"more than {space.states:,}" if space.detail else f"{space.states:,}"


def _number(value: int | None) -> str:
    return "not counted" if value is None else f"{value:,}"
