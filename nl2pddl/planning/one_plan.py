"""One cheapest plan by K*, also where the planner itself refuses the task: negated goals, ``either`` parameters."""

from __future__ import annotations

from dataclasses import replace

from nl2pddl.actions import Not, conjuncts, to_pddl
from nl2pddl.planning.kstar import KStar, Outcome, PlannerAnswer
from nl2pddl.planning.planner_input import UnplannableError, planner_text
from nl2pddl.sexpr import Group, read_group
from nl2pddl.task import PlanningDomain, PlanningProblem

_DONE = "all-that-is-wanted-holds"  # no name that anybody gives: the planner's task alone knows it


def one_plan(
    planner: KStar, domain: PlanningDomain, problem: PlanningProblem, seconds: float, memory_mb: int
) -> PlannerAnswer:
    """A cheapest plan of a task, which names the domain as it is called; ERROR where it cannot be put to the planner.

    The translator takes no negated goals, so such a goal becomes the precondition of a last step, which is cut off
    again. For one plan that is right: a cheapest one takes that step once, at the end.
    """
    try:
        text = domain.with_actions({name: planner_text(action, domain) for name, action in domain.actions.items()})
    except UnplannableError as error:
        return PlannerAnswer(Outcome.ERROR, detail=str(error))
    if not any(isinstance(part, Not) for part in conjuncts(problem.goal)):
        return planner.top_k(text, problem.text, 1, seconds, memory_mb)
    answer = planner.top_k(_with_last_step(text, problem), _with_done(problem), 1, seconds, memory_mb)
    return replace(answer, plans=tuple(plan[:-1] for plan in answer.plans))


def _with_last_step(domain: str, problem: PlanningProblem) -> str:
    goal = " ".join(map(to_pddl, conjuncts(problem.goal)))
    # It names objects of the problem, which the translator takes as they are.
    step = f"(:action {_DONE} :parameters () :precondition (and {goal}) :effect ({_DONE}))"
    whole = read_group(domain)
    end = whole.end - 1
    declared = _part(whole, ":predicates")
    if declared is None:
        return f"{domain[:end]}\n(:predicates ({_DONE}))\n{step}\n)\n"
    inside = declared.end - 1
    return f"{domain[:inside]}\n({_DONE}){domain[inside:end]}\n{step}\n)\n"


def _with_done(problem: PlanningProblem) -> str:
    goal = _part(read_group(problem.text), ":goal")
    assert goal is not None  # it was read as a problem
    return f"{problem.text[: goal.start]}(:goal ({_DONE})){problem.text[goal.end :]}"


def _part(whole: Group, head: str) -> Group | None:
    return next((item for item in whole.items if isinstance(item, Group) and item.head == head), None)
