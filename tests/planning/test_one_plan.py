"""One cheapest plan, also of tasks that the planner itself refuses or misreads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nl2pddl.pddl_io import parse_domain, parse_problem
from nl2pddl.planning.kstar import KStar, Outcome
from nl2pddl.planning.one_plan import one_plan
from nl2pddl.planning.validation import PlanValidator

DOMAIN = """; a lamp (and more)
(define (domain d)
  (:requirements :strips :typing :negative-preconditions)
  (:types lamp fan - device device room)
  (:predicates (on ?x - device) (in ?r - room) (linked ?a ?b - room))
  (:action go :parameters (?a - room ?b - room)
    :precondition (and (in ?a) (linked ?a ?b)) :effect (and (in ?b) (not (in ?a))))
  (:action switch-on :parameters (?x - (either lamp fan)) :precondition (not (on ?x)) :effect (on ?x))
  (:action switch-off :parameters (?x - (either lamp fan)) :precondition (on ?x) :effect (not (on ?x))))
; the end )
"""


@pytest.fixture(scope="module")
def planner() -> Iterator[KStar]:
    with KStar() as warm:
        yield warm


@pytest.mark.parametrize(
    ("goal", "steps"),
    [
        ("(and (on l) (on f))", 1),  # an either-parameter, which the translator gives no objects
        ("(not (on f))", 1),
        ("(and (not (on f)) (on l) (in b) (not (in a)))", 3),
        ("(not (on l))", 0),  # it holds at first
        ("(and)", 0),
    ],
)
def test_a_cheapest_plan_is_found_and_valid(planner: KStar, goal: str, steps: int) -> None:
    domain = parse_domain(DOMAIN)
    problem = parse_problem(
        "(define (problem p) (:domain d) (:requirements :negative-preconditions) (:objects l - lamp f - fan a b - room)"
        f" (:init (on f) (in a) (linked a b)) (:goal {goal}))"
    )
    answer = one_plan(planner, domain, problem, 30, 2048)
    assert answer.outcome is Outcome.SOLVED
    assert [len(plan) for plan in answer.plans] == [steps]
    assert PlanValidator(domain, problem).check(answer.plans[0]).valid


def test_a_negated_goal_that_cannot_be_reached_is_unsolvable(planner: KStar) -> None:
    problem = parse_problem(
        "(define (problem p) (:domain d) (:requirements :negative-preconditions) (:objects l - lamp f - fan a b - room)"
        " (:init (in b) (linked a b)) (:goal (not (in b))))"
    )
    assert one_plan(planner, parse_domain(DOMAIN), problem, 30, 2048).outcome is Outcome.UNSOLVABLE


def test_what_cannot_be_put_to_the_planner_is_an_error_with_its_reason(planner: KStar) -> None:
    types = " ".join(f"t{number}" for number in range(9))
    parameters = " ".join(f"?{name} - (either {types})" for name in "abc")
    domain = parse_domain(
        f"(define (domain d) (:requirements :typing) (:types {types}) (:predicates (p))\n"
        f"(:action act :parameters ({parameters}) :precondition (and) :effect (p)))"
    )
    problem = parse_problem("(define (problem p) (:domain d) (:objects x - t0) (:init) (:goal (p)))")
    answer = one_plan(planner, domain, problem, 30, 2048)
    assert answer.outcome is Outcome.ERROR
    assert "combinations" in answer.detail
