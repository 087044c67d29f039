from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nl2pddl.action_metrics import compare_actions
from nl2pddl.action_reader import read_action
from nl2pddl.actions import (
    And,
    Atom,
    Formula,
    LiftedAction,
    Not,
    Or,
    Parameter,
    Quantified,
    When,
    canonical,
    difference,
    rename,
    renamed_by_position,
    to_pddl,
    variables,
)
from nl2pddl.domains import DomainLibrary
from nl2pddl.pddl_io import parse_domain
from nl2pddl.records import ActionComparison, ActionRelation, Score
from nl2pddl.sexpr import read_group
from nl2pddl.task import PlanningDomain

DOMAIN = parse_domain(
    """
    (define (domain depot)
      (:requirements :strips :typing)
      (:types locatable place - object hoist surface - locatable crate - surface)
      (:predicates (at ?x - locatable ?p - place) (on ?x - crate ?y - surface) (lifting ?h - hoist ?c - crate)
                   (available ?h - hoist) (clear ?s - surface))
      (:action lift
        :parameters (?h - hoist ?c - crate ?s - surface ?p - place)
        :precondition (and (at ?h ?p) (available ?h) (at ?c ?p) (on ?c ?s) (clear ?c))
        :effect (and (not (at ?c ?p)) (lifting ?h ?c) (not (clear ?c)) (not (available ?h)) (clear ?s)
                     (not (on ?c ?s))))
    )
    """
)
LIFT = DOMAIN.actions["lift"]
TEXT = """(:action lift
  :parameters (?h - hoist ?c - crate ?s - surface ?p - place)
  :precondition (and (at ?h ?p) (available ?h) (at ?c ?p) (on ?c ?s) (clear ?c))
  :effect (and (not (at ?c ?p)) (lifting ?h ?c) (not (clear ?c)) (not (available ?h)) (clear ?s) (not (on ?c ?s))))"""


def action(text: str) -> LiftedAction:
    read, problems = read_action(read_group(text))
    assert read is not None, problems
    return read


def compared(text: str, domain: PlanningDomain = DOMAIN) -> ActionComparison:
    return compare_actions(LIFT, action(text), domain)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("?c", "?crate").replace("?h", "?c"),
        TEXT.replace("(at ?h ?p) (available ?h)", "(available ?h) (at ?h ?p) (available ?h)"),
        TEXT.replace("action lift", "action hoist-up"),
    ],
)
def test_names_and_the_order_and_doubling_of_literals_do_not_count(text: str) -> None:
    whole = Score(1, 1, 1)
    identical = ActionComparison(ActionRelation.IDENTICAL, (), 0, 0, 0, (0, 1, 2, 3), whole, whole)
    assert compared(text) == identical


def test_exchanged_parameters_of_different_types_are_a_reordering() -> None:
    found = compared(TEXT.replace("(?h - hoist ?c - crate ?s", "(?c - crate ?h - hoist ?s"))
    assert found.relation is ActionRelation.REORDERED
    assert found.differing == ()
    assert found.permutation == (1, 0, 2, 3)
    assert (found.are, found.are_typed, found.are_permuted) == (16, 18, 0)


def test_exchanged_parameters_of_one_type_are_a_reordering() -> None:
    stack = action("(:action stack :parameters (?a ?b) :precondition (on ?a ?b) :effect (clear ?a))")
    other = action("(:action stack :parameters (?a ?b) :precondition (on ?b ?a) :effect (clear ?b))")
    found = compare_actions(stack, other, DOMAIN)
    assert found.relation is ActionRelation.REORDERED
    assert (found.are, found.are_typed, found.are_permuted, found.permutation) == (4, 4, 0, (1, 0))


def test_differing_literals_are_told_with_the_original_s_names() -> None:
    text = TEXT.replace("(clear ?c))", "(clear ?s))").replace("(clear ?s) (not (on ?c ?s))", "(not (clear ?s))")
    found = compared(text.replace("?s", "?under"))
    assert found.relation is ActionRelation.DIFFERENT
    assert found.differing == (
        "precondition lacks (clear ?c)",
        "precondition has surplus (clear ?s)",
        "add effect lacks (clear ?s)",
        "delete effect lacks (clear ?c)",
        "delete effect lacks (on ?c ?s)",
        "delete effect has surplus (clear ?s)",
    )
    assert (found.are, found.are_typed, found.are_permuted) == (6, 6, 6)
    assert found.precondition == Score(4 / 5, 4 / 5, pytest.approx(4 / 5))
    assert found.effect == Score(3 / 4, 1 / 2, pytest.approx(3 / 5))


