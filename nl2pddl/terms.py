"""What the terms on the pages mean, in a line each, and the reason of a verdict in one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nl2pddl.equivalence import NEW_ON_ORIGINAL

CLASSES = {
    "syntax": "no PDDL action, unmatched parentheses or an unexpected token",
    "semantic": "it parses, but does not fit the domain: types, predicates and their arguments, the name",
    "different": "a valid action, but the domain plans differently with it",
    "equivalent": "the top-k plans of both domains are plans of each other",
    "undecided": "a time or memory limit or a crash kept the class from being found",
}
SUBCLASSES = {
    "NoPDDL": "no PDDL action",
    "PError": "unmatched parenthesis",
    "UToken": "unexpected token",
    "TError": "wrong type",
    "PAError": "wrong predicate or arguments",
    "NError": "wrong action name",
    "BPError": "precondition or requirement the domain does not have",
    "NoPlan": "no plan with the new action",
    "NPApp": "a new plan fails in the original domain",
    "OPApp": "an original plan fails in the new domain",
}
ARE = (
    "Action reconstruction error: how many literals (a predicate with its arguments, negated or not) of precondition "
    "and effects differ from the ground truth. Only for what parses. A high one on an equivalent output is a reason "
    "to look twice."
)
PROTOCOL = (
    "The rules of the verdict. strict: the paper's definitions, robustly; no fault of time or machine becomes a class. "
    "published: what the study's own code does, to compare with its numbers."
)
# What each filter is about.
HELP = {
    "model": "Who answered.",
    "domain": "The planning domain; one with ~ in its name is an anonymised twin.",
    "action": "The action that was asked for; * stands for a whole domain.",
    "description_class": (
        "How much of the action its description gives away. base: one line. flipped: also the preconditions that the "
        "action deletes. random: also as many literals, drawn from preconditions and effects."
    ),
    "result_class": "\n".join(f"- **{name}**: {meaning}" for name, meaning in CLASSES.items()),
    "subclass": "\n".join(f"- **{name}**: {meaning}" for name, meaning in SUBCLASSES.items()),
    "round": "0: the first answer to a prompt. Above: how often it had been corrected.",
    "grammar": "Whether decoding was held to actions that are valid in the domain.",
    "protocol": f"{PROTOCOL} Left open, each output counts once, by the rules of its run.",
    "exact": (
        "The exact decision on the full plan sets. equal: proved. different: refuted by a plan. undecided: a limit "
        "came first. not asked: the run was launched without it."
    ),
    "exercised": "Whether any plan that was compared uses the action; where none does, equivalence says nothing.",
    "tag": "What a person has tagged the output with.",
}
SORT = (
    "The further an equivalent action is from the original, the likelier it is a false positive: hunt them by the "
    "highest ARE."
)

_PLACE = re.compile(r"line (\d+), column (\d+): ")
_IMPORTED = "imported as "


def class_help(name: str) -> str:
    """What a result class means, as a sentence."""
    meaning = CLASSES[name]
    return _ended(meaning[0].upper() + meaning[1:])


def reason_sentence(verdict: Mapping[str, Any]) -> str:
    """Why the verdict is what it is, in one sentence."""
    reason = str(verdict["reason"])
    failure = verdict.get("failure")
    if failure:
        return _failure_sentence(failure)
    if reason.startswith(_IMPORTED):
        meaning = SUBCLASSES.get(verdict["subclass"] or "", CLASSES.get(verdict["result_class"], ""))
        return _ended(f"Imported as {reason.removeprefix(_IMPORTED)}: {meaning}")
    place = _PLACE.match(reason)
    if place:
        return _ended(f"In line {place[1]}, column {place[2]}, {reason[place.end() :]}")
    return _ended(reason[:1].upper() + reason[1:])


def _failure_sentence(failure: Mapping[str, Any]) -> str:
    new = failure["direction"] == NEW_ON_ORIGINAL
    whose = "found with the generated action" if new else "of the original domain"
    where = "in the original domain" if new else "with the generated action"
    if failure["action"] is None:
        place = "after its last step the goal"
    else:
        place = f"in step {failure['step']}, {failure['action']},"
    why = f"{place} {failure['literal']} does not hold" if failure["literal"] else failure["reason"]
    return _ended(f"On {failure['problem']}, a plan {whose} does not work {where}: {why}")


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
