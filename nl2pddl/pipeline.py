"""One item end to end, from a model's answer to a verdict: the only place that composes the stages."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import TracebackType

from nl2pddl import __version__
from nl2pddl.candidate import Candidate
from nl2pddl.classification import Asked, classify, classify_published, classify_whole
from nl2pddl.domains import Domain, from_source
from nl2pddl.equivalence import CrossCheckResult, PlannedProblem, cross_check
from nl2pddl.errors import InputError
from nl2pddl.exact import ExactLimits, decide
from nl2pddl.memory import LocalMemory, Memory, PlansKey
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.planning.kstar import HEURISTICS, KStar, Outcome, PlannerAnswer, planner_version
from nl2pddl.planning.validation import VALIDATOR_VERSION
from nl2pddl.published.domain import PublishedDomain, published_domain
from nl2pddl.published.plans import cross_check as published_cross_check
from nl2pddl.records import (
    DomainSource,
    EvaluationSettings,
    ExactDecision,
    ExactOutcome,
    PlanRelation,
    Protocol,
    ResultClass,
    Subclass,
    ValidatorChoice,
    Verdict,
)
from nl2pddl.task import PlanningProblem

IMITATED_VAL = f"{VALIDATOR_VERSION}, imitating VAL"


@dataclass(frozen=True)
class EvaluationTask:
    """One output to judge, self-contained, so that a worker process needs nothing else.

    With ``parts``, the answers for all actions (by name), a whole domain is judged, by protocol strict.
    """

    source: DomainSource
    action: str
    output: str
    settings: EvaluationSettings
    parts: tuple[tuple[str, str], ...] = ()


class Evaluator:
    """Judges outputs.

    Keeps a warm planner and the parsed domains; one a process, not for threads. ``memory`` is where it looks for what
    was computed before (by default it remembers for as long as it lives).
    """

    def __init__(self, planner: KStar | None = None, memory: Memory | None = None) -> None:
        self._planner = planner or KStar()
        self._memory = memory or LocalMemory()
        self._domains: dict[str, Domain] = {}
        self._published: dict[str, PublishedDomain] = {}
        self._checkers: dict[ValidatorChoice, PlanChecker] = {}

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the planner process."""
        self._planner.close()

    def evaluate(self, task: EvaluationTask) -> Verdict:
        """The verdict on ``task.output``. Raises InputError where the domain has no such action."""
        started = time.perf_counter()
        domain = self._domain(task.source)
        if task.parts:
            return replace(self._whole(domain, task), seconds=time.perf_counter() - started)
        action = task.action.lower()
        if action not in domain.planning.actions:
            known = ", ".join(domain.planning.actions)
            raise InputError(f"the domain '{domain.id}' has no action '{task.action}'; its actions are: {known}")
        comparison = _Comparison(self._planner, self._memory, self._checker(task.settings), domain, task.settings)
        asked, shortcuts = Asked(domain.planning, action), task.settings.shortcuts
        if task.settings.protocol is Protocol.PUBLISHED:
            published = self._published_domain(domain)
            verdict = classify_published(asked, published, task.output, comparison.run, shortcuts=shortcuts)
        else:
            verdict = classify(asked, task.output, comparison.run, shortcuts=shortcuts)
        return replace(_signed(verdict, comparison), seconds=time.perf_counter() - started)

    def _whole(self, domain: Domain, task: EvaluationTask) -> Verdict:
        settings = replace(task.settings, protocol=Protocol.STRICT)
        comparison = _Comparison(self._planner, self._memory, self._checker(settings), domain, settings)
        verdict = classify_whole(domain.planning, task.parts, comparison.run, shortcuts=settings.shortcuts)
        return _signed(verdict, comparison)

    def _domain(self, source: DomainSource) -> Domain:
        key = source.sha
        if key not in self._domains:
            self._domains[key] = from_source(source)
        return self._domains[key]

    def _checker(self, settings: EvaluationSettings) -> PlanChecker:
        choice = settings.validator
        if choice not in self._checkers:
            self._checkers[choice] = PlanChecker(choice, settings.seconds, settings.memory_mb)
        return self._checkers[choice]

    def _published_domain(self, domain: Domain) -> PublishedDomain:
        key = domain.source.sha
        if key not in self._published:
            self._published[key] = published_domain(domain.planning)
        return self._published[key]


