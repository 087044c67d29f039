"""Errors against the hand-made model: predicates matched under other names, seeded errors counted once and weighed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nl2pddl.errors import InputError
from nl2pddl.exact import ExactLimits
from nl2pddl.worldmodel import building, matching, person, quality
from nl2pddl.worldmodel.brief import Example, example_ids, load_example
from nl2pddl.worldmodel.building import Construction, Setup
from nl2pddl.worldmodel.matching import Match
from nl2pddl.worldmodel.quality import ErrorKind, ModelError, Weight
from nl2pddl.worldmodel.reference import reference_answer, reference_predicates

LIMITS = ExactLimits(states=200_000, seconds=20)


def built(example: Example, change: Callable[[str, str], str] = lambda action, text: text) -> Construction:
    """The construction from right answers, but for what ``change`` makes of the text about an action."""
    construction = Construction(Setup(example.brief, rounds=0, passes=1))
    while (ask := building.next_ask(construction)) is not None:
        text = change(ask.action, reference_answer(example, ask.action, construction.predicates))
        construction = building.after(construction, building.answered(ask, text))
    return construction


def matched(construction: Construction, example: Example) -> dict[str, Match]:
    actions = {name: draft.action for name, draft in construction.drafts.items()}
    return matching.propose(construction.predicates, actions, example.planning, reference_predicates(example))


def found(example: Example, action: str, old: str, new: str) -> list[ModelError]:
    def change(name: str, text: str) -> str:
        if name != action:
            return text
        assert old in text
        return text.replace(old, new)

    construction = built(example, change)
    mapping = {
        name: Match(name, tuple(range(len(one.parameters)))) for name, one in reference_predicates(example).items()
    }
    return quality.errors(construction, example, mapping)


@pytest.mark.parametrize("name", example_ids())
def test_the_hand_made_model_is_without_error_under_any_names(name: str) -> None:
    example = load_example(name)
    construction = built(example)
    assert quality.errors(construction, example, matched(construction, example)) == []
    for number, predicate in enumerate(list(construction.predicates)):
        order = list(range(len(construction.predicates[predicate].parameters)))[::-1]
        event = person.renamed(construction, predicate, f"fact-{number}", order)
        construction = building.after(construction, event)
    mapping = matched(construction, example)
    assert [match.predicate for match in mapping.values()] == list(built(example).predicates)
    assert quality.errors(construction, example, mapping) == []


def test_a_contrary_is_found_and_is_no_error() -> None:
    example = load_example("household")

    def opened(action: str, text: str) -> str:
        text = text.replace("(not (furniture-closed ?f))", "(FURNITURE-OPENED ?f)").replace(
            "(not (furniture-closed ?t))", "(FURNITURE-OPENED ?t)"
        )
        for variable in "ftm":
            text = text.replace(f"(furniture-closed ?{variable})", f"(not (furniture-opened ?{variable}))")
        text = text.replace("FURNITURE-OPENED", "furniture-opened")
        return text.replace(
            "(furniture-closed ?f - furniture): true if furniture ?f is closed",
            "(furniture-opened ?f - furniture): true if it is open",
        )

    construction = built(example, opened)
    assert "furniture-closed" not in construction.domain_text()
    mapping = matched(construction, example)
    assert mapping["furniture-opened"] == Match("furniture-closed", (0,), negated=True)
    assert quality.errors(construction, example, mapping) == []


SEEDED = {
    ErrorKind.MISSING_PRECONDITION: ("drive-truck", "    (in-city ?to ?c)\n", "", "(in-city ?to ?c)", ""),
    ErrorKind.EXTRA_PRECONDITION: (
        "fly-airplane",
        "(airport ?to)",
        "(airport ?to) (airport ?from)",
        "",
        "(airport ?from)",
    ),
    ErrorKind.MISSING_EFFECT: ("load-truck", "(not (package-at ?p ?l))", "", "(not (package-at ?p ?l))", ""),
    ErrorKind.EXTRA_EFFECT: ("load-truck", "(not (package-at", "(airport ?l) (not (package-at", "", "(airport ?l)"),
    ErrorKind.WRONG_PREDICATE: (
        "unload-truck",
        "(and\n    (package-at",
        "(and\n    (lies",
        "(package-at ?p ?l)",
        "(lies ?p ?l)",
    ),
    ErrorKind.MISSING_PARAMETER: ("drive-truck", "4. ?c - city: the city that both are in\n", "", "?c", ""),
    ErrorKind.EXTRA_PARAMETER: ("load-truck", "3. ?l", "4. ?c - city: where\n3. ?l", "", "?c"),
}


@pytest.mark.parametrize("kind", SEEDED)
def test_each_seeded_error_is_counted_once(kind: ErrorKind) -> None:
    action, old, new, missing, extra = SEEDED[kind]
    errors = found(load_example("logistics"), action, old, new)
    assert [(error.action, error.kind, error.missing, error.extra) for error in errors if error.kind is kind] == [
        (action, kind, missing, extra)
    ]
    # A parameter that is not there takes the conditions that name it along.
    others = {error.kind for error in errors} - {kind}
    assert others <= (
        {ErrorKind.WRONG_PREDICATE, ErrorKind.MISSING_PRECONDITION, ErrorKind.EXTRA_PRECONDITION}
        if kind is ErrorKind.MISSING_PARAMETER
        else set()
    )


def test_contradictions_and_missing_actions_are_errors_too() -> None:
    example = load_example("logistics")
    errors = found(
        example, "load-truck", "(package-in-truck ?p ?t)\n", "(package-in-truck ?p ?t)\n    (package-at ?p ?l)\n"
    )
    assert ErrorKind.CONTRADICTION in {error.kind for error in errors}
    (gone,) = found(example, "fly-airplane", "Effects:", "Results:")
    assert (gone.action, gone.kind, gone.in_words) == (
        "fly-airplane", ErrorKind.MISSING_ACTION, "fly-airplane: missing action"
    )  # fmt: skip
    assert quality.weighed(gone, example, LIMITS).weight is Weight.PLANS


@pytest.mark.parametrize(
    ("error", "weight"),
    [
        (ModelError("drive-truck", ErrorKind.MISSING_PRECONDITION, "(in-city ?to ?c)"), Weight.PLANS),
        (ModelError("load-truck", ErrorKind.MISSING_EFFECT, "(not (package-at ?p ?l))", "", True), Weight.PLANS),
        (ModelError("fly-airplane", ErrorKind.EXTRA_PRECONDITION, "", "(airport ?from)"), Weight.CONCISENESS),
        (ModelError("fly-airplane", ErrorKind.EXTRA_EFFECT, "", "(airport ?to)", True), Weight.CONCISENESS),
        (ModelError("fly-airplane", ErrorKind.EXTRA_PRECONDITION, "", "(fuelled ?a)"), Weight.UNDECIDED),
        (ModelError("fly-airplane", ErrorKind.EXTRA_PARAMETER, "", "?x"), Weight.UNDECIDED),
    ],
)
def test_what_changes_plans_is_told_from_what_costs_conciseness(error: ModelError, weight: Weight) -> None:
    weighed = quality.weighed(error, load_example("logistics"), LIMITS)
    assert weighed.weight is weight
    assert bool(weighed.task) == (weight is Weight.PLANS)


def test_a_person_s_match_is_checked() -> None:
    example = load_example("logistics")
    known = reference_predicates(example)
    matching.check_match("truck-at", Match("plane-at", (1, 0)), known, known)
    for name, match, words in (
        ("nothing", Match("plane-at", (0, 1)), "no predicate 'nothing'"),
        ("truck-at", Match("nothing", (0, 1)), "no predicate 'nothing'"),
        ("truck-at", Match("airport", (0,)), "differ in parameters"),
        ("truck-at", Match("plane-at", (0, 0)), "differ in parameters"),
    ):
        with pytest.raises(InputError, match=words):
            matching.check_match(name, match, known, known)
