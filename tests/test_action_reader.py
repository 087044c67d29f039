from __future__ import annotations

import pytest

from nl2pddl.action_reader import laid_out, read_action
from nl2pddl.actions import And, Atom, LiftedAction, Not, action_pddl
from nl2pddl.domains import DomainLibrary
from nl2pddl.extraction import extract_action
from nl2pddl.records import Problem, Subclass
from nl2pddl.semantics import check_action
from nl2pddl.sexpr import read_group


def from_text(text: str) -> tuple[LiftedAction | None, tuple[Problem, ...]]:
    return read_action(read_group(text))


def problems_of(text: str) -> tuple[Problem, ...]:
    action, problems = read_action(read_group(text))
    assert (action is None) == bool(problems)
    return problems


def test_a_whole_action() -> None:
    action, problems = read_action(
        read_group(
            "(:action Stack :parameters (?x ?y - block) :precondition (and (clear ?y)) :effect (not (clear ?y)))"
        )
    )
    assert problems == ()
    assert action is not None
    assert action.name == "stack"
    assert [(p.name, p.types) for p in action.parameters] == [("?x", ("block",)), ("?y", ("block",))]
    assert action.precondition == And((Atom("clear", ("?y",)),))
    assert action.effect == Not(Atom("clear", ("?y",)))


@pytest.mark.parametrize(
    "text",
    [
        "(:action a :parameters () :effect ())",
        "(:action a :parameters () :precondition () :effect (and))",
        "(:action a :effect (p) :precondition (and) :parameters (?x))",
        "(:action a :parameters (?x - (either b c)) :effect (and (and (p)) (q ?x)))",
        "(:ACTION A :PARAMETERS () :EFFECT (AND (NOT (P))))",
    ],
)
def test_legal_forms(text: str) -> None:
    assert problems_of(text) == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(:action a :parameters () :parameters () :effect (p))", "doubled-keyword"),
        ("(:action a :parameters (?x) :effect (p ?x - block))", "typed-literal"),
        ("(:action a :parameters (?x - a - b) :effect (p))", "malformed-typed-list"),
        ("(:action a :parameters (?x -) :effect (p))", "malformed-typed-list"),
        ("(:action a :parameters (x - b) :effect (p))", "malformed-typed-list"),
        ("(:action a :parameters () :effect (p) done)", "stray-token"),
        ("(:action a :parameters () :vars (?x) :effect (p))", "stray-token"),
        ("(:action a :parameters () :effect (and p))", "stray-token"),
        ("(:action a :parameters () :effect (and ()))", "stray-token"),
        ("(:action a :parameters () :effect ((p)))", "stray-token"),
        ("(:action a :parameters () :effect p)", "stray-token"),
        ("(:action :parameters () :effect (p))", "stray-token"),
        ("(:action a :parameters () :effect (p ?x,))", "stray-token"),
        ("(:action a :parameters () :effect (or (p) (q)))", "stray-token"),
        ("(:action a :parameters () :precondition (and (p) :effect (q)))", "stray-token"),
        ("(:action a :parameters () :effect (not (and (p))))", "negation"),
        ("(:action a :parameters () :effect (not (p) (q)))", "negation"),
        ("(:action a :parameters () :effect (not (not (p))))", "negation"),
        ("(:action a :parameters () :effect (not))", "negation"),
    ],
)
def test_unexpected_tokens(text: str, kind: str) -> None:
    problems = problems_of(text)
    assert kind in {problem.kind for problem in problems}
    assert {problem.subclass for problem in problems} == {Subclass.U_TOKEN}


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("(:action a :effect (p))", [":parameters"]),
        ("(:action a :parameters ())", [":effect"]),
        ("(:action a)", [":parameters", ":effect"]),
    ],
)
def test_missing_keywords_are_no_pddl(text: str, missing: list[str]) -> None:
    problems = problems_of(text)
    assert [problem.subclass for problem in problems] == [Subclass.NO_PDDL] * len(missing)
    assert all(keyword in problem.message for keyword, problem in zip(missing, problems, strict=True))


def test_all_problems_are_reported_in_order_with_their_places() -> None:
    text = "(:action a\n :parameters (?x - )\n :effect (and (p ?x - b)\n   q))"
    assert [(p.kind, p.line, p.column) for p in problems_of(text)] == [
        ("malformed-typed-list", 2, 18),
        ("typed-literal", 3, 21),
        ("stray-token", 4, 4),
    ]


def test_absurd_nesting_is_refused_not_a_crash() -> None:
    depth = 5000
    problems = problems_of("(:action a :parameters () :effect " + "(and " * depth + ")" * depth + ")")
    assert "nested" in problems[0].message


def test_an_action_that_does_not_parse_is_laid_out_like_one_that_does() -> None:
    text = "(:action a :parameters (?x - b - c) ; note\n :precondition (and (p ?x - b) q) :effect (and (r)))"
    assert laid_out(text) == (
        "(:action a\n"
        "    :parameters (?x - b - c)\n"
        "    :precondition (and\n"
        "        (p ?x - b)\n"
        "        q\n"
        "    )\n"
        "    :effect (and (r))\n"
        ")"
    )
    assert laid_out("(:action a (p)") == "(:action a (p)"


def test_the_layout_is_that_of_a_parsed_action(library: DomainLibrary) -> None:
    for domain in library.domains.values():
        for action in domain.planning.actions.values():
            text = action_pddl(action)
            assert laid_out(" ".join(text.split())) == text


def test_equality_is_no_effect_negated_or_not() -> None:
    for effect in ("(= ?x ?x)", "(not (= ?x ?x))", "(and (p ?x) (not (= ?x ?x)))"):
        action, problems = from_text(f"(:action a :parameters (?x) :effect {effect})")
        assert action is None
        assert [(problem.subclass, problem.message) for problem in problems] == [
            (Subclass.U_TOKEN, "'=' cannot stand in an effect")
        ]


def test_a_wrong_name_is_marked_at_the_name(library: DomainLibrary) -> None:
    action, _ = from_text("(:action\n   pickup :parameters () :effect ())")
    assert action is not None
    (found,) = check_action(action, library.find("blocksworld").planning, "pick-up")
    assert (found.subclass, found.line, found.column) == (Subclass.N_ERROR, 2, 4)


@pytest.mark.parametrize("text", ["(:actıon a :parameters () :effect ())", "(:actİon a :parameters () :effect ())"])
def test_letters_that_only_look_like_a_keyword_are_none(text: str) -> None:
    assert extract_action(text).group is None


def test_letters_outside_ascii_are_not_folded_into_names() -> None:
    action, problems = from_text("(:action pic\u212a-up :parameters () :effect ())")
    assert action is None
    assert problems[0].subclass is Subclass.U_TOKEN