def test_types_and_the_number_of_parameters_are_told() -> None:
    found = compared(TEXT.replace("?s - surface ?p - place", "?s - crate"))
    assert found.differing == ("parameter 3 ?s: type crate instead of surface", "parameter 4 ?p: missing")
    # (?p is now undeclared, and as a variable that keeps its name it means the original's ?p.)
    assert (found.are, found.are_typed) == (0, 2)
    assert found.permutation == (0, 1, None, None)
    assert found.are_permuted == 6  # (on ?c ?s), once on each side, and (clear ?s), (not (on ?c ?s))
    surplus = compared(TEXT.replace("?p - place", "?p ?t - place"))
    assert surplus.differing == ("parameter 5 ?t: surplus",)
    assert (surplus.are, surplus.are_typed, surplus.are_permuted) == (0, 1, 0)
    assert surplus.permutation == (0, 1, 2, 3)


def test_a_parameter_moved_by_an_additional_one_is_matched_again() -> None:
    found = compared(TEXT.replace("?p - place", "?q - place ?p - place"))
    assert found.relation is ActionRelation.DIFFERENT
    assert found.are == 6
    assert (found.are_permuted, found.permutation) == (0, (0, 1, 2, 4))


def test_a_parameter_of_another_type_is_matched_by_none() -> None:
    found = compared(TEXT.replace("?c - crate", "?c - surface"))
    assert found.are == 0
    assert found.are_typed == 1
    assert found.permutation[1] is None
    assert found.are_permuted == 14  # seven literals name ?c


def test_of_a_parameter_declared_twice_the_last_counts() -> None:
    two = action("(:action a :parameters (?x ?y) :precondition (clear ?y) :effect ())")
    found = compare_actions(two, action("(:action a :parameters (?x ?x) :precondition (clear ?x) :effect ())"), DOMAIN)
    assert found.relation is ActionRelation.DIFFERENT
    assert found.differing == ("parameter 1 ?x: missing",)
    assert (found.are, found.are_typed, found.are_permuted, found.permutation) == (0, 1, 0, (None, 1))


def test_members_of_either_may_stand_in_any_order() -> None:
    one = action("(:action a :parameters (?x - (either hoist crate)) :precondition (clear ?x) :effect ())")
    two = action("(:action a :parameters (?y - (either crate hoist)) :precondition (clear ?y) :effect ())")
    assert compare_actions(one, two, DOMAIN).relation is ActionRelation.IDENTICAL
    three = action("(:action a :parameters (?y - (either crate surface)) :precondition (clear ?y) :effect ())")
    found = compare_actions(one, three, DOMAIN)
    assert found.differing == ("parameter 1 ?x: type (either crate surface) instead of (either hoist crate)",)
    # All crates are surfaces, so this is the type surface.
    four = action("(:action a :parameters (?y - surface) :precondition (clear ?y) :effect ())")
    assert compare_actions(three, four, DOMAIN).relation is ActionRelation.IDENTICAL


@pytest.mark.parametrize(
    ("wanted", "given", "score"),
    [
        ("()", "()", Score(1, 1, 1)),
        ("(clear ?s)", "()", Score(1, 0, 0)),
        ("()", "(clear ?s)", Score(0, 1, 0)),
        ("(clear ?s)", "(not (clear ?s))", Score(0, 0, 0)),
        ("(and (clear ?s) (clear ?t))", "(clear ?t)", Score(1, 0.5, pytest.approx(2 / 3))),
        ("(clear ?s)", "(and (clear ?s) (clear ?t))", Score(0.5, 1, pytest.approx(2 / 3))),
    ],
)
@pytest.mark.parametrize("part", ["precondition", "effect"])
def test_scores_of_each_part(part: str, wanted: str, given: str, score: Score) -> None:
    def of(formula: str) -> LiftedAction:
        parts = {"precondition": "()", "effect": "()", part: formula}
        words = " ".join(f":{name} {text}" for name, text in parts.items())
        return action(f"(:action a :parameters (?s ?t - surface) {words})")

    found = compare_actions(of(wanted), of(given), DOMAIN)
    assert {"precondition": found.precondition, "effect": found.effect}[part] == score
    assert {"precondition": found.effect, "effect": found.precondition}[part] == Score(1, 1, 1)


