"""A construction from its events: the dialogue, the tools' objections, a person's, and what can be taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nl2pddl.actions import canonical, conjuncts
from nl2pddl.errors import InputError
from nl2pddl.pddl_io import parse_domain
from nl2pddl.worldmodel import building, person
from nl2pddl.worldmodel.asking import NONE_SO_FAR, answer_text
from nl2pddl.worldmodel.brief import Condition, Example, example_ids, load_example
from nl2pddl.worldmodel.building import Ask, Construction, Event, Origin, Setup
from nl2pddl.worldmodel.reference import reference_answer

Answer = Callable[[Construction, Ask], str]


def built(setup: Setup, answer: Answer) -> tuple[Construction, list[Event]]:
    """Ask until it is a person's turn."""
    construction, events = Construction(setup), []
    while (ask := building.next_ask(construction)) is not None:
        events.append(building.answered(ask, answer(construction, ask)))
        construction = building.after(construction, events[-1])
    return construction, events


@pytest.fixture(scope="module")
def logistics() -> Example:
    return load_example("logistics")


def right(example: Example) -> Answer:
    return lambda construction, ask: reference_answer(example, ask.action, construction.predicates)


def told(construction: Construction, action: str) -> list[str]:
    return [turn.content for turn in construction.versions[action][-1].turns]


@pytest.mark.parametrize("name", example_ids())
def test_right_answers_build_the_whole_domain_in_two_passes(name: str) -> None:
    example = load_example(name)
    construction, events = built(Setup(example.brief), right(example))
    assert construction.is_built
    assert len(events) == 2 * len(example.brief.actions)
    assert set(construction.predicates) == set(example.planning.predicates)
    made = parse_domain(construction.domain_text())
    for action, model in example.planning.actions.items():
        assert canonical(made.actions[action]) == canonical(model)
    assert made.predicates == example.planning.predicates


def test_what_is_asked_holds_the_predicates_so_far_and_all_of_them_in_the_second_pass(logistics: Example) -> None:
    construction, _ = built(Setup(logistics.brief), right(logistics))
    first, second = (construction.versions["unload-truck"][n].turns[0].content for n in (0, 1))
    assert "package-in-truck" in first
    assert "in-city" not in first
    assert "in-city" in second
    opening = construction.versions["load-truck"][0].turns[0].content
    assert opening.rpartition("Predicates so far:\n")[2].strip() == NONE_SO_FAR
    assert logistics.brief.action("load-truck").detailed in opening
    minimal, _ = built(Setup(logistics.brief, Condition.MINIMAL, demonstrations=1), right(logistics))
    shown = minimal.versions["load-truck"][0].turns[0].content
    assert logistics.brief.action("load-truck").minimal in shown
    assert "lifts a block" not in shown


def test_a_half_finished_construction_goes_on_where_it_was(logistics: Example) -> None:
    whole, events = built(Setup(logistics.brief), right(logistics))
    for number in range(len(events)):
        again = building.fold(Setup(logistics.brief), events[:number])
        ask = building.next_ask(again)
        assert ask is not None
        assert building.answered(ask, events[number].data["text"]) == events[number]
    assert building.fold(Setup(logistics.brief), events) == whole


def test_tools_send_an_answer_back_until_it_is_right(logistics: Example) -> None:
    def answer(construction: Construction, ask: Ask) -> str:
        text = reference_answer(logistics, ask.action, construction.predicates)
        if ask.action != "load-truck":
            return text
        return text.replace("- truck", "- lorry") if ask.round == 0 else text

    construction, events = built(Setup(logistics.brief), answer)
    assert len(events) == 14
    first = construction.versions["load-truck"][0]
    assert any("'lorry' is not in the domain" in fault for fault in first.faults)
    asked = construction.versions["load-truck"][1].turns
    assert [turn.role for turn in asked] == ["user", "assistant", "user", "assistant"]
    assert "'lorry' is not in the domain" in asked[2].content
    assert construction.versions["load-truck"][-1].faults == ()


