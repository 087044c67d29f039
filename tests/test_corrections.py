from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest

from nl2pddl.actions import And, Not, action_pddl, conjuncts, to_pddl
from nl2pddl.corrections import TEMPLATES, Feedback, correction, feedback, message
from nl2pddl.domains import DomainLibrary
from nl2pddl.experiment import RunItem
from nl2pddl.pipeline import EvaluationTask, Evaluator
from nl2pddl.records import DescriptionClass, EvaluationSettings, Subclass, Verdict

ITEM = RunItem(3, "m", "blocksworld", "stack", DescriptionClass.BASE, 0, "the prompt\n\nPDDL Action:")


def stored(verdict: Verdict) -> dict[str, Any]:
    """A verdict as a run finds it in the store, without what a correction has no business with."""
    data = asdict(verdict)
    return {name: data[name] for name in ("result_class", "subclass", "problems", "cross_checks", "failure")}


def verdict_on(evaluator: Evaluator, library: DomainLibrary, action: str, output: str) -> Verdict:
    source = library.find("blocksworld").source
    return evaluator.evaluate(EvaluationTask(source, action, output, EvaluationSettings()))


def test_there_is_one_template_a_subclass() -> None:
    assert set(TEMPLATES) == set(Subclass)


@pytest.mark.parametrize(
    ("output", "subclass", "words"),
    [
        ("I cannot.", Subclass.NO_PDDL, ["line 1, column 1", "no PDDL"]),
        ("(:action stack", Subclass.P_ERROR, ["parentheses", "line 1"]),
        ("(:action stack :parameters (?x -) :effect ())", Subclass.U_TOKEN, ["line 1, column", "type name"]),
        ("(:action stack :parameters (?x - brick) :effect ())", Subclass.T_ERROR, ["'brick'", "Types"]),
        (
            "(:action stack\n:parameters (?x - block)\n:effect (on ?x))",
            Subclass.PA_ERROR,
            ["line 3", "takes 2 arguments"],
        ),
        ("(:action put :parameters () :effect ())", Subclass.N_ERROR, ["'put'", "'stack'"]),
        (
            "(:action stack :parameters (?x - block) :precondition (not (clear ?x)) :effect ())",
            Subclass.BP_ERROR,
            ["does not allow"],
        ),
        ("(:action stack :parameters (?x - block ?y - block) :effect ())", Subclass.NO_PLAN, ["p01", "no plan"]),
    ],
)
def test_each_says_what_the_tools_said(
    evaluator: Evaluator, library: DomainLibrary, output: str, subclass: Subclass, words: list[str]
) -> None:
    verdict = verdict_on(evaluator, library, "stack", output)
    assert verdict.subclass is subclass, verdict
    told = feedback(stored(verdict))
    assert told is not None
    text = message(told)
    for word in words:
        assert word in text, text
    assert text.endswith("corrected.")
    assert "{" not in text


def test_a_failing_plan_is_told_up_to_its_failing_step(evaluator: Evaluator, library: DomainLibrary) -> None:
    truth = library.find("blocksworld").planning.actions["stack"]
    loose = replace(truth, precondition=And(conjuncts(truth.precondition)[:1]))
    tight = replace(truth, precondition=And((*conjuncts(truth.precondition), *conjuncts(truth.effect)[:1])))
    for action, subclass in ((loose, Subclass.NP_APP), (tight, None)):
        verdict = verdict_on(evaluator, library, "stack", action_pddl(action))
        told = feedback(stored(verdict))
        if subclass is None:
            assert verdict.subclass in (Subclass.OP_APP, Subclass.NO_PLAN)
            continue
        assert verdict.subclass is subclass
        assert told is not None
        assert verdict.failure is not None
        assert told.plan == verdict.failure.plan[: verdict.failure.step]
        assert verdict.failure.reason in message(told)
        assert f"{len(told.plan)}. {told.plan[-1]}" in message(told)


def test_nothing_of_the_ground_truth_leaks(evaluator: Evaluator, library: DomainLibrary) -> None:
    domain = library.find("blocksworld").planning
    looked_at = 0
    for name, truth in domain.actions.items():
        for part in (*conjuncts(truth.precondition), *conjuncts(truth.effect)):
            dropped = replace(
                truth,
                precondition=And(tuple(one for one in conjuncts(truth.precondition) if one is not part)),
                effect=And(tuple(one for one in conjuncts(truth.effect) if one is not part)),
            )
            verdict = verdict_on(evaluator, library, name, action_pddl(dropped))
            told = feedback(stored(verdict))
            if told is None:
                continue
            looked_at += 1
            item = correction(replace(ITEM, action=name), action_pddl(dropped), told, 100)
            said = item.dialogue[-1].content
            assert verdict.comparison is not None
            assert not any(line in said for line in verdict.comparison.differing)
            # The lifted literal that the answer lacks stands nowhere in the message; a validator's is a ground one.
            lifted = to_pddl(part.operand if isinstance(part, Not) else part)
            assert "?" not in lifted or lifted not in said
            assert "?" not in said
    assert looked_at > 15


def test_what_is_equivalent_or_undecided_is_not_corrected() -> None:
    empty: dict[str, Any] = {"problems": [], "cross_checks": [], "failure": None}
    assert feedback({"result_class": "equivalent", "subclass": None, **empty}) is None
    assert feedback({"result_class": "undecided", "subclass": None, **empty}) is None


def test_the_next_item_holds_the_dialogue_and_one_text_of_it() -> None:
    first = correction(ITEM, " an answer ", Feedback(Subclass.P_ERROR, ("line 1, column 1: no ')'",)), 40)
    assert (first.index, first.round, first.action, first.domain_sha) == (43, 1, ITEM.action, ITEM.domain_sha)
    assert [(turn.role, turn.content[:10]) for turn in first.dialogue] == [
        ("user", "the prompt"), ("assistant", "an answer"), ("user", "The parent"),
    ]  # fmt: skip
    assert first.prompt.startswith(f"{ITEM.prompt}\nan answer\n\nThe parentheses")
    second = correction(first, "x" * 9000, Feedback(Subclass.NO_PLAN, unsolved=("p01", "p02")), 40)
    assert (second.index, second.round, len(second.dialogue)) == (83, 2, 5)
    assert "p01, p02" in second.dialogue[-1].content
    assert len(second.dialogue[-2].content) == 2000


def test_long_feedback_is_cut_and_says_so() -> None:
    problems = tuple(f"line {number}, column 1: wrong" for number in range(1, 31))
    text = message(Feedback(Subclass.PA_ERROR, problems))
    assert "line 8," in text
    assert "line 9," not in text
    assert "and 22 more" in text
    plan = tuple(f"(step{number})" for number in range(1, 60))
    text = message(Feedback(Subclass.OP_APP, reason="step 59: no", plan=plan))
    assert "59. (step59)" in text
    assert "(step1)" not in text
