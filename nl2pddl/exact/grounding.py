"""Grounds a domain on a problem: the ground actions that can ever apply, with what is always true or false left out.

Relaxed reachability (deletes and negated conditions ignored) and the grounding of preconditions are one join, as in
Helmert 2009, "Concise finite-domain representations for PDDL planning tasks", without its intermediate relations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from nl2pddl.actions import And, Atom, Formula, Imply, Not, Numeric, Or, Quantified, When, to_pddl
from nl2pddl.exact.joining import Fact, Relations, Schema, fact_of
from nl2pddl.exact.limits import Budget
from nl2pddl.exact.universe import Universe, argument_choices, effect_atoms

ActionName = tuple[str, ...]  # the action's name and its arguments
Binding = Mapping[str, str]

TRUE, FALSE = And(), Or(())


@dataclass(frozen=True)
class GroundEffect:
    """A fact that becomes true (``positive``) or false where ``condition`` holds in the old state."""

    condition: Formula
    fact: Fact
    positive: bool


@dataclass(frozen=True)
class GroundAction:
    """All formulas are ground, in negation normal form, and hold only facts that can change."""

    precondition: Formula
    effects: tuple[GroundEffect, ...]


@dataclass(frozen=True)
class GroundTask:
    """A domain on a problem. An action that is not among ``actions`` never applies."""

    actions: Mapping[ActionName, GroundAction]
    init: frozenset[Fact]
    goal: Formula


@dataclass(frozen=True)
class _LiftedEffect:
    conditions: tuple[tuple[Formula, Binding], ...]
    fact: Fact
    positive: bool


_Reached = dict[ActionName, tuple[Schema, tuple[_LiftedEffect, ...]]]


def ground(own: Universe, other: Universe, budget: Budget) -> GroundTask:
    """The task of ``own``, to be compared with that of ``other``; raises Undecided."""
    relations = Relations()
    reached = _reach(own, other, relations, budget)
    deleted = {effect.fact for _, effects in reached.values() for effect in effects if not effect.positive}
    simplifier = _Simplifier(own, frozenset(relations.facts), own.init - deleted, budget)
    actions: dict[ActionName, GroundAction] = {}
    for name, (schema, effects) in reached.items():
        budget.tick()
        precondition = simplifier.simplified(schema.action.precondition, schema.binding(name[1:]))
        if precondition != FALSE:
            conditional = ((simplifier.conjunction(effect.conditions), effect) for effect in effects)
            kept = (GroundEffect(when, e.fact, e.positive) for when, e in conditional if when != FALSE)
            actions[name] = GroundAction(precondition, tuple(kept))
    return GroundTask(actions, own.init, simplifier.simplified(own.goal, {}))


def _reach(own: Universe, other: Universe, relations: Relations, budget: Budget) -> _Reached:
    """Every ground action whose positive literals can all become true, deletes ignored, until nothing new is added."""
    static_truth = _StaticTruth(own)
    schemas = [
        Schema(action, argument_choices(own, other, action), static_truth.value, relations)
        for action in own.domain.actions.values()
    ]
    reached: _Reached = {}
    fresh: list[Fact] = sorted(own.init)
    first = True
    while fresh or first:
        relations.add(fresh)
        budget.facts += len(fresh)
        added: dict[Fact, None] = {}
        for schema in schemas:
            for arguments in schema.matches(fresh, budget, first=first):
                name = (schema.action.name, *arguments)
                if name in reached:
                    continue
                budget.count_action(len(arguments))
                effects = tuple(_effects(schema.action.effect, schema.binding(arguments), (), own, budget))
                reached[name] = (schema, effects)
                added.update((effect.fact, None) for effect in effects if effect.positive)
        fresh = [fact for fact in added if fact not in relations.facts]
        first = False
    return reached


def _effects(
    effect: Formula, binding: Binding, conditions: tuple[tuple[Formula, Binding], ...], own: Universe, budget: Budget
) -> Iterator[_LiftedEffect]:
    match effect:
        case Atom() | Not():
            atom = effect if isinstance(effect, Atom) else effect.operand
            budget.count_part()
            if atom.predicate != "=":
                yield _LiftedEffect(conditions, fact_of(atom, binding), isinstance(effect, Atom))
        case And(operands):
            for part in operands:
                yield from _effects(part, binding, conditions, own, budget)
        case When(condition, consequence):
            yield from _effects(consequence, binding, (*conditions, (condition, binding)), own, budget)
        case Quantified(_, _, body):
            for inner in _instances(effect, binding, own, budget):
                yield from _effects(body, inner, conditions, own, budget)
        case Or() | Imply() | Numeric():
            raise AssertionError(f"{to_pddl(effect)} should have been refused before")


def _instances(formula: Quantified, binding: Binding, own: Universe, budget: Budget) -> Iterator[Binding]:
    names = [variable.name for variable in formula.variables]
    for values in product(*(own.members(variable.types) for variable in formula.variables)):
        budget.tick()
        yield {**binding, **dict(zip(names, values, strict=True))}


class _StaticTruth:
    """The truth of literals that no action can change: equality, and predicates without any effect."""

    def __init__(self, own: Universe) -> None:
        self.init = own.init
        self.changing = {
            atom.predicate for action in own.domain.actions.values() for atom in effect_atoms(action.effect)
        }

    def value(self, predicate: str) -> frozenset[Fact] | None:
        """The facts of an unchanging predicate; None for one that changes."""
        if predicate in self.changing:
            return None
        return frozenset(fact for fact in self.init if fact[0] == predicate)


@dataclass(frozen=True)
class _Simplifier:
    """Grounds conditions to negation normal form, with what never changes replaced by its truth value.

    A fact not in ``possible`` is never true, one in ``certain`` always.
    """

    own: Universe
    possible: frozenset[Fact]
    certain: frozenset[Fact]
    budget: Budget

    def conjunction(self, conditions: tuple[tuple[Formula, Binding], ...]) -> Formula:
        """All of the conditions, each with its own binding."""
        return _joined(And, (self.simplified(condition, binding) for condition, binding in conditions))

    def simplified(self, formula: Formula, binding: Binding, positive: bool = True) -> Formula:
        """The formula, or its negation; ``TRUE`` and ``FALSE`` where nothing is left to test."""
        match formula:
            case Atom("=", (left, right)):
                return _truth((binding.get(left, left) == binding.get(right, right)) == positive)
            case Atom():
                fact = fact_of(formula, binding)
                if fact not in self.possible or fact in self.certain:
                    return _truth((fact in self.possible) == positive)
                self.budget.count_part()
                atom = Atom(fact[0], fact[1:])
                return atom if positive else Not(atom)
            case Not(operand):
                return self.simplified(operand, binding, not positive)
            case And(operands) | Or(operands):
                kind = And if isinstance(formula, And) == positive else Or
                return _joined(kind, (self.simplified(operand, binding, positive) for operand in operands))
            case Imply(left, right):
                parts = (
                    self.simplified(side, binding, kept == positive) for side, kept in ((left, False), (right, True))
                )
                return _joined(Or if positive else And, parts)
            case Quantified(quantifier, _, body):
                kind = And if (quantifier == "forall") == positive else Or
                bindings = _instances(formula, binding, self.own, self.budget)
                return _joined(kind, (self.simplified(body, inner, positive) for inner in bindings))
            case When() | Numeric():
                raise AssertionError(f"{to_pddl(formula)} should have been refused before")


def _truth(value: bool) -> Formula:
    return TRUE if value else FALSE


def _joined(kind: type[And | Or], operands: Iterator[Formula]) -> Formula:
    """The operands joined, doubles dropped; stops at the first that decides the whole."""
    neutral, deciding = (TRUE, FALSE) if kind is And else (FALSE, TRUE)
    parts: dict[Formula, None] = {}
    for operand in operands:
        if operand == deciding:
            return deciding
        if isinstance(operand, kind):
            parts.update((part, None) for part in operand.operands)
        elif operand != neutral:
            parts[operand] = None
    return next(iter(parts)) if len(parts) == 1 else kind(tuple(parts))