def test_after_so_many_rounds_an_answer_is_taken_as_it_is(logistics: Example) -> None:
    construction, events = built(Setup(logistics.brief, rounds=2, passes=1), lambda *_: "I cannot do that.")
    assert len(events) == 3 * len(logistics.brief.actions)
    assert construction.missing == [action.name for action in logistics.brief.actions]
    assert construction.current("fly-airplane") is not None
    assert parse_domain(construction.domain_text()).actions == {}


def test_a_readable_answer_is_kept_where_the_second_pass_gives_none(logistics: Example) -> None:
    def answer(construction: Construction, ask: Ask) -> str:
        if ask.taken >= len(logistics.brief.actions):
            return "No."
        return reference_answer(logistics, ask.action, construction.predicates)

    construction, _ = built(Setup(logistics.brief, rounds=0), answer)
    assert construction.missing == []


def test_a_person_objects_in_words_and_the_dialogue_goes_on(logistics: Example) -> None:
    construction, _ = built(Setup(logistics.brief), right(logistics))
    words = "The truck must be at the place, too."
    event = person.objected(construction, "load-truck", f" {words} ")
    construction = building.after(construction, event)
    ask = building.next_ask(construction)
    assert ask is not None
    assert (ask.action, ask.turns[-1].role) == ("load-truck", "user")
    assert ask.turns[-1].content.startswith(words)
    with pytest.raises(InputError, match="has not answered everything yet"):
        person.objected(construction, "load-truck", "And more.")
    text = reference_answer(logistics, "load-truck", construction.predicates).replace("    (truck-at ?t ?l)\n", "", 1)
    construction = building.after(construction, building.answered(ask, text))
    assert building.next_ask(construction) is None
    version = construction.current("load-truck")
    assert version is not None
    assert version.origin is Origin.FEEDBACK
    assert version.draft is not None
    assert len(conjuncts(version.draft.action.precondition)) == 1
    assert construction.feedback == {"load-truck": 1}
    assert words in told(construction, "load-truck")[2]
    back = building.after(construction, person.undone(construction, "load-truck"))
    restored = back.current("load-truck")
    assert restored is not None
    assert restored.origin is Origin.BUILT
    assert back.feedback == {"load-truck": 1}  # said is said


def test_an_answer_to_a_person_is_checked_by_the_tools_too(logistics: Example) -> None:
    construction, _ = built(Setup(logistics.brief), right(logistics))
    construction = building.after(construction, person.objected(construction, "load-truck", "Wrong."))
    ask = building.next_ask(construction)
    assert ask is not None
    construction = building.after(construction, building.answered(ask, "Sorry."))
    again = building.next_ask(construction)
    assert again is not None
    assert "the heading 'Parameters:' is missing" in again.turns[-1].content
    right_text = reference_answer(logistics, "load-truck", construction.predicates)
    construction = building.after(construction, building.answered(again, right_text))
    assert building.next_ask(construction) is None
    assert construction.is_built


def test_a_person_edits_by_hand(logistics: Example) -> None:
    construction, _ = built(Setup(logistics.brief), right(logistics))
    text = reference_answer(logistics, "fly-airplane", construction.predicates)
    wanted = text.replace("(airport ?to)", "(airport ?to)\n    (fuelled ?a)").replace(
        "New Predicates:\nnone", "New Predicates:\n1. (fuelled ?a - plane): true if ?a has fuel"
    )
    with pytest.raises(InputError, match="'fuelled' is not in the list"):
        person.edited(
            construction, "fly-airplane", wanted.replace("1. (fuelled ?a - plane): true if ?a has fuel", "none")
        )
    construction = building.after(construction, person.edited(construction, "fly-airplane", wanted))
    version = construction.current("fly-airplane")
    assert version is not None
    assert version.origin is Origin.EDITED
    assert "fuelled" in construction.predicates
    assert "(fuelled ?a)" in construction.domain_text()
    # The model sees what the person wrote as its own answer.
    construction = building.after(construction, person.objected(construction, "fly-airplane", "Fuel is used up."))
    ask = building.next_ask(construction)
    assert ask is not None
    assert "(fuelled ?a)" in ask.turns[-2].content


