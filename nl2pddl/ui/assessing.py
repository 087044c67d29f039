"""The view Errors of the page Build: the domain beside a hand-made one, predicate by predicate and error by error."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st

from nl2pddl.store import assessments
from nl2pddl.store.assessments import StoredAssessment
from nl2pddl.ui import examples
from nl2pddl.ui.keeping import keep
from nl2pddl.ui.shell import Handles
from nl2pddl.ui.text import plain
from nl2pddl.worldmodel import person, session
from nl2pddl.worldmodel.brief import Example
from nl2pddl.worldmodel.matching import Match
from nl2pddl.worldmodel.quality import Weight
from nl2pddl.worldmodel.reference import reference_predicates
from nl2pddl.worldmodel.session import Work

_NONE = "none"
_WEIGHT_HELP = (
    "The error alone is put into the hand-made model, and the exact decision says whether a task then has other plans. "
    "The paper marks those that change plans yellow, those that only cost conciseness green."
)


def show(handles: Handles, work: Work) -> None:
    """What stands for what, and the errors."""
    names = examples.closest(work.construction)
    if not names:
        st.info("Errors are counted against a hand-made model, and none of those here has actions of these names.")
        return
    chosen = st.segmented_control(
        "Beside the hand-made model of", names, default=names[0], key=f"beside-{work.id}", required=True
    ) or names[0]  # fmt: skip
    example = examples.example(chosen)
    if st.button("Count the errors", key="assess", type="primary", icon=":material/rule:"):
        keep(lambda: handles.workshop.assess(work.id, chosen), "They cannot be counted.")
    found = assessments.assessment_of(handles.store, work.id, chosen)
    if found is not None:
        _show_errors(work, found)
    _show_mapping(handles, work, example)


def _show_errors(work: Work, found: StoredAssessment) -> None:
    if found.events < work.events:
        st.caption("Counted before the last changes to the domain. Count again to have them anew.")
    weights: Counter[str] = Counter(error["weight"] or "" for error in found.errors)
    errors, plans, concise, open_ = st.container(key="headline-errors").columns(4)
    errors.metric("Errors", len(found.errors))
    plans.metric("Change plans", weights[Weight.PLANS], help=_WEIGHT_HELP)
    concise.metric("Change no plan of the tasks", weights[Weight.CONCISENESS], help=_WEIGHT_HELP)
    open_.metric("Undecided", weights[Weight.UNDECIDED], help="No task decided it, or it has no form in that model.")
    if found.impossible:
        st.markdown("**What can never come about**\n" + "\n".join(f"- {plain(one)}" for one in found.impossible))
    if not found.errors:
        st.success("No error beside the hand-made model.", icon=":material/check:")
        return
    rows: list[dict[str, Any]] = [
        {
            "Action": error["action"],
            "Error": error["kind"],
            "Is missing": error["missing"],
            "Is too much": error["extra"],
            "Weight": error["weight"] or "–",
            "Seen on": error["task"],
        }
        for error in found.errors
    ]
    st.dataframe(rows, hide_index=True, height=min(38 + 35 * len(rows), 400), key="errors")


def _show_mapping(handles: Handles, work: Work, example: Example) -> None:
    construction = work.construction
    mapping = examples.carrier(work, example.id).mapping
    truth = reference_predicates(example)
    st.markdown("**Which predicate stands for which**")
    st.dataframe(
        [
            {
                "Here": one.head,
                "In the hand-made model": _shown(mapping.get(name), example),
                "Said by": "you" if name in construction.matches else "proposal",
                "Its words there": truth[mapping[name].predicate].words if name in mapping else "",
            }
            for name, one in construction.predicates.items()
        ],
        hide_index=True,
        height="content",
        key="mapping",
    )
    if not construction.predicates:
        return
    with st.expander("Correct it", icon=":material/edit:"):
        name = st.selectbox("Predicate here", list(construction.predicates), key="match_name")
        match = mapping.get(name)
        options = [_NONE, *truth]
        left, middle, right = st.columns([4, 2, 2], vertical_alignment="bottom")
        other = left.selectbox(
            "stands for", options, index=options.index(match.predicate) if match else 0, key=f"match_of-{name}-{match}"
        )
        places = middle.text_input(
            "Order", _order_text(match), key=f"match_order-{name}-{match}", placeholder="1 2 …",
            help="Which parameter here is the first, second, … there. Empty: the same order.",
        )  # fmt: skip
        negated = right.toggle(
            "Contrary", bool(match and match.negated), key=f"match_not-{name}-{match}",
            help="The one here holds exactly where the one there does not.",
        )  # fmt: skip
        if st.button("Keep it", key="match_keep", icon=":material/save:"):
            match = _match(other, places, negated, example)
            keep(
                lambda: session.add(handles.store, work, person.matched(construction, name, match, truth)),
                "It was not kept.",
                "Kept; count the errors again to have them by it.",
            )


def _shown(match: Match | None, example: Example) -> str:
    if match is None:
        return _NONE
    names = [parameter.name for parameter in example.planning.predicates[match.predicate].parameters]
    order = "" if list(match.order) == sorted(match.order) else f", in the order {_order_text(match)}"
    return f"{'not ' if match.negated else ''}({' '.join((match.predicate, *names))}){order}"


def _order_text(match: Match | None) -> str:
    if match is None or list(match.order) == sorted(match.order):
        return ""
    return " ".join(str(place + 1) for place in match.order)


def _match(other: str, places: str, negated: bool, example: Example) -> Match | None:
    """What the form says; what cannot be is told by ``person.matched``."""
    if other == _NONE:
        return None
    typed = [int(part) - 1 for part in places.replace(",", " ").split() if part.isdecimal()]
    count = len(example.planning.predicates[other].parameters)
    return Match(other, tuple(typed or range(count)), negated)
