"""The workbench's second tab: two domains and a problem as texts, and whether they have the same plans."""

from __future__ import annotations

import streamlit as st

from nl2pddl.bench import Job
from nl2pddl.comparing import FIRST, PROBLEM, SECOND, TextComparison, compare_texts
from nl2pddl.domains import Domain, DomainLibrary
from nl2pddl.exact import ExactLimits
from nl2pddl.exact.decision import FIRST as OF_FIRST
from nl2pddl.figures import CLASS_COLOURS
from nl2pddl.records import ExactDecision, ExactOutcome
from nl2pddl.ui import markup
from nl2pddl.ui.linking import link, linked
from nl2pddl.ui.text import plain, show_fault, show_text
from nl2pddl.ui.waiting import bench, outcome, watch
from nl2pddl.ui.workbench import fits

_LIMITS = ExactLimits()
_KEYS = {FIRST: "compare_first", SECOND: "compare_second", PROBLEM: "compare_problem"}
_READING_SECONDS = 60.0  # of three texts that are as long as they may be
_HELP = {
    FIRST: "A whole (define (domain …) …) in PDDL, the language of planning domains.",
    SECOND: "Another version of the domain, with the same or other actions.",
    PROBLEM: "A whole (define (problem …) …): objects, what holds at first, and the goal. It must fit both domains.",
}
_COLOURS = {ExactOutcome.EQUAL: "equivalent", ExactOutcome.DIFFERENT: "different"}


def show_comparison(library: DomainLibrary) -> None:
    """The three texts, and the decision on them."""
    st.caption(
        "Decides exactly whether two domains have the same plans for a problem (a plan is a sequence of actions from "
        "the initial state to the goal), and if not, gives a shortest plan of the one that is none of the other."
    )
    _offer_start(library)
    with st.form("compare_form", border=False):
        texts = {}
        for place, (name, key) in zip(st.columns(len(_KEYS)), _KEYS.items(), strict=True):
            texts[name] = place.text_area(
                name.capitalize(), key=key, height=320, persist_state="session", help=_HELP[name],
                placeholder=f"(define ({name.rpartition(' ')[2]} …",
            )  # fmt: skip
        pressed = st.form_submit_button(
            "Compare", type="primary", icon=":material/compare_arrows:", key="compare_go",
            help="Or Ctrl+Enter in a text",
        )  # fmt: skip
    if pressed:
        before: Job[TextComparison] | None = st.session_state.pop("compare_job", None)
        if before is not None:
            before.stop()
    if pressed and all([fits(f"The {name} is too long.", text) for name, text in texts.items()]):
        st.session_state["compare_job"] = bench().beside(
            compare_texts, *texts.values(), _LIMITS, seconds=_LIMITS.seconds + _READING_SECONDS
        )
    job: Job[TextComparison] | None = st.session_state.get("compare_job")
    if job is not None:
        watch(job, "Comparing", "compare")
        found = outcome(job, "The domains could not be compared.")
        if found is not None:
            _show(found)


def _offer_start(library: DomainLibrary) -> None:
    """One of our domains, to fill the texts with."""
    if not library.domains:
        return
    first, second, third = st.columns([3, 3, 4], vertical_alignment="bottom")
    linked("compare_from", "domain", list(library.domains))
    name = first.selectbox(
        "Start from", list(library.domains), key="compare_from", persist_state="session", on_change=link,
        args=("compare_from", "domain"),
    )  # fmt: skip
    domain = library.domains[name]
    problem = second.selectbox("Problem", [stem for stem, _ in domain.problems], key="compare_from_problem")
    third.button(
        "Fill in", icon=":material/content_copy:", key="compare_fill", on_click=_fill, args=(domain, problem),
        help="Replace all three texts: the domain on both sides, to change one of them, and its problem",
    )  # fmt: skip


def _fill(domain: Domain, problem: str) -> None:
    st.session_state[_KEYS[FIRST]] = st.session_state[_KEYS[SECOND]] = domain.planning.source
    st.session_state[_KEYS[PROBLEM]] = dict(domain.source.problems)[problem]


def _show(found: TextComparison) -> None:
    st.divider()
    for name, faults in found.faults.items():
        show_fault(f"The {plain(name)} cannot be used.", *faults[:20], *_more(len(faults) - 20))
    if found.decision is not None:
        _show_decision(found.decision)


def _more(count: int) -> list[str]:
    return [f"and {count:,} more"] if count > 0 else []


def _show_decision(decision: ExactDecision) -> None:
    sizes = (
        f"{decision.facts:,} facts, {decision.states:,} pairs of states and {decision.transitions:,} transitions "
        f"looked at in {decision.seconds:.2f} s"
    )
    colour = CLASS_COLOURS.get(_COLOURS.get(decision.outcome, ""), "#888888")
    st.html(markup.verdict_html(decision.outcome.value, _reason(decision), colour))
    st.caption(plain(sizes))
    if decision.witness is None:
        return
    st.markdown("**Witness: the plan that tells them apart**")
    if not decision.witness:
        st.caption("The empty plan: the goal holds at the start for one of them only.")
        return
    steps = "\n".join(f"{number:>3}  {step}" for number, step in enumerate(decision.witness, start=1))
    show_text(steps, height=320 if len(decision.witness) > 12 else None)


def _reason(decision: ExactDecision) -> str:
    if decision.outcome is ExactOutcome.UNDECIDED:
        return decision.detail
    if decision.witness is None:
        return decision.detail or "both domains have the same plans for this problem"
    own, other = (FIRST, SECOND) if decision.witness_of == OF_FIRST else (SECOND, FIRST)
    count = len(decision.witness)
    length = f"{count} step" + ("" if count == 1 else "s")
    return f"a shortest plan of the {own} ({length}) is none of the {other}: {decision.failure}"
