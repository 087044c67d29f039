"""One item end to end, from a model's answer to a verdict: the only place that composes the stages."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from types import TracebackType

from nl2pddl.actions import LiftedAction
from nl2pddl.classification import Asked, classify
from nl2pddl.domains import Domain, from_source
from nl2pddl.equivalence import CrossCheckResult, PlannedProblem, cross_check
from nl2pddl.errors import InputError
from nl2pddl.planning.kstar import KStar, Outcome, PlannerAnswer, planner_version
from nl2pddl.planning.planner_input import UnplannableError, planner_text
from nl2pddl.planning.validation import VALIDATOR_VERSION
from nl2pddl.records import DomainSource, EvaluationSettings, Verdict
from nl2pddl.task import PlanningDomain


@dataclass(frozen=True)
class EvaluationTask:
    """One output to judge, self-contained, so that a worker process needs nothing else."""

    source: DomainSource
    action: str
    output: str
    settings: EvaluationSettings


class Evaluator:
    """Judges outputs.

    Keeps a warm planner, the parsed domains and the original plans; one a process, not for threads.
    """

    def __init__(self, planner: KStar | None = None) -> None:
        self._planner = planner or KStar()
        self._domains: dict[str, Domain] = {}
        self._original_plans: dict[tuple[str, str, int], PlannerAnswer] = {}

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
        action = task.action.lower()
        if action not in domain.planning.actions:
            known = ", ".join(domain.planning.actions)
            raise InputError(f"the domain '{domain.id}' has no action '{task.action}'; its actions are: {known}")

        def compare_plans(new_action: LiftedAction, same: bool) -> CrossCheckResult:
            return self._compare_plans(domain, action, new_action, task.settings, same=same)

        asked = Asked(domain.planning, action)
        verdict = classify(asked, task.output, compare_plans, shortcuts=task.settings.shortcuts)
        return replace(
            verdict,
            planner_version=planner_version(),
            validator_version=VALIDATOR_VERSION,
            seconds=time.perf_counter() - started,
        )

    def _domain(self, source: DomainSource) -> Domain:
        key = source.sha
        if key not in self._domains:
            self._domains[key] = from_source(source)
        return self._domains[key]

    def _compare_plans(
        self, domain: Domain, action: str, new_action: LiftedAction, settings: EvaluationSettings, *, same: bool
    ) -> CrossCheckResult:
        """The cross-check with ``new_action``; where it is the ``same`` action its plans are the original's."""
        original = domain.planning
        new = replace(original, actions={**original.actions, action: new_action})
        planned = []
        for name, problem in domain.problems:
            answer = self._plans_of_original(domain, name, problem.text, settings)
            found = answer if same else self._plans_with(original, action, new_action, problem.text, settings)
            planned.append(PlannedProblem(name, problem, original=answer, new=found))
        return cross_check(original, new, planned, action)

    def _plans_with(
        self,
        original: PlanningDomain,
        action: str,
        new_action: LiftedAction,
        problem: str,
        settings: EvaluationSettings,
    ) -> PlannerAnswer:
        try:
            text = original.with_action(action, planner_text(new_action, original))
        except UnplannableError as error:
            return PlannerAnswer(Outcome.ERROR, detail=str(error))
        return self._search(text, problem, settings)

    def _plans_of_original(
        self, domain: Domain, name: str, problem: str, settings: EvaluationSettings
    ) -> PlannerAnswer:
        key = (domain.source.sha, name, settings.k)
        answer = self._original_plans.get(key)
        if answer is None:
            answer = self._search(domain.planning.text, problem, settings)
            # A fault of time or machine is not a fact about the domain: the next item asks again.
            if answer.outcome is Outcome.SOLVED:
                self._original_plans[key] = answer
        return answer

    def _search(self, domain: str, problem: str, settings: EvaluationSettings) -> PlannerAnswer:
        return self._planner.top_k(domain, problem, settings.k, settings.seconds, settings.memory_mb)
