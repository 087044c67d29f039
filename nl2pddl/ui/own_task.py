"""A task of a person's own on the page Build: objects, what holds at first, and a goal in words or PDDL."""

from __future__ import annotations

import streamlit as st

from nl2pddl.errors import InputError
from nl2pddl.store import assessments
from nl2pddl.ui import examples
from nl2pddl.ui.keeping import keep
from nl2pddl.ui.shell import Handles
from nl2pddl.ui.text import plain
from nl2pddl.worldmodel import goals
from nl2pddl.worldmodel.brief import Task
from nl2pddl.worldmodel.session import IMPORTED, Work
from nl2pddl.worldmodel.using import TaskChoice

_IN_WORDS, _IN_PDDL = "in words", "in PDDL"
_OBJECTS_HELP = "Names and their type: cup mug - dish. One or more types a line."
_INIT_HELP = "The facts that hold at first, such as (on cup table). What is not named does not hold."
_GOAL_HELP = "In words the model puts it into PDDL, and what does not fit goes back to it."


def offer_own(handles: Handles, work: Work) -> None:
    """The form; the task is planned by K* and judged by this domain, since nothing else knows its predicates."""
    _offer_start(work)
    objects, init = st.columns(2)
    named = objects.text_area("Objects", key="pddl_objects", height=200, persist_state="session", help=_OBJECTS_HELP)
    holds = init.text_area("Holds at first", key="pddl_init", height=200, persist_state="session", help=_INIT_HELP)
    ways = [_IN_WORDS, _IN_PDDL] if work.model != IMPORTED else [_IN_PDDL]
    way = st.segmented_control(
        "The goal", ways, default=ways[0], key=f"goal_way-{len(ways)}", required=True, help=_GOAL_HELP
    )
    goal = st.text_area(f"Wanted, {way}", key=f"own_goal-{way}", height=80, persist_state="session")
    if not st.button("Plan it", key="own_plan", type="primary", icon=":material/route:"):
        return

    def plan() -> None:
        if way == _IN_WORDS:
            goals.own_problem(work.construction, named, holds, goals.NOTHING)  # told here, not after the model's answer
            handles.workshop.plan_in_words(work.id, named, holds, goal, TaskChoice(""))
        else:
            problem = goals.own_problem(work.construction, named, holds, goal)
            words = "; ".join(goals.goal_in_words(work.construction, problem))
            task = Task(assessments.next_own(handles.store, work.id), words, problem, 0)
            handles.workshop.plan(work.id, TaskChoice("", own=(task,)))

    keep(plan, "This task cannot be planned.")


def _offer_start(work: Work) -> None:
    """Fill the form with an example's task, to be changed."""
    names = examples.closest(work.construction)
    if not names:
        return
    example = examples.example(names[0])
    choice, button = st.columns([5, 2], vertical_alignment="bottom")
    name = choice.selectbox(
        "Start from a task", [task.name for task in example.tasks], key=f"own_from-{example.id}",
        format_func=lambda name: f"{name}: {next(task.words for task in example.tasks if task.name == name)}",
    )  # fmt: skip
    if not button.button("Fill it in", key="own_fill", icon=":material/content_copy:", width="stretch"):
        return
    task = next(task for task in example.tasks if task.name == name)
    try:
        problem = examples.carrier(work, example.id).problem(task.problem)
    except InputError as error:
        st.warning(plain(str(error)))
        return
    st.session_state["pddl_objects"] = goals.objects_text(problem)
    st.session_state["pddl_init"] = goals.init_text(problem)
    st.session_state[f"own_goal-{_IN_WORDS}"] = task.words
    st.session_state[f"own_goal-{_IN_PDDL}"] = goals.goal_text(problem)
