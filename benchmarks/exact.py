"""The exact decision: every ground-truth domain against a copy with one redundant precondition, problem by problem."""

from __future__ import annotations

import time
from dataclasses import replace

from benchmarks.material import material
from nl2pddl.actions import And, Atom, LiftedAction, Not, Or, conjuncts
from nl2pddl.domains import Domain
from nl2pddl.exact import ExactLimits, decide
from nl2pddl.task import PlanningDomain


def with_redundancy(domain: Domain) -> PlanningDomain:
    """The domain, its last action asking for something that always holds when the rest does, which no shortcut sees."""
    planning = domain.planning
    action = list(planning.actions.values())[-1]
    literal = next(part for part in conjuncts(action.precondition) if isinstance(part, Atom))
    redundant = Or((And((literal, Not(literal))), literal))
    changed: LiftedAction = replace(action, precondition=And((action.precondition, redundant)))
    return replace(planning, actions={**planning.actions, action.name: changed})


def main() -> None:
    total = states = 0.0
    for domain in material().library().domains.values():
        second = with_redundancy(domain)
        for name, problem in domain.problems:
            started = time.perf_counter()
            decision = decide(domain.planning, second, name, problem, ExactLimits())
            seconds = time.perf_counter() - started
            total, states = total + seconds, states + decision.states
            print(
                f"{domain.id:14} {name:12} {decision.outcome:9} {decision.facts:4} facts {decision.states:7} states "
                f"{decision.transitions:9} transitions {seconds:6.2f} s",
                flush=True,
            )
    print(f"all: {total:.1f} s, {states / total:,.0f} states a second")
