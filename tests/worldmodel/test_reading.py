"""Answers of models: read where they can be, and what is wrong in them said in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nl2pddl.actions import canonical, to_pddl
from nl2pddl.worldmodel.asking import answer_text
from nl2pddl.worldmodel.brief import example_ids, load_example
from nl2pddl.worldmodel.reading import read_answer
from nl2pddl.worldmodel.reference import reference_draft

ANSWER = """\
Parameters:
1. ?p - package: the package to load
2. ?t - truck: the truck

Preconditions:
```
(and
    (package-at ?p ?l)
    (truck-at ?t ?l)
)
```

Effects:
```
(and
    (not (package-at ?p ?l))
    (package-in-truck ?p ?t)
)
```

New Predicates:
1. (package-at ?p - package ?l - location): true if the package ?p is at the location ?l
2. (ready): true when all is ready
"""


@pytest.mark.parametrize("name", example_ids())
def test_what_is_written_is_read_as_it_was(name: str) -> None:
    example = load_example(name)
    for action in example.planning.actions:
        draft = reference_draft(example, action, {})
        answer = read_answer(answer_text(draft), action)
        assert answer.problems == ()
        assert answer.draft is not None
        assert canonical(answer.draft.action) == canonical(draft.action)
        assert (answer.draft.words, answer.draft.new) == (draft.words, draft.new)


def test_the_parts_of_an_answer() -> None:
    draft = read_answer(ANSWER, "load").draft
    assert draft is not None
    assert [(p.name, p.types) for p in draft.action.parameters] == [("?p", ("package",)), ("?t", ("truck",))]
    assert draft.words == {"?p": "the package to load", "?t": "the truck"}
    assert to_pddl(draft.action.effect) == "(and (not (package-at ?p ?l)) (package-in-truck ?p ?t))"
    assert [one.head for one in draft.new] == ["(package-at ?p - package ?l - location)", "(ready)"]
    assert [one.words for one in draft.new] == ["the package ?p is at the location ?l", "all is ready"]


VARIANTS = {
    "behind its first heading, as the published records": ANSWER.removeprefix("Parameters:\n"),
    "markdown headings": ANSWER.replace("Parameters:", "### **Parameters:**").replace("Effects:", "**Effects**:"),
    "prose before": f"Sure! Here it is.\n\n{ANSWER}",
    "a question of its own behind": f"{ANSWER}\nAction: fly\n\nParameters:\n1. ?z - zeppelin: x\n\nEffects:\n(y)",
    "all of it again": f"{ANSWER}\nParameters:\n1. ?z - zeppelin: x\n",
    "capitals": ANSWER.replace("?p", "?P").replace("package-at", "Package-At"),
    "no conjunction": ANSWER.replace("(and\n", "").replace("\n)\n```", "\n```"),
    "a comment in the formula": ANSWER.replace("(truck-at ?t ?l)", "(truck-at ?t ?l) ; here (too"),
    "singular headings": ANSWER.replace("Preconditions", "Precondition").replace("Effects", "Effect"),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_other_ways_to_write_the_same(text: str) -> None:
    answer = read_answer(text, "load")
    assert answer.problems == ()
    expected, draft = read_answer(ANSWER, "load").draft, answer.draft
    assert draft is not None
    assert expected is not None
    assert draft.action == expected.action
    assert [one.head for one in draft.new] == [one.head for one in expected.new]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Effects:", "Results:", "the heading 'Effects:' is missing"),
        ("?p - package: the", "?p: the", "has no type; write it as"),
        ("    (truck-at ?t ?l)\n)", "    (truck-at ?t ?l)\n", "in the preconditions 1 parenthesis is never closed"),
        ("(ready):", "(ready:", "in the new predicate '2. (ready: true when all is ready' 1 parenthesis"),
        ("?l - location):", "?l):", "?l"),
        ("(package-at ?p - package ?l - location)", "(package-at ?p ?l)", "have no types"),
        ("(ready)", "(3 ?x - y)", "declares no predicate"),
        ("(package-in-truck ?p ?t)", "(package-in-truck p (t))", "(t)"),
    ],
)
def test_what_is_wrong_is_said(old: str, new: str, words: str) -> None:
    assert old in ANSWER
    said = " ".join(read_answer(ANSWER.replace(old, new), "load").problems)
    if words == "?l":  # an untyped variable is an object, which may be meant
        assert said == ""
    else:
        assert words in said


def test_nothing_under_a_heading_is_nothing() -> None:
    answer = read_answer(
        "Parameters:\nnone\n\nPreconditions:\nnone\n\nEffects:\n(done)\n\nNew Predicates:\nnone", "stop"
    )
    assert answer.draft is not None
    assert answer.draft.action.parameters == ()
    assert to_pddl(answer.draft.action.precondition) == "(and)"
    assert answer.draft.new == ()


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from([*ANSWER.splitlines(), "(", ")", "?x", "- t", "(and"])).map("\n".join)
)
def test_no_text_is_too_odd(text: str) -> None:
    answer = read_answer(text, "act")
    assert answer.draft is not None or answer.problems
