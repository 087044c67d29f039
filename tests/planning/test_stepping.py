"""Plans run step by step."""

from __future__ import annotations

import itertools

from nl2pddl.domains import DomainLibrary
from nl2pddl.planning.kstar import KStar
from nl2pddl.planning.stepping import MOST_STEPS, run_plan


def test_changes_of_a_plan_that_works(library: DomainLibrary) -> None:
    domain = library.find("gripper")
    _, problem = domain.problems[0]
    with KStar() as planner:
        plan = planner.top_k(domain.planning.text, problem.text, 1, 30.0, 4096).plans[0]
    steps = run_plan(domain.planning, problem, plan)
    assert [step.action for step in steps] == [*plan, ""]
    assert not any(step.fault for step in steps)
    for before, after in itertools.pairwise(steps[:-1]):
        assert set(after.state) == (set(before.state) | set(after.added)) - set(after.deleted)
        assert after.added


def test_the_step_that_fails_changes_nothing(library: DomainLibrary) -> None:
    domain = library.find("blocksworld")
    _, problem = domain.problems[0]
    steps = run_plan(domain.planning, problem, ["(stack b1 b1)", "(pick-up b1)"])
    assert len(steps) == 1
    assert steps[0].fault == "(holding b1) does not hold"
    assert steps[0].added == steps[0].deleted == ()
    unknown = run_plan(domain.planning, problem, ["(fly b1)"])
    assert unknown[0].fault == "'fly' is no action of the domain"


def test_a_goal_that_is_not_reached(library: DomainLibrary) -> None:
    domain = library.find("blocksworld")
    _, problem = domain.problems[0]
    (goal,) = run_plan(domain.planning, problem, [])
    assert goal.action == ""
    assert goal.fault.startswith("the goal (")
    assert len(run_plan(domain.planning, problem, ["(pick-up b1)", "(put-down b1)"] * MOST_STEPS)) <= MOST_STEPS
