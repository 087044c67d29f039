"""Tasks of a person's own: a problem from objects, an initial state and a goal, which may be given in words.

A goal in words is put into PDDL by a model; what is wrong with its answer goes back to it, as with actions.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from nl2pddl.actions import conjuncts, to_pddl
from nl2pddl.domains import problem_misfits
from nl2pddl.errors import InputError
from nl2pddl.experiment import Turn
from nl2pddl.generation.base import GenerationRequest, never
from nl2pddl.generation.driver import Driver
from nl2pddl.pddl_io import parse_problem
from nl2pddl.sexpr import UnmatchedError, end_of_group
from nl2pddl.task import PlanningProblem
from nl2pddl.worldmodel.asking import listed
from nl2pddl.worldmodel.brief import Task
from nl2pddl.worldmodel.building import Construction
from nl2pddl.worldmodel.tasks import plannable
from nl2pddl.worldmodel.words import said

ROUNDS = 3
NOTHING = "(and)"  # a goal that always holds
_BEYOND = re.compile(r"\(\s*(or|imply|forall|exists|when)\b", re.IGNORECASE)
LONGEST = 100_000  # characters of each text
_INSTRUCTION = (
    "Say in PDDL what is wanted, as a goal for a planner: a conjunction of atoms of the given predicates, with the "
    "given objects as arguments, such as (and (on a b) (not (clear b))). Answer with that conjunction alone."
)
_EXAMPLE = (
    "Predicates:\n1. (on ?x - block ?y - block): true if block ?x stands on block ?y\n"
    "2. (clear ?x - block): true if nothing stands on block ?x\n\nObjects:\na b c - block\n\n"
    "Wanted: Put a on top of b, and let nothing stand on it.\n\nGoal:\n(and (on a b) (clear a))"
)


def own_problem(construction: Construction, objects: str, init: str, goal: str, name: str = "own") -> PlanningProblem:
    """The problem of three texts: objects as PDDL lists them ("a b - block"), atoms that hold at first, and the goal.

    Raises InputError with all that does not fit the construction's domain.
    """
    domain = plannable(construction.domain_text())
    for what, text in (("objects", objects), ("the initial state", init), ("the goal", goal)):
        if len(text) > LONGEST:
            raise InputError(f"{what}: the text has {len(text):,} characters; at most {LONGEST:,} are taken")
        if text.count("(") != text.count(")"):
            raise InputError(f"{what}: {text.count('(')} parentheses open and {text.count(')')} close")
    if "(" in objects:
        raise InputError("objects: name them and their types without parentheses, such as a b - block")
    if found_word := _BEYOND.search(goal):
        raise InputError(f"the goal: it must be a conjunction of literals, without '{found_word[1]}'")
    if not groups(goal):
        raise InputError("the goal is missing: give atoms such as (on a b), or say it in words")
    problem = parse_problem(
        f"(define (problem {name})\n  (:domain {construction.setup.brief.name})\n"
        f"  (:objects {objects})\n"
        f"  (:init {' '.join(groups(init))})\n  (:goal (and {' '.join(groups(goal))})))\n",
        "the task",
    )
    if found := list(problem_misfits(problem, domain)):
        raise InputError("; ".join(found), found)
    return problem


def groups(text: str) -> list[str]:
    """The groups in parentheses of a text, one after another; prose between them is passed over."""
    found, at = [], text.find("(")
    while at >= 0:
        try:
            end = end_of_group(text, at)
        except UnmatchedError:
            break
        found.append(text[at:end])
        at = text.find("(", end)
    return found


def goal_prompt(construction: Construction, objects: str, words: str) -> str:
    """The question for a goal: the predicates in words, the objects, what is wanted; one example before it."""
    return (
        f"{_INSTRUCTION}\n\n{_EXAMPLE}\n\nPredicates:\n{listed(construction.predicates.values())}\n\n"
        f"Objects:\n{objects.strip()}\n\nWanted: {' '.join(words.split())}\n\nGoal:\n"
    )


def ask_goal(
    driver: Driver,
    construction: Construction,
    objects: str,
    init: str,
    words: str,
    name: str = "own",
    should_stop: Callable[[], bool] = never,
) -> tuple[Task, tuple[Turn, ...]] | None:
    """The task whose goal a model puts into PDDL, and the dialogue; None where it was stopped.

    Raises InputError where objects and initial state do not fit the domain, or where after ``ROUNDS`` objections the
    model has given no goal that does; ModelError where it gives no answer.
    """
    if not words.strip():
        raise InputError("say in words what is wanted")
    own_problem(construction, objects, init, NOTHING)  # what is wrong in them is no fault of the model's
    turns: tuple[Turn, ...] = (Turn("user", goal_prompt(construction, objects, words)),)
    reason = ""
    for number in range(ROUNDS + 1):
        request = GenerationRequest(
            number, construction.setup.brief.name, "goal", sample=number,
            prompt="\n\n".join(turn.content for turn in turns), dialogue=turns, round=number,
        )  # fmt: skip
        answered = driver.answer(request, should_stop)
        if answered is None:
            return None
        text = answered[1]
        turns = (*turns, Turn("assistant", text))
        try:
            problem = own_problem(construction, objects, init, _goal_in(text))
        except InputError as error:
            reason = str(error)
            turns = (*turns, Turn("user", f"That goal cannot be used: {reason}\nGive the whole goal again, corrected."))
            continue
        return Task(name, " ".join(words.split()), problem, 0), turns
    raise InputError(f"the model gave no goal that can be used, last because {reason}; give it in PDDL instead")


def _goal_in(answer: str) -> str:
    """The goal in an answer: its first conjunction, else all its atoms."""
    found = groups(answer)
    whole = [group for group in found if group[1:].split(maxsplit=1)[:1] == ["and"]]
    return whole[0] if whole else "".join(found)


def goal_in_words(construction: Construction, problem: PlanningProblem) -> list[str]:
    """What the goal of a problem asks for, a line each, by the words of the predicates."""
    return [said(part, construction.predicates) for part in conjuncts(problem.goal)]


def init_text(problem: PlanningProblem) -> str:
    """The initial state of a problem as the text that ``own_problem`` takes."""
    return "\n".join(map(to_pddl, sorted(problem.init, key=lambda atom: (atom.predicate, atom.arguments))))


def goal_text(problem: PlanningProblem) -> str:
    """The goal of a problem as the text that ``own_problem`` takes."""
    return "\n".join(map(to_pddl, conjuncts(problem.goal)))


def objects_text(problem: PlanningProblem) -> str:
    """The objects of a problem as the text that ``own_problem`` takes, a line for each type."""
    by_type: dict[str, list[str]] = {}
    for name, kind in problem.objects.items():
        by_type.setdefault(kind, []).append(name)
    return "\n".join(f"{' '.join(names)} - {kind}" for kind, names in by_type.items())
