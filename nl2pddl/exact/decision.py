"""Walks the automata of two domains at once, breadth first, to the first plan of the one that is none of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nl2pddl.errors import NL2PDDLError
from nl2pddl.exact.automaton import Automaton, Flags, Indices, Rows
from nl2pddl.exact.grounding import FALSE, ActionName, ground
from nl2pddl.exact.joining import Fact
from nl2pddl.exact.limits import Budget, ExactLimits, Undecided
from nl2pddl.exact.pairs import PairSet
from nl2pddl.exact.universe import Universe
from nl2pddl.planning.validation import PlanValidator
from nl2pddl.records import ExactDecision, ExactOutcome
from nl2pddl.task import PlanningDomain, PlanningProblem

FIRST, SECOND = "first", "second"
NO_PLANS = "neither domain has any plan for this problem"
_BLOCK = 1 << 18  # states times actions looked at together: enough to forget Python, few enough for the cache


@dataclass(frozen=True)
class _Witness:
    """A shortest plan of one domain that is none of the other; of several, the first in alphabetical order."""

    plan: tuple[str, ...]
    of: str


def decide(
    first: PlanningDomain,
    second: PlanningDomain,
    name: str,
    problem: PlanningProblem,
    limits: ExactLimits,
    second_problem: PlanningProblem | None = None,
) -> ExactDecision:
    """Whether the two domains have the same set of plans for ``problem``, which the decision calls ``name``.

    A plan is a sequence of type-correct ground actions, each applicable, that ends in a goal state; the empty one
    counts. ``second_problem`` stands for the problem in the second domain where it is another one. Semantics are those
    of ``PlanValidator``, and every witness is checked by it. Undecided where a limit is reached or the domains use
    numbers.
    """
    budget = Budget(limits)
    sides = (Universe(first, problem), Universe(second, second_problem or problem))
    witness, failure, detail = None, None, ""
    try:
        for side, label in zip(sides, (FIRST, SECOND), strict=True):
            if side.unsupported is not None:
                raise Undecided(f"{side.unsupported} in the {label} domain: only atoms can be decided about")
        witness, plans = _search(sides, budget)
        outcome = ExactOutcome.EQUAL if witness is None else ExactOutcome.DIFFERENT
        detail = "" if plans else NO_PLANS
        failure = None if witness is None else _failure(witness, sides)
    except Undecided as reached:
        outcome, detail = ExactOutcome.UNDECIDED, f"{reached} ({budget.sizes})"
    return ExactDecision(
        problem=name,
        outcome=outcome,
        witness=witness.plan if witness else None,
        witness_of=witness.of if witness else None,
        failure=failure,
        facts=budget.facts,
        states=budget.states,
        transitions=budget.transitions,
        seconds=budget.elapsed,
        detail=detail,
    )


def _search(sides: tuple[Universe, Universe], budget: Budget) -> tuple[_Witness | None, bool]:
    """The shortest witness, or None where there is none, and whether any plan was seen; raises Undecided."""
    tasks = ground(sides[0], sides[1], budget), ground(sides[1], sides[0], budget)
    names = sorted(tasks[0].actions.keys() | tasks[1].actions.keys())
    product = _Product((Automaton(tasks[0], names, budget), Automaton(tasks[1], names, budget)), budget)
    budget.facts, budget.actions = len(product.facts), len(names)
    if tasks[0].goal == FALSE and tasks[1].goal == FALSE:
        return None, False
    witness = product.witness(names)
    return witness, product.any_plan or witness is not None


class _Product:
    """Both automata at once: a pair of states is one row, the words of the first and then those of the second.

    An action that applies on one side only leads the other side to its dead state. Every pair is visited once, in the
    order of shortest plans, so the first pair with a goal state on one side only gives a shortest witness.
    """

    def __init__(self, automata: tuple[Automaton, Automaton], budget: Budget) -> None:
        self._first, self._second = automata
        self._budget = budget
        self.any_plan = False

    @property
    def facts(self) -> frozenset[Fact]:
        """The facts that either side keeps."""
        return self._first.facts | self._second.facts

    def witness(self, names: Sequence[ActionName]) -> _Witness | None:
        """The shortest witness, or None where there is none; raises Undecided. ``names`` number the actions."""
        pairs = PairSet(np.concatenate([self._first.initial, self._second.initial]))
        found = self._told_apart(pairs.rows[:1], 0)
        block = max(1, _BLOCK // max(1, len(names) * pairs.rows.shape[1]))
        done = 0
        while found is None and done < pairs.count:
            self._budget.check_states(pairs.count, pairs.rows.nbytes)
            self._budget.check_time()
            rows = pairs.rows[done : min(done + block, pairs.count)]
            after, parents, actions = self._expand(rows)
            self._budget.transitions += len(actions)
            before = pairs.count
            found = self._told_apart(pairs.insert(after, parents + done, actions), before)
            done += len(rows)
        self._budget.states = min(pairs.count, self._budget.limits.states)
        if found is None:
            return None
        number, of = found
        return _Witness(tuple(f"({' '.join(names[action])})" for action in pairs.path(number)), of)

    def _halves(self, rows: Rows) -> tuple[Rows, Rows]:
        return rows[:, : self._first.words], rows[:, self._first.words :]

    def _expand(self, rows: Rows) -> tuple[Rows, Indices, Indices]:
        """All pairs one action on, with the index of the pair before and the action, ordered by the two."""
        sides = tuple(zip((self._first, self._second), self._halves(rows), strict=True))
        applicable = [automaton.applicable(half) for automaton, half in sides]
        parents, actions = np.nonzero(applicable[0] | applicable[1])
        after = [
            np.where(flags[parents, actions, None], automaton.successors(half[parents], actions), np.uint64(0))
            for flags, (automaton, half) in zip(applicable, sides, strict=True)
        ]
        return np.concatenate(after, axis=1), parents, actions

    def _told_apart(self, rows: Rows, start: int) -> tuple[int, str] | None:
        """The first of the pairs with a goal state on one side only, by its number from ``start``; and that side."""
        first, second = self._halves(rows)
        accepted: Flags = self._first.accepts(first)
        self.any_plan = self.any_plan or bool(accepted.any())
        differing = np.flatnonzero(accepted != self._second.accepts(second))
        if not len(differing):
            return None
        return start + int(differing[0]), FIRST if accepted[differing[0]] else SECOND


def _failure(witness: _Witness, sides: tuple[Universe, Universe]) -> str:
    """Why the witness is no plan of the other domain. The validator judges it in both, as a check on all of this."""
    own, other = (PlanValidator(side.domain, side.problem) for side in (sides if witness.of == FIRST else sides[::-1]))
    mine, theirs = own.check(witness.plan), other.check(witness.plan)
    if not mine.valid or theirs.valid:
        raise NL2PDDLError(
            f"the plan {' '.join(witness.plan) or '()'} should tell the domains apart, but the validator says: "
            f"{mine.reason or 'valid'} / {theirs.reason or 'valid'}; this is a fault of the exact decision"
        )
    return theirs.reason
