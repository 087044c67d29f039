"""The workbench's first tab: one text, judged at once as a run would judge it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from nl2pddl import terms
from nl2pddl.actions import action_pddl
from nl2pddl.bench import Job
from nl2pddl.domains import Domain, DomainLibrary
from nl2pddl.experiment import RunItem
from nl2pddl.figures import CLASS_COLOURS
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.records import DescriptionClass, EvaluationSettings, Protocol, Verdict
from nl2pddl.store.queries import ItemDetail
from nl2pddl.ui import failure, markup
from nl2pddl.ui.facts import show_facts
from nl2pddl.ui.linking import choose_domain, link, linked
from nl2pddl.ui.text import plain, show_fault
from nl2pddl.ui.waiting import bench, outcome, watch

MOST_CHARACTERS = 200_000
# PDDL is read by its columns.
MONOSPACED = (
    '<style>[class*="st-key-bench_text"] textarea, [class*="st-key-compare_"] textarea {font-family: monospace}</style>'
)
_DOMAIN_HELP = (
    "A planning domain: the predicates that describe a world and the actions that change it. The action is judged in "
    "this one. A twin can be typed, such as blocksworld~nonsense~7."
)
_ACTION_HELP = (
    "The action of the domain that the text should define. The domain's own version of it is the ground truth."
)
_EXACT_HELP = (
    "Also decide whether the two domains have the same plans at all, not only the same 100 cheapest ones. Takes up to "
    "a minute for each problem."
)
_TEXT_HELP = (
    "Whatever a model answered: prose and code fences around the action are passed over, and the first (:action …) is "
    "judged. PDDL is the language in which planning domains are written."
)


@dataclass(frozen=True)
class _Asked:
    """A judgement that was asked for, and the job that makes it."""

    domain: Domain
    task: EvaluationTask
    job: Job[Verdict]


def show_bench(library: DomainLibrary) -> None:
    """The choices, the text, and the verdict on it."""
    chosen = _choose(library)
    if chosen is None:
        return
    domain, action, settings = chosen
    with st.form("bench_form", border=False):
        text = st.text_area(
            "Model output or PDDL", key="bench_text", height=280, persist_state="session", help=_TEXT_HELP,
            placeholder="(:action …",
        )  # fmt: skip
        with st.container(horizontal=True, vertical_alignment="center"):
            pressed = st.form_submit_button(
                "Judge", type="primary", icon=":material/gavel:", key="bench_judge", help="Or Ctrl+Enter in the text"
            )
            st.form_submit_button(
                "Start from the ground truth", icon=":material/content_copy:", key="bench_fill", on_click=_fill,
                args=(domain, action), help="Replace the text by the domain's own version of the action",
            )  # fmt: skip
    if pressed:
        _stop_before()
    if pressed and _is_right_size(text):
        task = EvaluationTask(domain.source, action, text, settings)
        st.session_state["bench_asked"] = _Asked(domain, task, bench().judge(task))
    asked: _Asked | None = st.session_state.get("bench_asked")
    if asked is not None:
        watch(asked.job, f"Judging {plain(asked.task.action)}", "bench", lambda progress: "")
        _show(asked, current=(domain.source, action, settings) == (asked.task.source, *_of(asked.task)))


def _of(task: EvaluationTask) -> tuple[str, EvaluationSettings]:
    return task.action, task.settings


def _choose(library: DomainLibrary) -> tuple[Domain, str, EvaluationSettings] | None:
    """Domain, action and settings, kept in the page's address; None where there is no such domain."""
    notices = st.container()  # over the whole width
    first, second, third, fourth = st.columns([3, 3, 2, 2], vertical_alignment="bottom")
    with first:
        domain = choose_domain(library, "bench_domain", _DOMAIN_HELP, notices)
    if domain is None:
        return None
    with second:
        actions = list(domain.planning.actions)
        linked("bench_action", "action", actions, notices)
        action = st.selectbox(
            "Action", actions, key="bench_action", on_change=link, args=("bench_action", "action"), help=_ACTION_HELP,
            persist_state="session",
        )  # fmt: skip
    with third:
        names = [protocol.value for protocol in Protocol]
        linked("bench_protocol", "protocol", names, notices)
        protocol = st.segmented_control(
            "Protocol", names, key="bench_protocol", required=True, on_change=link, help=terms.PROTOCOL,
            args=("bench_protocol", "protocol"), persist_state="session",
        ) or names[0]  # fmt: skip
    exact = fourth.toggle("Exact decision", key="bench_exact", persist_state="session", help=_EXACT_HELP)
    st.query_params.update({"domain": domain.id, "action": action, "protocol": protocol})
    return domain, action, EvaluationSettings(protocol=Protocol(protocol), exact=exact)


