import html
import json
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from nl2pddl.records import ActionComparison, ActionRelation, ExactDecision, ExactOutcome, PlanRelation, Score
from nl2pddl.store import Store, queries
from nl2pddl.store.queries import ItemDetail
from tests.pages.conftest import HOSTILE

COMPARISON = ActionComparison(
    relation=ActionRelation.DIFFERENT,
    differing=("precondition lacks (clear ?x)", "delete effect has surplus (on ?x ?y)"),
    are=2,
    are_typed=3,
    are_permuted=1,
    permutation=(0, None),
    precondition=Score(1.0, 0.5, 2 / 3),
    effect=Score(0.75, 1.0, 6 / 7),
)
WITNESS = ExactDecision(
    problem="p02",
    outcome=ExactOutcome.DIFFERENT,
    witness=("(pick-up a)", "(stack a b)"),
    witness_of="second",
    failure="step 2, (stack a b): (clear b) does not hold",
    facts=21,
    states=125,
    transitions=480,
    seconds=0.25,
)
VERDICT: dict[str, Any] = {
    "result_class": "different",
    "comparison": COMPARISON,
    "plan_relation": PlanRelation.DIFFERENT,
    "exercised": True,
    "exact": [ExactDecision("p01", ExactOutcome.UNDECIDED, states=9, detail="1,000 states"), WITNESS],
    "cached": True,
    "working_plans": None,
    "planner_version": "kstar-planner 1.6.0",
    "validator_version": "VAL 4.2",
}


def plain_types(verdict: dict[str, Any]) -> dict[str, Any]:
    """The verdict as the query layer gives it: after a trip through JSON."""
    read: dict[str, Any] = json.loads(json.dumps(verdict, default=asdict))
    return read


def shown(**changes: object) -> AppTest:
    def page(verdict):  # its source is run as a script of its own, which knows no annotations
        from nl2pddl.ui.facts import show_facts

        show_facts(verdict)

    app = AppTest.from_function(page, args=(plain_types({**VERDICT, **changes}),)).run()
    assert not app.exception
    return app


def rows(app: AppTest) -> dict[str, str]:
    pairs = re.findall(r'<td class="nl-key">(.*?)</td><td class="nl-code">(.*?)</td>', app.html[0].value, re.DOTALL)
    return {html.unescape(name): html.unescape(value) for name, value in pairs}


def captions(app: AppTest) -> list[str]:
    return [caption.value.replace("\\", "") for caption in app.caption]


def test_actions_plan_sets_and_who_says_so_are_told() -> None:
    app = shown()
    assert rows(app) == {
        "Actions": "different",
        "They differ in": "precondition lacks (clear ?x)\ndelete effect has surplus (on ?x ?y)",
        "ARE": "2 (by position) · 3 (with parameters and types counted) · 1 (in the best order of parameters)",
        "Precondition": "precision 1.00, recall 0.50, F1 0.67",
        "Effects": "precision 0.75, recall 1.00, F1 0.86",
        "Plan sets": "different, with a witness",
        "Plans use the action": "yes",
        "Compared with": "kstar-planner 1.6.0 · VAL 4.2 (taken from an equal comparison made before)",
    }
    assert not app.warning


def test_the_exact_decision_is_told_with_its_witness() -> None:
    app = shown()
    table = app.dataframe[0].value
    assert list(table["Problem"]) == ["p01", "p02"]
    assert list(table["Plan sets"]) == ["undecided", "different"]
    assert list(table["States"]) == [9, 125]
    assert list(table["Seconds"]) == [0, 0.25]
    assert list(table["Note"]) == ["1,000 states", ""]
    assert [code.value for code in app.code] == ["  1  (pick-up a)\n  2  (stack a b)"]
    assert captions(app) == [
        "p02: a shortest plan of the new domain that is none of the original one, 2 steps",
        "In the original one: step 2, (stack a b): (clear b) does not hold",
    ]


def test_the_empty_plan_is_a_witness_too() -> None:
    app = shown(exact=[ExactDecision("p01", ExactOutcome.DIFFERENT, (), "first", "the goal (on a b) does not hold")])
    assert not app.code
    assert captions(app)[0] == "p01: a shortest plan of the original domain that is none of the new one, 0 steps"


