"""The view Tasks of the page Build: tasks planned with the domain, success rates, and plans run step by step."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from nl2pddl import statistics
from nl2pddl.breakdown import short_names
from nl2pddl.errors import InputError
from nl2pddl.experiment import Turn
from nl2pddl.pddl_io import parse_problem
from nl2pddl.store import Store, assessments
from nl2pddl.task import PlanningDomain, PlanningProblem
from nl2pddl.ui import examples
from nl2pddl.ui.choosing import choose_labelled, local_times
from nl2pddl.ui.keeping import keep
from nl2pddl.ui.launching import offered_models
from nl2pddl.ui.own_task import offer_own
from nl2pddl.ui.shell import Handles
from nl2pddl.ui.stepping import show_runs
from nl2pddl.ui.text import as_typed, plain, show_dialogue, show_text
from nl2pddl.worldmodel import session
from nl2pddl.worldmodel.brief import Example
from nl2pddl.worldmodel.goals import goal_text
from nl2pddl.worldmodel.session import IMPORTED, Work
from nl2pddl.worldmodel.tasks import ACQUIRED, HAND_MADE, plannable
from nl2pddl.worldmodel.using import Planner, TaskChoice

PLANNERS = {
    Planner.KSTAR: "K*",
    Planner.MODULO: "LLM-modulo",
    Planner.MODEL: "Model alone",
}
_BY_HELP = (
    "K*: a classical planner on this domain. LLM-modulo: the model proposes plans, and what this domain says against "
    "them goes back to it, at most 8 times. Model alone: its first plan. Right is what the hand-made model says."
)
_OWN = "a task of your own"


def show(handles: Handles, work: Work) -> None:
    """What can be planned, the success rates so far, and one result in full."""
    names = [*examples.closest(work.construction), ""]
    chosen = st.segmented_control(
        "Tasks of", names, format_func=lambda name: name or _OWN, default=names[0], key=f"tasks_of-{work.id}",
        required=True,
    )  # fmt: skip
    if chosen:
        _offer_example(handles, work, chosen)
    else:
        offer_own(handles, work)
    frame = assessments.tasks_frame(handles.store, work.id)
    frame = frame[frame["example"] == (chosen or "")]
    if not chosen:
        frame = frame.sort_values("created_at", ascending=False)  # the one just planned is looked at
    if frame.empty:
        return
    if chosen:
        _show_rates(frame, len(examples.example(chosen).tasks))
    _show_results(handles.store, work, frame, examples.example(chosen) if chosen else None)


def _offer_example(handles: Handles, work: Work, example: str) -> None:
    planner, model, button = st.columns([4, 4, 2], vertical_alignment="bottom")
    by = planner.segmented_control(
        "Planned by", list(PLANNERS), format_func=PLANNERS.__getitem__, default=Planner.KSTAR, key="planned_by",
        required=True, help=_BY_HELP,
    ) or Planner.KSTAR  # fmt: skip
    named = None
    if by is not Planner.KSTAR:
        own = work.model if work.model != IMPORTED else offered_models()[0]
        models = list(dict.fromkeys([own, *offered_models()]))
        named = model.selectbox("Model", models, key=f"planner_model-{work.id}", accept_new_options=True)
    total = len(examples.example(example).tasks)
    if button.button(f"Plan {total} tasks", key="plan_tasks", type="primary", icon=":material/route:", width="stretch"):
        choice = TaskChoice(example, by, as_typed(named) if named else None)
        keep(lambda: handles.workshop.plan(work.id, choice), "The tasks cannot be planned.")


def _show_rates(frame: Any, count: int) -> None:
    """How many tasks each planner solved of those that it was given (of ``count``), with the interval of the share."""
    rows = []
    for (planner, model), part in frame.groupby(["planner", "model"], sort=False):
        solved, total = int((part["outcome"] == "solved").sum()), len(part)
        interval = statistics.share_interval(part["outcome"] == "solved", [1] * total)
        others = part[part["outcome"] != "solved"]["outcome"].value_counts()
        rows.append(
            {
                "Planned by": PLANNERS[Planner(planner)],
                "Model": next(iter(short_names([model]).values())) if model else "–",
                "Solved": f"{solved} of {total}" + (f" ({count - total} not tried)" if total < count else ""),
                "Share": f"{solved / total:.0%} ({interval.low:.0%} to {interval.high:.0%})",
                "Not solved": ", ".join(f"{count} {name}" for name, count in others.items()) or "–",
            }
        )
    st.markdown("**Success rates**")
    st.table(rows)
    st.caption(plain(f"The share has its 95% interval over the tasks: {statistics.SHARE_METHOD}."))


def _show_results(store: Store, work: Work, frame: Any, example: Example | None) -> None:
    old = int((frame["events"] < work.events).sum())
    if old:
        st.caption(f"{old} of these were planned before the last changes to the domain. Plan again to have them anew.")
    frame = frame.reset_index(drop=True)
    labels = {
        at: f"{row.task} · {PLANNERS[Planner(row.planner)]} · {row.outcome}"
        for at, row in enumerate(frame.itertuples())
    }
    table = frame.assign(
        planner=[PLANNERS[Planner(name)] for name in frame["planner"]],
        steps=[_steps(plan, outcome) for plan, outcome in zip(frame["plan"], frame["outcome"], strict=True)],
        created_at=local_times(frame["created_at"]),
    )
    shown = ["task", "words", "planner", "outcome", "steps", "reason", "seconds"]
    columns = {name: st.column_config.Column(name.capitalize()) for name in shown}
    columns["seconds"] = st.column_config.NumberColumn("Seconds", format="%.2f")
    st.dataframe(
        table,
        column_order=shown,
        column_config=columns,
        hide_index=True,
        key="task_results",
        height=min(38 + 35 * len(table), 300),
    )  # fmt: skip
    at = choose_labelled("Look at", labels, f"task-{work.id}")
    _show_one(store, work, frame.iloc[at], example)


def _steps(plan: str, outcome: str) -> int | None:
    """How long a plan is; None where there is none."""
    return len(json.loads(plan)) or (0 if outcome == "solved" else None)


def _show_one(store: Store, work: Work, row: Any, example: Example | None) -> None:
    st.markdown(f"**{plain(row['words'] or row['task'])}**")
    if row["problem"] and not row["example"]:
        st.caption(f"The goal: {plain(goal_text(parse_problem(row['problem'])))}")
    if row["reason"]:
        st.caption(plain(row["reason"]))
    plan = [str(step) for step in json.loads(row["plan"])]
    if plan:
        runs = _runs(store, work, row, plan, example)
        if runs:
            show_runs(runs, f"task-{work.id}-{row['task']}-{row['planner']}")
        else:
            show_text("\n".join(plan))
    if row["problem"]:
        with st.expander("The problem as it was planned", icon=":material/description:"):
            show_text(row["problem"])
    if turns := [Turn(**turn) for turn in json.loads(row["turns"])]:
        show_dialogue("The dialogue with the model", turns)


def _runs(
    store: Store, work: Work, row: Any, plan: list[str], example: Example | None
) -> dict[str, tuple[PlanningDomain, PlanningProblem, list[str]]]:
    """Where the plan can be run: in the domain that it was made with, and in the hand-made one."""
    then = work if row["events"] == work.events else session.load(store, work.id, int(row["events"]))
    found: dict[str, tuple[PlanningDomain, PlanningProblem, list[str]]] = {}
    try:
        found[f"in {ACQUIRED}"] = (plannable(then.construction.domain_text()), parse_problem(row["problem"]), plan)
        task = next((task for task in example.tasks if task.name == row["task"]), None) if example else None
        if example is not None and task is not None:
            carried = list(examples.carrier(then, example.id).plan(plan))
            found[f"in {HAND_MADE}"] = (example.planning, task.problem, carried)
    except InputError as error:
        st.caption(plain(str(error)))
    return found
