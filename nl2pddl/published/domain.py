"""A ground-truth domain as the published code holds it, letter case kept, and its text with one action replaced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nl2pddl.actions import And, Formula, LiftedAction, Or, Parameter, Quantified, When, to_pddl
from nl2pddl.errors import InputError
from nl2pddl.published.reader import GrammarError, PublishedAction, Reader, TypedNames
from nl2pddl.sexpr import Group, read_group
from nl2pddl.task import PlanningDomain

# What the pinned ``pddl`` takes :strips to include.
_STRIPS = {":typing", ":negative-preconditions", ":disjunctive-preconditions", ":equality", ":conditional-effects"}


@dataclass(frozen=True)
class PublishedDomain:
    """The parts of a domain, names as written. ``types`` maps each type to its parent or None.

    ``actions`` are keyed by their names in lower case.
    """

    name: str
    requirements: frozenset[str]
    types: Mapping[str, str | None]
    constants: Mapping[str, str | None]
    predicates: tuple[tuple[str, TypedNames], ...]
    actions: Mapping[str, PublishedAction]

    @property
    def all_types(self) -> frozenset[str]:
        """Every type that :types names, as a type or as a parent."""
        return frozenset(self.types) | {parent for parent in self.types.values() if parent}

    @property
    def extended_requirements(self) -> frozenset[str]:
        """The declared requirements, and what :strips includes for the pinned ``pddl``."""
        return self.requirements | (_STRIPS if ":strips" in self.requirements else frozenset())


def published_domain(domain: PlanningDomain) -> PublishedDomain:
    """The domain from its source text. Raises InputError where the published code's grammar cannot read an action."""
    root = read_group(domain.source)
    sections = {item.head: item for item in root.items if isinstance(item, Group)}
    actions: dict[str, PublishedAction] = {}
    for name, (start, end) in domain.action_spans.items():
        try:
            actions[name] = Reader(domain.source[start:end]).action()
        except GrammarError as error:
            message = f"protocol published cannot read the domain '{domain.name}': its action '{name}': {error}"
            raise InputError(f"{message}; use protocol strict") from error
    predicates = sections.get(":predicates")
    return PublishedDomain(
        name=domain.name,
        requirements=frozenset(domain.requirements),
        types=_typed(domain.source, sections.get(":types")),
        constants=_typed(domain.source, sections.get(":constants")),
        predicates=tuple(
            _predicate(domain.source[group.start : group.end])
            for group in (predicates.items if predicates else ())
            if isinstance(group, Group)
        ),
        actions=actions,
    )


def _typed(source: str, section: Group | None) -> dict[str, str | None]:
    """A section such as :types as name to type or parent."""
    if section is None:
        return {}
    reader = Reader(source[section.start : section.end])
    reader.take("(")
    reader.at += 1  # the section's keyword
    return {name: types[0] if types else None for name, types, _ in reader.typed_names().entries}


def _predicate(text: str) -> tuple[str, TypedNames]:
    reader = Reader(text)
    reader.take("(")
    return reader.name("a predicate's name"), reader.typed_variables()


def domain_text(domain: PublishedDomain, replaced: str, action: LiftedAction) -> str:
    """The domain's PDDL with the action ``replaced`` by ``action``, laid out as the published code hands it to K*.

    The order of what is printed decides which of equally cheap plans come first, so it is kept: everything sorted.
    """
    others = [entry.action for name, entry in domain.actions.items() if name != replaced]
    renamed = LiftedAction(replaced, action.parameters, action.precondition, action.effect)
    lines = [
        f"(define (domain {domain.name})",
        f"(:requirements {' '.join(sorted(domain.requirements))})" if domain.requirements else "",
        f"(:types {_typed_text(domain.types)})" if domain.types else "",
        f"(:constants {_typed_text(domain.constants)})" if domain.constants else "",
        f"(:predicates {' '.join(sorted(_predicate_text(*entry) for entry in domain.predicates))})",
        *sorted(_action_text(entry) for entry in (*others, renamed)),
        ")",
    ]
    return "\n".join(line for line in lines if line)


def _typed_text(names: Mapping[str, str | None]) -> str:
    by_type: dict[str, list[str]] = {}
    for name, kind in names.items():
        by_type.setdefault(kind or "", []).append(name)
    typed = [f"{' '.join(sorted(by_type[kind]))} - {kind}" for kind in sorted(by_type) if kind]
    return " ".join([*typed, *sorted(by_type.get("", []))])


def _predicate_text(name: str, parameters: TypedNames) -> str:
    terms = (Parameter(f"?{variable}", types, where) for variable, types, where in parameters.entries)
    words = (f"{term.name} - {term.type_text}" if term.types else term.name for term in terms)
    return f"({' '.join([name, *words])})"


def _action_text(action: LiftedAction) -> str:
    return (
        f"(:action {action.name} :parameters ({typed_parameters(action.parameters)})\n"
        f"    :precondition {formula_text(action.precondition)}\n"
        f"    :effect {formula_text(action.effect)})"
    )


def typed_parameters(parameters: Iterable[Parameter]) -> str:
    """Parameters as the published code prints them: no ``either`` around several types, which nobody can read back."""
    return " ".join(f"{p.name} - {' '.join(sorted(set(p.types)))}" if p.types else p.name for p in parameters)


def formula_text(formula: Formula) -> str:
    """The formula as PDDL. Unlike ``to_pddl`` nothing is flattened, and untyped variables stay so."""
    match formula:
        case And(operands):
            return f"({' '.join(('and', *map(formula_text, operands)))})"
        case Or(operands):
            return f"({' '.join(('or', *map(formula_text, operands)))})"
        case When(condition, effect):
            return f"(when {formula_text(condition)} {formula_text(effect)})"
        case Quantified(quantifier, variables, body):
            return f"({quantifier} ({typed_parameters(variables)}) {formula_text(body)})"
        case _:
            return to_pddl(formula)