def test_what_is_no_atom_is_matched_whole() -> None:
    one = action("(:action a :parameters (?x ?y ?z) :precondition (or (on ?x ?y) (on ?y ?z)) :effect (clear ?x))")
    two = action("(:action a :parameters (?z ?y ?x) :precondition (or (on ?y ?z) (on ?x ?y)) :effect (clear ?x))")
    assert compare_actions(one, two, DOMAIN).permutation == (2, 1, 0)
    assert compare_actions(one, two, DOMAIN).relation is ActionRelation.REORDERED
    three = action("(:action a :parameters (?x ?y ?z) :precondition (or (on ?x ?y) (on ?z ?y)) :effect (clear ?x))")
    assert compare_actions(one, three, DOMAIN).are_permuted == 2
    # Each parameter stands in the same places on both sides, and yet these are not the same.
    typed = "(:action a :parameters (?w - place ?x - hoist ?y - crate ?z - surface) :precondition (or {}) :effect ())"
    pairs, others = action(typed.format("(on ?w ?x) (on ?y ?z)")), action(typed.format("(on ?w ?z) (on ?y ?x)"))
    assert compare_actions(pairs, others, DOMAIN).are_permuted == 2


def test_an_undeclared_variable_is_never_mistaken_for_a_numbered_parameter() -> None:
    one = action("(:action a :parameters (?x) :precondition (on ?x ?x) :effect ())")
    two = action("(:action a :parameters (?x) :precondition (on ?x ?p1) :effect ())")
    found = compare_actions(one, two, DOMAIN)
    assert found.relation is ActionRelation.DIFFERENT
    assert (found.are, found.are_permuted) == (2, 2)


def test_every_ground_truth_action_is_found_again_in_any_order(library: DomainLibrary) -> None:
    for domain in library.domains.values():
        for original in domain.planning.actions.values():
            assert compare_actions(original, original, domain.planning).relation is ActionRelation.IDENTICAL
            for order in permutations(original.parameters):
                found = compare_actions(original, replace(original, parameters=order), domain.planning)
                assert found.are_permuted == 0
                assert found.relation is not ActionRelation.DIFFERENT
                assert tuple(order[position or 0] for position in found.permutation) == original.parameters


# Random small actions. Types, predicates and arities need not be the domain's: nothing here depends on that.
TYPES = ("crate", "surface", "unheard-of")
thorough = settings(max_examples=120, deadline=None)


@st.composite
def small_actions(draw: st.DrawFn, *, closed: bool = False, most: int = 4) -> LiftedAction:
    """An action of few parameters and literals; not ``closed``: also with undeclared variables."""
    names = draw(st.lists(st.sampled_from(["?a", "?b", "?c", "?d", "?e"]), max_size=most, unique=True))
    parameters = tuple(Parameter(name, (draw(st.sampled_from(TYPES[:2] if closed else TYPES)),)) for name in names)
    arguments = st.sampled_from([*names, "home", *([] if closed else ["?a", "?u"])])
    atoms = st.builds(Atom, st.sampled_from("pq"), st.lists(arguments, max_size=2).map(tuple))
    literals = atoms | st.builds(Not, atoms)
    whole = st.one_of(
        st.builds(Or, st.lists(literals, min_size=1, max_size=3).map(tuple)),
        st.builds(When, literals, literals),
        st.builds(Quantified, st.just("forall"), st.just((Parameter("?bound"),)), atoms),
    )
    formulas = st.lists(st.one_of(literals, literals, literals, whole), max_size=4).map(lambda parts: And(tuple(parts)))
    return LiftedAction("act", parameters, draw(formulas), draw(formulas))


def parts(one: LiftedAction, names: dict[str, str]) -> set[tuple[str, str]]:
    sections: dict[str, frozenset[Formula]] = {"pre": one.pre, "add": one.add, "del": frozenset(one.delete)}
    return {
        (section, to_pddl(rename(formula, names), ordered=True))
        for section, formulas in sections.items()
        for formula in formulas
    }


def error(original: LiftedAction, new: LiftedAction, permutation: tuple[int | None, ...]) -> int:
    """The ARE under one matching, from its definition."""
    names = {p.name: f"{p.name}-new" for p in new.parameters}
    pairs = zip(original.parameters, permutation, strict=True)
    names |= {new.parameters[position].name: wanted.name for wanted, position in pairs if position is not None}
    for name in variables(new.precondition) | variables(new.effect):
        if name not in names and name in names.values():
            names[name] = f"{name}-undeclared"
    return len(parts(original, {}) ^ parts(new, names))


def matchings(original: LiftedAction, new: LiftedAction) -> Iterator[tuple[int | None, ...]]:
    """All matchings in which no two parameters of one type are both without a partner."""

    def of_type(name: str) -> list[dict[int, int | None]]:
        wanted = [position for position, p in enumerate(original.parameters) if p.types == (name,)]
        found: list[int | None] = [position for position, p in enumerate(new.parameters) if p.types == (name,)]
        found += [None] * (len(wanted) - len(found))
        return [dict(zip(wanted, values, strict=True)) for values in permutations(found, len(wanted))]

    for chosen in product(*map(of_type, TYPES)):
        merged = {position: value for values in chosen for position, value in values.items()}
        yield tuple(merged[position] for position in range(len(original.parameters)))


