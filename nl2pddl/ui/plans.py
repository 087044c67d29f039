"""Draws plans: the cross-check on each problem, and a plan stepped through in both domains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from nl2pddl.actions import LiftedAction
from nl2pddl.domains import Domain
from nl2pddl.equivalence import NEW_ON_ORIGINAL, ORIGINAL_ON_NEW
from nl2pddl.errors import InputError
from nl2pddl.ui import markup
from nl2pddl.ui.stepping import MOST_STEPS, Run, run_in_both
from nl2pddl.ui.text import plain, show_text

ORIGINAL, GENERATED = "In the original domain", "With the generated action"
# Draws a plan on a problem; the last argument tells it from the page's other plans.
DrawPlan = Callable[[str, Sequence[str], str], None]

_DIRECTIONS = {
    NEW_ON_ORIGINAL: "A plan found with the generated action, run in the original domain",
    ORIGINAL_ON_NEW: "A plan of the original domain, run with the generated action",
}
_LEGEND = (
    "+ becomes true, − becomes false; underlined: only on this side. ✕ marks the condition that does not hold, where "
    "the plan ends on that side."
)


def plan_drawer(domain: Domain, generated: LiftedAction | None) -> DrawPlan:
    """What draws a plan in the domain and in that with ``generated``; as a plain list where that cannot be run."""

    def draw(problem: str, plan: Sequence[str], key: str) -> None:
        run = _run(domain, generated, problem, plan)
        if run is None:
            steps = "\n".join(f"{number:>3}  {step}" for number, step in enumerate(plan, start=1))
            show_text(steps, height=320 if len(plan) > 12 else None)
            return
        with st.container(height=520 if len(run.steps) > 14 else "content", border=False):
            st.html(markup.steps_html(run.steps, (ORIGINAL, GENERATED)))
        more = f" The first {MOST_STEPS} of {len(plan):,} steps." if len(plan) > MOST_STEPS else ""
        st.caption(plain(_LEGEND + more))
        with st.expander("All that holds before a step", icon=":material/visibility:"):
            _show_states(run, key)

    return draw


def _run(domain: Domain, generated: LiftedAction | None, problem: str, plan: Sequence[str]) -> Run | None:
    if generated is None or problem not in dict(domain.problems):
        return None
    try:
        return run_in_both(domain, generated, problem, plan)
    except InputError:
        return None  # numbers and the like, which our validator does not run


@st.fragment
def _show_states(run: Run, key: str) -> None:
    """Every fact before a step that the reader chooses, in both domains."""
    last = len(run.steps)
    chosen = (
        st.slider("Before step", 1, last, key=f"{key}-state", help="The last one: before the goal") if last > 1 else 1
    )
    for place, title, states in zip(st.columns(2), (ORIGINAL, GENERATED), run.states, strict=True):
        with place:
            st.caption(title)
            if chosen > len(states):
                st.caption("Not reached.")
            else:
                show_text("\n".join(states[chosen - 1]) or "(nothing)", height=240)


def show_cross_check(verdict: Mapping[str, Any], draw: DrawPlan | None) -> None:
    """How many plans cross over on each problem, and the first that does not; a plain list of it without ``draw``."""
    if verdict["cross_checks"]:
        st.markdown("**Plans on each problem**", help="The k cheapest plans of either domain, checked in the other one")
        st.dataframe([_check_row(check) for check in verdict["cross_checks"]], hide_index=True)
        if verdict["protocol"] == "published" and verdict["failure"]:
            st.caption("Under protocol published the comparison stops at the first plan that does not cross over.")
    failure = verdict["failure"]
    if not failure:
        return
    st.markdown("**First failing plan**")
    direction = _DIRECTIONS.get(failure["direction"], failure["direction"])
    count = len(failure["plan"])
    st.caption(plain(f"{direction}, problem {failure['problem']}, {count} step{'' if count == 1 else 's'}"))
    if draw is None:
        st.html(markup.plan_html(failure))
    else:
        draw(failure["problem"], failure["plan"], "failure")
        if verdict["protocol"] == "published" and not failure["literal"]:
            told = "The steps are run by our own validator. What the published code fails the plan for:"
            st.caption(plain(f"{told} {failure['reason']}"))


def _check_row(check: Mapping[str, Any]) -> dict[str, Any]:
    exercised = check["exercised"]
    return {
        "Problem": check["problem"],
        "Plans, original": check["original_plans"],
        "Plans, generated": check["new_plans"],
        "Generated that work in the original": _reached(check["new_valid_on_original"], check["new_plans"]),
        "Original that work in the generated": _reached(check["original_valid_on_new"], check["original_plans"]),
        "Plans use the action": None if exercised is None else ("yes" if exercised else "no"),
        "Planner": " ".join(part for part in (check["planner"], check["detail"]) if part),
    }


def _reached(valid: int | None, count: int | None) -> str:
    return "not reached" if valid is None else f"{valid} of {count}"
