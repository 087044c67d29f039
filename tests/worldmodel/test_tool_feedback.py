"""Seeded errors of each kind are named to the model in words; what is right is left in peace."""

from __future__ import annotations

import pytest

from nl2pddl.worldmodel import checking
from nl2pddl.worldmodel.asking import answer_text
from nl2pddl.worldmodel.brief import Example, example_ids, load_example
from nl2pddl.worldmodel.reading import read_answer
from nl2pddl.worldmodel.reference import reference_draft, reference_predicates


@pytest.fixture(scope="module")
def logistics() -> Example:
    return load_example("logistics")


@pytest.mark.parametrize("name", example_ids())
def test_the_hand_made_models_are_without_fault(name: str) -> None:
    example = load_example(name)
    known = reference_predicates(example)
    for action in example.planning.actions:
        for there in ({}, known):
            draft = reference_draft(example, action, there)
            assert checking.faults(draft, action, example.brief, there) == ()


SEEDED = {
    "unknown type of a parameter": ("?t - truck", "?t - lorry", "the type 'lorry' is not in the domain"),
    "unknown predicate": ("(truck-at ?t ?l)", "(lorry-at ?t ?l)", "the predicate 'lorry-at' is not in the list"),
    "wrong number of arguments": ("(truck-at ?t ?l)", "(truck-at ?t)", "'truck-at' takes 2 arguments, found 1"),
    "wrong type of an argument": ("(truck-at ?t ?l)", "(truck-at ?p ?l)", "'?p' is of type package"),
    "no such parameter": ("(truck-at ?t ?l)", "(truck-at ?t ?k)", "'?k' in (truck-at ...) is not among the parameters"),
    "doubled parameter": ("2. ?t - truck", "2. ?p - truck", "the parameter ?p is declared twice"),
    "forall": (
        "(truck-at ?t ?l)",
        "(forall (?x - truck) (truck-at ?x ?l))",
        "'forall in a condition' cannot be used here",
    ),
    "when": ("(package-in-truck ?p ?t)", "(when (airport ?l) (package-in-truck ?p ?t))", "'when' cannot be used here"),
    "contradictory effects": (
        "(package-in-truck ?p ?t)",
        "(package-at ?p ?l)",
        "make (package-at ?p ?l) both true and false",
    ),
    "contradictory preconditions": ("(truck-at ?t ?l)", "(not (package-at ?p ?l))", "the action can never be done"),
    "a predicate like a type": ("none", "1. (truck ?x - truck): true if ?x is one", "has the name of a type"),
    "another predicate of a known name": (
        "none",
        "1. (airport ?x - city): true if ?x has one",
        "there is a predicate (airport",
    ),
    "unknown type in a new predicate": (
        "none",
        "1. (ready ?x - lorry): true if ?x is ready",
        "the type 'lorry' in (ready",
    ),
    "a new predicate twice": ("none", "1. (ready): true\n2. (ready): true", "'ready' is declared twice"),
}


@pytest.mark.parametrize(("old", "new", "words"), SEEDED.values(), ids=SEEDED)
def test_each_seeded_error_is_named(logistics: Example, old: str, new: str, words: str) -> None:
    known = reference_predicates(logistics)
    text = answer_text(reference_draft(logistics, "load-truck", known))
    assert text.count(old) >= 1
    answer = read_answer(text.replace(old, new), "load-truck")
    assert answer.draft is not None, answer.problems
    found = checking.faults(answer.draft, "load-truck", logistics.brief, known)
    assert any(words in fault for fault in found), found


def test_an_action_that_changes_nothing_is_told(logistics: Example) -> None:
    text = "Parameters:\n1. ?p - package: it\n\nPreconditions:\n(and)\n\nEffects:\n(and)\n\nNew Predicates:\nnone"
    draft = read_answer(text, "load-truck").draft
    assert draft is not None
    assert checking.faults(draft, "load-truck", logistics.brief, {}) == (
        "the action has no effect; say what it changes",
    )


def test_a_known_predicate_that_is_listed_again_is_no_fault(logistics: Example) -> None:
    draft = reference_draft(logistics, "load-truck", {})
    assert draft.new
    assert checking.faults(draft, "load-truck", logistics.brief, reference_predicates(logistics)) == ()


def test_what_looks_odd_in_a_whole_domain_is_for_people() -> None:
    example = load_example("household")
    drafts = {name: reference_draft(example, name, {}) for name in example.planning.actions}
    said = list(checking.hints(drafts, reference_predicates(example)))
    assert "'mashed' is an effect only; no action asks for it" in said
    assert any(hint.startswith("'pickupable' is made false and never true again") for hint in said)
    del drafts["vacuum"]
    assert "no action uses the predicate 'carpet'" in list(checking.hints(drafts, reference_predicates(example)))