def _fill(domain: Domain, action: str) -> None:
    truth = domain.planning.actions[action]
    st.session_state["bench_text"] = action_pddl(truth, types=bool(domain.planning.types))


def _is_right_size(text: str) -> bool:
    if not text.strip():
        show_fault("There is nothing to judge.", "paste what a model answered, or write an action")
        return False
    return fits("This text is too long.", text)


def fits(title: str, text: str) -> bool:
    """Whether a text is short enough; if not, that is said."""
    if len(text) > MOST_CHARACTERS:
        show_fault(title, f"it has {len(text):,} characters; at most {MOST_CHARACTERS:,} are taken")
        return False
    return True


def _stop_before() -> None:
    """End what this session had asked for before: its answer would not be shown."""
    asked: _Asked | None = st.session_state.pop("bench_asked", None)
    if asked is not None:
        asked.job.stop()


def _show(asked: _Asked, *, current: bool) -> None:
    """The verdict as the failures page shows it."""
    st.divider()
    if not current:
        st.info("This verdict is on what was chosen before. Judge again for the present choice.")
    verdict = outcome(asked.job, "This could not be judged.")
    if verdict is None:
        return
    detail = _detail(asked.task, verdict)
    original = asked.domain.planning.actions[asked.task.action]
    _show_verdict(detail)
    if verdict.problems:
        failure._show_action(detail)
        failure._show_diff(detail, original, asked.domain)
        show_facts(detail.verdict)
    else:
        failure._show_diff(detail, original, asked.domain)
        failure._show_plans(detail.verdict)
        show_facts(detail.verdict)
        failure._show_action(detail)
    with st.expander("How it was judged", icon=":material/info:"):
        st.html(markup.facts_html(_how(asked.task.settings, verdict)))


def _detail(task: EvaluationTask, verdict: Verdict) -> ItemDetail:
    """The judgement in the shape of a stored item, of no run and no model."""
    item = RunItem(0, "", task.source.id, task.action, DescriptionClass.BASE, 0, "", domain_sha=task.source.sha)
    fields: dict[str, Any] = asdict(verdict)
    fields["action_reconstruction_error"] = fields.pop("are")
    return ItemDetail(item, task.output, "", 0, 0.0, {}, "", False, fields)


def _show_verdict(detail: ItemDetail) -> None:
    verdict = detail.verdict
    st.subheader(f"{plain(detail.item.domain)} / {plain(detail.item.action)}")
    st.caption(plain(f"protocol {verdict['protocol']}"))
    meaning = terms.SUBCLASSES.get(verdict["subclass"] or "")
    heading = verdict["result_class"] + (f" · {verdict['subclass']}: {meaning}" if meaning else "")
    text, are = st.columns([5, 1], vertical_alignment="center")
    colour = CLASS_COLOURS.get(verdict["result_class"], "#888888")
    text.html(markup.verdict_html(heading, verdict["reason"], colour))
    value = verdict["action_reconstruction_error"]
    are.metric("ARE", "–" if value is None else value, help=terms.ARE)


def _how(settings: EvaluationSettings, verdict: Verdict) -> dict[str, object]:
    return {
        "Protocol": verdict.protocol.value,
        "Evaluation": f"{verdict.seconds:.2f} s",
        "Plans compared": f"top {settings.k}",
        "Planner": verdict.planner_version,
        "Planner limits": f"{settings.seconds:g} s and {settings.memory_mb} MB a call",
        "Validator": verdict.validator_version,
        "Shortcut": verdict.shortcut,
        "Stored": "nowhere; launch a run to keep verdicts",
    }
