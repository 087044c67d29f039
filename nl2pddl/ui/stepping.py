"""A plan on the page, step by step: what becomes true and false, where it fails, and the state at any step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from nl2pddl.actions import LiftedAction, action_pddl
from nl2pddl.domains import Domain
from nl2pddl.errors import InputError
from nl2pddl.pddl_io import parse_domain
from nl2pddl.planning.stepping import MOST_STEPS, run_plan
from nl2pddl.task import PlanningDomain, PlanningProblem
from nl2pddl.ui import markup
from nl2pddl.ui.text import plain, show_text

ORIGINAL, GENERATED = "in the original domain", "with the generated action"


def both_domains(domain: Domain, action: str, generated: LiftedAction | None) -> dict[str, PlanningDomain]:
    """The domain as it is, and with the action replaced where that can be read, by what they are called here."""
    found = {ORIGINAL: domain.planning}
    if generated is not None:
        text = domain.planning.with_action(action, action_pddl(generated))
        try:
            found[GENERATED] = parse_domain(text, "the generated domain")
        except InputError:
            return found
    return found


def show_steps(
    domain: Domain, domains: dict[str, PlanningDomain], problem: str, plan: Sequence[str], key: str, first: str
) -> None:
    """The plan's steps on a problem of the domain; a switch where it can be run in both. ``first`` is shown first."""
    task = next((found for name, found in domain.problems if name == problem), None)
    if task is None:
        show_text("\n".join(plan))
        return
    names = dict.fromkeys(name for name in (first, *domains) if name in domains)
    show_runs({name: (domains[name], task, plan) for name in names}, key)


def show_runs(runs: Mapping[str, tuple[PlanningDomain, PlanningProblem, Sequence[str]]], key: str) -> None:
    """A plan's steps, by the names of where it can be run; a switch where there are several."""
    options = list(runs)
    where = options[0]
    if len(options) > 1:
        where = st.segmented_control("Run it", options, default=where, key=f"where-{key}", required=True) or where
    domain, task, plan = runs[where]
    try:
        steps = run_plan(domain, task, plan)
    except InputError as error:
        st.caption(plain(f"It cannot be run step by step: {error}"))
        show_text("\n".join(plan))
        return
    st.html(markup.steps_html(steps))
    if len(plan) > MOST_STEPS:
        st.caption(f"The first {MOST_STEPS:,} of {len(plan):,} steps.")
    with st.expander("The state at a step", icon=":material/database:"):
        at = 0
        if len(steps) > 1:
            at = st.slider("After step", 0, len(steps) - 1, len(steps) - 1, key=f"state-{key}")
        if at == 0:
            # Before the first step: what its changes came from.
            start = set(steps[0].state) - set(steps[0].added) | set(steps[0].deleted)
            show_text("\n".join(sorted(start)), height=240)
        else:
            show_text("\n".join(steps[at - 1].state), height=240)
