from __future__ import annotations

import pytest

from nl2pddl.extraction import MAX_LENGTH, extract_action
from nl2pddl.records import Subclass

ACTION = "(:action a :parameters () :effect (p))"


@pytest.mark.parametrize(
    "output",
    [
        f"\n{ACTION}",
        f"Sure! Here is the action (in PDDL):\n\n{ACTION}\n\nAnything else?",
        f"```pddl\n{ACTION}\n```",
        f"; an action\n{ACTION}",
        f"; (:action in a comment)\n{ACTION}",
        f"Done; here: {ACTION}",
        f"(define (domain d) {ACTION})",
        f"{ACTION} {ACTION.replace('action a', 'action b')}",
        f"){ACTION}",
    ],
)
def test_the_first_action_is_found(output: str) -> None:
    extraction = extract_action(output)
    assert extraction.text == ACTION
    assert output[extraction.offset :].startswith(ACTION)
    assert extraction.problem is None


@pytest.mark.parametrize("start", ["(:ACTION", "( :action", "(\n  :Action", "( ; name\n :action"])
def test_any_case_and_white_space(start: str) -> None:
    assert extract_action(f"{start} a :parameters () :effect (p))").group is not None


def test_parentheses_in_comments_do_not_close_it() -> None:
    text = "(:action a ; )\n :parameters () :effect (p))"
    assert extract_action(text).text == text


@pytest.mark.parametrize("output", ["", "I cannot.", "(define (domain x))", "(:actions a)", "; (:action a)"])
def test_no_action_is_no_pddl(output: str) -> None:
    problem = extract_action(output).problem
    assert problem is not None
    assert problem.subclass is Subclass.NO_PDDL


def test_an_unclosed_action_is_a_parenthesis_error_at_the_innermost_open_one() -> None:
    extraction = extract_action("text\n```\n(:action a\n  :effect (and (p)\n```\nbye")
    assert extraction.problem is not None
    assert extraction.problem.subclass is Subclass.P_ERROR
    assert (extraction.problem.line, extraction.problem.column) == (2, 11)
    assert extraction.text == "(:action a\n  :effect (and (p)"


def test_an_absurdly_long_action_is_found_but_not_read() -> None:
    text = f"(:action a :parameters () :effect (and {'(p) ' * MAX_LENGTH}))"
    extraction = extract_action(text)
    assert extraction.text == text
    assert extraction.group is None
    assert extraction.problem is None
