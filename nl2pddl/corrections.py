"""Corrective re-prompting: what a model is told after a failed verdict (the future work of Oswald et al. 2024).

Only what a tool says goes into a correction: our parser and checks, the planner, the plan validator. ``Feedback`` holds
no more than that, so the ground truth cannot leak: not the differing literals, not the reconstruction error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from nl2pddl.experiment import RunItem, Turn
from nl2pddl.records import ResultClass, Subclass

_MOST_PROBLEMS = 8
_LONGEST_ANSWER = 2000
_MOST_STEPS = 20
_AGAIN = "Write the whole action again, corrected."

# One template a subclass; {problems} are lines of the checks, the rest is the planner's and the validator's.
TEMPLATES: Mapping[Subclass, str] = {
    Subclass.NO_PDDL: "That answer holds no complete PDDL action:\n{problems}",
    Subclass.P_ERROR: "The parentheses of that action do not match:\n{problems}",
    Subclass.U_TOKEN: "A PDDL parser refuses that action:\n{problems}",
    Subclass.T_ERROR: "Types are wrong in that action:\n{problems}",
    Subclass.PA_ERROR: "Predicates or their arguments are wrong in that action:\n{problems}",
    Subclass.N_ERROR: "That action has the wrong name:\n{problems}",
    Subclass.BP_ERROR: "That action uses what this domain does not allow:\n{problems}",
    Subclass.NO_PLAN: "The action is valid, but a planner finds no plan with it for the test problem {unsolved}. The "
    "precondition may ask too much, or an effect may be missing.",
    Subclass.NP_APP: "The action is valid, but a planner finds a plan with it that must not work. A plan validator "
    "says: {reason}.\nThe plan up to there:\n{plan}",
    Subclass.OP_APP: "The action is valid, but a plan that must work fails with it. A plan validator says: {reason}.\n"
    "The plan up to there:\n{plan}",
}


@dataclass(frozen=True)
class Feedback:
    """What the tools said of an answer.

    ``problems`` are the checks' messages with their places, ``unsolved`` the problems without a plan, ``reason`` and
    ``plan`` the validator's words on the first failing plan and that plan up to the failing step.
    """

    subclass: Subclass
    problems: tuple[str, ...] = ()
    unsolved: tuple[str, ...] = ()
    reason: str = ""
    plan: tuple[str, ...] = ()


def feedback(verdict: Mapping[str, Any]) -> Feedback | None:
    """The tools' part of a stored verdict (``queries.ItemDetail.verdict``); None where there is nothing to correct."""
    if verdict["result_class"] in (ResultClass.EQUIVALENT, ResultClass.UNDECIDED) or not verdict["subclass"]:
        return None
    problems = tuple(
        f"line {problem['line']}, column {problem['column']}: {problem['message']}"
        for problem in verdict["problems"] or ()
    )
    unsolved = tuple(check["problem"] for check in verdict["cross_checks"] or () if check["planner"] == "unsolvable")
    failure = verdict["failure"]
    if failure is None:
        return Feedback(Subclass(verdict["subclass"]), problems, unsolved)
    plan = tuple(failure["plan"][: failure["step"]])
    return Feedback(Subclass(verdict["subclass"]), problems, unsolved, failure["reason"], plan)


def message(told: Feedback) -> str:
    """The follow-up to the model."""
    problems = [f"- {line}" for line in told.problems[:_MOST_PROBLEMS]]
    if len(told.problems) > _MOST_PROBLEMS:
        problems.append(f"- and {len(told.problems) - _MOST_PROBLEMS} more")
    steps = [f"{number}. {step}" for number, step in enumerate(told.plan, start=1)]
    if len(steps) > _MOST_STEPS:
        steps = ["...", *steps[-_MOST_STEPS:]]
    text = TEMPLATES[told.subclass].format(
        problems="\n".join(problems), unsolved=", ".join(told.unsolved), reason=told.reason, plan="\n".join(steps)
    )
    return f"{text}\n{_AGAIN}"


def correction(item: RunItem, answer: str, told: Feedback, total: int) -> RunItem:
    """The item of the next round: the dialogue so far, the answer, and what the tools said.

    ``total`` is how many items a round of the run has.
    """
    said = message(told)
    answer = answer.strip()[:_LONGEST_ANSWER]
    dialogue = (*(item.dialogue or (Turn("user", item.prompt),)), Turn("assistant", answer), Turn("user", said))
    prompt = f"{item.prompt}\n{answer}\n\n{said}\n\nPDDL Action:"
    return replace(item, index=item.index + total, round=item.round + 1, prompt=prompt, dialogue=dialogue)
