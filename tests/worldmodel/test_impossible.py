"""Preconditions that no state of any task can meet are named; what some task could meet is left in peace."""

from __future__ import annotations

import pytest

from nl2pddl.action_reader import read_action
from nl2pddl.actions import LiftedAction, Parameter
from nl2pddl.sexpr import read_group
from nl2pddl.task import PlanningDomain, Predicate
from nl2pddl.worldmodel import building
from nl2pddl.worldmodel.brief import example_ids, load_example
from nl2pddl.worldmodel.building import Construction, Setup
from nl2pddl.worldmodel.impossible import never_possible, never_possible_in
from nl2pddl.worldmodel.reference import reference_answer

TYPES = {"vehicle": "object", "truck": "vehicle", "plane": "vehicle", "package": "object"}
PREDICATES = {
    "ready": ("?v - vehicle",),
    "in": ("?p - package", "?v - vehicle"),
    "fuelled": ("?t - truck",),
    "winged": ("?a - plane",),
    "dark": (),
}


def action(name: str, parameters: str, precondition: str, effect: str = "(dark)") -> LiftedAction:
    text = f"(:action {name} :parameters ({parameters}) :precondition {precondition} :effect {effect})"
    read, problems = read_action(read_group(text))
    assert read is not None, problems
    return read


def domain(*actions: LiftedAction) -> PlanningDomain:
    predicates = {
        name: Predicate(name, tuple(Parameter(word.split()[0], (word.split()[2],)) for word in words))
        for name, words in PREDICATES.items()
    }
    named = {one.name: one for one in actions}
    return PlanningDomain("d", frozenset(), TYPES, {"hub": "truck", "yard": "truck"}, predicates, named, "", "", {})


NEVER = {
    "true and false": (
        "?t - truck", "(and (ready ?t) (not (ready ?t)))", "(ready ?t) must be true and (ready ?t) must be false",
    ),
    "true and false of one object": (
        "?t ?u - truck", "(and (ready ?t) (= ?t ?u) (not (ready ?u)))",
        "(ready ?t) must be true and (ready ?u) must be false, which are the same",
    ),
    "not itself": ("?t - truck", "(not (= ?t ?t))", "?t must not be the same as itself"),
    "the same and not": (
        "?t ?u ?v - truck", "(and (= ?t ?u) (= ?u ?v) (not (= ?t ?v)))",
        "?t and ?v must be one object and must not be the same",
    ),
    "the same of other types": (
        "?t - truck ?p - package", "(= ?t ?p)", "nothing can be truck (?t) and package (?p) at once",
    ),
    "an argument of another type": (
        "?p - package", "(ready ?p)", "nothing can be package (?p) and vehicle (?p in (ready ?p)) at once",
    ),
    "two predicates of other types": (
        "?v - vehicle", "(and (fuelled ?v) (winged ?v))",
        "nothing can be truck (?v in (fuelled ?v)) and plane (?v in (winged ?v)) at once",
    ),
    "one object in two places": (
        "?p", "(in ?p ?p)", "nothing can be package (?p in (in ?p ?p)) and vehicle (?p in (in ?p ?p)) at once",
    ),
    "no such type": ("?l - lorry", "(dark)", "nothing can be lorry (?l): it is no type"),
    "no such predicate": (
        "?t - truck", "(hot ?t)", "(hot ?t) is never true: 'hot' is not declared, and nothing makes it true",
    ),
    "too few arguments": ("?p - package", "(in ?p)", "(in ?p) is never true: 'in' takes 2 arguments"),
    "two constants": ("", "(= hub yard)", "hub and yard are two objects and must be one"),
    "either way": (
        "?t - truck", "(and (not (ready ?t)) (or (ready ?t) (winged ?t)))",
        "(ready ?t) must be true and (ready ?t) must be false or "
        "nothing can be truck (?t) and plane (?t in (winged ?t)) at once",
    ),
    "if and so": (
        "?t - truck", "(and (dark) (imply (dark) (ready ?t)) (not (ready ?t)))",
        "(dark) must be true and (dark) must be false or (ready ?t) must be true and (ready ?t) must be false",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("parameters", "precondition", "reason"), NEVER.values(), ids=NEVER)
def test_what_no_state_can_meet_is_named(parameters: str, precondition: str, reason: str) -> None:
    assert never_possible(domain(action("go", parameters, precondition))) == {"go": reason}


@pytest.mark.parametrize(
    ("parameters", "precondition"),
    [
        ("?t - truck", "(and (ready ?t) (not (fuelled ?t)))"),
        ("?t ?u - truck", "(and (ready ?t) (not (ready ?u)) (not (= ?t ?u)))"),
        ("?t - truck ?v - vehicle", "(and (= ?t ?v) (fuelled ?v))"),
        ("?v - vehicle", "(and (fuelled ?v) (not (winged ?v)))"),
        ("?x - object", "(ready ?x)"),
        ("?x - (either package plane)", "(ready ?x)"),
        ("?p - package", "(not (ready ?p))"),  # true of all that there is
        ("?t - truck", "(or (and (ready ?t) (not (ready ?t))) (fuelled ?t))"),
        ("?t - truck", "(and (ready ?t) (imply (ready ?t) (fuelled ?t)))"),
        ("?t - truck", "(and (ready ?t) (exists (?p - package) (not (ready ?t))))"),  # not looked into
        ("", "(and (= hub hub) (not (= hub yard)))"),
    ],
)
def test_what_some_state_can_meet_is_left(parameters: str, precondition: str) -> None:
    assert never_possible(domain(action("go", parameters, precondition))) == {}


@pytest.mark.parametrize(
    ("precondition", "effect"), [("(ready ?p)", "(ready ?p)"), ("(in ?p)", "(in ?p)"), ("(hot ?p)", "(hot ?p)")]
)
def test_an_effect_may_do_what_declarations_forbid(precondition: str, effect: str) -> None:
    """It is wrong there too, and then nothing is certain of that predicate; a deletion makes nothing true."""
    go = action("go", "?p - package", precondition)
    assert "go" in never_possible(domain(go, action("other", "?p - package", "(dark)", f"(not {effect})")))
    assert never_possible(domain(go, action("other", "?p - package", "(dark)", effect))) == {}


def test_very_many_alternatives_are_given_up() -> None:
    contrary = "(or (and (dark) (not (dark))) (and (dark) (not (dark))))"
    few, many = (f"(and {' '.join([contrary] * number)})" for number in (8, 40))
    assert never_possible(domain(action("go", "", few))).keys() == {"go"}
    assert never_possible(domain(action("go", "", many))) == {}


@pytest.mark.parametrize("name", example_ids())
def test_the_hand_made_models_can_do_all(name: str) -> None:
    assert never_possible(load_example(name).planning) == {}


def test_a_construction_is_looked_at_as_it_stands() -> None:
    example = load_example("logistics")

    def built(old: str, new: str) -> Construction:
        construction = Construction(Setup(example.brief, rounds=0, passes=1))
        while (ask := building.next_ask(construction)) is not None:
            text = reference_answer(example, ask.action, construction.predicates)
            text = text.replace(old, new) if ask.action == "load-truck" else text
            construction = building.after(construction, building.answered(ask, text))
        return construction

    assert list(never_possible_in(built("", ""))) == []
    assert list(never_possible_in(built("(truck-at ?t ?l)", "(truck-at ?p ?l)"))) == [
        "'load-truck' can never be done: nothing can be package (?p) and truck (?p in (truck-at ?p ?l)) at once"
    ]
