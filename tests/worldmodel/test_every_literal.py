"""Every literal of the hand-made models matters: dropped alone, it changes the plans of a task of its example."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nl2pddl.actions import conjuncts, to_pddl
from nl2pddl.exact import ExactLimits
from nl2pddl.worldmodel.brief import Example, example_ids, load_example
from nl2pddl.worldmodel.quality import ErrorKind, ModelError, Weight, weighed

LIMITS = ExactLimits(states=200_000, seconds=60)
LITERALS = {"household": 172, "logistics": 25, "tyres": 65}


def dropped(example: Example) -> Iterator[ModelError]:
    """Each literal of each action missing, as an error by itself."""
    for name, action in example.planning.actions.items():
        for part in conjuncts(action.precondition):
            yield ModelError(name, ErrorKind.MISSING_PRECONDITION, to_pddl(part))
        for part in conjuncts(action.effect):
            yield ModelError(name, ErrorKind.MISSING_EFFECT, to_pddl(part), in_effect=True)


def test_no_example_is_left_out() -> None:
    assert sorted(LITERALS) == example_ids()


@pytest.mark.parametrize("name", LITERALS)
def test_a_literal_dropped_alone_changes_the_plans_of_a_task(name: str) -> None:
    example = load_example(name)
    # The order decides nothing but how long it takes: tasks of few steps are quick.
    order = [task.name for task in sorted(example.tasks, key=lambda task: task.shortest)]
    errors = list(dropped(example))
    assert len(errors) == LITERALS[name]
    unnoticed = []
    for error in errors:
        found = weighed(error, example, LIMITS, order)
        if found.weight is not Weight.PLANS:
            unnoticed.append(error.in_words)
        else:
            order.sort(key=lambda task: task != found.task)  # what noticed one literal often notices the next
    assert unnoticed == []


@pytest.mark.parametrize("literal", ["(nut-on ?n ?h)", "(fastened ?h)"])
def test_what_a_loose_nut_implies_is_superfluous_where_it_is_undone(literal: str) -> None:
    error = ModelError("undo", ErrorKind.EXTRA_PRECONDITION, "", literal)
    assert weighed(error, load_example("tyres"), LIMITS).weight is Weight.CONCISENESS
