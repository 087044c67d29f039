"""A brief as typed texts: the examples come back as they are, and every fault is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nl2pddl.errors import DomainError
from nl2pddl.worldmodel.brief import Condition, TypeBrief, example_ids, load_example
from nl2pddl.worldmodel.brief_text import actions_text, brief_from_texts, types_text

TYPES = "vehicle: what moves\ntruck - vehicle: a truck\nplace"
ACTIONS = "Drive: A truck drives.\nIt must be there: at a place.\n\nmore: of it\n\nload-it: Load it.\n\nThen go on."


@pytest.mark.parametrize("name", example_ids())
@pytest.mark.parametrize("condition", list(Condition))
def test_the_examples_come_back(name: str, condition: Condition) -> None:
    brief = load_example(name).brief
    again = brief_from_texts(brief.name, brief.domain, types_text(brief), actions_text(brief, condition), condition)
    assert again.types == brief.types
    assert again.domain == brief.domain
    assert [(one.name, one.description(condition)) for one in again.actions] == [
        (one.name, one.description(condition)) for one in brief.actions
    ]
    # Under the other condition nothing was typed, so nothing is made up.
    other = next(one for one in Condition if one is not condition)
    assert all(replace(one, **{condition.value: ""}).description(other) == "" for one in again.actions)


def test_what_is_typed_is_read() -> None:
    brief = brief_from_texts(" My-World ", "A world.", TYPES, ACTIONS)
    assert brief.name == "my-world"
    assert brief.types == (
        TypeBrief("vehicle", "object", "what moves"),
        TypeBrief("truck", "vehicle", "a truck"),
        TypeBrief("place", "object", ""),
    )
    assert [one.name for one in brief.actions] == ["drive", "more", "load-it"]
    assert brief.actions[0].detailed == "A truck drives.\nIt must be there: at a place."
    assert brief.actions[2].detailed == "Load it.\n\nThen go on."


@pytest.mark.parametrize(
    ("name", "domain", "types", "actions", "said"),
    [
        ("", "d", TYPES, ACTIONS, "the domain's name must be a letter"),
        ("two words", "d", TYPES, ACTIONS, "the domain's name must be a letter"),
        ("w", " ", TYPES, ACTIONS, "the domain is not described"),
        ("w", "d", "truck - ship: x", ACTIONS, "the type 'truck' is below 'ship', which is no type here"),
        ("w", "d", "truck and ship", ACTIONS, "the type 'truck and ship' is not of the form"),
        ("w", "d", "a\na", ACTIONS, "the type 'a' stands twice"),
        ("w", "d", "a - b\nb - a", ACTIONS, "the type 'a' is below itself"),
        ("w", "d", TYPES, "", "there is no action to build"),
        ("w", "d", TYPES, "Just drive", "'Just drive' stands before the first action"),
        ("w", "d", TYPES, "go: x\n\ngo: y", "the action 'go' stands twice"),
        ("w", "d", TYPES, "go:", "the action 'go' is not described"),
        ("w", "d" * 100_001, TYPES, ACTIONS, "the text of the domain has 100,001 characters"),
        ("w", "d", TYPES, "\n\n".join(f"a{n}: x" for n in range(201)), "there are 201 actions; at most 200 are taken"),
    ],
)
def test_every_fault_is_named(name: str, domain: str, types: str, actions: str, said: str) -> None:
    with pytest.raises(DomainError) as caught:
        brief_from_texts(name, domain, types, actions)
    assert said in str(caught.value)
