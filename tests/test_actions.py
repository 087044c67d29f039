from __future__ import annotations

import pytest

from nl2pddl.action_reader import read_action
from nl2pddl.actions import (
    Atom,
    LiftedAction,
    Parameter,
    Quantified,
    action_pddl,
    aligned,
    canonical,
    difference,
    rename,
)
from nl2pddl.domains import DomainLibrary
from nl2pddl.sexpr import read_group


def action(text: str) -> LiftedAction:
    read, problems = read_action(read_group(text))
    assert read is not None, problems
    return read


PICK = "(:action pick :parameters (?x - b) :precondition (and (clear ?x) (free)) :effect (and (held ?x) (not (free))))"


@pytest.mark.parametrize(
    ("other", "are"),
    [
        (PICK, 0),
        (PICK.replace("?x", "?block"), 0),
        (PICK.replace("(clear ?x) (free)", "(free) (clear ?x)"), 0),
        (PICK.replace("(free))", ")", 1), 1),
        (PICK.replace("(not (free))", "(free)"), 2),
        (PICK.replace("(clear ?x)", "(not (clear ?x))"), 2),
        (PICK.replace("(held ?x)", "(held ?y)"), 2),
        ("(:action pick :parameters () :effect ())", 4),
    ],
)
def test_are(other: str, are: int) -> None:
    assert difference(action(PICK), action(other)).are == are


def test_are_of_exchanged_parameters_counts_every_literal_that_names_them() -> None:
    one = action("(:action m :parameters (?a - t ?b - u) :precondition (at ?a ?b) :effect (in ?a ?b))")
    two = action("(:action m :parameters (?b - u ?a - t) :precondition (at ?a ?b) :effect (in ?a ?b))")
    assert difference(one, two).are == 4


def test_difference_names_the_literals_with_the_original_s_parameters() -> None:
    found = difference(action(PICK), action(PICK.replace("?x", "?y").replace("(held ?y)", "(held ?y) (clear ?y)")))
    assert found.surplus_add == ("(clear ?x)",)
    assert found.missing_add == ()


def test_alignment_never_makes_one_variable_of_two() -> None:
    original = action("(:action a :parameters (?x ?y) :effect (p ?x ?y))")
    other = action("(:action a :parameters (?y ?x ?z) :effect (p ?y ?x))")
    assert difference(original, other).are == 0
    undeclared = action("(:action a :parameters (?a) :effect (p ?a ?x))")
    assert difference(original, undeclared).are == 2
    surplus = aligned(original, action("(:action a :parameters (?a ?b ?x) :effect (p ?x ?x))"))
    assert [parameter.name for parameter in surplus.parameters] == ["?x", "?y", "?x-surplus"]


def test_canonical_form_knows_neither_names_nor_order_but_types() -> None:
    swapped = PICK.replace("?x", "?z").replace("(clear ?z) (free)", "(free) (clear ?z)")
    assert canonical(action(PICK)) == canonical(action(swapped))
    assert canonical(action(PICK)) != canonical(action(PICK.replace("- b", "- c")))
    assert canonical(action(PICK)) != canonical(action(PICK.replace("(free))", ")", 1)))


def test_pddl_text_reads_back_as_the_same_action(library: DomainLibrary) -> None:
    for domain in library.domains.values():
        for original in domain.planning.actions.values():
            assert canonical(action(action_pddl(original))) == canonical(original)
            assert canonical(action(action_pddl(original, compact=True))) == canonical(original)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("(forall (?p1 - t) (on ?x ?p1))", "(forall (?p1 - t) (on ?p1 ?p1))", False),
        ("(forall (?p1 - t) (on ?x ?p1))", "(forall (?q1 - t) (on ?x ?q1))", True),
        ("(forall (?a - t) (on ?x ?a))", "(forall (?b - t) (on ?x ?b))", True),
        ("(forall (?x - t) (on ?x ?x))", "(forall (?b - t) (on ?b ?b))", True),
        ("(forall (?a - t) (exists (?b - t) (on ?a ?b)))", "(forall (?b - t) (exists (?a - t) (on ?b ?a)))", True),
        ("(forall (?a - t) (exists (?b - t) (on ?a ?b)))", "(forall (?a - t) (exists (?b - t) (on ?b ?a)))", False),
        ("(on ?x ?p1)", "(on ?x ?x)", False),
        ("(on ?x ?pp1)", "(on ?x ?x)", False),
    ],
)
def test_the_canonical_form_neither_captures_nor_sees_bound_names(one: str, other: str, same: bool) -> None:
    first, second = (
        action(f"(:action a :parameters (?x - t) :precondition {text} :effect (and))") for text in (one, other)
    )
    assert (canonical(first) == canonical(second)) is same
    assert (difference(first, second).are == 0) is same


def test_renaming_into_the_name_of_a_bound_variable_keeps_them_apart() -> None:
    formula = Quantified("forall", (Parameter("?y"),), Atom("on", ("?x", "?y")))
    renamed = rename(formula, {"?x": "?y"})
    assert isinstance(renamed, Quantified)
    assert isinstance(renamed.body, Atom)
    assert renamed.body.arguments[0] == "?y"
    assert renamed.body.arguments[1] == renamed.variables[0].name != "?y"
