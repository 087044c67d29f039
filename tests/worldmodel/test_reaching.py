"""Actions that no task can do and goals that cannot be reached are named with the reason; limits give "undecided"."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from nl2pddl.actions import to_pddl
from nl2pddl.exact import ExactLimits
from nl2pddl.pddl_io import parse_domain, parse_problem
from nl2pddl.planning.validation import PlanValidator
from nl2pddl.task import PlanningDomain
from nl2pddl.worldmodel import building, person
from nl2pddl.worldmodel.brief import Task, example_ids, load_example
from nl2pddl.worldmodel.building import Ask, Construction, Setup
from nl2pddl.worldmodel.reaching import Reached, reached, reached_in
from nl2pddl.worldmodel.reference import reference_answer
from tests.commands.test_cli import command
from tests.worldmodel.conftest import scripted

PREDICATES = "(hot ?s - stove) (on ?s - stove) (raw ?f - food) (done ?f - food) (near ?s - stove ?f - food) (closed)"
PAIRS = "(beside ?s ?t - stove)"
COOK = "(:action cook :parameters (?s - stove ?f - food) :precondition {} :effect (done ?f))"


def kitchen(cook: str, *others: str) -> PlanningDomain:
    """A domain with the action "cook", of this precondition, and others."""
    return parse_domain(
        "(define (domain kitchen) (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions"
        f" :equality) (:types stove food) (:predicates {PREDICATES} {PAIRS}) {COOK.format(cook)} {' '.join(others)})"
    )


def task(
    name: str = "t1", init: str = "(on s1)", goal: str = "(raw egg)", objects: str = "s1 s2 - stove egg - food"
) -> Task:
    parts = f"(:domain kitchen) (:objects {objects}) (:init (raw egg) {init}) (:goal (and {goal}))"
    text = f"(define (problem {name}) {parts})"
    return Task(name, "", parse_problem(text), 0)


HEAT = "(:action heat :parameters (?s - stove) :precondition (on ?s) :effect (hot ?s))"
LOCK = "(:action lock :parameters () :precondition (and) :effect (closed))"
OPEN = "(:action open :parameters () :precondition (closed) :effect (not (closed)))"


def why(domain: PlanningDomain, *tasks: Task) -> dict[str, str]:
    return dict(reached(domain, tasks).never)


@pytest.mark.parametrize("name", example_ids())
def test_every_action_and_goal_of_the_examples_is_reached(name: str) -> None:
    example = load_example(name)
    found = reached(example.planning, example.tasks)
    assert found == Reached(decided=tuple(task.name for task in example.tasks))
    assert list(found.sentences()) == []


def test_what_never_becomes_true_is_named() -> None:
    assert why(kitchen("(and (raw ?f) (hot ?s))"), task()) == {"cook": "(hot ?s) is never true"}
    assert why(kitchen("(and (raw ?f) (hot ?s))", HEAT), task()) == {}
    assert why(kitchen("(and (raw ?f) (hot ?s))", HEAT), task(init="")) == {
        "cook": "(hot ?s) is never true",
        "heat": "(on ?s) is never true",
    }
    assert why(kitchen("(and (raw ?f) (hot ?s))", HEAT), task(init=""), task("t2")) == {}


def test_what_never_becomes_false_is_named() -> None:
    """An action that deletes helps only where it can be done itself."""
    closed = task(init="(closed)")
    assert why(kitchen("(not (closed))"), closed) == {"cook": "(closed) is never false"}
    assert why(kitchen("(not (closed))"), task()) == {}
    assert why(kitchen("(not (closed))", OPEN), closed) == {}
    barred = OPEN.replace("(closed) :effect", "(and (closed) (hot s)) :effect").replace("()", "(?s - stove)")
    barred = barred.replace("(hot s)", "(hot ?s)")
    assert why(kitchen("(not (closed))", barred), closed).keys() == {"cook", "open"}
    # It is false at first, and what makes it true does not take that away.
    assert why(kitchen("(not (closed))", LOCK), task()) == {}


def test_what_each_may_hold_but_not_together_is_told() -> None:
    apart = task(init="(on s1) (near s2 egg)")
    assert why(kitchen("(and (on ?s) (near ?s ?f))"), apart) == {
        "cook": "its preconditions can each hold, but not together"
    }
    assert why(kitchen("(and (on ?s) (near ?s ?f))"), apart, task(init="(on s1) (near s1 egg)")) == {}


def test_a_type_without_objects_is_told() -> None:
    empty = task(init="", objects="egg - food")
    assert why(kitchen("(hot ?s)"), empty) == {"cook": "there is nothing of type stove for ?s"}


def test_where_tasks_lack_different_things_each_is_named() -> None:
    domain = kitchen("(and (on ?s) (closed))")
    assert why(domain, task(init="(on s1)"), task("t2", init="(closed)")) == {
        "cook": "in each task one of these: (closed) is never true; (on ?s) is never true"
    }
    assert why(domain, task(init="(on s1)"), task("t2", init="")) == {"cook": "(closed) is never true"}


def test_choices_and_equality_are_looked_into() -> None:
    assert why(kitchen("(or (hot ?s) (closed))"), task()) == {"cook": "(or (hot ?s) (closed)) never holds"}
    assert why(kitchen("(or (hot ?s) (closed))"), task(init="(closed)")) == {}
    assert why(kitchen("(imply (on ?s) (hot ?s))"), task(init="(on s1) (on s2)")).keys() == {"cook"}
    assert why(kitchen("(imply (on ?s) (hot ?s))"), task()) == {}
    two = kitchen(
        "(raw ?f)", "(:action swap :parameters (?a ?b - stove) :precondition (not (= ?a ?b)) :effect (hot ?a))"
    )
    assert why(two, task()) == {}
    assert why(two, task(objects="s1 - stove egg - food")) == {"swap": "?a and ?b are always the same"}


def test_a_contradiction_keeps_what_needs_its_effect_from_being_done() -> None:
    """Relaxed reachability alone would let something be true and false at once."""
    both = HEAT.replace("(on ?s) :effect", "(and (on ?s) (not (on ?s))) :effect")
    assert why(kitchen("(hot ?s)", both, OPEN, LOCK), task()) == {
        "heat": "(on ?s) must be true and (on ?s) must be false",
        "cook": "(hot ?s) is never true",
    }


def test_goals_that_cannot_be_reached_are_named_by_task() -> None:
    found = reached(
        kitchen("(and (raw ?f) (hot ?s))", OPEN),
        [task(goal="(raw egg) (done egg) (hot s1)"), task("t2", init="(closed)", goal="(not (closed))")],
    )
    assert list(found.goals) == ["t1"]
    assert list(found.sentences()) == [
        "no task can ever do 'cook': (hot ?s) is never true",
        "the goal of t1 can never be reached: (done egg) is never true, (hot s1) is never true",
    ]
    closed = reached(kitchen("(raw ?f)"), [task(init="(closed)", goal="(not (closed))")])
    assert list(closed.sentences()) == ["the goal of t1 can never be reached: (closed) is never false"]


def test_tasks_that_do_not_fit_are_left_out_and_counted() -> None:
    found = reached(kitchen("(hot ?s)"), [task(), task("t2", init="(burnt egg)"), task("t3", objects="egg - pan")])
    assert (found.decided, found.left_out) == (("t1",), ("t2", "t3"))
    assert list(found.sentences()) == [
        "no task that fits can ever do 'cook': (hot ?s) is never true",
        "2 of 3 tasks were left out: they do not fit the domain's types or predicates",
    ]
    none = reached(kitchen("(hot ?s)"), [task(init="(burnt egg)")])
    assert list(none.sentences()) == ["1 of 1 tasks were left out: they do not fit the domain's types or predicates"]


STOVES = [f"s{number}" for number in range(60)]
FIVE = "(?a ?b ?c ?d ?e - stove)"
LARGE = {
    "no condition to join": "(and (not (on ?a)) (not (on ?b)) (not (on ?c)) (not (on ?d)) (not (on ?e)))",
    "a join that finds nothing": "(and (beside ?a ?b) (beside ?b ?c) (beside ?c ?d) (beside ?d ?e) (beside ?e ?a))",
}


def wide(precondition: str) -> str:
    """An action of five parameters."""
    effect = "(and (hot ?a) (hot ?b) (hot ?c) (hot ?d) (hot ?e))"
    return f"(:action wide :parameters {FIVE} :precondition {precondition} :effect {effect})"


@pytest.mark.parametrize("precondition", LARGE.values(), ids=LARGE)
def test_what_is_too_large_is_undecided(precondition: str) -> None:
    """Sixty objects for five parameters; what other tasks say stays."""
    pairs = [f"(beside {one} {other})" for one in STOVES[::2] for other in STOVES[1::2]]
    backwards = [f"(beside {other} {one})" for one in STOVES[::2] for other in STOVES[1::2]]
    large = task("large", " ".join(pairs + backwards), objects=f"{' '.join(STOVES)} - stove egg - food")
    domain = kitchen("(raw ?f)", wide(precondition), OPEN)
    found = reached(domain, [large, task(init="", objects="egg - food s1 - stove")], limits=ExactLimits(seconds=2))
    assert (found.decided, list(found.undecided), found.never) == (("t1",), ["large"], {})
    assert "open" in found.unknown
    told = list(found.sentences())
    assert told[0].startswith("what can happen is undecided for 1 of 2 tasks (the limit of ")
    assert ", so it is unknown whether any can do " in told[0]
    assert len(told) == 1


def test_what_a_join_can_tell_of_many_objects_is_decided() -> None:
    domain = kitchen("(raw ?f)", wide("(and (on ?a) (= ?a ?b) (= ?b ?c) (= ?c ?d) (beside ?d ?e))"))
    large = task(init=" ".join(f"(on {stove})" for stove in STOVES), objects=f"{' '.join(STOVES)} - stove egg - food")
    assert why(domain, large) == {"wide": "(beside ?d ?e) is never true"}


def random_kitchen(draw: random.Random) -> PlanningDomain:
    """Four actions of any literals, also of wrong types, some doubled and some contrary."""

    def literal(effect: bool) -> str:
        name, places = draw.choice(
            [*{"hot": 1, "on": 1, "raw": 1, "done": 1, "near": 2, "closed": 0}.items(), ("=", 2)]
        )
        if effect and name == "=":
            name, places = "closed", 0
        atom = f"({' '.join([name, *(draw.choice(['?s', '?f', '?x']) for _ in range(places))])})"
        return f"(not {atom})" if draw.random() < 0.4 else atom

    def condition() -> str:
        if draw.random() < 0.15:
            return f"({draw.choice(['or', 'imply'])} {literal(False)} {literal(False)})"
        return literal(False)

    def action(number: int) -> str:
        before = " ".join(condition() for _ in range(draw.randint(1, 4)))
        after = " ".join(literal(True) for _ in range(draw.randint(1, 2)))
        kind = draw.choice(["stove", "food", "object"])
        return (
            f"(:action a{number} :parameters (?s - stove ?f - food ?x - {kind}) :precondition (and {before})"
            f" :effect (and {after}))"
        )

    return kitchen("(hot ?s)", *map(action, range(4)))


def test_what_is_called_impossible_never_happens_in_any_state() -> None:
    """Against a walk through all states of small tasks by the plan validator, which grounds nothing."""
    draw, impossible, possible = random.Random(7), 0, 0
    for _ in range(150):
        domain, small = random_kitchen(draw), task(init="(on s1)", goal="(done egg) (hot s2) (not (raw egg))")
        found = reached(domain, [small])
        assert found.decided == ("t1",)
        validator = PlanValidator(domain, small.problem)
        objects = list(small.problem.objects)
        steps = [
            " ".join([name, *values])
            for name, action in domain.actions.items()
            for values in product(objects, repeat=len(action.parameters))
        ]
        states, waiting, done = {validator.init}, [validator.init], set()
        while waiting and len(states) < 60:
            state = waiting.pop()
            for step in steps:
                fault, after = validator.step(step, state)
                if not fault:
                    done.add(step.split()[0])
                    waiting += [after] if after not in states else []
                    states.add(after)
        assert not done & found.never.keys(), domain.text
        for part in found.goals.get("t1", ()):
            atom = to_pddl(part).removeprefix("(not ").strip("()").split()
            assert all((tuple(atom) in state) == to_pddl(part).startswith("(not") for state in states), domain.text
        impossible, possible = impossible + len(found.never), possible + len(done)
    assert min(impossible, possible) > 100


def test_tasks_are_said_in_the_predicates_that_were_acquired() -> None:
    example = load_example("logistics")

    def built(*changes: tuple[str, str]) -> Construction:
        construction = Construction(Setup(example.brief, rounds=0, passes=1))
        while (ask := building.next_ask(construction)) is not None:
            text = reference_answer(example, ask.action, construction.predicates)
            for old, new in changes if ask.action == "load-truck" else ():
                assert old in text
                text = text.replace(old, new)
            construction = building.after(construction, building.answered(ask, text))
        return building.after(construction, person.renamed(construction, "airport", "has-runway"))

    assert "airport" not in built().predicates
    assert reached_in(built(), example) == Reached(decided=tuple(task.name for task in example.tasks))
    made_up = built(
        ("(truck-at ?t ?l)\n", "(truck-at ?t ?l)\n    (fuelled ?t)\n"),
        ("New Predicates:\n", "New Predicates:\n1. (fuelled ?t - truck): true if truck ?t has fuel\n"),
    )
    found = reached_in(made_up, example)
    assert found.never["load-truck"] == "(fuelled ?t) is never true"
    assert "in the tasks nothing is known of fuelled, so it is taken to be false at first" in list(found.sentences())


def test_the_commands_tell_people_beside_the_results(tmp_path: Path) -> None:
    example = load_example("logistics")

    def change(ask: Ask, text: str) -> str:
        if ask.action == "fly-airplane":
            return text.replace("(airport ?to)", "(airport ?to) (not (airport ?to))")
        return text.replace("    (package-in-truck ?p ?t)\n", "") if ask.action == "load-truck" else text

    model = scripted(tmp_path / "s.jsonl", example, Setup(example.brief, rounds=0, passes=1), change)
    store = ["--store", str(tmp_path / "s.duckdb")]
    options = ["--example", "logistics", "--rounds", "0", "--passes", "1", "--model", model]
    built = command("worldmodel", "build", *options, *store)
    construction = built.stdout.splitlines()[0]
    contrary = "(airport ?to) must be true and (airport ?to) must be false"
    certain = f"look at: 'fly-airplane' can never be done: {contrary}"
    assert certain in built.stderr.splitlines()
    counted = command("worldmodel", "errors", construction, "--example", "logistics", "--no-weigh", *store)
    planned = command("worldmodel", "tasks", construction, "--example", "logistics", *store)
    told = planned.stderr.splitlines()
    assert told[:2] == [
        f"look at: no task can ever do 'fly-airplane': {contrary}",
        "look at: no task can ever do 'unload-truck': (package-in-truck ?p ?t) is never true",
    ]
    unsolved = [line.split()[0] for line in planned.stdout.splitlines() if " no plan: " in line]
    assert [line.removeprefix("look at: the goal of ").split()[0] for line in told[2:]] == unsolved
    assert counted.stderr.splitlines() == told
    assert "look at" not in built.stdout + counted.stdout + planned.stdout
