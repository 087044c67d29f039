"""Holds a parsed action against its domain: types, predicates and their arguments, the name, the requirements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from nl2pddl.action_reader import MAX_PROBLEMS
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
    atoms,
    to_pddl,
)
from nl2pddl.records import Problem, Protocol
from nl2pddl.rules import by_precedence, problem
from nl2pddl.sexpr import Position
from nl2pddl.task import PlanningDomain, PlanningProblem

Scope = Mapping[str, tuple[str, ...]]

# What PDDL 2.1 asks for in :requirements before a construct may be used; :adl stands for all but :fluents.
_REQUIREMENTS = {
    "or": {":disjunctive-preconditions", ":adl"},
    "imply": {":disjunctive-preconditions", ":adl"},
    "exists": {":existential-preconditions", ":quantified-preconditions", ":adl"},
    "forall in a condition": {":universal-preconditions", ":quantified-preconditions", ":adl"},
    "forall in an effect": {":conditional-effects", ":adl"},
    "when": {":conditional-effects", ":adl"},
    "=": {":equality", ":adl"},
    "a numeric expression": {":numeric-fluents", ":fluents", ":action-costs"},
}


def check_action(action: LiftedAction, domain: PlanningDomain, name: str) -> tuple[Problem, ...]:
    """Every semantic problem of ``action`` as a replacement for the domain's action ``name``.

    Ordered by the paper's precedence (TError, PAError, NError, BPError), then by place; at most ``MAX_PROBLEMS``.
    """
    found = [
        *_check_parameters(action.parameters, domain),
        *_check_formula(action.precondition, domain, _scope(action.parameters), effect=False),
        *_check_formula(action.effect, domain, _scope(action.parameters), effect=True),
        *_check_name(action, name),
    ]
    return by_precedence(found, Protocol.STRICT)[:MAX_PROBLEMS]


def _problem(kind: str, where: Position, message: str) -> Problem:
    return problem(kind, Protocol.STRICT, where, message)


def _scope(parameters: tuple[Parameter, ...]) -> dict[str, tuple[str, ...]]:
    return {parameter.name: parameter.types for parameter in parameters}


def _check_name(action: LiftedAction, name: str) -> Iterator[Problem]:
    if action.name != name.lower():
        message = f"the action is called '{action.name}', asked for was '{name.lower()}'"
        yield _problem("wrong-name", action.where, message)


def _check_parameters(parameters: tuple[Parameter, ...], domain: PlanningDomain) -> Iterator[Problem]:
    seen: set[str] = set()
    for parameter in parameters:
        if parameter.name in seen:
            message = f"the parameter {parameter.name} is declared twice"
            yield _problem("duplicate-parameter", parameter.where, message)
        seen.add(parameter.name)
        for type_name in parameter.types:
            if not domain.is_type(type_name):
                known = ", ".join(domain.types) or "none besides object"
                message = f"the type '{type_name}' is not in the domain; its types are: {known}"
                yield _problem("unknown-type", parameter.where, message)


def _check_formula(formula: Formula, domain: PlanningDomain, scope: Scope, *, effect: bool) -> Iterator[Problem]:
    yield from _unsupported(formula, domain, effect=effect)
    match formula:
        case Atom() as atom:
            yield from _check_atom(atom, domain, scope)
        case Not(operand):
            if operand.predicate == "=":
                yield from _unsupported(operand, domain, effect=effect)
            elif not effect and not domain.has_negated_preconditions:
                message = f"(not ({operand.predicate} ...)): this domain has no negated preconditions"
                yield _problem("negated-precondition", operand.where, message)
            yield from _check_atom(operand, domain, scope)
        case And(operands) | Or(operands):
            for part in operands:
                yield from _check_formula(part, domain, scope, effect=effect)
        case Imply(left, right):
            yield from _check_formula(left, domain, scope, effect=False)
            yield from _check_formula(right, domain, scope, effect=False)
        case When(condition, consequence):
            yield from _check_formula(condition, domain, scope, effect=False)
            yield from _check_formula(consequence, domain, scope, effect=True)
        case Quantified(_, variables, body):
            yield from _check_parameters(variables, domain)
            yield from _check_formula(body, domain, {**scope, **_scope(variables)}, effect=effect)
        case Numeric():
            pass


def _unsupported(formula: Formula, domain: PlanningDomain, *, effect: bool) -> Iterator[Problem]:
    match formula:
        case Or(_, where):
            construct = "or"
        case Imply(_, _, where):
            construct = "imply"
        case When(_, _, where):
            construct = "when"
        case Quantified("exists", _, _, where):
            construct = "exists"
        case Quantified(_, _, _, where):
            construct = "forall in an effect" if effect else "forall in a condition"
        case Numeric(_, where):
            construct = "a numeric expression"
        case Atom("=", _, where):
            construct = "="
        case _:
            return
    wanted = _REQUIREMENTS[construct]
    if construct == "a numeric expression":
        # Plans are compared as sets of action sequences over atoms; numbers are outside what is decided here.
        message = "numeric expressions are not supported in this comparison"
    elif domain.requirements & wanted:
        return
    else:
        declared = " ".join(sorted(domain.requirements)) or "none"
        message = f"'{construct}' needs {' or '.join(sorted(wanted))}; the domain declares {declared}"
    yield _problem("unsupported", where, message)


def _check_atom(atom: Atom, domain: PlanningDomain, scope: Scope) -> Iterator[Problem]:
    undeclared = [argument for argument in atom.arguments if _types_of(argument, domain, scope) is None]
    for argument in undeclared:
        kind, what = (
            ("undeclared-variable", "not among the parameters")
            if argument.startswith("?")
            else ("undeclared-constant", "no constant of the domain")
        )
        yield _problem(kind, atom.where, f"'{argument}' in ({atom.predicate} ...) is {what}")
    if atom.predicate == "=":
        if len(atom.arguments) != 2:
            yield _problem("arity", atom.where, f"'=' takes 2 arguments, found {len(atom.arguments)}")
        return
    predicate = domain.predicates.get(atom.predicate)
    if predicate is None:
        message = f"the predicate '{atom.predicate}' is not in the list; allowed are: {', '.join(domain.predicates)}"
        yield _problem("unknown-predicate", atom.where, message)
        return
    wanted = len(predicate.parameters)
    if len(atom.arguments) != wanted:
        noun = "argument" if wanted == 1 else "arguments"
        message = f"'{atom.predicate}' takes {wanted} {noun}, found {len(atom.arguments)}"
        yield _problem("arity", atom.where, message)
        return
    for argument, parameter in zip(atom.arguments, predicate.parameters, strict=True):
        types = _types_of(argument, domain, scope)
        if types is None or not all(domain.is_type(name) for name in types):
            continue  # reported already, as undeclared or as an unknown type
        if not domain.fits(types, parameter.types):
            have = " or ".join(types)
            message = f"'{argument}' is of type {have}, but '{atom.predicate}' takes {parameter.type_text} there"
            yield _problem("type-mismatch", atom.where, message)


def _types_of(argument: str, domain: PlanningDomain, scope: Scope) -> tuple[str, ...] | None:
    """The declared types of a variable or constant, or None where it is declared nowhere."""
    if argument.startswith("?"):
        return scope.get(argument)
    constant = domain.constants.get(argument)
    return (constant,) if constant is not None else None


def check_ground_atoms(problem: PlanningProblem, domain: PlanningDomain) -> Iterator[str]:
    """What is wrong with the atoms of a problem's initial state and goal, one message each."""
    everything = {**domain.constants, **problem.objects}
    extended = replace(domain, constants=everything)
    init = sorted(problem.init, key=lambda atom: (atom.predicate, atom.arguments))
    for place, ground in ((":init", tuple(init)), (":goal", atoms(problem.goal))):
        for atom in ground:
            for fault in _check_atom(atom, extended, {}):
                yield f"{place}: {to_pddl(atom)}: {fault.message}"
