"""Reads one action by the grammar that the published code uses: letter case kept, the first syntax error ends it.

The grammar knows no numeric terms, takes :parameters, :precondition and :effect in this order only, and allows a nested
``and`` in a precondition but none in an effect.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from nl2pddl.actions import And, Atom, Formula, Imply, LiftedAction, Not, Or, Parameter, Quantified, When
from nl2pddl.sexpr import Position, position_at

_TOKEN = re.compile(
    r"\s+|;[^\n]*|[()?=-]|:(?:action|parameters|precondition|effect|types|constants)|[a-zA-Z][a-zA-Z0-9_-]*|(?P<wrong>.)",
    re.DOTALL,
)
_NAME = re.compile(r"[a-zA-Z]")
_CONDITIONS = frozenset({"and", "or", "not", "imply", "exists", "forall"})
_EFFECTS = frozenset({"forall", "when", "oneof", "not"})


class GrammarError(ValueError):
    """The text does not follow the grammar: what was expected, and what stands there instead."""

    def __init__(self, message: str, where: Position) -> None:
        self.where = where
        super().__init__(message)


@dataclass(frozen=True)
class TypedNames:
    """A typed list as written, with repetitions: (name, types), an untyped name with no types."""

    entries: tuple[tuple[str, tuple[str, ...], Position], ...]

    def parameters(self) -> tuple[Parameter, ...]:
        """The variables, each name once: the published code keeps parameters by name, the last types count."""
        found: dict[str, Parameter] = {}
        for name, types, where in self.entries:
            found[f"?{name}"] = Parameter(f"?{name}", types, where)
        return tuple(found.values())


@dataclass(frozen=True)
class PublishedAction:
    """An action as the published code reads it.

    ``action`` keeps letter case; its untyped parameters have no types at all. ``precondition`` is None where none was
    read, an empty ``Or`` stands for ``()``. ``parameters`` are as written; ``bound`` are the typed lists of quantifiers
    inside, ``used`` the constructs beyond STRIPS with their places, also those that were simplified away.
    """

    name: str
    name_where: Position
    parameters: TypedNames
    precondition: Formula | None
    effect: Formula | None
    bound: tuple[TypedNames, ...]
    used: tuple[tuple[str, Position], ...]

    @property
    def action(self) -> LiftedAction:
        """The lifted action; a missing precondition or effect is empty."""
        return LiftedAction(
            self.name,
            self.parameters.parameters(),
            And() if self.precondition is None else self.precondition,
            And() if self.effect is None else self.effect,
        )


class Reader:
    """A recursive-descent reader over the tokens of ``text``; its methods read one grammar rule each."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, int]] = []
        for match in _TOKEN.finditer(text):
            token = match.group()
            if not token.isspace() and not token.startswith(";"):
                self.tokens.append((token, match.start()))
        self.at = 0
        self.bound: list[TypedNames] = []
        self.used: list[tuple[str, Position]] = []

    def peek(self, ahead: int = 0) -> str:
        """The token that comes, or "" at the end."""
        return self.tokens[self.at + ahead][0] if self.at + ahead < len(self.tokens) else ""

    def where(self) -> Position:
        """The place of the token that comes."""
        offset = self.tokens[self.at][1] if self.at < len(self.tokens) else len(self.text)
        return position_at(self.text, offset)

    def take(self, expected: str, shown: str = "") -> str:
        """The next token, which must be ``expected``."""
        if self.peek() != expected:
            raise self.error(shown or f"'{expected}'")
        self.at += 1
        return expected

    def error(self, expected: str) -> GrammarError:
        """What was expected here, as an error."""
        found = f"'{self.peek()[:40]}'" if self.peek() else "the end"
        return GrammarError(f"expected {expected}, found {found}", self.where())

    def name(self, what: str) -> str:
        """A name; keywords are names too where only a name can stand."""
        token = self.peek()
        if not _NAME.match(token):
            raise self.error(what)
        self.at += 1
        return token

    def action(self) -> PublishedAction:
        """The action, to the end of the text."""
        self.take("(")
        self.take(":action")
        where = self.where()
        name = self.name("the action's name")
        self.take(":parameters", "':parameters' (the order is fixed)")
        self.take("(")
        parameters = self.typed_variables()
        self.take(")")
        precondition = effect = None
        if self.peek() == ":precondition":
            self.at += 1
            precondition = self.or_empty() or self.condition()
        if self.peek() == ":effect":
            self.at += 1
            effect = self.or_empty() or self.effect()
        if self.peek() != ")":
            raise self.error("':precondition' before ':effect', then ')'")
        self.at += 1
        if self.peek():
            raise self.error("the end of the action")
        return PublishedAction(name, where, parameters, precondition, effect, tuple(self.bound), tuple(self.used))

    def or_empty(self) -> Formula | None:
        """``()``, which the published code takes for a disjunction of nothing."""
        if self.peek() == "(" and self.peek(1) == ")":
            where = self.where()
            self.at += 2
            return Or((), where)
        return None

    def typed_variables(self) -> TypedNames:
        """``?a ?b - type ?c``: only the last variables may lack a type."""
        return self.typed_list(self.variable)

    def typed_names(self) -> TypedNames:
        """``a b - type c``, as in :types and :constants."""
        return self.typed_list(lambda: self.name("a name"))

    def typed_list(self, item: Callable[[], str]) -> TypedNames:
        """A typed list whose items are read by ``item``."""
        entries: list[tuple[str, tuple[str, ...], Position]] = []
        waiting: list[tuple[str, Position]] = []
        while self.peek() != ")":
            if self.peek() == "-":
                if not waiting:
                    raise self.error("a name before '-'")
                self.at += 1
                types = self.type_of_list()
                entries += [(name, types, where) for name, where in waiting]
                waiting = []
            else:
                where = self.where()
                waiting.append((item(), where))
        return TypedNames((*entries, *((name, (), where) for name, where in waiting)))

    def type_of_list(self) -> tuple[str, ...]:
        """A type's name, or ``(either a b)``."""
        if self.peek() != "(":
            return (self.name("a type's name after '-'"),)
        self.at += 1
        self.take("either")
        types = [self.name("a type's name in 'either'")]
        while self.peek() != ")":
            types.append(self.name("a type's name in 'either'"))
        self.at += 1
        return tuple(types)

    def variable(self) -> str:
        """``?name``, without the question mark."""
        self.take("?", "a variable such as '?x'")
        return self.name("a variable's name after '?'")

    def condition(self) -> Formula:
        """A goal description: the condition part of the grammar."""
        where = self.where()
        self.take("(")
        head = self.peek()
        if head not in _CONDITIONS:
            return self.rest_of_atom(where)
        self.at += 1
        self.used.append((head, where))
        if head in ("and", "or"):
            operands = []
            while self.peek() != ")":
                operands.append(self.condition())
            formula: Formula = joined(tuple(operands), disjunction=head == "or", where=where)
        elif head == "not":
            formula = negation(self.condition())
        elif head == "imply":
            formula = Imply(self.condition(), self.condition(), where)
        else:
            variables = self.quantified_variables()
            formula = Quantified(head, variables, self.condition(), where)
        self.take(")")
        return formula

    def quantified_variables(self) -> tuple[Parameter, ...]:
        """The variables of a quantifier, in parentheses."""
        self.take("(")
        names = self.typed_variables()
        self.take(")")
        self.bound.append(names)
        return names.parameters()

    def effect(self) -> Formula:
        """A conjunction of effects, or one effect."""
        if self.peek() == "(" and self.peek(1) == "and":
            self.at += 2
            operands = []
            while self.peek() != ")":
                operands.append(self.single_effect())
            self.at += 1
            return And(tuple(operands))
        return self.single_effect()

    def single_effect(self) -> Formula:
        """An atom, its negation, ``forall``, ``when`` or ``oneof``; no conjunction."""
        where = self.where()
        self.take("(")
        head = self.peek()
        if head not in _EFFECTS:
            return self.rest_of_atom(where)
        self.at += 1
        if head == "not":
            formula: Formula = Not(self.atom())
        elif head == "forall":
            variables = self.quantified_variables()
            formula = Quantified(head, variables, self.effect(), where)
        elif head == "when":
            formula = When(self.condition(), self.conditional_effect(), where)
        else:
            self.used.append((head, where))
            parts = [self.effect()]
            while self.peek() != ")":
                parts.append(self.effect())
            formula = Quantified("oneof", (), And(tuple(parts)), where)
        self.take(")")
        return formula

    def conditional_effect(self) -> Formula:
        """What stands after the condition of ``when``: literals only."""
        where = self.where()
        if not (self.peek() == "(" and self.peek(1) == "and"):
            return self.literal()
        self.at += 2
        operands = []
        while self.peek() != ")":
            operands.append(self.literal())
        self.at += 1
        return joined(tuple(operands), disjunction=False, where=where)

    def literal(self) -> Formula:
        """An atom or a negated atom."""
        if self.peek() == "(" and self.peek(1) == "not":
            self.at += 2
            atom = self.atom()
            self.take(")")
            return Not(atom)
        return self.atom()

    def atom(self) -> Atom:
        """A predicate with its arguments in parentheses."""
        where = self.where()
        self.take("(")
        return self.rest_of_atom(where)

    def rest_of_atom(self, where: Position) -> Atom:
        """An atom after its opening parenthesis."""
        if self.peek() == "=":
            self.at += 1
            self.used.append(("=", where))
            arguments = [self.term(), self.term()]
            self.take(")", "')': '=' takes two terms")
            return Atom("=", tuple(arguments), where)
        predicate = self.name("a predicate's name")
        arguments = []
        while self.peek() != ")":
            arguments.append(self.term())
        self.at += 1
        return Atom(predicate, tuple(arguments), where)

    def term(self) -> str:
        """A variable or a constant."""
        return f"?{self.variable()}" if self.peek() == "?" else self.name("a variable or a constant")


def negation(operand: Formula) -> Formula:
    """``not`` of an atom; of anything else an ``imply`` without a conclusion, which is what it means."""
    return Not(operand) if isinstance(operand, Atom) else Imply(operand, Or(()))


def joined(operands: tuple[Formula, ...], *, disjunction: bool, where: Position) -> Formula:
    """``and`` or ``or`` as the published code keeps it: doubles dropped, one operand stands alone, the same nested one
    is flattened."""
    distinct = tuple(dict.fromkeys(operands))
    if len(distinct) == 1:
        return distinct[0]
    kind = Or if disjunction else And
    flat: list[Formula] = []
    for part in distinct:
        flat += part.operands if isinstance(part, kind) else (part,)
    return Or(tuple(flat), where) if disjunction else And(tuple(flat))
