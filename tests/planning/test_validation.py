from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError
from nl2pddl.pddl_io import parse_domain, parse_problem
from nl2pddl.planning.validation import PlanCheck, PlanValidator, read_plan

DOMAIN = """
(define (domain d) (:requirements :adl :typing) (:types a b - t) (:predicates (p ?x - t) (q ?x - t) (done))
  (:action one :parameters (?x - a) :precondition (not (p ?x)) :effect (and (p ?x) (not (q ?x))))
  (:action two :parameters (?x - t) :precondition (or (p ?x) (q ?x)) :effect (and (not (p ?x)) (p ?x)))
  (:action all :parameters () :precondition (forall (?x - a) (p ?x)) :effect (forall (?x - b) (when (q ?x) (done))))
  (:action same :parameters (?x ?y - t) :precondition (not (= ?x ?y)) :effect (done)))
"""
PROBLEM = "(define (problem x) (:domain d) (:objects m - a n - b) (:init (q n)) (:goal (done)))"


@pytest.fixture
def validator() -> PlanValidator:
    return PlanValidator(parse_domain(DOMAIN), parse_problem(PROBLEM))


@pytest.mark.parametrize(
    "plan",
    [
        ["(one m)", "(all)"],
        ["(ONE M)", "(two m)", "(all)"],  # an add effect wins over a delete of the same atom
        ["(same m n)"],
    ],
)
def test_valid_plans(validator: PlanValidator, plan: list[str]) -> None:
    assert validator.check(plan) == PlanCheck(True)


@pytest.mark.parametrize(
    ("plan", "step", "literal", "words"),
    [
        ([], 1, "(done)", "goal"),
        (["(one m)"], 2, "(done)", "goal"),
        (["(one m)", "(one m)"], 2, "(not (p m))", "step 2"),
        (["(all)"], 1, "(forall (?x - a) (p ?x))", "step 1"),
        (["(two m)"], 1, "(or (p m) (q m))", "step 1"),
        (["(same m m)"], 1, "(not (= m m))", "step 1"),
        (["(one n)"], 1, None, "'n' is of type b"),
        (["(one z)"], 1, None, "'z' is no object"),
        (["(one m m)"], 1, None, "takes 1 arguments, found 2"),
        (["(three m)"], 1, None, "'three' is no action"),
        (["()"], 1, None, "empty step"),
    ],
)
def test_a_failure_names_step_and_literal(
    validator: PlanValidator, plan: list[str], step: int, literal: str | None, words: str
) -> None:
    check = validator.check(plan)
    assert (check.valid, check.step, check.literal) == (False, step, literal)
    assert words in check.reason


def test_answers_agree_with_val(cases: Path, published: Path) -> None:
    compared = 0
    read_domain, read_problem = cache(parse_domain), cache(parse_problem)
    for line in (cases / "val_answers.jsonl").read_text().splitlines():
        row = json.loads(line)
        problem = (published / "pddl-problems" / row["problem"]).read_text()
        if row["valid"] is not None:
            check = PlanValidator(read_domain(row["domain"]), read_problem(problem)).check(row["plan"])
            assert check.valid == row["valid"], row
            assert check.valid or check.reason
            compared += 1
    assert compared > 700


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("; cost 2\n(a b)\n0: (C D)\n1.5: (e)\n\n", ("(a b)", "(c d)", "(e)")),
        ("(a b)(c)  ( d\n e ) ; (not this)\n", ("(a b)", "(c)", "(d e)")),
        ("0.5 : (b) [1]\n0:(a)[2.0]", ("(a)", "(b)")),
        ("; nothing", ()),
    ],
)
def test_read_plan(text: str, steps: tuple[str, ...]) -> None:
    assert read_plan(text) == steps


@pytest.mark.parametrize("text", ["(a)\nnothing", "(a)\n(b", "(a)\n0: 1: (b)", "(a)\n((b))", "(a)\n(b))"])
def test_text_that_is_no_plan(text: str) -> None:
    with pytest.raises(InputError, match="line 2: expected a step"):
        read_plan(text)


def test_k_star_plans_need_the_ground_truth(library: DomainLibrary) -> None:
    domain = library.find("blocksworld")
    check = PlanValidator(domain.planning, domain.problems[0][1]).check(["(pick-up nobody)"])
    assert not check.valid
