"""The model as planner, criticised by the acquired domain in words."""

from __future__ import annotations

import pytest

from nl2pddl.worldmodel import modulo
from nl2pddl.worldmodel.brief import Example, load_example
from nl2pddl.worldmodel.modulo import PlanTalk
from nl2pddl.worldmodel.reference import reference_draft, reference_predicates

RIGHT = (
    "(load-truck letter truck-p louvre)\n(drive-truck truck-p louvre bastille paris)\n"
    "(unload-truck letter truck-p bastille)"
)
NUMBERED = "\n".join(f"{number}. {line.strip('()')}" for number, line in enumerate(RIGHT.splitlines(), 1))


@pytest.fixture(scope="module")
def logistics() -> Example:
    return load_example("logistics")


def opened(example: Example) -> PlanTalk:
    drafts = {name: reference_draft(example, name, {}) for name in example.planning.actions}
    task = example.tasks[0]
    return modulo.opened(drafts, reference_predicates(example), task.problem, task.words)


def after(talk: PlanTalk, text: str, example: Example) -> PlanTalk:
    return modulo.after_answer(talk, text, example.planning, example.tasks[0].problem, reference_predicates(example))


def test_the_question_says_everything_in_words(logistics: Example) -> None:
    asked = opened(logistics).turns[0].content
    for part in (
        "(drive-truck ?t ?from ?to ?c)\nIt is about:\n- ?t, the truck",
        "- location ?to is in city ?c",
        "- letter: package",
        "At first:\n- location cdg has an airport",
        "Wanted: Bring the letter from the Louvre to the Bastille",
        "- package letter is at location bastille",
    ):
        assert part in asked


def test_a_right_plan_ends_the_talk(logistics: Example) -> None:
    talk = after(opened(logistics), RIGHT, logistics)
    assert talk.is_valid
    assert talk.is_over()
    assert len(talk.turns) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (RIGHT.replace("(load-truck letter truck-p louvre)\n", ""),
         "Step 2, (unload-truck letter truck-p bastille), cannot be taken: it needs that package letter is in truck "
         "truck-p, and that is not so then."),
        (RIGHT.rpartition("\n")[0],
         "All 2 steps can be taken, but at the end this is wanted and not so: package letter is at location bastille."),
        (RIGHT.replace("load-truck", "lift", 1),
         "Step 1, (lift letter truck-p louvre), cannot be taken: 'lift' is no action of the domain."),
        (RIGHT.replace("truck-p louvre)", "truck-p)", 1), "cannot be taken: 'load-truck' takes 3 arguments, found 2."),
        ("I do not know.", "There is no step in that answer."),
    ],
)  # fmt: skip
def test_what_is_found_is_sent_back_in_words(logistics: Example, text: str, words: str) -> None:
    talk = after(opened(logistics), text, logistics)
    assert not talk.is_valid
    assert words in talk.turns[-1].content
    assert not talk.is_over()
    assert talk.is_over(rounds=0)  # the model alone
    assert after(talk, RIGHT, logistics).is_valid


def test_after_eight_findings_it_is_over(logistics: Example) -> None:
    talk = opened(logistics)
    answers = 0
    while not talk.is_over():
        talk = after(talk, "No.", logistics)
        answers += 1
    assert answers == modulo.ROUNDS + 1
    assert not talk.is_valid


@pytest.mark.parametrize(
    "text",
    [
        RIGHT.upper(),
        f"Plan:\n{NUMBERED}\nDone, the letter is there.",
        "```\n" + RIGHT + "\n```",
        "- " + RIGHT.replace("\n", "\n- "),
        RIGHT.replace("\n", " "),
    ],
)
def test_plans_are_read_however_they_are_laid_out(logistics: Example, text: str) -> None:
    assert modulo.read_steps(text, list(logistics.planning.actions)) == tuple(RIGHT.splitlines())


ODD = ["(" * 50_000, " " * 50_000 + "x", "a " * 25_000, "(a " * 20_000, "-" * 50_000, "\n" * 50_000]


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_no_text_takes_long(logistics: Example, text: str) -> None:
    # Where a regular expression tries every split, this would take hours.
    assert len(modulo.read_steps(text, list(logistics.planning.actions))) == 0
