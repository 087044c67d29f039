"""The shipped examples are whole and right, and what is wrong in a brief is named."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from nl2pddl.errors import DomainError
from nl2pddl.pddl_io import parse_domain
from nl2pddl.planning.kstar import KStar, Outcome
from nl2pddl.planning.validation import PlanValidator
from nl2pddl.worldmodel.brief import EXAMPLES, Condition, brief_from, example_ids, load_example

ACTIONS = {"household": 22, "logistics": 6, "tyres": 13}


def test_there_are_the_three_examples_of_the_paper_s_sizes() -> None:
    assert {name: len(load_example(name).brief.actions) for name in example_ids()} == ACTIONS


@pytest.mark.parametrize("name", ACTIONS)
def test_every_task_has_a_plan_of_the_recorded_length(name: str) -> None:
    example = load_example(name)
    with KStar() as planner:
        for task in example.tasks:
            answer = planner.top_k(example.planning.source, task.problem.text, 1, 60, 4096)
            assert answer.outcome is Outcome.SOLVED, task.name
            assert len(answer.plans[0]) == task.shortest, task.name
            assert PlanValidator(example.planning, task.problem).check(answer.plans[0]).valid, task.name


@pytest.mark.parametrize("name", ACTIONS)
def test_tasks_range_from_short_to_long_and_use_every_action(name: str) -> None:
    example = load_example(name)
    lengths = [task.shortest for task in example.tasks]
    assert len(lengths) >= 20
    assert (min(lengths), max(lengths)) == (3, 25)
    assert all(task.words.endswith(".") for task in example.tasks)
    assert len({task.words for task in example.tasks}) == len(lengths)


@pytest.mark.parametrize("name", ACTIONS)
def test_minimal_descriptions_are_far_shorter_and_name_no_predicate(name: str) -> None:
    example = load_example(name)
    names = {word for word in example.planning.predicates if "-" in word}
    lengths = {
        condition: sum(len(action.description(condition)) for action in example.brief.actions)
        for condition in Condition
    }
    assert 2 * lengths[Condition.MINIMAL] < lengths[Condition.DETAILED]
    for action in example.brief.actions:
        assert action.minimal
        assert not names & set(action.minimal.replace(".", "").split())


def test_an_example_that_does_not_fit_its_model_is_refused_with_everything_wrong(tmp_path: Path) -> None:
    folder = tmp_path / "logistics"
    shutil.copytree(EXAMPLES / "logistics", folder)
    brief = (folder / "brief.toml").read_text()
    brief = brief.replace('package-at = "package', 'parcel-at = "package').replace(
        'name = "load-truck"', 'name = "load"'
    )
    (folder / "brief.toml").write_text(brief.replace("city = { words", "town = { words"))
    with pytest.raises(DomainError) as caught:
        load_example("logistics", tmp_path)
    said = " ".join(caught.value.problems)
    for part in ("the types of", "the actions of", "the predicates of", "the parameters of 'load-truck'"):
        assert part in said
    with pytest.raises(DomainError, match="there are: logistics"):
        load_example("../logistics", tmp_path)


RIGHT: dict[str, Any] = {
    "domain": "Blocks on a table.",
    "types": {"block": {"words": "a block"}},
    "actions": [{"name": "lift", "detailed": "It lifts a block."}],
}


def test_a_brief_needs_no_more_than_a_domain_and_an_action() -> None:
    brief = brief_from(RIGHT, "blocks")
    assert brief.action("lift").description(Condition.MINIMAL) == "It lifts a block."
    assert parse_domain("(define (domain blocks) (:predicates (p)))").name == brief.name


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"domain": 3}, "is missing"),
        ({"domain": " "}, "not described"),
        ({"types": ["block"]}, r"\[types\] must be"),
        ({"types": {"object": {}}}, "'object' cannot be the name of a type"),
        ({"types": {"b c": {}}}, "'b c' cannot be the name of a type"),
        ({"types": {"block": {"parent": "thing"}}}, "is below 'thing', which is no type"),
        ({"types": {"a": {"parent": "b"}, "b": {"parent": "a"}}}, "below itself"),
        ({"actions": []}, "no action"),
        ({"actions": "lift"}, "with a name each"),
        ({"actions": [{"name": "lift"}]}, "'lift' is not described"),
        ({"actions": [{"name": "(lift)", "detailed": "x"}]}, "cannot be the name of an action"),
        ({"actions": [{"name": "a", "detailed": "x"}, {"name": "A", "detailed": "y"}]}, "'a' stands twice"),
    ],
)
def test_what_is_wrong_in_a_brief_is_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(DomainError, match=words):
        brief_from({**RIGHT, **change}, "blocks")
