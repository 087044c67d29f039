"""A lifted action schema: parameters, precondition, effect; its canonical form, its PDDL text, and the ARE.

The action reconstruction error (ARE) is the paper's: |pre Δ pre'| + |add Δ add'| + |del Δ del'| (Oswald et al. 2024,
"Action Reconstruction Error").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nl2pddl.sexpr import Position

OBJECT = "object"


@dataclass(frozen=True)
class Parameter:
    """A typed variable. ``types`` has one member, or several for ``either``; an untyped variable is an ``object``."""

    name: str
    types: tuple[str, ...] = (OBJECT,)
    where: Position = field(default=Position(), compare=False, repr=False)

    @property
    def type_text(self) -> str:
        """The type as PDDL writes it."""
        return self.types[0] if len(self.types) == 1 else f"(either {' '.join(self.types)})"


@dataclass(frozen=True)
class Atom:
    """A predicate over variables and constants; ``=`` is one too."""

    predicate: str
    arguments: tuple[str, ...] = ()
    where: Position = field(default=Position(), compare=False, repr=False)


@dataclass(frozen=True)
class Not:
    """A negated atom: a negated precondition, or a delete effect."""

    operand: Atom


@dataclass(frozen=True)
class And:
    """All of the operands; with none, always true (or no effect)."""

    operands: tuple[Formula, ...] = ()


@dataclass(frozen=True)
class Or:
    """Any of the operands."""

    operands: tuple[Formula, ...]
    where: Position = field(default=Position(), compare=False, repr=False)


@dataclass(frozen=True)
class Imply:
    """If left then right."""

    left: Formula
    right: Formula
    where: Position = field(default=Position(), compare=False, repr=False)


@dataclass(frozen=True)
class Quantified:
    """``forall`` or ``exists`` over typed variables, in a condition or (``forall``) in an effect."""

    quantifier: str
    variables: tuple[Parameter, ...]
    body: Formula
    where: Position = field(default=Position(), compare=False, repr=False)


@dataclass(frozen=True)
class When:
    """A conditional effect."""

    condition: Formula
    effect: Formula
    where: Position = field(default=Position(), compare=False, repr=False)


@dataclass(frozen=True)
class Numeric:
    """A numeric condition or effect, kept as text: it is reported, never evaluated."""

    text: str
    where: Position = field(default=Position(), compare=False, repr=False)


Formula = Atom | Not | And | Or | Imply | Quantified | When | Numeric


@dataclass(frozen=True)
class LiftedAction:
    """An action schema; ``pre``, ``add`` and ``delete`` are its STRIPS parts, with what is not STRIPS kept whole."""

    name: str
    parameters: tuple[Parameter, ...]
    precondition: Formula = And()
    effect: Formula = And()
    where: Position = field(default=Position(), compare=False, repr=False)  # of the name, in the text it was read from

    @property
    def pre(self) -> frozenset[Formula]:
        """The conjuncts of the precondition; a negated precondition is a ``Not``."""
        return frozenset(conjuncts(self.precondition))

    @property
    def add(self) -> frozenset[Formula]:
        """The atoms added, and conditional effects, each as one element."""
        return frozenset(part for part in conjuncts(self.effect) if not isinstance(part, Not))

    @property
    def delete(self) -> frozenset[Atom]:
        """The atoms deleted."""
        return frozenset(part.operand for part in conjuncts(self.effect) if isinstance(part, Not))


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The formula's parts with nested ``and`` flattened."""
    if isinstance(formula, And):
        return tuple(part for operand in formula.operands for part in conjuncts(operand))
    return (formula,)