@pytest.mark.parametrize(("exercised", "words"), [(True, "yes"), (False, "no plan that was compared"), (None, None)])
@pytest.mark.parametrize("result_class", ["equivalent", "different"])
def test_an_equivalence_that_never_uses_the_action_is_warned_of(
    exercised: bool | None, words: str | None, result_class: str
) -> None:
    app = shown(exercised=exercised, result_class=result_class)
    warned = ["says nothing about it" in warning.value for warning in app.warning]
    assert warned == ([True] if exercised is False and result_class == "equivalent" else [])
    assert rows(app).get("Plans use the action") == words


def test_a_reordering_says_which_parameter_stands_for_which() -> None:
    app = shown(
        comparison={
            **asdict(COMPARISON),
            "relation": ActionRelation.REORDERED,
            "differing": (),
            "permutation": (1, 0, 2),
        }
    )
    assert rows(app)["Actions"] == "identical up to the order of parameters"
    assert rows(app)["Parameters"] == "1 is the new 2, 2 is the new 1"
    assert "They differ in" not in rows(app)


def test_of_many_differing_literals_the_first_are_shown() -> None:
    app = shown(comparison={**asdict(COMPARISON), "differing": [f"effect {number}" for number in range(100)]})
    lines = rows(app)["They differ in"].split("\n")
    assert (len(lines), lines[0], lines[-1]) == (21, "effect 0", "and 80 more")


@pytest.mark.parametrize("verdict", [{}, {"result_class": "syntax", "planner_version": "k", "validator_version": "v"}])
def test_a_verdict_of_before_there_were_such_facts_shows_none(verdict: dict[str, Any]) -> None:
    app = shown(**{**dict.fromkeys(VERDICT), **verdict})
    assert not [*app.markdown, *app.html, *app.dataframe, *app.warning]


@pytest.mark.parametrize("missing", sorted(VERDICT))
def test_any_fact_may_be_missing(missing: str) -> None:
    assert "Beside the class" in shown(**{missing: None}).markdown[0].value


def test_parts_of_a_comparison_and_of_a_decision_may_be_missing() -> None:
    app = shown(comparison={"are": 4, "effect": {"recall": 1}}, exact=[{"problem": "p01", "witness": ["(a)"]}])
    assert rows(app)["ARE"] == "4 (by position)"
    assert rows(app)["Effects"] == "recall 1.00"
    assert captions(app) == ["p01: a shortest plan of one domain that is none of the other, 1 step"]


def test_texts_from_outside_are_shown_as_text() -> None:
    witness = ExactDecision(HOSTILE, ExactOutcome.DIFFERENT, (HOSTILE,), HOSTILE, HOSTILE, detail=HOSTILE)
    app = shown(
        comparison={**asdict(COMPARISON), "differing": [HOSTILE], "relation": HOSTILE},
        exact=[witness],
        plan_relation=HOSTILE,
        validator_version=HOSTILE,
    )
    assert rows(app)["They differ in"] == HOSTILE
    assert "<script" not in app.html[0].value
    assert "<img" not in app.html[0].value
    assert HOSTILE in app.code[0].value
    marks = [element.value for element in (*app.caption, *app.markdown, *app.warning)]
    assert not any(re.search(r"(?<!\\)[<\[$]", mark) or "**bold" in mark for mark in marks)


@pytest.mark.parametrize("subclass", ["NPApp", "PAError"])
def test_the_failures_page_shows_the_facts(
    subclass: str, judged: str, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = queries.item_detail

    def with_facts(store: Store, run_id: str, index: int, protocol: str | None = None) -> ItemDetail:
        detail = read(store, run_id, index, protocol)
        return replace(detail, verdict={**detail.verdict, **plain_types(VERDICT)})

    monkeypatch.setattr(queries, "item_detail", with_facts)
    app = visit("failures", subclass=subclass)
    assert "**Beside the class**" in [markdown.value for markdown in app.markdown]
    assert any("precondition lacks (clear ?x)" in block.value for block in app.html)
