"""From a model's answer to a verdict: the checks of protocol ``strict``, in order.

The order is the paper's hierarchy: syntax before semantic before the comparison of plans. Each step either ends the
verdict or hands on what it read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nl2pddl.action_reader import read_action
from nl2pddl.actions import LiftedAction, canonical, difference
from nl2pddl.equivalence import CrossCheckResult
from nl2pddl.extraction import MAX_LENGTH, extract_action
from nl2pddl.records import SUBCLASSES, Problem, Protocol, ResultClass, Subclass, Verdict
from nl2pddl.semantics import check_action
from nl2pddl.sexpr import MAX_DEPTH
from nl2pddl.task import PlanningDomain

SAME_ACTION = "same action up to parameter names"


@dataclass(frozen=True)
class Asked:
    """What was asked for: the ground-truth domain and the name of one of its actions."""

    domain: PlanningDomain
    action: str

    @property
    def original(self) -> LiftedAction:
        """The ground-truth action."""
        return self.domain.actions[self.action]


# Given the action, and whether it is the original up to names, so that it need not be planned with.
ComparePlans = Callable[[LiftedAction, bool], CrossCheckResult]


def classify(asked: Asked, output: str, compare_plans: ComparePlans, *, shortcuts: bool = True) -> Verdict:
    """The verdict on ``output``.

    ``compare_plans`` runs planner and validator, and is called only where nothing else decides. With ``shortcuts`` off
    an action equal to the original is planned and compared like any other.
    """
    extraction = extract_action(output)
    if extraction.problem is not None:
        return _refused((extraction.problem,), extraction.text)
    if extraction.group is None:
        reason = f"an action longer than {MAX_LENGTH:,} characters or nested deeper than {MAX_DEPTH} is not read"
        return Verdict(ResultClass.UNDECIDED, None, reason, Protocol.STRICT)
    action, problems = read_action(extraction.group)
    if action is None:
        return _refused(problems, extraction.text)
    are = difference(asked.original, action).are
    problems = check_action(action, asked.domain, asked.action)
    if problems:
        return replace(_refused(problems, extraction.text), are=are)
    same = shortcuts and canonical(action) == canonical(asked.original)
    result = compare_plans(action, same)
    verdict = Verdict(
        result.result_class,
        result.subclass,
        result.reason,
        Protocol.STRICT,
        cross_checks=result.checks,
        failure=result.failure,
        shortcut=SAME_ACTION if same else None,
    )
    return replace(verdict, action_text=extraction.text, are=are)


def _refused(problems: tuple[Problem, ...], text: str | None) -> Verdict:
    """The verdict for an action that cannot be planned with: the problem first in precedence gives the class."""
    precedence = list(Subclass)
    first = min(problems, key=lambda problem: precedence.index(problem.subclass))
    result_class = next(name for name, members in SUBCLASSES.items() if first.subclass in members)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    reason = f"line {first.line}, column {first.column}: {first.message}{more}"
    return Verdict(result_class, first.subclass, reason, Protocol.STRICT, problems=problems, action_text=text)
