"""Counts the states that a problem can reach, and the ground actions that can ever apply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from nl2pddl.actions import And, Atom
from nl2pddl.exact.automaton import Automaton
from nl2pddl.exact.grounding import GroundTask, ground
from nl2pddl.exact.limits import Budget, ExactLimits, Undecided
from nl2pddl.exact.pairs import PairSet
from nl2pddl.exact.universe import Universe, argument_choices
from nl2pddl.task import PlanningDomain, PlanningProblem

_BLOCK = 1 << 18  # states times actions looked at together


@dataclass(frozen=True)
class StateSpace:
    """How large the state space of a problem is.

    ``states`` are those reachable from the initial state, itself included; ``ground_actions`` those that could apply in
    some state if nothing were ever deleted; ``facts`` those that an action can change. Each is None where it was not
    reached. Where ``detail`` names a limit, there are more than ``states``.
    """

    problem: str
    states: int | None = None
    ground_actions: int | None = None
    facts: int | None = None
    detail: str = ""


def state_space(
    domain: PlanningDomain,
    name: str,
    problem: PlanningProblem,
    limits: ExactLimits,
    report: Callable[[int], None] = lambda states: None,
) -> StateSpace:
    """Walk the whole state space of ``problem``, which the answer calls ``name``, as far as the limits allow.

    ``report`` is told the number of states now and then.
    """
    budget = Budget(limits)
    side = Universe(domain, problem)
    found = StateSpace(name)
    try:
        if side.unsupported is not None:
            raise Undecided(f"{side.unsupported} in the domain: only atoms can be counted")
        task = _every_fact_kept(ground(side, side, budget))
        names = sorted(task.actions)
        automaton = Automaton(task, names, budget)
        found = replace(found, ground_actions=_counted(side, task), facts=len(automaton.facts))
        states = PairSet(automaton.initial)
        block = max(1, _BLOCK // max(1, len(names) * automaton.words))
        done = 0
        while done < states.count:
            found = replace(found, states=min(states.count, limits.states))
            report(states.count)
            budget.check_states(states.count, states.rows.nbytes)
            budget.check_time()
            rows = states.rows[done : min(done + block, states.count)]
            parents, actions = np.nonzero(automaton.applicable(rows))
            states.insert(automaton.successors(rows[parents], actions), parents + done, actions)
            done += len(rows)
        return replace(found, states=states.count)
    except Undecided as reached:
        return replace(found, detail=str(reached))


def _every_fact_kept(task: GroundTask) -> GroundTask:
    """The task with a goal that mentions all facts that can change: an automaton leaves out what nothing mentions."""
    changing = {effect.fact for action in task.actions.values() for effect in action.effects}
    return replace(task, goal=And(tuple(Atom(fact[0], fact[1:]) for fact in sorted(changing))))


def _counted(side: Universe, task: GroundTask) -> int:
    """The number of ground actions, with all objects for a parameter that no condition and no effect mentions."""
    times = {}
    for action in side.domain.actions.values():
        choices = argument_choices(side, side, action)
        times[action.name] = 1
        for parameter, tried in zip(action.parameters, choices, strict=True):
            times[action.name] *= len(side.members(parameter.types)) // max(len(tried), 1)
    return sum(times[name[0]] for name in task.actions)
