"""A domain with the objects, initial state and goal of one problem, and which arguments its actions can take."""

from __future__ import annotations

from functools import cached_property

from nl2pddl.actions import (
    And,
    Atom,
    Formula,
    Imply,
    LiftedAction,
    Not,
    Numeric,
    Or,
    Quantified,
    When,
    atoms,
    to_pddl,
    variables,
)
from nl2pddl.exact.joining import Fact, fact_of
from nl2pddl.task import PlanningDomain, PlanningProblem


class Universe:
    """One side of the comparison."""

    def __init__(self, domain: PlanningDomain, problem: PlanningProblem) -> None:
        self.domain = domain
        self.problem = problem
        self.goal = problem.goal
        self.objects = {**domain.constants, **problem.objects}
        self.init: frozenset[Fact] = frozenset(fact_of(atom, {}) for atom in problem.init)
        self._members: dict[tuple[str, ...], tuple[str, ...]] = {}

    def members(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """The objects, by name, that may stand where ``types`` is declared."""
        if types not in self._members:
            fitting = (name for name in sorted(self.objects) if self.domain.fits((self.objects[name],), types))
            self._members[types] = tuple(fitting)
        return self._members[types]

    @cached_property
    def unsupported(self) -> str | None:
        """The first thing in the domain or the goal that is no matter of atoms, as text, or None."""
        formulas = [self.goal]
        for action in self.domain.actions.values():
            formulas += [action.precondition, action.effect]
        return next((found for found in map(_unsupported, formulas) if found), None)


def argument_choices(own: Universe, other: Universe, action: LiftedAction) -> tuple[tuple[str, ...], ...]:
    """For each parameter the objects that need to be tried.

    That is all objects of its type. But where neither domain's action of this name uses the parameter, one object
    stands for all that the two domains treat alike: with surplus parameters the ground actions could be too many to
    list.
    """
    twin = other.domain.actions.get(action.name)
    if twin is not None and len(twin.parameters) != len(action.parameters):
        twin = None
    used = _used_positions(action) | (_used_positions(twin) if twin else set())
    choices = []
    for position, parameter in enumerate(action.parameters):
        fitting = own.members(parameter.types)
        if position not in used:
            shared = frozenset(other.members(twin.parameters[position].types)) if twin else frozenset()
            first = {name in shared: name for name in reversed(fitting)}
            fitting = tuple(sorted(first.values()))
        choices.append(fitting)
    return tuple(choices)


def _used_positions(action: LiftedAction) -> set[int]:
    used = variables(action.precondition) | variables(action.effect)
    # Of two parameters with one name the last one counts, as in ``PlanValidator``.
    return {position for name, position in parameter_positions(action).items() if name in used}


def parameter_positions(action: LiftedAction) -> dict[str, int]:
    """Where the value of each parameter stands among the arguments."""
    return {parameter.name: position for position, parameter in enumerate(action.parameters)}


def effect_atoms(effect: Formula) -> tuple[Atom, ...]:
    """The atoms that an effect adds or deletes, without those of its conditions."""
    match effect:
        case And(operands):
            return tuple(atom for operand in operands for atom in effect_atoms(operand))
        case When(_, consequence):
            return effect_atoms(consequence)
        case Quantified(_, _, body):
            return effect_atoms(body)
        case _:
            return atoms(effect)


def _unsupported(formula: Formula) -> str | None:
    match formula:
        case Numeric(text):
            return text
        case Atom("=", arguments) | Not(Atom("=", arguments)) if len(arguments) != 2:
            return to_pddl(formula)
        case And(operands) | Or(operands):
            parts = operands
        case Imply(left, right) | When(left, right):
            parts = (left, right)
        case Quantified(_, _, body):
            parts = (body,)
        case _:
            return None
    return next((found for found in map(_unsupported, parts) if found), None)
