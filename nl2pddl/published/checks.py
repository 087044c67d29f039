"""What the published code refuses in an action that its grammar can read, each problem with its place."""

from __future__ import annotations

from collections.abc import Iterator

from nl2pddl.actions import And, Atom, Formula, Imply, LiftedAction, Not, Or, Parameter, Quantified, When, atoms
from nl2pddl.published.domain import PublishedDomain
from nl2pddl.published.reader import PublishedAction
from nl2pddl.records import Problem, Protocol
from nl2pddl.rules import by_precedence, problem
from nl2pddl.sexpr import Position
from nl2pddl.task import PlanningDomain

_KEYWORDS = frozenset(
    (
        "and",
        "define",
        "domain",
        "either",
        "exists",
        "forall",
        "imply",
        "not",
        "object",
        "oneof",
        "or",
        "problem",
        "when",
    )
)
# A condition is let through with one of these, :strips standing for what the pinned ``pddl`` takes it to include.
_REQUIREMENTS = {
    "or": {":disjunctive-preconditions", ":adl"},
    "imply": {":disjunctive-preconditions", ":adl"},
    "=": {":equality"},
    "exists": {":existential-preconditions", ":quantified-preconditions", ":adl"},
    "forall": {":universal-preconditions", ":quantified-preconditions", ":adl"},
    "oneof": {":non-deterministic"},
}


def check_action(found: PublishedAction, domain: PublishedDomain, planning: PlanningDomain) -> tuple[Problem, ...]:
    """Every problem that ends the verdict before planning, the one that gives the class first.

    ``planning`` is the same domain in lower case, against which the planner reads predicates.
    """
    problems = [
        *_names(found),
        *_types(found, domain),
        *_features(found, domain),
        *_constants(found, domain),
        *_name(found, domain),
        *_predicates(found, planning),
    ]
    return by_precedence(problems, Protocol.PUBLISHED)


def suspects(found: PublishedAction) -> tuple[Problem, ...]:
    """What may make the planner's translator refuse the domain; whether it does, the translator alone decides.

    A variable that is no parameter, for example, is refused in an added atom unless a precondition binds it.
    """
    problems: list[Problem] = []
    for names in (found.parameters, *found.bound):
        for name, types, where in names.entries:
            if len(set(types)) > 1:
                message = f"?{name} is of several types, which the published code prints as PDDL that nobody reads"
                problems.append(_problem("several-types", where, message))
    if found.effect == Or(()):
        message = "':effect ()' becomes a disjunction, which is no effect"
        problems.append(_problem("empty-effect", found.name_where, message))
    scope = frozenset(parameter.name.lower() for parameter in found.parameters.parameters())
    return (*problems, *_unbound_adds(found.effect or And(), scope))


def _problem(kind: str, where: Position, message: str) -> Problem:
    return problem(kind, Protocol.PUBLISHED, where, message)


def _formulas(found: PublishedAction) -> tuple[Formula, ...]:
    return tuple(part for part in (found.precondition, found.effect) if part is not None)


def _names(found: PublishedAction) -> Iterator[Problem]:
    named = [(found.name, found.name_where)]
    named += [(name, where) for names in (found.parameters, *found.bound) for name, _, where in names.entries]
    for atom in (atom for part in _formulas(found) for atom in atoms(part)):
        named += [(word.lstrip("?"), atom.where) for word in (atom.predicate, *atom.arguments)]
    for name, where in dict.fromkeys(named):
        if name in _KEYWORDS:
            yield _problem("keyword-as-name", where, f"'{name}' is a keyword and cannot be a name here")
    for keyword, part in ((":precondition", found.precondition), (":effect", found.effect)):
        if part is None:
            yield _problem("missing-section", found.name_where, f"'{keyword}' stands in a comment only")


def _types(found: PublishedAction, domain: PublishedDomain) -> Iterator[Problem]:
    for names in (found.parameters, *found.bound):
        seen: dict[str, frozenset[str]] = {}
        for name, types, where in names.entries:
            if seen.setdefault(name, frozenset(types)) != frozenset(types):
                yield _problem("duplicate-parameter", where, f"?{name} is declared twice, with different types")
            for type_name in types:
                yield from _type(type_name, where, domain)


def _type(name: str, where: Position, domain: PublishedDomain) -> Iterator[Problem]:
    if ":typing" not in domain.requirements:
        yield _problem("unknown-type", where, f"the type '{name}' is used, but the domain does not require :typing")
    elif name not in domain.all_types:
        known = ", ".join(sorted(domain.all_types)) or "none"
        kind = "unnamed-object" if name == "object" else "unknown-type"
        yield _problem(kind, where, f"the type '{name}' is not named in :types, letter case counted: {known}")


