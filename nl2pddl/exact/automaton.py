"""A ground task as an automaton over bit-packed states, for many states at once.

A state is a row of 64-bit words, a bit a fact. Bit 0 is set in every state, so that the row of zeros can stand for the
dead state, in which no action applies and no goal holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from nl2pddl.actions import And, Atom, Formula, Not, Or, atoms, conjuncts
from nl2pddl.exact.grounding import TRUE, ActionName, GroundAction, GroundTask
from nl2pddl.exact.joining import Fact, fact_of
from nl2pddl.exact.limits import Budget

Rows = npt.NDArray[np.uint64]  # (states, words)
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]


def relevant_facts(task: GroundTask, budget: Budget) -> frozenset[Fact]:
    """The facts that a precondition or the goal mentions, or a condition of an effect on such a fact.

    Leaving out the others changes neither which actions apply nor which states are goals, so the plans stay the same.
    """
    relevant = _mentioned(task.goal)
    conditions: dict[Fact, set[Formula]] = {}  # on which the fact's truth can depend
    for action in task.actions.values():
        budget.tick()
        relevant |= _mentioned(action.precondition)
        for effect in action.effects:
            if effect.condition != TRUE:
                conditions.setdefault(effect.fact, set()).add(effect.condition)
    waiting = list(relevant)
    while waiting:
        for condition in conditions.get(waiting.pop(), ()):
            budget.tick()
            found = _mentioned(condition) - relevant
            relevant |= found
            waiting += found
    return frozenset(relevant)


def _mentioned(formula: Formula) -> set[Fact]:
    return {fact_of(atom, {}) for atom in atoms(formula)}


class Automaton:
    """The task's automaton, whose actions are numbered as in ``names``; those the task lacks never apply.

    Raises Undecided where the bit masks would be too large.
    """

    def __init__(self, task: GroundTask, names: Sequence[ActionName], budget: Budget) -> None:
        self._budget = budget
        facts = sorted(relevant_facts(task, budget))
        self._bits = {fact: number for number, fact in enumerate(facts, start=1)}
        self.words = len(facts) // 64 + 1
        budget.check_masks(len(names) * self.words)
        self.initial = self._mask(task.init)
        self.initial[0] |= np.uint64(1)
        # What the task lacks keeps a care of zero and a need of one: see ``_split``.
        self._care, self._need, self._delete, self._add = (
            np.zeros((len(names), self.words), np.uint64) for _ in range(4)
        )
        self._need[:, 0] = 1
        self._residual: dict[int, Formula] = {}
        self._conditional: dict[int, Mapping[Formula, tuple[Rows, Rows]]] = {}
        for number, name in enumerate(names):
            budget.tick()
            if name in task.actions:
                self._compile(number, task.actions[name])
        self._keep = ~self._delete
        self._goal_care, self._goal_need, self._goal_residual = self._split(task.goal)

    def _mask(self, facts: Iterable[Fact]) -> Rows:
        """The bits of the facts, those without one left out."""
        mask = np.zeros(self.words, np.uint64)
        for fact in facts:
            if fact in self._bits:
                word, bit = divmod(self._bits[fact], 64)
                mask[word] |= np.uint64(1 << bit)
        return mask

    def _split(self, condition: Formula) -> tuple[Rows, Rows, Formula]:
        """The condition's literals as masks (care, need), bit 0 included, and the rest of it.

        The literals hold in a row where (row & care) == need; a care of zero lets them hold in none.
        """
        parts = conjuncts(condition)
        need = self._mask(fact_of(part, {}) for part in parts if isinstance(part, Atom))
        forbidden = self._mask(fact_of(part.operand, {}) for part in parts if isinstance(part, Not))
        contradictory = bool((need & forbidden).any())
        need[0] |= np.uint64(1)
        care = np.zeros_like(need) if contradictory else need | forbidden
        return care, need, And(tuple(part for part in parts if not isinstance(part, Atom | Not)))

    def _compile(self, number: int, action: GroundAction) -> None:
        self._care[number], self._need[number], residual = self._split(action.precondition)
        if residual != TRUE:
            self._residual[number] = residual
        masks: dict[Formula, tuple[set[Fact], set[Fact]]] = {}
        for effect in action.effects:
            if effect.fact in self._bits:
                masks.setdefault(effect.condition, (set(), set()))[effect.positive].add(effect.fact)
        deleted, added = masks.pop(TRUE, (set(), set()))
        self._delete[number], self._add[number] = self._mask(deleted), self._mask(added)
        if masks:
            self._conditional[number] = {when: (self._mask(d), self._mask(a)) for when, (d, a) in masks.items()}

    def applicable(self, rows: Rows) -> Flags:
        """Which actions (columns) apply in which states."""
        flags = np.ones((len(rows), len(self._care)), np.bool_)
        for word in range(self.words):
            flags &= (rows[:, word, None] & self._care[:, word]) == self._need[:, word]
        for number, residual in self._residual.items():
            self._budget.tick()
            where = np.flatnonzero(flags[:, number])
            if len(where):
                flags[where, number] = self._holds(residual, rows[where])
        return flags

    def accepts(self, rows: Rows) -> Flags:
        """Which states are goal states."""
        flags: Flags = ((rows & self._goal_care) == self._goal_need).all(axis=1)
        if flags.any() and self._goal_residual != TRUE:
            flags[flags] = self._holds(self._goal_residual, rows[flags])
        return flags

    def successors(self, rows: Rows, actions: Indices) -> Rows:
        """The state after ``actions[i]`` in ``rows[i]``, where it applies."""
        after: Rows = (rows & self._keep[actions]) | self._add[actions]
        if self._conditional:
            order = np.argsort(actions, kind="stable")
            numbers, starts = np.unique(actions[order], return_index=True)
            for number, where in zip(numbers.tolist(), np.split(order, starts)[1:], strict=True):
                if number in self._conditional:
                    after[where] = self._with_conditional(number, rows[where])
        return after

    def _with_conditional(self, number: int, rows: Rows) -> Rows:
        """The states after an action with conditional effects: all conditions read in the old state, deletes first."""
        deleted, added = (np.repeat(mask[number, None], len(rows), axis=0) for mask in (self._delete, self._add))
        for condition, (deletes, adds) in self._conditional[number].items():
            holds = self._holds(condition, rows)
            deleted[holds] |= deletes
            added[holds] |= adds
        return (rows & ~deleted) | added

    def _holds(self, formula: Formula, rows: Rows) -> Flags:
        """In which states a ground formula in negation normal form holds."""
        self._budget.tick()
        match formula:
            case Atom():
                word, bit = divmod(self._bits[fact_of(formula, {})], 64)
                flags: Flags = (rows[:, word] & np.uint64(1 << bit)) != 0
                return flags
            case Not(operand):
                return ~self._holds(operand, rows)
            case And(operands) | Or(operands):
                conjunctive = isinstance(formula, And)
                flags = np.full(len(rows), conjunctive)
                for part in operands:
                    holds = self._holds(part, rows)
                    flags = flags & holds if conjunctive else flags | holds
                return flags
            case _:
                raise AssertionError(f"{formula} is not in negation normal form")

    @property
    def facts(self) -> frozenset[Fact]:
        """The facts that have a bit."""
        return frozenset(self._bits)
