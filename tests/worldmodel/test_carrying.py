"""Tasks and plans between an acquired domain and a hand-made one: other names, other orders, contraries, gaps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nl2pddl.errors import InputError
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.worldmodel import building, person
from nl2pddl.worldmodel.brief import Example, example_ids, load_example
from nl2pddl.worldmodel.building import Construction, Setup
from nl2pddl.worldmodel.quality import carrier_of, mapping_of
from nl2pddl.worldmodel.reference import reference_answer, reference_predicates
from nl2pddl.worldmodel.tasks import Judge, TaskOutcome, TaskResult, plan_tasks

ALMOST = 4  # tasks of an example: the short ones


def built(example: Example, *changes: tuple[str, str, str]) -> Construction:
    """The construction of right answers, but for (action, old, new)."""
    construction = Construction(Setup(example.brief, rounds=0, passes=1))
    while (ask := building.next_ask(construction)) is not None:
        text = reference_answer(example, ask.action, construction.predicates)
        for action, old, new in changes:
            if action in (ask.action, ""):
                assert old in text or not action
                text = text.replace(old, new)
        construction = building.after(construction, building.answered(ask, text))
    return construction


def planned(construction: Construction, example: Example, count: int = ALMOST) -> list[TaskResult]:
    judge = Judge(PlanChecker(), example.planning, carrier_of(construction, example))
    return list(plan_tasks(construction.domain_text(), example.tasks[:count], judge))


@pytest.mark.parametrize("name", example_ids())
def test_under_other_names_and_orders_the_tasks_are_the_same(name: str) -> None:
    example = load_example(name)
    construction = built(example)
    for number, predicate in enumerate(list(construction.predicates)):
        order = list(range(len(construction.predicates[predicate].parameters)))[::-1]
        event = person.renamed(construction, predicate, f"fact-{number}", order)
        construction = building.after(construction, event)
    results = planned(construction, example, 12)
    assert {result.outcome for result in results} == {TaskOutcome.SOLVED}
    assert [len(result.plan) for result in results] == [task.shortest for task in example.tasks[:12]]
    assert "fact-" in results[0].problem


def test_a_contrary_holds_at_first_where_its_counterpart_does_not() -> None:
    example = load_example("logistics")
    construction = built(
        example,
        ("fly-airplane", "(airport ?to)", "(not (no-airport ?to))"),
        ("fly-airplane", "(airport ?l - location): true if location ?l has an airport",
         "(no-airport ?l - location): true if there is no airport"),
    )  # fmt: skip
    assert mapping_of(construction, example)["no-airport"].negated
    problem = carrier_of(construction, example).problem(example.tasks[1].problem)
    without = {atom.arguments[0] for atom in problem.init if atom.predicate == "no-airport"}
    airports = {atom.arguments[0] for atom in example.tasks[1].problem.init if atom.predicate == "airport"}
    locations = {name for name, kind in example.tasks[1].problem.objects.items() if kind == "location"}
    assert airports
    assert without == locations - airports
    assert {result.outcome for result in planned(construction, example)} == {TaskOutcome.SOLVED}


def test_parameters_in_another_order_are_given_in_the_hand_made_one() -> None:
    example = load_example("logistics")
    written = "1. ?p - package: the package to load\n2. ?t - truck: the truck it goes into"
    construction = built(example, ("load-truck", written, "1. ?t - truck: the truck\n2. ?p - package: the package"))
    first = planned(construction, example, 1)[0]
    assert first.outcome is TaskOutcome.SOLVED
    assert first.plan[0] == "(load-truck truck-p letter louvre)"


def test_a_step_without_a_parameter_of_the_hand_made_action_is_a_wrong_plan() -> None:
    example = load_example("logistics")
    construction = built(
        example,
        ("load-truck", "\n3. ?l - location: where both are", ""),
        ("load-truck", "(package-at ?p ?l)\n", "\n"),
        ("load-truck", "(truck-at ?t ?l)", ""),
        ("load-truck", "    (not (package-at ?p ?l))\n", ""),
    )
    first = planned(construction, example, 1)[0]
    assert first.outcome is TaskOutcome.WRONG
    assert first.reason == "'load-truck' was built without the parameter ?l of the hand-made action"


def test_a_goal_without_a_counterpart_is_a_misfit_and_says_so() -> None:
    example = load_example("logistics")
    construction = building.after(built(example), person.matched(built(example), "package-at", None, {}))
    with pytest.raises(InputError, match="cannot be said: no predicate stands for 'package-at'"):
        carrier_of(construction, example).problem(example.tasks[0].problem)
    first = planned(construction, example, 1)[0]
    assert (first.outcome, first.problem) == (TaskOutcome.MISFIT, "")
    assert "no predicate stands for 'package-at'" in first.reason


def test_what_is_unknown_at_first_is_told_with_an_unsolvable_task() -> None:
    example = load_example("logistics")
    construction = building.after(built(example), person.matched(built(example), "truck-at", None, {}))
    first = planned(construction, example, 1)[0]
    assert first.outcome is TaskOutcome.UNSOLVABLE
    assert first.reason.endswith("false at first, having no counterpart: truck-at")


def test_a_person_s_match_counts_before_the_proposal_and_survives_what_does_not_fit() -> None:
    example = load_example("logistics")
    construction, truth = built(example), reference_predicates(example)
    proposed = mapping_of(construction, example)
    swapped = replace(proposed["package-in-truck"], predicate="package-in-plane")
    with pytest.raises(InputError, match="differ in parameters"):
        person.matched(construction, "airport", swapped, truth)
    told = building.after(construction, person.matched(construction, "truck-at", proposed["plane-at"], truth))
    mapping = mapping_of(told, example)
    assert mapping["truck-at"].predicate == "plane-at"
    assert "plane-at" not in {match.predicate for name, match in mapping.items() if name != "truck-at"}
    household = load_example("household")  # has no plane-at: what was said of another model counts for nothing
    assert "truck-at" not in {
        name for name, match in mapping_of(told, household).items() if match.predicate == "plane-at"
    }
    # A renamed predicate has another order of arguments perhaps, so what was said of it is asked for again.
    renamed = building.after(told, person.renamed(told, "truck-at", "truck-is-at"))
    assert renamed.matches == {}
