"""What is known of an output beside its class: how the actions and the plan sets relate, and who says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from nl2pddl.domains import Domain
from nl2pddl.records import ActionRelation, ResultClass
from nl2pddl.task import PlanningDomain
from nl2pddl.ui import markup
from nl2pddl.ui.stepping import GENERATED, ORIGINAL, show_steps
from nl2pddl.ui.text import plain, show_text

_MOST_LINES = 20
_SIDES = {"first": ("the original domain", "the new one"), "second": ("the new domain", "the original one")}


def show_facts(
    verdict: Mapping[str, Any], domain: Domain | None = None, domains: dict[str, PlanningDomain] | None = None
) -> None:
    """The facts beside the class, as far as the verdict holds them; nothing for a verdict that holds none.

    With ``domain`` and ``domains`` (``stepping.both_domains``) a witness is run step by step.
    """
    rows = _rows(verdict)
    decisions: Sequence[Mapping[str, Any]] = verdict.get("exact") or ()
    if not rows and not decisions:
        return
    st.markdown("**Beside the class**")
    if verdict.get("exercised") is False and verdict.get("result_class") == ResultClass.EQUIVALENT:
        st.warning(
            "No plan that was compared uses this action. That the plans cross over says nothing about it.",
            icon=":material/warning:",
        )
    by = " · ".join(str(verdict[name]) for name in ("planner_version", "validator_version") if verdict.get(name))
    by = by.strip(" ·")
    again = " (taken from an equal comparison made before)" if verdict.get("cached") else ""
    st.html(markup.facts_html({**rows, "Compared with": by + again}))
    if decisions:
        st.markdown("**All plans of each problem, decided exactly**")
        seconds = st.column_config.NumberColumn(format="%.2f")
        table = [_decision_row(decision) for decision in decisions]
        st.dataframe(table, hide_index=True, column_config={"Seconds": seconds})
        for decision in decisions:
            if decision.get("witness") is not None:
                _show_witness(decision, domain, domains or {})


def _rows(verdict: Mapping[str, Any]) -> dict[str, object]:
    """Names and values, without those the verdict lacks."""
    comparison: Mapping[str, Any] = verdict.get("comparison") or {}
    exercised = verdict.get("exercised")
    rows = {
        "Actions": comparison.get("relation"),
        "Parameters": _order(comparison),
        "They differ in": _lines(comparison.get("differing") or ()),
        "ARE": _errors(comparison),
        "Precondition": _score(comparison.get("precondition")),
        "Effects": _score(comparison.get("effect")),
        "Plan sets": verdict.get("plan_relation"),
        "Plans use the action": None if exercised is None else ("yes" if exercised else "no plan that was compared"),
        "Plans that crossed over": verdict.get("working_plans"),
    }
    return {name: value for name, value in rows.items() if value not in ("", None)}


def _lines(differing: Sequence[object]) -> str:
    lines = [str(line) for line in differing[:_MOST_LINES]]
    if len(differing) > _MOST_LINES:
        lines.append(f"and {len(differing) - _MOST_LINES} more")
    return "\n".join(lines)


def _order(comparison: Mapping[str, Any]) -> str | None:
    """Which new parameter stands for which, where that is all the difference."""
    if comparison.get("relation") != ActionRelation.REORDERED:
        return None
    matched = enumerate(comparison.get("permutation") or (), start=1)
    moved = [f"{number} is the new {new + 1}" for number, new in matched if new is not None and new + 1 != number]
    return ", ".join(moved)


def _errors(comparison: Mapping[str, Any]) -> str:
    readings = {
        "are": "by position",
        "are_typed": "with parameters and types counted",
        "are_permuted": "in the best order of parameters",
    }
    known = {words: comparison.get(name) for name, words in readings.items()}
    return " · ".join(f"{value} ({words})" for words, value in known.items() if value is not None)


def _score(score: Mapping[str, Any] | None) -> str | None:
    names = {"precision": "precision", "recall": "recall", "f1": "F1"}
    known = {words: (score or {}).get(name) for name, words in names.items()}
    return ", ".join(f"{words} {value:.2f}" for words, value in known.items() if value is not None)


def _decision_row(decision: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "Problem": decision.get("problem"),
        "Plan sets": decision.get("outcome"),
        "States": decision.get("states"),
        "Transitions": decision.get("transitions"),
        "Facts": decision.get("facts"),
        "Seconds": decision.get("seconds"),
        "Note": decision.get("detail"),
    }


def _show_witness(decision: Mapping[str, Any], domain: Domain | None, domains: dict[str, PlanningDomain]) -> None:
    """The plan that tells the two domains apart, and why it is no plan of the other."""
    plan: Sequence[object] = decision["witness"]
    own, other = _SIDES.get(str(decision.get("witness_of")), ("one domain", "the other"))
    length = f"{len(plan)} step" + ("" if len(plan) == 1 else "s")
    st.caption(plain(f"{decision.get('problem')}: a shortest plan of {own} that is none of {other}, {length}"))
    if plan and domain is not None and domains:
        fails_in = GENERATED if decision.get("witness_of") == "first" else ORIGINAL
        problem = str(decision.get("problem"))
        show_steps(domain, domains, problem, [str(step) for step in plan], f"witness-{problem}", fails_in)
    elif plan:
        steps = "\n".join(f"{number:>3}  {step}" for number, step in enumerate(plan, start=1))
        show_text(steps, height=320 if len(plan) > 12 else None)
    if decision.get("failure"):
        st.caption(plain(f"In {other}: {decision['failure']}"))
