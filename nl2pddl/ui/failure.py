"""One judged output with all that is behind its verdict."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from nl2pddl.action_reader import laid_out, read_action
from nl2pddl.actions import LiftedAction, action_pddl
from nl2pddl.diffing import diff_actions, diff_texts, mark_problems
from nl2pddl.domains import Domain, DomainLibrary, from_source
from nl2pddl.errors import InputError
from nl2pddl.experiment import WHOLE_DOMAIN, RunItem
from nl2pddl.extraction import extract_action
from nl2pddl.figures import CLASS_COLOURS
from nl2pddl.published.classify import read_output
from nl2pddl.published.domain import published_domain
from nl2pddl.store import Store, queries
from nl2pddl.store.queries import ItemDetail
from nl2pddl.ui import markup, terms
from nl2pddl.ui.choosing import model_labels
from nl2pddl.ui.facts import show_facts
from nl2pddl.ui.origin import show_origin
from nl2pddl.ui.plans import plan_drawer, show_cross_check
from nl2pddl.ui.text import LONGEST_SHOWN, plain, show_text

_MATCHED, _AS_TEXT = "matched", "as text"
_DIFF_HELP = (
    "matched: parameters lined up by position, literals matched regardless of order. as text: both texts line by line."
)


@dataclass(frozen=True)
class Compared:
    """The original domain and the generated action, None where it cannot be read."""

    domain: Domain
    original: LiftedAction
    generated: LiftedAction | None


def show_verdict(detail: ItemDetail) -> None:
    """What was asked of whom, the class and the reason in one sentence."""
    item, verdict = detail.item, detail.verdict
    model = model_labels([item.model])[item.model]
    st.subheader(f"{plain(item.domain)} / {plain('all actions' if item.action == WHOLE_DOMAIN else item.action)}")
    st.caption(
        plain(
            f"{item.description_class} description · prompt {item.sample + 1}{_beside(item)} · {model} · "
            f"{verdict['protocol']}"
        )
    )
    meaning = terms.SUBCLASSES.get(verdict["subclass"] or "")
    heading = verdict["result_class"] + (f" · {verdict['subclass']}: {meaning}" if meaning else "")
    colour = CLASS_COLOURS.get(verdict["result_class"], "#888888")
    text, are = st.columns([5, 1], vertical_alignment="center")
    text.html(markup.verdict_html(heading, terms.reason_sentence(verdict), colour))
    value = verdict["action_reconstruction_error"]
    are.metric("ARE", "–" if value is None else value, help=terms.ARE)


def _beside(item: RunItem) -> str:
    """What sets an item apart from the plain first answer to its prompt."""
    parts = []
    if item.draw:
        parts.append(f"answer {item.draw + 1}")
    if item.grammar:
        parts.append("held to the grammar")
    if item.round:
        parts.append(f"correction {item.round}")
    return "".join(f" · {part}" for part in parts)


def show_output(store: Store, run_id: str, detail: ItemDetail) -> None:
    """The action, its diff, the plans, the facts, the texts and how it was made: what is wrong comes first."""
    domain = from_source(queries.domain_source(store, detail.item.domain_sha))
    if detail.item.action == WHOLE_DOMAIN:
        show_cross_check(detail.verdict, None)
        _show_whole(detail)
        show_facts(detail.verdict)
    else:
        _show_action_and_plans(detail, _compared(detail, domain))
        _show_texts(detail)
    show_origin(store, run_id, detail)


def _show_action_and_plans(detail: ItemDetail, compared: Compared) -> None:
    draw = plan_drawer(compared.domain, compared.generated)
    if detail.verdict["problems"]:
        _show_action(detail)
        _show_diff(detail, compared)
        show_cross_check(detail.verdict, draw)
        show_facts(detail.verdict, draw)
    else:
        # Nothing is wrong in its text: what it lacks comes first.
        _show_diff(detail, compared)
        show_cross_check(detail.verdict, draw)
        show_facts(detail.verdict, draw)
        _show_action(detail)


def _compared(detail: ItemDetail, domain: Domain) -> Compared:
    """The action read again from what is stored, by the rules of strict, or else by those of published."""
    original = domain.planning.actions[detail.item.action]
    group = extract_action(detail.verdict["action_text"] or "").group
    generated = read_action(group)[0] if group is not None else None
    if generated is None and detail.verdict["protocol"] == "published":
        published = published_domain(domain.planning)
        generated = read_output(detail.output or "", detail.item.action, published, domain.planning).action
    return Compared(domain, original, generated)


def show_imported(library: DomainLibrary, detail: ItemDetail) -> None:
    """What there is of a verdict that was imported, and in one line what is not."""
    show_facts(detail.verdict)
    st.info("This verdict was imported: its prompt, its output and its plans are not in the file that it comes from.")
    try:
        domain = library.find(detail.item.domain)
        truth = domain.planning.actions[detail.item.action.lower()]
    except (InputError, KeyError):
        st.caption(plain(f"No domain here has the action {detail.item.domain} / {detail.item.action}."))
        return
    st.markdown("**Ground truth**")
    st.caption(plain(f"As in the domain '{domain.id}' of this project; the imported study's may differ in words."))
    show_text(action_pddl(truth, types=bool(domain.planning.types)))


def _show_whole(detail: ItemDetail) -> None:
    """The generated domain, and what is wrong with each of its actions."""
    if detail.verdict["problems"]:
        st.markdown("**Problems of its actions**")
        names = {"Subclass": "subclass", "Action and problem": "message", "Line in the action": "line"}
        rows = [{name: problem[key] for name, key in names.items()} for problem in detail.verdict["problems"]]
        st.dataframe(rows, hide_index=True)
    st.markdown("**Generated domain**")
    show_text(detail.output or "", height=560)


def _show_action(detail: ItemDetail) -> None:
    text, problems = detail.verdict["action_text"], detail.verdict["problems"]
    if text is None:
        # The one problem of such an output has its place in the raw output.
        st.markdown("**Output, in which no action was found**")
    else:
        st.markdown("**Extracted action**")
    with st.container(border=True):
        st.html(
            markup.marked_html(
                mark_problems(((detail.output or "") if text is None else text)[:LONGEST_SHOWN], problems)
            )
        )


def _show_diff(detail: ItemDetail, compared: Compared) -> None:
    text = detail.verdict["action_text"]
    title, switch = st.columns([3, 1], vertical_alignment="bottom")
    title.markdown("**Generated action beside the ground truth**")
    truth = action_pddl(compared.original, types=bool(compared.domain.planning.types))
    if text is None:
        st.caption("There is no action to compare; the ground truth is:")
        show_text(truth)
        return
    shown = switch.segmented_control(
        "Diff", [_MATCHED, _AS_TEXT], default=_MATCHED, required=True, key="diff", bind="query-params", help=_DIFF_HELP,
        label_visibility="collapsed",
    )  # fmt: skip
    if compared.generated is not None and shown != _AS_TEXT:
        _show_matched(compared.original, compared.generated)
        return
    if compared.generated is None:
        st.caption("The action did not parse, so the texts are compared literal by literal, as they stand.")
    st.html(markup.text_diff_html(diff_texts(truth, laid_out(text[:LONGEST_SHOWN]))))


def _show_matched(original: LiftedAction, generated: LiftedAction) -> None:
    diff = diff_actions(original, generated)
    st.html(markup.diff_html(diff))
    if diff.names:
        names = ", ".join(f"{written} → {shown}" for written, shown in diff.names)
        st.caption(plain(f"Parameters are matched by position and shown under the ground truth's names: {names}"))


def _show_texts(detail: ItemDetail) -> None:
    prompt, output = st.columns(2)
    with prompt:
        st.markdown("**Prompt**")
        show_text(detail.item.prompt, height=420)
    with output:
        st.markdown("**Raw output**")
        show_text(detail.output or "", height=420)
        reused = "; found again, not generated anew" if detail.reused else ""
        st.caption(f"{detail.new_tokens} new tokens, ended by: {plain(detail.stop_reason)}{reused}")
        if detail.thinking:
            with st.expander("What the model thought before it answered", icon=":material/psychology:"):
                show_text(detail.thinking, height=300)
