"""The parts of the runs page: live progress, the table of runs, and what can be done with one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from nl2pddl.durations import duration
from nl2pddl.errors import InputError, ModelError, RunError, StoreError
from nl2pddl.experiment import (
    ChatMode,
    Decoding,
    Precision,
    RunConfig,
    RunKind,
    RunProgress,
    RunStatus,
    run_config_from_dict,
)
from nl2pddl.generation.listed import read_models
from nl2pddl.runs import RunManager, status_of
from nl2pddl.store import notes, queries
from nl2pddl.ui import shell
from nl2pddl.ui.choosing import TIME_FORMAT, choose_run, few, link_query, local_times, model_labels
from nl2pddl.ui.launching import take_over
from nl2pddl.ui.shell import Handles
from nl2pddl.ui.text import decoding_in_words, plain, show_fault

_SIGNS = {
    RunStatus.QUEUED.value: "○ queued",
    RunStatus.RUNNING.value: "▶ running",
    RunStatus.FINISHED.value: "✓ finished",
    RunStatus.PAUSED.value: "‖ paused",
    RunStatus.CANCELLED.value: "■ cancelled",
    RunStatus.FAILED.value: "✕ failed",
    RunStatus.INTERRUPTED.value: "⚡ interrupted",
    RunStatus.IMPORTED.value: "⇩ imported",
}
_STOP_HELP = (
    "What is stored stays, and the run can be resumed. Answers that are being generated now are dropped, and asked for "
    "again then."
)
_RESUMABLE = (RunStatus.PAUSED, RunStatus.CANCELLED, RunStatus.FAILED, RunStatus.INTERRUPTED)


def show_active(handles: Handles, labels: Mapping[str, str]) -> None:
    """A card with progress for each run under way or waiting; draws the page anew when one has ended."""
    active = handles.manager.active()
    before = st.session_state.get("active_before", active)
    st.session_state["active_before"] = active
    if set(before) - set(active):
        st.rerun(scope="app")
    for place, run_id in enumerate(active):
        progress = handles.manager.progress(run_id)
        with st.container(border=True):
            if progress.status is RunStatus.QUEUED:
                _show_waiting(handles.manager, progress, labels.get(run_id, run_id), place)
            else:
                _show_card(handles.manager, progress, labels.get(run_id, run_id))


def _show_waiting(manager: RunManager, progress: RunProgress, label: str, place: int) -> None:
    """One line for a run that waits: runs are worked on one after another."""
    heading, button = st.columns([6, 1], vertical_alignment="center")
    ahead = f"{place} run{'s' if place > 1 else ''} ahead of it"
    heading.markdown(f"**{plain(label)}** · {progress.total:,} items, waiting: {ahead}")
    if button.button("Cancel", key=f"cancel-{progress.run_id}", icon=":material/stop:", width="stretch"):
        _act(manager.cancel, progress.run_id)


def _show_card(manager: RunManager, progress: RunProgress, label: str) -> None:
    heading, pause, button = st.columns([5, 1, 1], vertical_alignment="center")
    heading.markdown(f"**{plain(label)}**  \n{plain(progress.message or progress.status.value)}")
    stopping = progress.message.startswith("stopping")
    for place, name, icon, does in (
        (pause, "Pause", ":material/pause:", manager.pause),
        (button, "Cancel", ":material/stop:", manager.cancel),
    ):
        key = f"{name.lower()}-{progress.run_id}"
        if place.button(name, key=key, icon=icon, width="stretch", help=_STOP_HELP, disabled=stopping):
            _act(does, progress.run_id)
    # Generation and judging each are half of the work, whatever their speed.
    st.progress((progress.generated + progress.judged) / max(2 * progress.total, 1))
    total, generated, judged, rate, left = st.container(key=f"headline-{progress.run_id}").columns(5)
    total.metric("Items", f"{progress.total:,}")
    generated.metric("Generated", f"{progress.generated:,}")
    judged.metric("Judged", f"{progress.judged:,}")
    rate.metric("Rate", f"{progress.rate:,.{0 if progress.rate >= 10 else 1}f} / min" if progress.rate else "–")
    left.metric("Time left", duration(progress.seconds_left) if progress.seconds_left is not None else "–")


def _act(action: Callable[[str], str | None], run_id: str) -> None:
    """Do something with a run; where that gives the id of a new one, it is shown from then on."""
    try:
        new = action(run_id)
    except (RunError, InputError, StoreError) as error:
        show_fault("This did not work.", str(error))
    else:
        if new is not None:
            st.query_params["run"] = new
        st.rerun(scope="app")


def with_status(handles: Handles, runs: Any) -> Any:
    """The runs with a column ``status``: what the manager says of those it works on, else by their last event."""
    active = set(handles.manager.active())
    states = [
        handles.manager.progress(run_id).status if run_id in active else status_of(event or "", live=False)
        for run_id, event in zip(runs["run_id"], runs["event"], strict=True)
    ]
    return runs.assign(status=[status.value for status in states])


def show_table(runs: Any) -> None:
    """All runs, newest first."""
    configs = [json.loads(config) for config in runs["config"]]
    table = runs.assign(
        status=[_SIGNS[status] for status in runs["status"]],
        created_at=local_times(runs["created_at"]),
        models=[few(model_labels(config["models"]).values()) for config in configs],
        domains=[few(config["domains"]) for config in configs],
        descriptions=[", ".join(config["descriptions"]) for config in configs],
    )
    columns = {
        "status": st.column_config.TextColumn("Status"),
        "created_at": st.column_config.DatetimeColumn("Created", format=TIME_FORMAT),
        "name": st.column_config.TextColumn("Name"),
        "models": st.column_config.TextColumn("Models"),
        "domains": st.column_config.TextColumn("Domains"),
        "descriptions": st.column_config.TextColumn("Descriptions"),
        "total": st.column_config.NumberColumn("Items"),
        "generated": st.column_config.NumberColumn("Generated"),
        "judged": st.column_config.NumberColumn("Judged"),
        "run_id": st.column_config.TextColumn("Run"),
    }
    st.dataframe(table, column_order=list(columns), column_config=columns, hide_index=True, width="stretch")


def show_one(handles: Handles, runs: Any, labels: Mapping[str, str]) -> None:
    """One run chosen by the user: how it ended, its settings, resume, and the ways to its results."""
    run_id = choose_run(labels)
    row = runs[runs["run_id"] == run_id].iloc[0]
    status = RunStatus(row["status"])
    with st.container(border=True):
        st.markdown(f"**{_SIGNS[status.value]}** · {row['judged']:,} of {row['total']:,} items judged")
        if row["detail"] and status in (*_RESUMABLE, RunStatus.FINISHED, RunStatus.IMPORTED):
            (st.error if status is RunStatus.FAILED else st.info)(plain(row["detail"]))
        if status is RunStatus.INTERRUPTED:
            st.info("Its program ended before the run did. Everything stored is kept; resume to go on.")
        st.caption(_settings(run_config_from_dict(json.loads(row["config"]))) + _cost(handles, run_id))
        _show_whole(handles, run_id, status)
        _show_faults(handles, run_id)
        with st.container(horizontal=True, vertical_alignment="center"):
            if status in _RESUMABLE and st.button("Resume", key=f"resume-{run_id}", icon=":material/play_arrow:"):
                _act(handles.manager.resume, run_id)
            _offer_again(handles, run_id, any_judged=bool(row["judged"]))
            if row["judged"]:
                query = link_query([run_id])
                st.page_link(shell.RESULTS, label="Results", icon=":material/bar_chart:", query_params=query)
                st.page_link(shell.FAILURES, label="Failures", icon=":material/troubleshoot:", query_params=query)
            if status not in (RunStatus.QUEUED, RunStatus.RUNNING):
                _offer_delete(handles, run_id, labels[run_id])


def show_deleted() -> None:
    """Say once that a run was deleted."""
    if label := st.session_state.pop("run_deleted", ""):
        st.success(f"Deleted: {plain(label)}", icon=":material/delete:")


def _offer_delete(handles: Handles, run_id: str, label: str) -> None:
    """A button that asks first: what is deleted cannot be had back."""
    with st.popover("Delete", icon=":material/delete:", key=f"delete-{run_id}"):
        (_, outputs, judged), noted = queries.counts(handles.store, run_id), notes.count(handles.store, run_id)
        what = f"{outputs:,} outputs with their verdicts" if outputs else f"{judged:,} verdicts"
        kept = f", and the notes on {noted:,} of them," if noted else ""
        st.markdown(plain(f"Its {what}{kept} leave the store for good. Export them first to keep them."))
        if st.button("Delete this run", key=f"delete-now-{run_id}", type="primary", icon=":material/delete_forever:"):
            try:
                handles.manager.delete(run_id)
            except (RunError, InputError, StoreError) as error:
                show_fault("The run was not deleted.", str(error))
                return
            st.session_state["run_deleted"] = label
            st.session_state.pop("shown_run", None)
            st.query_params.pop("run", None)
            st.rerun(scope="app")


def _show_whole(handles: Handles, run_id: str, status: RunStatus) -> None:
    """What the run would take that a dry run was a trial of, and a note where answers were not generated."""
    whole = queries.whole_config(handles.store, run_id)
    if whole is not None and status is RunStatus.FINISHED:
        try:
            estimate = handles.manager.estimate(run_id, whole)
        except (InputError, ModelError) as error:
            show_fault("The whole run cannot be estimated.", str(error))
        else:
            st.info(plain(f"The whole run: {estimate.in_words}"), icon=":material/timer:")
    if reused := queries.reused_count(handles.store, run_id):
        st.caption(
            plain(
                f"{reused:,} answers were in the store already, from the same model, prompt and decoding, and were not "
                "generated again."
            )
        )


def _offer_again(handles: Handles, run_id: str, *, any_judged: bool) -> None:
    """Buttons that start a further run from this one."""
    config = queries.run_config(handles.store, run_id)
    if config.kind is RunKind.IMPORTED:
        return
    if st.button(
        "Copy to launch", key=f"copy-{run_id}", icon=":material/content_copy:", help="Change it, and launch it"
    ):
        take_over(queries.whole_config(handles.store, run_id) or config)
        st.switch_page(shell.LAUNCH)
    failed = (
        "Ask again, in a run of its own, for every item whose last answer is not equivalent. A local model that "
        "decodes greedily (temperature 0) gives the same answer again."
    )
    if (
        any_judged
        and config.kind is RunKind.ACTIONS
        and st.button("Ask again where it failed", key=f"again-{run_id}", icon=":material/replay:", help=failed)
    ):
        _act(lambda run: handles.manager.again(run, queries.failed_items(handles.store, run)), run_id)


def _cost(handles: Handles, run_id: str) -> str:
    """What the tokens of a run cost by the model list; empty where none of its models has a price."""
    try:
        models = read_models()
    except ModelError:
        return ""
    used = queries.tokens(handles.store, run_id)
    dollars = sum(models[name].cost(asked, answered) for name, asked, answered in used if name in models)
    return plain(f" · cost: {dollars:.2f} dollars") if dollars else ""


def _show_faults(handles: Handles, run_id: str) -> None:
    faults = queries.latest_faults(handles.store, run_id)
    if faults.empty:
        return
    with st.expander(
        f"{len(faults):,} item{'s' if len(faults) > 1 else ''} without an answer, and not by the model's fault",
        icon=":material/warning:",
    ):
        columns: dict[str, Any] = {
            "model": "Model",
            "domain": "Domain",
            "action": "Action",
            "description_class": "Description",
            "kind": "Fault",
            "message": st.column_config.TextColumn("What happened", width="large"),
            "attempts": "Tries",
        }
        st.dataframe(faults, column_order=list(columns), column_config=columns, hide_index=True)
        for message in list(dict.fromkeys(faults["message"]))[:5]:
            st.caption(plain(message))


def _settings(config: RunConfig) -> str:
    if config.kind is RunKind.IMPORTED:
        parts = [f"models: {', '.join(config.models)}", f"domains: {', '.join(config.domains)}"]
        return plain(" · ".join([*parts, f"descriptions: {', '.join(config.descriptions)}"]))
    parts = [
        f"models: {', '.join(config.models)}",
        f"domains: {', '.join(config.domains)}",
        f"descriptions: {', '.join(config.descriptions)}",
        f"prompts an action: {config.prompts}",
        f"seed: {config.seed}",
        f"context examples: {config.context_examples}",
        f"decoding: {decoding_in_words(config.decoding)}",
        *(["chat template"] if config.decoding.chat is ChatMode.TEMPLATE else []),
        *([f"precision: {config.decoding.precision}"] if config.decoding.precision is not Precision.AUTO else []),
        *([f"answers a prompt: {config.draws}"] if config.draws > 1 else []),
        *([] if config.grammars == (False,) else [f"grammar: {'on' if config.grammars == (True,) else 'on and off'}"]),
        *([f"correction rounds: {config.rounds}"] if config.rounds else []),
        *(["whole domains"] if config.kind is RunKind.DOMAIN else []),
        *([f"only {len(config.items):,} chosen items of these"] if config.items else []),
        *([] if config.decoding.batch_size == Decoding.batch_size else [f"batch: {config.decoding.batch_size}"]),
        f"protocol: {config.evaluation.protocol}",
        f"validator: {config.evaluation.validator}",
        *(["exact decision"] if config.evaluation.exact else []),
        *([] if config.evaluation.shortcuts else ["without shortcuts"]),
        f"k: {config.evaluation.k}",
        f"planner limits: {duration(config.evaluation.seconds)}, {config.evaluation.memory_mb:,} MB",
    ]
    return plain(" · ".join(parts))
