"""An action as the planner takes it: doubled literals dropped, and ``either`` split into plain types.

The translator gives an ``either`` parameter no objects at all, without a word: every such action would look unusable.
It does take several actions of one name, so an action is written once for each combination of types.
"""

from __future__ import annotations

from itertools import product
from math import prod

from nl2pddl.actions import (
    And,
    Atom,
    Formula,
    Imply,
    LiftedAction,
    Not,
    Numeric,
    Or,
    Parameter,
    Quantified,
    When,
    action_pddl,
    conjuncts,
)
from nl2pddl.task import PlanningDomain

MAX_COMBINATIONS = 64


class UnplannableError(ValueError):
    """The action means something, but cannot be put to this planner."""


def planner_text(action: LiftedAction, domain: PlanningDomain) -> str:
    """The PDDL text to put in the place of ``action`` in ``domain``. Raises UnplannableError where there is none."""
    if any(_has_either(part) for part in (action.precondition, action.effect)):
        raise UnplannableError("a quantified variable of several types cannot be planned with")
    choices = [_disjoint(parameter.types, domain) for parameter in action.parameters]
    if prod(len(types) for types in choices) > MAX_COMBINATIONS:
        raise UnplannableError(f"its either-types make more than {MAX_COMBINATIONS} combinations")
    precondition, effect = _without_doubles(action.precondition), _without_doubles(action.effect)
    copies = []
    for types in product(*choices):
        parameters = tuple(Parameter(p.name, (name,)) for p, name in zip(action.parameters, types, strict=True))
        copy = LiftedAction(action.name, parameters, precondition, effect)
        copies.append(action_pddl(copy, types=bool(domain.types)))
    return "\n".join(copies)


def _disjoint(types: tuple[str, ...], domain: PlanningDomain) -> tuple[str, ...]:
    """The types without those below another of them: no object fits two, so no ground action is doubled."""
    return tuple(name for name in types if not any(other != name and domain.is_subtype(name, other) for other in types))


def _without_doubles(formula: Formula) -> Formula:
    parts = tuple(dict.fromkeys(conjuncts(formula)))
    return parts[0] if len(parts) == 1 else And(parts)


def _has_either(formula: Formula) -> bool:
    match formula:
        case Quantified(_, variables, body):
            return any(len(variable.types) > 1 for variable in variables) or _has_either(body)
        case And(operands) | Or(operands):
            return any(_has_either(operand) for operand in operands)
        case Imply(left, right) | When(left, right):
            return _has_either(left) or _has_either(right)
        case Atom() | Not() | Numeric():
            return False