@thorough
@given(small_actions(), small_actions())
def test_the_smallest_are_is_that_of_brute_force(original: LiftedAction, new: LiftedAction) -> None:
    found = compare_actions(original, new, DOMAIN)
    assert found.are_permuted == min(error(original, new, matching) for matching in matchings(original, new))
    assert found.permutation in set(matchings(original, new))
    assert error(original, new, found.permutation) == found.are_permuted


@thorough
@given(small_actions(most=5), st.randoms(use_true_random=False))
def test_a_mutilated_copy_too(original: LiftedAction, chance: random.Random) -> None:
    """Close pairs, which random actions seldom are: parameters shuffled, one literal less."""
    order = chance.sample(original.parameters, len(original.parameters))
    kept = chance.sample(original.precondition.operands, max(0, len(original.precondition.operands) - 1))
    new = replace(original, parameters=tuple(order), precondition=And(tuple(kept)))
    found = compare_actions(original, new, DOMAIN)
    assert found.are_permuted == min(error(original, new, matching) for matching in matchings(original, new)) <= 1


@thorough
@given(small_actions(), small_actions())
def test_by_position_it_is_the_paper_s_are(original: LiftedAction, new: LiftedAction) -> None:
    found = compare_actions(original, new, DOMAIN)
    assert found.are == difference(original, new).are
    pairs = list(zip(original.parameters, new.parameters, strict=False))
    lacking = abs(len(original.parameters) - len(new.parameters))
    wrong = sum(one.types != other.types for one, other in pairs)
    assert found.are_typed == found.are + wrong + lacking
    if not wrong:
        assert found.are_permuted <= found.are


@thorough
@given(small_actions(), small_actions(), st.randoms(use_true_random=False))
def test_the_order_of_parameters_changes_nothing_in_the_smallest_are(
    original: LiftedAction, new: LiftedAction, chance: random.Random
) -> None:
    shuffled = replace(new, parameters=tuple(chance.sample(new.parameters, len(new.parameters))))
    one, two = compare_actions(original, new, DOMAIN), compare_actions(original, shuffled, DOMAIN)
    assert one.are_permuted == two.are_permuted
    assert (one.relation is ActionRelation.DIFFERENT) == (two.relation is ActionRelation.DIFFERENT)


@thorough
@given(small_actions(), st.randoms(use_true_random=False))
def test_the_relation_of_an_action_with_its_shuffled_copy(original: LiftedAction, chance: random.Random) -> None:
    order = tuple(chance.sample(original.parameters, len(original.parameters)))
    copy = replace(original, name="other", parameters=order)
    found = compare_actions(original, copy, DOMAIN)
    same = canonical(replace(copy, name="act")) == canonical(original)
    assert found.relation is (ActionRelation.IDENTICAL if same else ActionRelation.REORDERED)


@thorough
@given(small_actions(), small_actions())
def test_identical_is_what_has_the_same_canonical_form(original: LiftedAction, new: LiftedAction) -> None:
    found = compare_actions(original, new, DOMAIN)
    assert (found.relation is ActionRelation.IDENTICAL) == (canonical(original) == canonical(new))
    assert (found.relation is ActionRelation.DIFFERENT) == bool(found.differing)
    if found.relation is ActionRelation.DIFFERENT:
        assert len(found.differing) == found.are_typed
    if found.relation is ActionRelation.REORDERED:
        order = tuple(new.parameters[position or 0] for position in found.permutation)
        assert canonical(replace(new, parameters=order)) == canonical(original)


@thorough
@given(small_actions(closed=True), small_actions(closed=True))
def test_exchanging_the_two_actions_exchanges_precision_and_recall(one: LiftedAction, two: LiftedAction) -> None:
    here, there = compare_actions(one, two, DOMAIN), compare_actions(two, one, DOMAIN)
    assert here.relation is there.relation
    assert (here.are, here.are_typed, here.are_permuted) == (there.are, there.are_typed, there.are_permuted)
    for left, right in ((here.precondition, there.precondition), (here.effect, there.effect)):
        assert (left.precision, left.recall, left.f1) == (right.recall, right.precision, right.f1)
        assert 0 <= left.f1 <= 1
        if left.precision + left.recall:
            assert left.f1 == pytest.approx(2 * left.precision * left.recall / (left.precision + left.recall))
        else:
            assert left.f1 == 0


