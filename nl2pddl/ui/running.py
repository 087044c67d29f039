"""The parts of the runs page: live progress, the table of runs, and what can be done with one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from nl2pddl.errors import InputError, RunError, StoreError
from nl2pddl.experiment import RunConfig, RunProgress, RunStatus, run_config_from_dict
from nl2pddl.runs import RunManager, status_of
from nl2pddl.ui import shell
from nl2pddl.ui.choosing import TIME_FORMAT, choose_run, few, link_query, local_times, model_labels
from nl2pddl.ui.shell import Handles
from nl2pddl.ui.text import duration, plain, show_fault

_SIGNS = {
    RunStatus.QUEUED.value: "○ queued",
    RunStatus.RUNNING.value: "▶ running",
    RunStatus.FINISHED.value: "✓ finished",
    RunStatus.CANCELLED.value: "■ cancelled",
    RunStatus.FAILED.value: "✕ failed",
    RunStatus.INTERRUPTED.value: "‖ interrupted",
}
_RESUMABLE = (RunStatus.CANCELLED, RunStatus.FAILED, RunStatus.INTERRUPTED)


def show_active(handles: Handles, labels: Mapping[str, str]) -> None:
    """A card with progress for each run under way or waiting; draws the page anew when one has ended."""
    active = handles.manager.active()
    before = st.session_state.get("active_before", active)
    st.session_state["active_before"] = active
    if set(before) - set(active):
        st.rerun(scope="app")
    for run_id in active:
        with st.container(border=True):
            _show_card(handles.manager, handles.manager.progress(run_id), labels.get(run_id, run_id))


def _show_card(manager: RunManager, progress: RunProgress, label: str) -> None:
    heading, button = st.columns([5, 1], vertical_alignment="center")
    heading.markdown(f"**{plain(label)}**  \n{plain(progress.message or progress.status.value)}")
    if button.button("Cancel", key=f"cancel-{progress.run_id}", icon=":material/stop:", width="stretch"):
        _act(manager.cancel, progress.run_id)
    # Generation and judging each are half of the work, whatever their speed.
    st.progress((progress.generated + progress.judged) / max(2 * progress.total, 1))
    total, generated, judged, rate, left = st.columns(5)
    total.metric("Items", f"{progress.total:,}")
    generated.metric("Generated", f"{progress.generated:,}")
    judged.metric("Judged", f"{progress.judged:,}")
    rate.metric("Rate", f"{progress.rate:,.{0 if progress.rate >= 10 else 1}f} / min" if progress.rate else "–")
    left.metric("Time left", duration(progress.seconds_left) if progress.seconds_left is not None else "–")


def _act(action: Callable[[str], None], run_id: str) -> None:
    try:
        action(run_id)
    except (RunError, InputError, StoreError) as error:
        show_fault("This did not work.", str(error))
    else:
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
        if row["detail"] and status in (*_RESUMABLE, RunStatus.FINISHED):
            (st.error if status is RunStatus.FAILED else st.info)(plain(row["detail"]))
        if status is RunStatus.INTERRUPTED:
            st.info("Its program ended before the run did. Everything stored is kept; resume to go on.")
        st.caption(_settings(run_config_from_dict(json.loads(row["config"]))))
        with st.container(horizontal=True, vertical_alignment="center"):
            if status in _RESUMABLE and st.button("Resume", key=f"resume-{run_id}", icon=":material/play_arrow:"):
                _act(handles.manager.resume, run_id)
            if row["judged"]:
                query = link_query([run_id])
                st.page_link(shell.RESULTS, label="Results", icon=":material/bar_chart:", query_params=query)
                st.page_link(shell.FAILURES, label="Failures", icon=":material/troubleshoot:", query_params=query)


def _settings(config: RunConfig) -> str:
    parts = [
        f"models: {', '.join(config.models)}",
        f"domains: {', '.join(config.domains)}",
        f"descriptions: {', '.join(config.descriptions)}",
        f"prompts an action: {config.prompts}",
        f"seed: {config.seed}",
        f"context examples: {config.context_examples}",
        f"new tokens: {config.decoding.max_new_tokens}",
        f"k: {config.evaluation.k}",
        f"planner limit: {duration(config.evaluation.seconds)}",
    ]
    return plain(" · ".join(parts))
