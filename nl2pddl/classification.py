"""From a model's answer to a verdict, by the rules of either protocol, in order.

The order is the paper's hierarchy: syntax before semantic before the comparison of plans. Each step either ends the
verdict or hands on what it read. What a problem counts as is decided in ``rules``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nl2pddl.action_metrics import compare_actions
from nl2pddl.action_reader import read_action
from nl2pddl.actions import LiftedAction, canonical_action, difference
from nl2pddl.candidate import Candidate, ComparePlans
from nl2pddl.equivalence import CrossCheckResult
from nl2pddl.extraction import MAX_LENGTH, extract_action
from nl2pddl.planning.planner_input import UnplannableError, planner_text
from nl2pddl.published.classify import read_output
from nl2pddl.published.domain import PublishedDomain
from nl2pddl.records import Problem, Protocol, ResultClass, Subclass, Verdict
from nl2pddl.rules import by_precedence, class_of, problem
from nl2pddl.semantics import check_action
from nl2pddl.sexpr import MAX_DEPTH, Position
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


def classify(asked: Asked, output: str, compare_plans: ComparePlans, *, shortcuts: bool = True) -> Verdict:
    """The verdict on ``output`` under protocol ``strict``.

    ``compare_plans`` runs planner and validator, and is called only where nothing else decides. With ``shortcuts`` off
    an action equal to the original is planned and compared like any other.
    """
    extraction = extract_action(output)
    if extraction.problem is not None:
        return _refused((extraction.problem,), extraction.text, Protocol.STRICT)
    if extraction.group is None:
        reason = f"an action longer than {MAX_LENGTH:,} characters or nested deeper than {MAX_DEPTH} is not read"
        return Verdict(ResultClass.UNDECIDED, None, reason, Protocol.STRICT)
    action, problems = read_action(extraction.group)
    if action is None:
        return _refused(problems, extraction.text, Protocol.STRICT)
    problems = check_action(action, asked.domain, asked.action)
    if problems:
        verdict = _refused(problems, extraction.text, Protocol.STRICT)
    else:
        verdict = _compared(_candidate(asked, action), compare_plans, Protocol.STRICT, extraction.text, shortcuts)
    comparison = compare_actions(asked.original, action, asked.domain)
    return replace(verdict, are=difference(asked.original, action).are, comparison=comparison)


def classify_published(
    asked: Asked, published: PublishedDomain, output: str, compare_plans: ComparePlans, *, shortcuts: bool = True
) -> Verdict:
    """The verdict on ``output`` under protocol ``published``; as ``classify``."""
    reading = read_output(output, asked.action, published, asked.domain)
    if reading.no_class:
        verdict = Verdict(ResultClass.UNDECIDED, None, reading.no_class, Protocol.PUBLISHED, action_text=reading.text)
    elif reading.candidate is None:
        verdict = _refused(reading.problems, reading.text, Protocol.PUBLISHED)
    else:
        verdict = _compared(reading.candidate, compare_plans, Protocol.PUBLISHED, reading.text, shortcuts)
        if verdict.result_class is ResultClass.SEMANTIC:  # the planner refused it: these are why
            verdict = replace(verdict, problems=reading.problems or _planner_problem(verdict))
    if reading.action is None:
        return verdict
    comparison = compare_actions(asked.original, reading.action, asked.domain)
    return replace(verdict, are=reading.are, comparison=comparison)


def classify_whole(
    domain: PlanningDomain, answers: Sequence[tuple[str, str]], compare_plans: ComparePlans, *, shortcuts: bool = True
) -> Verdict:
    """The verdict on a whole domain under protocol ``strict``; ``answers`` are (action, output) for all its actions.

    Where an action cannot be planned with, the first in precedence gives the class, and its reason names the action;
    otherwise all are replaced at once and the two domains' plans compared. The ARE is the sum over the actions.
    """
    found: list[Candidate] = []

    def collect(candidate: Candidate) -> CrossCheckResult:
        found.append(candidate)
        return CrossCheckResult(ResultClass.UNDECIDED, None, "compared together with the others", ())

    verdicts = {name: classify(Asked(domain, name), output, collect) for name, output in answers}
    errors = [verdict.are for verdict in verdicts.values()]
    are = None if None in errors else sum(error or 0 for error in errors)
    problems = tuple(
        replace(one, message=f"{name}: {one.message}") for name, verdict in verdicts.items() for one in verdict.problems
    )
    if problems:
        first = by_precedence(problems, Protocol.STRICT)[0]
        faulty = sum(bool(verdict.problems) for verdict in verdicts.values())
        reason = f"{faulty} of {len(answers)} actions cannot be planned with; {first.message}"
        return Verdict(class_of(first.subclass), first.subclass, reason, Protocol.STRICT, problems=problems, are=are)
    if len(found) < len(answers):
        unread = next(f"{name}: {verdict.reason}" for name, verdict in verdicts.items() if verdict.are is None)
        return Verdict(ResultClass.UNDECIDED, None, unread, Protocol.STRICT)
    verdict = _compared(_together(domain, found), compare_plans, Protocol.STRICT, None, shortcuts)
    return replace(verdict, are=are)


def _together(domain: PlanningDomain, candidates: Sequence[Candidate]) -> Candidate:
    """All candidates as one that replaces every action."""
    first, *others = candidates
    unplannable = next((one.unplannable for one in candidates if one.domain_text is None), "")
    text = None
    if not unplannable:
        text = domain.with_actions({one.replaced: planner_text(one.action, domain) for one in candidates})
    return replace(
        first,
        domain_text=text,
        key=text or repr([one.action for one in candidates]),
        same=all(one.same for one in candidates),
        unplannable=unplannable,
        others=tuple((one.replaced, one.action) for one in others),
    )


def _candidate(asked: Asked, action: LiftedAction) -> Candidate:
    """The action as it is planned and validated with under ``strict``: canonical, so that its text is no matter."""
    normal = canonical_action(action)
    text, unplannable = None, ""
    try:
        text = asked.domain.with_action(asked.action, planner_text(normal, asked.domain))
    except UnplannableError as error:
        unplannable = str(error)
    same = normal == canonical_action(asked.original)
    return Candidate(asked.action, normal, text, text or repr(normal), same, unplannable=unplannable)


def _compared(
    candidate: Candidate, compare_plans: ComparePlans, protocol: Protocol, text: str | None, shortcuts: bool
) -> Verdict:
    candidate = replace(candidate, same=candidate.same and shortcuts)
    result = compare_plans(candidate)
    return Verdict(
        result.result_class,
        result.subclass,
        result.reason,
        protocol,
        action_text=text,
        cross_checks=result.checks,
        failure=result.failure,
        exact=result.exact,
        working_plans=result.working_plans,
        shortcut=SAME_ACTION if candidate.same else None,
    )


def _planner_problem(verdict: Verdict) -> tuple[Problem, ...]:
    kind = "planner-unsupported" if verdict.subclass is Subclass.BP_ERROR else "planner-refused"
    return (problem(kind, verdict.protocol, Position(), verdict.reason),)


def _refused(problems: tuple[Problem, ...], text: str | None, protocol: Protocol) -> Verdict:
    """The verdict for an action that cannot be planned with: the problem first in precedence gives the class."""
    first = by_precedence(problems, protocol)[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    reason = f"line {first.line}, column {first.column}: {first.message}{more}"
    working = 0 if protocol is Protocol.PUBLISHED else None
    return Verdict(
        class_of(first.subclass), first.subclass, reason, protocol, problems=problems, action_text=text,
        working_plans=working,
    )  # fmt: skip