@thorough
@given(small_actions(closed=True), small_actions(closed=True))
def test_names_of_parameters_change_nothing(original: LiftedAction, new: LiftedAction) -> None:
    renamed = renamed_by_position(new, {p.name: f"?n{i}" for i, p in enumerate(new.parameters)})
    one, two = compare_actions(original, new, DOMAIN), compare_actions(original, renamed, DOMAIN)
    assert replace(one, differing=()) == replace(two, differing=())
    if len(new.parameters) <= len(original.parameters):
        assert one.differing == two.differing


def graph(nodes: int, edges: list[tuple[int, int]]) -> LiftedAction:
    parameters = tuple(Parameter(f"?v{node}", ("crate",)) for node in range(nodes))
    return LiftedAction("act", parameters, And(tuple(Atom("on", (f"?v{a}", f"?v{b}")) for a, b in edges)))


def cycle(*nodes: int) -> list[tuple[int, int]]:
    return [edge for a, b in zip(nodes, (*nodes[1:], nodes[0]), strict=True) for edge in ((a, b), (b, a))]


def test_eight_interchangeable_parameters_are_searched_to_the_end() -> None:
    ring, squares = graph(8, cycle(*range(8))), graph(8, cycle(0, 1, 2, 3) + cycle(4, 5, 6, 7))
    # A ring of eight and two squares share six of their eight edges at most; each edge is two literals.
    assert compare_actions(ring, squares, DOMAIN).are_permuted == 8
    chance = random.Random(7)
    pairs = [(a, b) for a in range(8) for b in range(8) if a != b]
    edges = chance.sample(pairs, 20)
    order = chance.sample(range(8), 8)
    moved = graph(8, [(order[a], order[b]) for a, b in edges])
    found = compare_actions(graph(8, edges), moved, DOMAIN)
    assert found.relation is ActionRelation.REORDERED
    assert found.permutation == tuple(order)


def test_a_search_that_was_stopped_is_never_worse_than_by_position() -> None:
    chance = random.Random(3)
    edges = {(chance.randrange(100), chance.randrange(100)) for _ in range(600)}
    others = {(chance.randrange(100), chance.randrange(100)) for _ in range(600)}
    found = compare_actions(graph(100, sorted(edges)), graph(100, sorted(others)), DOMAIN)
    assert found.are_permuted <= found.are
    assert len(found.differing) == 201
    assert found.differing[-1] == f"and {found.are_typed - 200} more"


MANY = " ".join(f"?v{i}" for i in range(300))


@pytest.mark.parametrize(
    "text",
    [
        "(:action lift :parameters () :effect ())",
        f"(:action lift :parameters ({MANY} - crate) :effect (and))",
        f"(:action lift :parameters ({MANY} - (either {MANY.replace('?', '')})) :precondition (on {MANY}) :effect ())",
        f"(:action lift :parameters ({'?x ' * 300} - nonsense) :precondition (on ?x ?x ?x) :effect (foo ?y bar))",
        f"(:action lift :parameters (?h ?h - hoist ?c ?c) :precondition (or (at ?h {MANY}) (at ?c {MANY})) :effect ())",
        "(:action lift :parameters (?h) :precondition (forall (?h) (exists (?s) (on ?h ?s))) :effect (on ?h ?s))",
        "(:action lift :parameters (?s) :precondition (> (cost ?s) 3) :effect (increase (cost ?s) 1))",
        "(:action lift :parameters (?h - hoist) :effect (forall (?c) (when (imply-that ?c) (not (on ?h ?c)))))",
        f"(:action lift :parameters (?h - hoist) :precondition {'(and ' * 90}(at ?h ?h){')' * 90} :effect (and))",
    ],
)
def test_nothing_readable_is_too_odd(text: str) -> None:
    for one, two in ((LIFT, action(text)), (action(text), LIFT), (action(text), action(text))):
        found = compare_actions(one, two, DOMAIN)
        assert len(found.permutation) == len(one.parameters)
        assert len(found.differing) <= 201
        assert all(len(line) <= 300 for line in found.differing)
        assert (found.are_typed == 0) >= (found.relation is ActionRelation.IDENTICAL)


def test_a_quantified_variable_that_takes_a_parameter_in_is_a_difference() -> None:
    one = action("(:action a :parameters (?x) :precondition (forall (?x - crate) (on ?x ?x)) :effect ())")
    two = action("(:action a :parameters (?y) :precondition (forall (?x - crate) (on ?x ?y)) :effect ())")
    found = compare_actions(one, two, DOMAIN)
    assert found.relation is ActionRelation.DIFFERENT
    assert found.differing
