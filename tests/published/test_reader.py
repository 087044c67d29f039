"""The grammar of protocol published, token by token: what it takes, and where it stops."""

from __future__ import annotations

import pytest

from nl2pddl.actions import And, Atom, Not, Or
from nl2pddl.domains import DomainLibrary
from nl2pddl.published.classify import reconstruction_error
from nl2pddl.published.domain import domain_text, published_domain
from nl2pddl.published.reader import GrammarError, Reader


def action(params: str = "?x - block", pre: str = "(clear ?x)", eff: str = "(holding ?x)") -> str:
    return f"(:action lift :parameters ({params}) :precondition {pre} :effect {eff})"


@pytest.mark.parametrize(
    "text",
    [
        action(),
        action(params=""),
        action(params="? x - block"),  # the question mark is a token of its own
        action(params="?x -block"),
        action(params="?x - block ?y"),
        action(params="?x?y - block"),
        action(params="?x - (either block table)"),
        action(pre="(and)"),
        action(pre="()"),
        action(pre="(and (clear ?x) (and (clear ?x)))"),
        action(pre="(not (and (clear ?x)))"),
        action(eff="(when (clear ?x) (and (clear ?x) (not (clear ?x))))"),
        action(eff="(forall (?y - block) (and (clear ?y)))"),
        "(:actionlift:parameters():effect(a))",
        "(:action lift :parameters () ; nothing else\n)",
    ],
)
def test_what_the_grammar_takes(text: str) -> None:
    assert Reader(text).action().name == "lift"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (action(params="?x - block - table"), 39),
        (action(params="?x -"), 32),
        (action(params="?x-block"), None),  # one name: a variable without a type
        (action(pre="(when (clear ?x) (clear ?x))"), 60),
        (action(pre="(clear ?x - block)"), None),
        (action(eff="(and (and (clear ?x)))"), None),
        (action(eff="(not (not (clear ?x)))"), None),
        (action(eff="(or (clear ?x))"), None),
        ("(:action lift :effect (a) :precondition (b) :parameters ())", 15),
        ("(:action lift :parameters () :effect (a) :precondition (b))", 42),
        ("(:action lift :parameters () :precondition (b) :effect (a) (c))", 60),
        ("(:action lift :parameters () :precondition (> (f) 1) :effect (a))", None),
        ("(define (domain d) (:action lift))", 2),
    ],
)
def test_where_the_grammar_stops(text: str, column: int | None) -> None:
    if "?x-block" in text:
        assert [name for name, _, _ in Reader(text).action().parameters.entries] == ["x-block"]
        return
    with pytest.raises(GrammarError) as caught:
        Reader(text).action()
    assert "expected" in str(caught.value)
    if column is not None:
        assert caught.value.where.column == column


def test_conditions_are_simplified_as_the_published_code_does() -> None:
    clear, free = Atom("clear", ("?x",)), Atom("free")
    assert Reader(action(pre="(and (clear ?x))")).action().precondition == clear
    assert Reader(action(pre="(or (clear ?x) (clear ?x))")).action().precondition == clear
    assert Reader(action(pre="(and (clear ?x) (and (free) (not (free))))")).action().precondition == And(
        (clear, free, Not(free))
    )
    assert Reader(action(pre="()")).action().precondition == Or(())
    assert Reader(action(eff="(and (clear ?x))")).action().effect == And((clear,))


def test_the_domain_is_printed_with_the_action_in_the_place_of_another(library: DomainLibrary) -> None:
    planning = library.find("blocksworld").planning
    domain = published_domain(planning)
    new = Reader("(:action STACK :parameters (?a ?b - block) :precondition (and) :effect (on ?a ?b))").action().action
    text = domain_text(domain, "stack", new)
    stack = "(:action stack :parameters (?a - block ?b - block)\n    :precondition (and)\n    :effect (on ?a ?b))"
    assert stack in text
    assert text.index("(:action pick-up") < text.index("(:action put-down") < text.index("(:action stack")
    assert text.count("(:action") == 4
    assert text.count("(") == text.count(")")


@pytest.mark.parametrize(
    ("params", "pre", "eff", "error"),
    [
        ("?x - block ?y - block", "(on ?x ?y)", "(clear ?y)", 0),
        ("?a - block ?b - block", "(on ?a ?b)", "(clear ?b)", 0),
        ("?y - block ?x - block", "(on ?y ?x)", "(clear ?x)", 0),
        ("?x - block ?y - block", "(on ?y ?x)", "(clear ?y)", 2),
        ("?x - block ?y - block", "(On ?x ?y)", "(clear ?y)", 2),
        ("?x - block ?y - block", "(or (on ?x ?y) (clear ?x))", "(clear ?y)", 1),
        ("?x - block ?y - block", "(and (on ?x ?y) (or (clear ?x) (clear ?y)))", "(clear ?y)", 0),
        ("?x - block ?y - block", "(on ?x ?y)", "(and (clear ?y) (when (clear ?x) (clear ?x)))", 0),
        ("?x - block", "(on ?x ?y)", "(clear ?y)", 0),
    ],
)
def test_the_are_as_the_published_code_counts(params: str, pre: str, eff: str, error: int) -> None:
    original = Reader(action("?x - block ?y - block", "(on ?x ?y)", "(clear ?y)")).action().action
    assert reconstruction_error(original, Reader(action(params, pre, eff)).action().action) == error
