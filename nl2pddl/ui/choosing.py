"""Names for runs and models as people read them, and the widgets that choose among them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import streamlit as st

from nl2pddl.breakdown import short_names
from nl2pddl.store import Store, queries
from nl2pddl.ui import shell
from nl2pddl.ui.text import plain

model_labels = short_names  # what charts, lists and forms call a model
_PLAIN_KEYS = ("model", "domain", "action", "description_class", "result_class", "subclass")
TIME_FORMAT = "D MMM YYYY, HH:mm"


def filter_key(name: str) -> str:
    """The key of the widget that filters by a column, which is also its name in the address.

    The launch form has settings of some of the names, and the values of all pages live in one place.
    """
    return name if name in _PLAIN_KEYS else f"of_{name}"


def local_times(times: Any) -> Any:
    """A column of UTC times in the time zone of the browser (in the server's own where the browser tells none)."""
    zone = st.context.timezone or datetime.now().astimezone().tzinfo
    return times.dt.tz_localize("UTC").dt.tz_convert(zone)


def run_labels(runs: Any) -> dict[str, str]:
    """A line for each row of ``queries.runs_frame``: time, name, models, domains."""
    labels = {}
    for run_id, at, name, config in zip(
        runs["run_id"], local_times(runs["created_at"]), runs["name"], runs["config"], strict=True
    ):
        chosen = json.loads(config)
        models = model_labels(chosen["models"]).values()
        # The end of the id tells apart two runs launched in one minute with the same settings.
        parts = [f"{at:%d %b %Y, %H:%M}", name, few(models), few(chosen["domains"]), run_id.rpartition("-")[2]]
        labels[run_id] = " · ".join(part for part in parts if part)
    return labels


def few(names: Iterable[str], most: int = 3) -> str:
    """A list in words that stays short: "a, b, c and 4 more"."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def choose_runs(store: Store) -> list[str]:
    """The runs to look at: the latest with a verdict, unless the link says otherwise. Stops the page where none has."""
    runs = queries.runs_frame(store)
    judged = runs[runs["judged"] > 0]
    if judged.empty:
        _no_verdicts(waiting=not runs.empty)
    labels = run_labels(judged)
    named = _linked_runs()
    kept = [run for run in st.session_state.get("runs", list(labels)[:1]) if run in labels]
    # Of a link to what cannot be shown nothing else takes the place: that would be taken for it.
    st.session_state["runs"] = [run for run in named if run in labels] if named else kept
    chosen = st.multiselect(
        "Runs", list(labels), format_func=labels.__getitem__, key="runs", persist_state="session",
        on_change=_link_to_chosen, args=("runs",),
    )  # fmt: skip
    _tell_missing([run for run in named if run not in labels], set(runs["run_id"]))
    if not chosen:
        st.info("Choose at least one run.", icon=":material/arrow_upward:")
        st.stop()
    st.query_params["run"] = chosen
    return list(chosen)


def _linked_runs() -> list[str]:
    """The runs that the page's address names; an output names its run too."""
    named = st.query_params.get_all("run")
    return named or [run for run in [st.query_params.get("item", "").rpartition(".")[0]] if run]


def _tell_missing(missing: Sequence[str], known: set[str]) -> None:
    for run in missing:
        if run in known:
            st.warning(f"Of the run {plain(run)} no output has a verdict yet.", icon=":material/pending_actions:")
            st.page_link(shell.RUNS, label="Watch it", icon=":material/pending_actions:", query_params={"run": run})
        else:
            st.warning(f"There is no run {plain(run)} in this store.", icon=":material/link_off:")


def tell_unknown(missing: Sequence[str]) -> None:
    """Say which values of the address these runs do not have: they filter nothing."""
    if missing:
        named = ", ".join(map(plain, missing))
        st.warning(f"The link filters by {named}, which these runs do not have.", icon=":material/link_off:")


def choose_labelled(label: str, labels: Mapping[Any, str], key: str, index: int = 0) -> Any:
    """One of ``labels`` by what it is called, where names may change from one drawing of the page to the next.

    A browser sends back the name, which then is no option any more: so other names make another widget.
    """
    return st.selectbox(
        label, list(labels), index=index, format_func=labels.__getitem__, key=f"{key}-{hash(tuple(labels.values()))}"
    )


def choose_run(labels: Mapping[str, str]) -> str:
    """One run of all, the newest unless the link says otherwise."""
    linked = st.query_params.get("run")
    if linked in labels:
        st.session_state["shown_run"] = linked
    elif linked:
        _tell_missing([linked], set())
    return st.selectbox(
        "Run", list(labels), format_func=labels.__getitem__, key="shown_run",
        on_change=_link_to_chosen, args=("shown_run",),
    )  # fmt: skip


def _link_to_chosen(key: str) -> None:
    # The widgets' own binding would put the labels into the address, which change; the ids do not.
    st.query_params["run"] = st.session_state[key]
    st.query_params.pop("item", None)  # which names a run too


def _no_verdicts(*, waiting: bool) -> None:
    if waiting:
        st.info("No output has a verdict yet. Watch the run, and come back when the first ones are judged.")
        st.page_link(shell.RUNS, label="Go to Runs", icon=":material/pending_actions:")
    else:
        st.info("Nothing to show yet: no run has been launched. Choose a model and domains, and launch one.")
        st.page_link(shell.LAUNCH, label="Launch a run", icon=":material/rocket_launch:")
    st.stop()


def link_query(runs: Sequence[str], **more: str) -> Mapping[str, str | Sequence[str]]:
    """The query of a link that opens a page on these runs."""
    return {"run": list(runs), **more}
