"""One output of the failures page, with all that is behind its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from nl2pddl import terms
from nl2pddl.action_reader import laid_out, read_action
from nl2pddl.actions import LiftedAction, action_pddl
from nl2pddl.diffing import diff_actions, diff_texts, mark_problems
from nl2pddl.domains import Domain, DomainLibrary, from_source
from nl2pddl.errors import InputError
from nl2pddl.experiment import WHOLE_DOMAIN, ChatMode, RunConfig, RunItem
from nl2pddl.extraction import extract_action
from nl2pddl.figures import CLASS_COLOURS
from nl2pddl.store import Store, listing, queries
from nl2pddl.store.queries import ItemDetail
from nl2pddl.task import PlanningDomain
from nl2pddl.ui import markup
from nl2pddl.ui.choosing import model_labels
from nl2pddl.ui.facts import show_facts
from nl2pddl.ui.noting import show_note, show_protocols
from nl2pddl.ui.stepping import GENERATED, ORIGINAL, both_domains, show_steps
from nl2pddl.ui.text import LONGEST_SHOWN, decoding_in_words, plain, show_text

_DIRECTIONS = {
    "new on original": "A plan found with the generated action, run in the original domain",
    "original on new": "A plan of the original domain, run with the generated action",
}


def show_item(
    store: Store, library: DomainLibrary, runs: Sequence[str], run_id: str, index: int, protocol: str | None = None
) -> None:
    """One judged output: verdict, action, diff, plans, prompt, what others answered, and how it was made.

    ``protocol`` is the one whose verdict is shown (None: the run's own), ``runs`` are those of the page.
    """
    detail = queries.item_detail(store, run_id, index, protocol)
    _show_verdict(detail)
    show_note(store, run_id, index)
    if detail.output is None:
        _show_imported(detail, library)
        _show_siblings(store, runs, run_id, index)
        return
    show_protocols(store, detail, run_id)
    domain = from_source(queries.domain_source(store, detail.item.domain_sha))
    if detail.item.action == WHOLE_DOMAIN:
        _show_plans(detail.verdict)
        _show_whole(detail)
        show_facts(detail.verdict)
        return
    original = domain.planning.actions[detail.item.action]
    if detail.verdict["problems"]:
        _show_action(detail)
        _show_diff(detail, original, domain)
        show_facts(detail.verdict)
    else:
        # Nothing is wrong in its text: what it lacks comes first.
        _show_diff(detail, original, domain)
        _show_plans(detail.verdict, domain, detail.item.action)
        show_facts(detail.verdict, domain, _domains(detail.verdict, domain, detail.item.action))
        _show_action(detail)
    _show_siblings(store, runs, run_id, index)
    _show_texts(detail)
    with st.expander("How it was made", icon=":material/info:"):
        config, versions = queries.run_config(store, run_id), queries.run_versions(store, run_id)
        st.html(markup.facts_html(_facts(run_id, detail, config, versions)))


def _show_imported(detail: ItemDetail, library: DomainLibrary) -> None:
    """What is known of a verdict that was imported, and the ground truth where its domain is one of ours."""
    st.info("This verdict was imported: its prompt and its output are not in the file that it comes from.")
    show_facts(detail.verdict)
    try:
        domain = library.find(detail.item.domain)
        truth = domain.planning.actions[detail.item.action]
    except (InputError, KeyError):
        return
    st.markdown("**Ground truth**")
    st.caption("Our own version of the domain; the study's may be written otherwise.")
    show_text(action_pddl(truth, types=bool(domain.planning.types)))


def _show_siblings(store: Store, runs: Sequence[str], run_id: str, index: int) -> None:
    """What the models of the chosen runs answered to the same prompt."""
    rows = listing.same_prompt(store, runs, run_id, index)
    if len(rows) < 2:
        return
    st.markdown("**The same prompt across models**")
    own = (rows["run_id"] == run_id) & (rows["item_index"] == index)
    labels = model_labels(rows["model"].unique())
    shown = rows.assign(model=rows["model"].map(labels), here=own.map({True: "this one", False: ""}))
    columns = {
        "model": "Model", "result_class": "Class", "subclass": "Subclass", "are": "ARE", "round": "Round", "here": "",
    }  # fmt: skip
    event: Any = st.dataframe(
        shown, column_order=list(columns), column_config=columns, hide_index=True, on_select="rerun", placeholder="–",
        selection_mode="single-row", key=f"siblings-{run_id}-{index}",
    )  # fmt: skip
    if event.selection.rows:
        row = rows.iloc[event.selection.rows[0]]
        if (row["run_id"], int(row["item_index"])) != (run_id, index):
            st.query_params["item"] = f"{row['run_id']}.{int(row['item_index'])}"
            st.rerun()


def _domains(verdict: Mapping[str, Any], domain: Domain, action: str) -> dict[str, PlanningDomain]:
    return both_domains(domain, action, _generated(verdict))


def _show_whole(detail: ItemDetail) -> None:
    """The generated domain, and what is wrong with each of its actions."""
    if detail.verdict["problems"]:
        st.markdown("**Problems of its actions**")
        names = {"Subclass": "subclass", "Action and problem": "message", "Line in the action": "line"}
        rows = [{name: problem[key] for name, key in names.items()} for problem in detail.verdict["problems"]]
        st.dataframe(rows, hide_index=True)
    st.markdown("**Generated domain**")
    show_text(detail.output or "", height=560)


def _show_verdict(detail: ItemDetail) -> None:
    item, verdict = detail.item, detail.verdict
    model = model_labels([item.model])[item.model]
    st.subheader(f"{plain(item.domain)} / {plain('all actions' if item.action == WHOLE_DOMAIN else item.action)}")
    st.caption(
        plain(
            f"{item.description_class} description · prompt {item.sample + 1}{_beside(item)} · {model} · "
            f"{detail.verdict['protocol']}"
        )
    )
    meaning = terms.SUBCLASSES.get(verdict["subclass"] or "")
    heading = verdict["result_class"] + (f" · {verdict['subclass']}: {meaning}" if meaning else "")
    colour = CLASS_COLOURS.get(verdict["result_class"], "#888888")
    text, are = st.columns([5, 1], vertical_alignment="center")
    text.html(markup.verdict_html(heading, terms.reason_sentence(verdict), colour))
    value = verdict["action_reconstruction_error"]
    are.metric(
        "ARE", "–" if value is None else value,
        help=terms.ARE,
    )  # fmt: skip


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


def _show_diff(detail: ItemDetail, original: LiftedAction, domain: Domain) -> None:
    st.markdown("**Generated action beside the ground truth**")
    generated = _generated(detail.verdict)
    as_text = generated is not None and _wants_text()
    if generated is not None and not as_text:
        diff = diff_actions(original, generated)
        st.html(markup.diff_html(diff))
        if diff.names:
            names = ", ".join(f"{written} → {shown}" for written, shown in diff.names)
            st.caption(plain(f"Parameters are matched by position and shown under the ground truth's names: {names}"))
        return
    text = detail.verdict["action_text"]
    truth = action_pddl(original, types=bool(domain.planning.types))
    if text is None:
        st.caption("There is no action to compare; the ground truth is:")
        show_text(truth)
    else:
        st.caption(
            "The texts line by line, as they stand."
            if as_text
            else "The action did not parse, so the texts are compared literal by literal, as they stand."
        )
        st.html(markup.text_diff_html(diff_texts(truth, laid_out(text[:LONGEST_SHOWN]))))


def _wants_text() -> bool:
    choice = st.segmented_control(
        "Compare", ["Literals", "Text"], default="Literals", key="diff", bind="query-params",
        label_visibility="collapsed",
        help="Literals: parameters lined up by position, literals matched whatever their order. Text: line by line.",
    )  # fmt: skip
    return choice == "Text"


def _generated(verdict: Mapping[str, Any]) -> LiftedAction | None:
    """The action read again from its stored text; None where it does not parse."""
    group = extract_action(verdict["action_text"] or "").group
    return read_action(group)[0] if group is not None else None


def _show_plans(verdict: Mapping[str, Any], domain: Domain | None = None, action: str = "") -> None:
    """The cross-check on each problem and the first failing plan, run step by step where there is a ``domain``."""
    if verdict["cross_checks"]:
        st.markdown("**Plans on each problem**")
        st.dataframe([_check_row(check) for check in verdict["cross_checks"]], hide_index=True)
    failure = verdict["failure"]
    if failure:
        st.markdown("**First failing plan**")
        direction = _DIRECTIONS.get(failure["direction"], failure["direction"])
        st.caption(plain(f"{direction}, problem {failure['problem']}, {len(failure['plan'])} steps"))
        if domain is None:
            st.html(markup.plan_html(failure))
        else:
            fails_in = ORIGINAL if failure["direction"] == "new on original" else GENERATED
            domains = _domains(verdict, domain, action)
            show_steps(domain, domains, failure["problem"], failure["plan"], "failure", fails_in)


def _check_row(check: Mapping[str, Any]) -> dict[str, Any]:
    exercised = check["exercised"]
    # A count that the check did not come to, because it ended before.
    new, old = (
        "not reached" if check[name] is None else check[name]
        for name in ("new_valid_on_original", "original_valid_on_new")
    )
    return {
        "Problem": check["problem"],
        "Plans, original": check["original_plans"],
        "Plans, generated": check["new_plans"],
        "Generated that work in the original": str(new),
        "Original that work in the generated": str(old),
        "Plans use the action": None if exercised is None else ("yes" if exercised else "no"),
        "Planner": " ".join(part for part in (check["planner"], check["detail"]) if part),
    }


def _facts(run_id: str, detail: ItemDetail, config: RunConfig, versions: Mapping[str, str]) -> dict[str, object]:
    info, verdict, settings = detail.model_info, detail.verdict, detail.verdict["settings"]
    return {
        "Run": " · ".join(part for part in (run_id, config.name) if part),
        "Model": info["name"],
        "Revision": info["revision"],
        "Data type": info["dtype"],
        "Quantisation": info["quantisation"],
        "Device": info["device"],
        "Attention": info.get("attention", ""),
        "Memory estimate": f"{info['estimate_bytes'] / 1e9:.2f} GB" if info.get("estimate_bytes") else "",
        "Weights in memory": f"{info['footprint_bytes'] / 1e9:.2f} GB" if info.get("footprint_bytes") else "",
        "Decoding": decoding_in_words(config.decoding),
        "Prompt given": "in the model's chat template" if config.decoding.chat is ChatMode.TEMPLATE else "as it is",
        "Grammar": "held to valid actions" if detail.item.grammar else "",
        "Batch size": config.decoding.batch_size,
        "Seed": config.seed,
        "Context examples": ", ".join(detail.item.context),
        "Generation": f"{detail.generate_seconds:.2f} s",
        "Evaluation": f"{verdict['seconds']:.2f} s",
        "Protocol": verdict["protocol"],
        "Planner": verdict["planner_version"],
        "Plans compared": f"top {settings['k']}",
        "Planner limits": f"{settings['seconds']:g} s and {settings['memory_mb']} MB a call",
        "Validator": verdict["validator_version"],
        "Shortcut": verdict["shortcut"],
        "Versions": ", ".join(f"{name} {number}" for name, number in {**versions, **info["versions"]}.items()),
    }
