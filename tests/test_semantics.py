from __future__ import annotations

import pytest

from nl2pddl.action_reader import read_action
from nl2pddl.domains import DomainLibrary
from nl2pddl.pddl_io import parse_domain
from nl2pddl.semantics import check_action
from nl2pddl.sexpr import read_group
from nl2pddl.task import PlanningDomain

STACK = (
    "(:action stack :parameters (?x - block ?y - block) :precondition (and (holding ?x) (clear ?y)) "
    ":effect (and (on ?x ?y) (not (holding ?x))))"
)


def kinds(text: str, domain: PlanningDomain, name: str = "stack") -> list[tuple[str, str]]:
    action, problems = read_action(read_group(text))
    assert action is not None, problems
    return [(problem.subclass.value, problem.kind) for problem in check_action(action, domain, name)]


@pytest.fixture
def blocksworld(library: DomainLibrary) -> PlanningDomain:
    return library.find("blocksworld").planning


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("", "", []),
        ("stack :", "STACK :", []),
        ("?y - block", "?y - gizmo", [("TError", "unknown-type")]),
        ("?y - block", "?y - object", [("TError", "type-mismatch")] * 2),
        ("?y - block", "?y", [("TError", "type-mismatch")] * 2),
        ("?y - block", "?y - block ?x - block", [("TError", "duplicate-parameter")]),
        ("(clear ?y)", "(clear ?y ?x)", [("PAError", "arity")]),
        ("(clear ?y)", "(clear)", [("PAError", "arity")]),
        ("(clear ?y)", "(clean ?y)", [("PAError", "unknown-predicate")]),
        ("(clear ?y)", "(clear ?z)", [("PAError", "undeclared-variable")]),
        ("(clear ?y)", "(clear table)", [("PAError", "undeclared-constant")]),
        ("stack :", "put-on :", [("NError", "wrong-name")]),
        ("(clear ?y)", "(not (clear ?y))", [("BPError", "negated-precondition")]),
        ("(clear ?y)", "(or (clear ?y) (holding ?y))", [("BPError", "unsupported")]),
        ("(clear ?y)", "(not (= ?x ?y))", [("BPError", "unsupported")]),
        ("(clear ?y)", "(forall (?z - block) (clear ?z))", [("BPError", "unsupported")]),
        ("(clear ?y)", "(> (height ?y) 2)", [("BPError", "unsupported")]),
        ("(on ?x ?y)", "(when (clear ?y) (on ?x ?y))", [("BPError", "unsupported")]),
        ("(on ?x ?y)", "(increase (total-cost) 1)", [("BPError", "unsupported")]),
    ],
)
def test_each_check(blocksworld: PlanningDomain, old: str, new: str, found: list[tuple[str, str]]) -> None:
    assert kinds(STACK.replace(old, new), blocksworld) == found


def test_all_are_listed_in_the_paper_s_precedence(blocksworld: PlanningDomain) -> None:
    text = "(:action x :parameters (?x - gizmo) :precondition (not (clear ?x ?x)) :effect (nope))"
    assert [subclass for subclass, _ in kinds(text, blocksworld)] == [
        "TError", "PAError", "PAError", "NError", "BPError",
    ]  # fmt: skip


def test_subtypes_fit_and_supertypes_do_not(library: DomainLibrary) -> None:
    depot = library.find("depot").planning
    lift = "(:action drive :parameters (?x - {} ?y - {}) :effect (at ?x ?y))"
    assert kinds(lift.format("crate", "distributor"), depot, "drive") == []
    assert kinds(lift.format("object", "place"), depot, "drive") == [("TError", "type-mismatch")]
    assert kinds(lift.format("(either truck crate)", "place"), depot, "drive") == []
    assert kinds(lift.format("(either truck place)", "place"), depot, "drive") == [("TError", "type-mismatch")]


def test_declared_constants_are_typed(library: DomainLibrary) -> None:
    gripper = library.find("gripper").planning
    text = "(:action move :parameters (?a - room) :precondition ({}) :effect (at-robby ?a))"
    assert kinds(text.format("free left"), gripper, "move") == []
    assert kinds(text.format("at-robby left"), gripper, "move") == [("TError", "type-mismatch")]


def test_negated_preconditions_are_fine_where_the_domain_has_them(library: DomainLibrary) -> None:
    text = "(:action walk :parameters (?f - location) :precondition (not (iswater ?f)) :effect (at ?f))"
    assert kinds(text, library.find("forest").planning, "walk") == []


def test_requirements_open_what_they_name() -> None:
    source = "(define (domain d) (:requirements :adl) (:predicates (p ?x) (q)) (:action a :parameters () :effect (q)))"
    text = (
        "(:action a :parameters (?x) :precondition (or (p ?x) (forall (?y) (imply (p ?y) (not (= ?x ?y))))) "
        ":effect (when (q) (not (p ?x))))"
    )
    assert kinds(text, parse_domain(source), "a") == []


def test_the_list_of_problems_is_bounded_and_keeps_the_first_in_precedence(blocksworld: PlanningDomain) -> None:
    effect = " ".join(f"(nope{number})" for number in range(1000))
    text = f"(:action stack :parameters (?x - gizmo) :effect (and {effect}))"
    found = kinds(text, blocksworld)
    assert len(found) == 200
    assert found[0] == ("TError", "unknown-type")