def _features(found: PublishedAction, domain: PublishedDomain) -> Iterator[Problem]:
    for construct, where in found.used:
        wanted = _REQUIREMENTS.get(construct)
        if wanted is not None and not wanted & domain.extended_requirements:
            message = f"'{construct}' needs {' or '.join(sorted(wanted))} (or, for some, :strips) in :requirements"
            yield _problem("unsupported-condition", where, message)


def _constants(found: PublishedAction, domain: PublishedDomain) -> Iterator[Problem]:
    for atom in (atom for part in _formulas(found) for atom in atoms(part)):
        for argument in atom.arguments:
            if not argument.startswith("?") and argument not in domain.constants:
                message = f"'{argument}' in ({atom.predicate} ...) is no constant of the domain, letter case counted"
                yield _problem("undeclared-constant", atom.where, message)


def _name(found: PublishedAction, domain: PublishedDomain) -> Iterator[Problem]:
    if found.name.lower() not in domain.actions:
        known = ", ".join(entry.name for entry in domain.actions.values())
        message = f"the action is called '{found.name}'; the domain's actions are: {known}"
        yield _problem("wrong-name", found.name_where, message)


def _predicates(found: PublishedAction, planning: PlanningDomain) -> Iterator[Problem]:
    """Predicates that the planner's translator does not know, or not with so many arguments."""
    for atom in (atom for part in _formulas(found) for atom in atoms(part)):
        predicate = planning.predicates.get(atom.predicate.lower())
        if atom.predicate == "=":
            continue
        if predicate is None:
            known = ", ".join(planning.predicates)
            message = f"the predicate '{atom.predicate}' is not in the list; allowed are: {known}"
            yield _problem("unknown-predicate", atom.where, message)
        elif len(atom.arguments) != len(predicate.parameters):
            wanted = len(predicate.parameters)
            message = f"'{atom.predicate}' takes {wanted} argument(s), found {len(atom.arguments)}"
            yield _problem("arity", atom.where, message)


def _unbound_adds(effect: Formula, scope: frozenset[str]) -> Iterator[Problem]:
    """Added atoms with a variable that is no parameter."""
    match effect:
        case Atom():
            for argument in effect.arguments:
                if argument.startswith("?") and argument.lower() not in scope:
                    message = f"'{argument}' in ({effect.predicate} ...) is not among the parameters"
                    yield _problem("undeclared-variable-added", effect.where, message)
        case And(operands):
            for part in operands:
                yield from _unbound_adds(part, scope)
        case When(_, consequence):
            yield from _unbound_adds(consequence, scope)
        case Quantified(_, variables, body):
            yield from _unbound_adds(body, scope | {variable.name.lower() for variable in variables})
        case _:
            return


def crashes(action: LiftedAction) -> Position | None:
    """Where the published code ends in an error while it counts literals: ``not`` of other than an atom, or of ``=``.

    Only a formula itself and its operands are looked at, as the code does; None where it does not crash.
    """
    for formula in (action.precondition, action.effect):
        operands = formula.operands if isinstance(formula, And | Or) else (formula,)
        for part in operands:
            if isinstance(part, Not) and part.operand.predicate == "=":
                return part.operand.where
            if isinstance(part, Imply) and part.right == Or(()):
                return part.where
    return None


def folded_action(action: LiftedAction, name: str) -> LiftedAction:
    """The action under the name of the domain's, all in lower case, an untyped variable being an ``object``."""
    return LiftedAction(
        name, _folded_parameters(action.parameters), _folded(action.precondition), _folded(action.effect)
    )


def _folded_parameters(parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    folded: dict[str, Parameter] = {}
    for p in parameters:
        types = tuple(dict.fromkeys(name.lower() for name in p.types)) or ("object",)
        folded[p.name.lower()] = Parameter(p.name.lower(), types, p.where)
    return tuple(folded.values())


def _folded(formula: Formula) -> Formula:
    match formula:
        case Atom(predicate, arguments):
            return Atom(predicate.lower(), tuple(argument.lower() for argument in arguments), formula.where)
        case Not(operand):
            folded = _folded(operand)
            assert isinstance(folded, Atom)
            return Not(folded)
        case And(operands):
            return And(tuple(map(_folded, operands)))
        case Or(operands):
            return Or(tuple(map(_folded, operands)), formula.where)
        case Imply(left, right):
            return Imply(_folded(left), _folded(right), formula.where)
        case When(condition, effect):
            return When(_folded(condition), _folded(effect), formula.where)
        case Quantified(quantifier, variables, body):
            return Quantified(quantifier, _folded_parameters(variables), _folded(body), formula.where)
        case _:
            return formula
