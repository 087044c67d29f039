"""Finds actions whose precondition contradicts itself, or the domain's types, whatever the initial state may be.

Said is only what is certain for every task that fits the domain. What tasks are needed for is in ``reaching``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, product

from nl2pddl.actions import OBJECT, And, Atom, Formula, Imply, LiftedAction, Not, Or, Quantified, When, to_pddl
from nl2pddl.task import PlanningDomain
from nl2pddl.worldmodel.building import Construction
from nl2pddl.worldmodel.draft import vocabulary

MOST_ALTERNATIVES = 256  # of a precondition with "or"; of one with more nothing is said

Literal = Atom | Not
_Types = tuple[str, ...]
_Scope = Mapping[str, _Types]


def never_possible(domain: PlanningDomain) -> dict[str, str]:
    """Why an action can never be done, by the name of each such action; the domain need not fit its own types."""
    loose = _ill_typed(domain)
    found: dict[str, str] = {}
    for name, action in domain.actions.items():
        scope = _scope(action, domain)
        reasons = [_conflict(case, scope, domain, loose) for case in _alternatives(action.precondition)]
        known = list(dict.fromkeys(reason for reason in reasons if reason is not None))
        if None not in reasons:
            found[name] = " or ".join(known) or "its precondition is an empty choice"
    return found


def never_possible_in(construction: Construction) -> Iterator[str]:
    """One sentence for each action of a construction that can never be done."""
    declared = vocabulary(construction.setup.brief.types, construction.predicates.values())
    actions = {name: draft.action for name, draft in construction.drafts.items()}
    for name, reason in never_possible(replace(declared, actions=actions)).items():
        yield f"'{name}' can never be done: {reason}"


def _scope(action: LiftedAction, domain: PlanningDomain) -> dict[str, _Types]:
    """The types of everything an atom of the action may name."""
    constants = {name: (type_name,) for name, type_name in domain.constants.items()}
    return {**constants, **{parameter.name: parameter.types for parameter in action.parameters}}


def _ill_typed(domain: PlanningDomain) -> set[str]:
    """The predicates that an effect makes true of something they are not declared for: their types say nothing."""
    found: set[str] = set()
    for action in domain.actions.values():
        for atom, scope in _added(action.effect, _scope(action, domain)):
            declared = domain.predicates.get(atom.predicate)
            places = declared.parameters if declared else ()
            if (
                declared is None
                or len(places) != len(atom.arguments)
                or not all(
                    argument in scope and domain.fits(scope[argument], place.types)
                    for argument, place in zip(atom.arguments, places, strict=True)
                )
            ):
                found.add(atom.predicate)
    return found


def _added(effect: Formula, scope: _Scope) -> Iterator[tuple[Atom, _Scope]]:
    match effect:
        case Atom():
            yield effect, scope
        case And(operands):
            for part in operands:
                yield from _added(part, scope)
        case When(_, consequence):
            yield from _added(consequence, scope)
        case Quantified(_, bound, body):
            yield from _added(body, {**scope, **{variable.name: variable.types for variable in bound}})


def _alternatives(formula: Formula, positive: bool = True) -> list[tuple[Literal, ...]]:
    """The formula, or its negation, as literals one set of which must hold; what is quantified is left out."""
    match formula:
        case Atom():
            return [(formula if positive else Not(formula),)]
        case Not(operand):
            return _alternatives(operand, not positive)
        case And(operands) | Or(operands):
            parts = [_alternatives(operand, positive) for operand in operands]
            return _all_of(parts) if isinstance(formula, And) == positive else _any_of(parts)
        case Imply(left, right):
            parts = [_alternatives(left, not positive), _alternatives(right, positive)]
            return _any_of(parts) if positive else _all_of(parts)
        case _:
            return [()]


def _any_of(parts: Sequence[list[tuple[Literal, ...]]]) -> list[tuple[Literal, ...]]:
    found = [case for cases in parts for case in cases]
    return found if len(found) <= MOST_ALTERNATIVES else [()]


def _all_of(parts: Sequence[list[tuple[Literal, ...]]]) -> list[tuple[Literal, ...]]:
    found: list[tuple[Literal, ...]] = [()]
    for cases in parts:
        if len(found) * len(cases) > MOST_ALTERNATIVES:
            return [()]
        found = [(*one, *other) for one, other in product(found, cases)]
    return found


def _conflict(literals: Sequence[Literal], scope: _Scope, domain: PlanningDomain, loose: set[str]) -> str | None:
    """The first reason why the literals cannot hold together, or None."""
    literals = [
        literal for literal in literals if _atom(literal).predicate != "=" or len(_atom(literal).arguments) == 2
    ]
    same = _classes(literals)
    reasons = chain(
        _of_equality(literals, same),
        _of_truth(literals, same),
        _of_declarations(literals, domain, loose),
        _of_types(literals, same, scope, domain, loose),
    )
    return next(reasons, None)


def _atom(literal: Literal) -> Atom:
    return literal.operand if isinstance(literal, Not) else literal


def _classes(literals: Sequence[Literal]) -> dict[str, str]:
    """Each name in the literals with the one that stands for all that must be the same object."""
    same: dict[str, str] = {}
    for literal in literals:
        for argument in _atom(literal).arguments:
            same.setdefault(argument, argument)
        if isinstance(literal, Atom) and literal.predicate == "=":
            kept = same[literal.arguments[0]]
            merged = {same[argument] for argument in literal.arguments}
            same = {name: kept if first in merged else first for name, first in same.items()}
    return same


def _of_equality(literals: Sequence[Literal], same: Mapping[str, str]) -> Iterator[str]:
    for literal in literals:
        if isinstance(literal, Not) and literal.operand.predicate == "=":
            one, other = literal.operand.arguments
            if one == other:
                yield f"{one} must not be the same as itself"
            elif same[one] == same[other]:
                yield f"{one} and {other} must be one object and must not be the same"


def _of_truth(literals: Sequence[Literal], same: Mapping[str, str]) -> Iterator[str]:
    wanted: dict[Atom, Atom] = {}
    for literal in literals:
        if isinstance(literal, Atom) and literal.predicate != "=":
            wanted.setdefault(_merged(literal, same), literal)
    for literal in literals:
        if isinstance(literal, Not) and (other := wanted.get(_merged(literal.operand, same))):
            alike = "" if other == literal.operand else ", which are the same"
            yield f"{to_pddl(other)} must be true and {to_pddl(literal.operand)} must be false{alike}"


def _merged(atom: Atom, same: Mapping[str, str]) -> Atom:
    return Atom(atom.predicate, tuple(same[argument] for argument in atom.arguments))


def _of_declarations(literals: Sequence[Literal], domain: PlanningDomain, loose: set[str]) -> Iterator[str]:
    """Atoms that no initial state can hold, because they are not declared, and no action makes true."""
    for literal in literals:
        if isinstance(literal, Not) or literal.predicate == "=" or literal.predicate in loose:
            continue
        declared = domain.predicates.get(literal.predicate)
        if declared is None:
            yield f"{to_pddl(literal)} is never true: '{literal.predicate}' is not declared, and nothing makes it true"
        elif len(declared.parameters) != len(literal.arguments):
            yield f"{to_pddl(literal)} is never true: '{literal.predicate}' takes {len(declared.parameters)} arguments"


def _of_types(
    literals: Sequence[Literal], same: Mapping[str, str], scope: _Scope, domain: PlanningDomain, loose: set[str]
) -> Iterator[str]:
    """Objects that would have to be of types that exclude each other, or are two constants at once."""
    asked: dict[str, dict[_Types, str]] = {}
    for name, types in scope.items():
        if name in domain.constants and name not in same:
            continue  # the action does not speak of it
        asked.setdefault(same.get(name, name), {}).setdefault(types, name)
    for literal in literals:
        if isinstance(literal, Not) or literal.predicate in loose or literal.predicate not in domain.predicates:
            continue
        places = domain.predicates[literal.predicate].parameters
        for argument, place in zip(literal.arguments, places, strict=True):
            if argument in scope:
                asked.setdefault(same[argument], {}).setdefault(place.types, f"{argument} in {to_pddl(literal)}")
    existing = {OBJECT, *domain.types, *domain.types.values()}
    for wanted in asked.values():
        # Two types suffice to exclude each other, but for ``either``; then all of them are named.
        for some in [*combinations(wanted, 1), *combinations(wanted, 2), tuple(wanted)]:
            if not any(all(domain.fits((one,), types) for types in some) for one in existing):
                what = [f"{' or '.join(types)} ({wanted[types]})" for types in some]
                yield f"nothing can be {' and '.join(what)}" + (" at once" if len(some) > 1 else ": it is no type")
                break
    for one, other in combinations(sorted(domain.constants.keys() & same.keys()), 2):
        if same[one] == same[other]:
            yield f"{one} and {other} are two objects and must be one"