def test_a_predicate_is_renamed_everywhere_and_merged_into_another(logistics: Example) -> None:
    construction, events = built(Setup(logistics.brief), right(logistics))
    event = person.renamed(construction, "package-in-truck", "loaded-on", [1, 0])
    construction = building.after(construction, event)
    assert "package-in-truck" not in construction.domain_text()
    assert "(loaded-on ?t ?p)" in construction.domain_text()
    assert construction.predicates["loaded-on"].said_of(["?x", "?y"]) == "package ?y is in truck ?x"
    twice = building.after(construction, person.given(construction, "(lorry-at ?x - truck ?y - location): x"))
    merged = building.after(twice, person.renamed(twice, "truck-at", "lorry-at"))
    assert "truck-at" not in merged.domain_text()
    assert list(merged.predicates).count("lorry-at") == 1
    for old, new, words in (
        ("nothing", "x", "no predicate"),
        ("airport", "truck", "cannot be the name"),
        ("airport", "airport", "already"),
        ("airport", "truck-at", "other numbers of parameters"),
        ("truck-at", "plane-at", "of type truck here and plane there"),
        ("airport", "and", "no word that PDDL keeps"),
    ):
        with pytest.raises(InputError, match=words):
            person.renamed(construction, old, new)
    with pytest.raises(InputError, match="each of the parameters 1 to 2 once"):
        person.renamed(construction, "truck-at", "lorry-at", [0, 0])
    assert building.fold(Setup(logistics.brief), [*events, event]) == construction


def test_after_a_renaming_the_model_is_asked_in_the_present_names(logistics: Example) -> None:
    construction, _ = built(Setup(logistics.brief, passes=1), right(logistics))
    construction = building.after(construction, person.renamed(construction, "truck-at", "lorry-at"))
    for action in ("load-truck", "fly-airplane"):  # the second never used it, and was told of it
        event = person.objected(construction, action, "Think again.")
        ask = building.next_ask(building.after(construction, event))
        assert ask is not None
        told = "\n".join(turn.content for turn in ask.turns)
        assert "truck-at" not in told
        assert "(lorry-at ?t - truck ?l - location): true if truck ?t is at location ?l" in told
        assert told.endswith("corrected, under the same headings.")


def test_a_move_is_taken_back_with_all_that_tools_sent_back_in_it(logistics: Example) -> None:
    construction, _ = built(Setup(logistics.brief, passes=1), right(logistics))
    before = construction.drafts["load-truck"]
    construction = building.after(construction, person.accepted(construction, "load-truck"))
    construction = building.after(construction, person.objected(construction, "load-truck", "No."))
    shorter = reference_answer(logistics, "load-truck", construction.predicates).replace("(truck-at ?t ?l)", "")
    for text in ("I do not know.", shorter):
        ask = building.next_ask(construction)
        assert ask is not None
        construction = building.after(construction, building.answered(ask, text))
    assert construction.accepted == frozenset()
    assert construction.drafts["load-truck"] != before
    construction = building.after(construction, person.undone(construction, "load-truck"))
    assert construction.drafts["load-truck"] == before
    assert len(construction.versions["load-truck"]) == 1


def test_a_predicate_is_said_in_other_words(logistics: Example) -> None:
    construction, _ = built(Setup(logistics.brief), right(logistics))
    construction = building.after(construction, person.reworded(construction, "airport", "planes land\n at ?l"))
    assert construction.predicates["airport"].said_of(["?here"]) == "planes land at ?here"


def test_what_cannot_be_taken_back_is_said(logistics: Example) -> None:
    construction, _ = built(Setup(logistics.brief, passes=1), right(logistics))
    with pytest.raises(InputError, match="no version of 'load-truck' before"):
        person.undone(construction, "load-truck")
    with pytest.raises(InputError, match="no action 'swim'"):
        person.undone(construction, "swim")
    for words in ("", "  "):
        with pytest.raises(InputError, match="say in words"):
            person.objected(construction, "load-truck", words)
    assert answer_text(construction.drafts["load-truck"]).startswith("Parameters:")