class _Comparison:
    """The comparison of one candidate with the original; ``key`` and ``cached`` are set where one is made."""

    def __init__(
        self, planner: KStar, memory: Memory, checker: PlanChecker, domain: Domain, settings: EvaluationSettings
    ) -> None:
        self._planner = planner
        self._memory = memory
        self._checker = checker
        self._domain = domain
        self._settings = settings
        self._published = settings.protocol is Protocol.PUBLISHED
        self.validator_version = IMITATED_VAL if self._published else checker.version
        self.key: str | None = None
        self.cached = False

    def run(self, candidate: Candidate) -> CrossCheckResult:
        """The result, from memory where the same comparison was made before."""
        self.key = self._key(candidate)
        remembers = self._settings.shortcuts and not candidate.same
        if remembers:
            known = self._memory.comparison(self.key)
            if known is not None:
                self.cached = True
                return known
        result = self._published_result(candidate) if self._published else self._strict_result(candidate)
        if self._settings.exact and candidate.well_typed:
            result = replace(result, exact=self._decisions(candidate))
        if remembers and result.result_class is not ResultClass.UNDECIDED:
            self._memory.remember_comparison(self.key, result)
        return result

    def _key(self, candidate: Candidate) -> str:
        """A hash of everything that the result depends on."""
        settings = self._settings
        parts = [
            __version__, self._domain.source.sha, sorted(candidate.changes), candidate.key, settings.protocol.value,
            settings.k, settings.seconds, settings.memory_mb, planner_version(), self.validator_version,
            [settings.exact_states, settings.exact_seconds] if settings.exact else None,
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def _strict_result(self, candidate: Candidate) -> CrossCheckResult:
        planned = []
        for name, problem in self._domain.problems:
            original, new = self._both_plans(candidate, name, problem, HEURISTICS)
            planned.append(PlannedProblem(name, problem, original=original, new=new))
        original_domain = self._domain.planning
        new_domain = replace(original_domain, actions={**original_domain.actions, **candidate.changes})
        return cross_check(original_domain, new_domain, planned, tuple(candidate.changes), self._checker)

    def _published_result(self, candidate: Candidate) -> CrossCheckResult:
        def plans_of(name: str, problem: PlanningProblem) -> tuple[PlannerAnswer, PlannerAnswer]:
            # The published code asks for lmcut only: what that refuses is a BPError there.
            return self._both_plans(candidate, name, problem, HEURISTICS[:1])

        return published_cross_check(self._domain.planning, candidate, self._domain.problems, plans_of)

    def _both_plans(
        self, candidate: Candidate, name: str, problem: PlanningProblem, heuristics: Sequence[str]
    ) -> tuple[PlannerAnswer, PlannerAnswer]:
        """A problem's plans of the original domain and with the candidate; the same ones where it is the original."""
        original = self._plans_of_original(name, problem.text)
        if candidate.same:
            return original, original
        if candidate.domain_text is None:
            return original, PlannerAnswer(Outcome.ERROR, detail=candidate.unplannable)
        return original, self._search(candidate.domain_text, problem.text, heuristics)

    def _plans_of_original(self, name: str, problem: str) -> PlannerAnswer:
        key = PlansKey(self._domain.source.sha, name, self._settings.k, planner_version())
        answer = self._memory.plans(key)
        if answer is None:
            answer = self._search(self._domain.planning.text, problem, HEURISTICS)
            # A fault of time or machine is not a fact about the domain: the next item asks again.
            if answer.outcome is Outcome.SOLVED:
                self._memory.remember_plans(key, answer)
        return answer

    def _search(self, domain: str, problem: str, heuristics: Sequence[str]) -> PlannerAnswer:
        settings = self._settings
        return self._planner.top_k(domain, problem, settings.k, settings.seconds, settings.memory_mb, heuristics)

    def _decisions(self, candidate: Candidate) -> tuple[ExactDecision, ...]:
        original = self._domain.planning
        new = replace(original, actions={**original.actions, **candidate.changes})
        limits = ExactLimits(self._settings.exact_states, self._settings.exact_seconds)
        if candidate.same:
            detail = "the action is the original up to names"
            return tuple(ExactDecision(name, ExactOutcome.EQUAL, detail=detail) for name, _ in self._domain.problems)
        return tuple(decide(original, new, name, problem, limits) for name, problem in self._domain.problems)


def _signed(verdict: Verdict, comparison: _Comparison) -> Verdict:
    """The verdict with who reached it, and what follows from it."""
    return replace(
        verdict,
        planner_version=planner_version(),
        validator_version=comparison.validator_version,
        comparison_key=comparison.key,
        cached=comparison.cached,
        plan_relation=_plan_relation(verdict),
        exercised=_exercised(verdict),
    )


def _plan_relation(verdict: Verdict) -> PlanRelation | None:
    """What is known of the two sets of plans; None where nothing is proved and the top-k plans do not cross over."""
    if verdict.exact_outcome is ExactOutcome.DIFFERENT:
        return PlanRelation.DIFFERENT
    if verdict.exact_outcome is ExactOutcome.EQUAL:
        return PlanRelation.SAME
    if verdict.result_class is ResultClass.EQUIVALENT:
        return PlanRelation.CROSSING
    # Under strict a failing plan, or one that has none to match, is a witness; published takes other things for one.
    proved = verdict.protocol is Protocol.STRICT or verdict.subclass is Subclass.NO_PLAN
    return PlanRelation.DIFFERENT if verdict.result_class is ResultClass.DIFFERENT and proved else None


def _exercised(verdict: Verdict) -> bool | None:
    """Whether any plan compared uses the action; None where no plans were compared."""
    known = [check.exercised for check in verdict.cross_checks if check.exercised is not None]
    return any(known) if known else None