def rename(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The formula with variables renamed; variables bound by a quantifier inside it keep theirs."""
    match formula:
        case Atom(predicate, arguments):
            return Atom(predicate, tuple(names.get(argument, argument) for argument in arguments), formula.where)
        case Not(operand):
            renamed = rename(operand, names)
            assert isinstance(renamed, Atom)
            return Not(renamed)
        case And(operands):
            return And(tuple(rename(operand, names) for operand in operands))
        case Or(operands):
            return Or(tuple(rename(operand, names) for operand in operands), formula.where)
        case Imply(left, right):
            return Imply(rename(left, names), rename(right, names), formula.where)
        case Quantified(quantifier, bound, body):
            inner = {old: new for old, new in names.items() if old not in {variable.name for variable in bound}}
            # A bound variable must not capture what a free one is renamed to.
            taken = set(inner.values()) | variables(body)
            for variable in bound:
                if variable.name in inner.values():
                    inner[variable.name] = _fresh(variable.name, taken)
            parameters = tuple(Parameter(inner.get(v.name, v.name), v.types, v.where) for v in bound)
            return Quantified(quantifier, parameters, rename(body, inner), formula.where)
        case When(condition, effect):
            return When(rename(condition, names), rename(effect, names), formula.where)
        case Numeric():
            return formula


def _fresh(name: str, taken: set[str]) -> str:
    """The name with marks that make it one that is not taken; it is taken now."""
    while name in taken:
        name += "-b"
    taken.add(name)
    return name


def to_pddl(formula: Formula, *, ordered: bool = False) -> str:
    """The formula as PDDL on one line; with ``ordered``, operands of ``and`` and ``or`` sorted and doubles dropped."""

    def text(part: Formula) -> str:
        return to_pddl(part, ordered=ordered)

    def texts(parts: tuple[Formula, ...]) -> list[str]:
        return sorted({text(part) for part in parts}) if ordered else [text(part) for part in parts]

    match formula:
        case Atom(predicate, arguments):
            return f"({' '.join((predicate, *arguments))})"
        case Not(operand):
            return f"(not {text(operand)})"
        case And():
            return f"({' '.join(('and', *texts(conjuncts(formula))))})"
        case Or(operands):
            return f"({' '.join(('or', *texts(operands)))})"
        case Imply(left, right):
            return f"(imply {text(left)} {text(right)})"
        case Quantified(quantifier, variables, body):
            return f"({quantifier} ({typed_list(variables)}) {text(body)})"
        case When(condition, effect):
            return f"(when {text(condition)} {text(effect)})"
        case Numeric(raw):
            return raw


def typed_list(parameters: tuple[Parameter, ...], *, types: bool = True) -> str:
    """Parameters as PDDL writes them; without ``types`` for a domain that has none."""
    return " ".join(f"{p.name} - {p.type_text}" if types else p.name for p in parameters)


def action_pddl(action: LiftedAction, *, types: bool = True, compact: bool = False) -> str:
    """The action as indented PDDL, one conjunct a line, so that two actions can be compared line by line.

    ``compact`` gives one line a section instead, as prompts show it (fewer tokens).
    """

    def block(formula: Formula) -> str:
        if compact:
            return to_pddl(formula)
        parts = [to_pddl(part) for part in conjuncts(formula)]
        if len(parts) == 1:
            return parts[0]
        return "\n".join(["(and", *(f"        {part}" for part in parts), "    )"])

    return (
        f"(:action {action.name}\n"
        f"    :parameters ({typed_list(action.parameters, types=types)})\n"
        f"    :precondition {block(action.precondition)}\n"
        f"    :effect {block(action.effect)}\n"
        ")"
    )


def renamed_by_position(action: LiftedAction, names: Mapping[str, str]) -> LiftedAction:
    """The action with its parameters and all their uses renamed."""
    return LiftedAction(
        action.name,
        tuple(Parameter(names.get(p.name, p.name), p.types, p.where) for p in action.parameters),
        rename(action.precondition, names),
        rename(action.effect, names),
    )


def normal(formula: Formula) -> Formula:
    """The formula with operands of ``and`` and ``or`` sorted, doubles dropped and nested ``and`` flattened."""
    match formula:
        case And():
            parts = {to_pddl(part): part for part in map(normal, conjuncts(formula))}
            return And(tuple(parts[text] for text in sorted(parts)))
        case Or(operands):
            parts = {to_pddl(part): part for part in map(normal, operands)}
            return Or(tuple(parts[text] for text in sorted(parts)), formula.where)
        case Imply(left, right):
            return Imply(normal(left), normal(right), formula.where)
        case Quantified(quantifier, variables, body):
            return Quantified(quantifier, variables, normal(body), formula.where)
        case When(condition, effect):
            return When(normal(condition), normal(effect), formula.where)
        case _:
            return formula


def numbered_bound(formula: Formula, prefix: str = "?q") -> Formula:
    """The formula with the variables of its quantifiers numbered, so that their names are no matter."""
    match formula:
        case And(operands):
            return And(tuple(numbered_bound(part, prefix) for part in operands))
        case Or(operands):
            return Or(tuple(numbered_bound(part, prefix) for part in operands), formula.where)
        case Imply(left, right):
            return Imply(numbered_bound(left, prefix), numbered_bound(right, prefix), formula.where)
        case When(condition, effect):
            return When(numbered_bound(condition, prefix), numbered_bound(effect, prefix), formula.where)
        case Quantified(quantifier, bound, body):
            names = {variable.name: f"{prefix}{number}" for number, variable in enumerate(bound, start=1)}
            parameters = tuple(Parameter(names[v.name], v.types, v.where) for v in bound)
            # Inner quantifiers first: they may bind a name of this one again.
            inner = numbered_bound(body, f"{prefix}q")
            return Quantified(quantifier, parameters, rename(inner, names), formula.where)
        case _:
            return formula


def canonical_action(action: LiftedAction) -> LiftedAction:
    """The action with its variables numbered and its literals sorted.

    Two actions have the same one exactly when they differ only in the names of parameters and bound variables and in
    order and doubling of literals. Planning and validating with it makes their verdicts the same to the last detail.
    """
    precondition, effect = numbered_bound(action.precondition), numbered_bound(action.effect)
    declared = {parameter.name for parameter in action.parameters}
    others = (variables(precondition) | variables(effect)) - declared
    prefix = "?p"
    while any(name.startswith(prefix) for name in others):
        prefix += "p"
    names = {p.name: f"{prefix}{number}" for number, p in enumerate(action.parameters, start=1)}
    numbered = renamed_by_position(LiftedAction(action.name, action.parameters, precondition, effect), names)
    return LiftedAction(
        numbered.name,
        numbered.parameters,
        normal(And((numbered.precondition,))),
        normal(And((numbered.effect,))),
    )


def canonical(action: LiftedAction) -> str:
    """The canonical action as text."""
    return action_pddl(canonical_action(action), compact=True)


@dataclass(frozen=True)
class Difference:
    """The literals that two actions do not share, as PDDL text with the first action's parameter names."""

    missing_pre: tuple[str, ...]
    surplus_pre: tuple[str, ...]
    missing_add: tuple[str, ...]
    surplus_add: tuple[str, ...]
    missing_del: tuple[str, ...]
    surplus_del: tuple[str, ...]

    @property
    def are(self) -> int:
        """The action reconstruction error: the number of literals that differ."""
        return sum(
            len(part)
            for part in (
                self.missing_pre, self.surplus_pre, self.missing_add,
                self.surplus_add, self.missing_del, self.surplus_del,
            )
        )  # fmt: skip


def aligned(original: LiftedAction, other: LiftedAction) -> LiftedAction:
    """``other`` with its parameters given the names of the original's at the same position.

    Surplus parameters and undeclared variables of ``other`` keep their own names; where such a name is already taken by
    an aligned parameter it gets a mark, so that two variables never become one.
    """
    names = {new.name: old.name for old, new in zip(original.parameters, other.parameters, strict=False)}
    taken = set(names.values())
    used = {p.name for p in other.parameters} | variables(other.precondition) | variables(other.effect)
    for name in (used - names.keys()) & taken:
        names[name] = f"{name}-surplus"
    return renamed_by_position(other, names)


def atoms(formula: Formula) -> tuple[Atom, ...]:
    """Every atom in the formula, in order, at any depth."""
    match formula:
        case Atom():
            return (formula,)
        case Not(operand):
            return (operand,)
        case And(operands) | Or(operands):
            return tuple(atom for operand in operands for atom in atoms(operand))
        case Imply(left, right) | When(left, right):
            return atoms(left) + atoms(right)
        case Quantified(_, _, body):
            return atoms(body)
        case Numeric():
            return ()


def variables(formula: Formula) -> set[str]:
    """The names of all variables in the formula's atoms."""
    return {argument for atom in atoms(formula) for argument in atom.arguments if argument.startswith("?")}


def difference(original: LiftedAction, other: LiftedAction) -> Difference:
    """How ``other`` departs from ``original``, parameters matched by position."""
    matched = aligned(original, other)

    def split(left: frozenset[Formula], right: frozenset[Formula]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        one = {to_pddl(numbered_bound(part), ordered=True) for part in left}
        two = {to_pddl(numbered_bound(part), ordered=True) for part in right}
        return tuple(sorted(one - two)), tuple(sorted(two - one))

    return Difference(
        *split(original.pre, matched.pre),
        *split(original.add, matched.add),
        *split(frozenset(original.delete), frozenset(matched.delete)),
    )
