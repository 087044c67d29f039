"""The rules of both protocols as one ordered table: what is checked, and which subclass it gives where.

A row is a row of the design's table of verdicts. ``None`` means that the protocol does not refuse it: it is legal
there, evaluated as it stands, or cannot be reached. Both protocols' readers and checks report problems by ``kind``
only; what a kind counts as, and which of several problems gives the class, is decided here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nl2pddl.records import SUBCLASSES, Problem, Protocol, ResultClass, Subclass
from nl2pddl.sexpr import Position

_NO, _P, _U = Subclass.NO_PDDL, Subclass.P_ERROR, Subclass.U_TOKEN
_T, _PA, _N, _BP = Subclass.T_ERROR, Subclass.PA_ERROR, Subclass.N_ERROR, Subclass.BP_ERROR


@dataclass(frozen=True)
class Rule:
    """One check. ``strict`` and ``published`` are the subclasses it gives, or None."""

    kind: str
    check: str
    strict: Subclass | None
    published: Subclass | None


RULES: tuple[Rule, ...] = (
    # Where the action starts and ends.
    Rule("no-action", "no '(' (published), no '(:action' (strict)", _NO, _NO),
    Rule("unmatched-parenthesis", "the parenthesis that opens the action is never closed", _P, _P),
    Rule("missing-keyword", ":action, :parameters or :effect is missing", _NO, _NO),
    Rule("missing-precondition", ":precondition is missing", None, _NO),
    # Grammar.
    Rule("doubled-keyword", "a keyword stands twice", _U, _U),
    Rule("typed-literal", "a type inside a literal", _U, _U),
    Rule("malformed-typed-list", "a malformed typed list, such as '?x - a - b' or '?x -'", _U, _U),
    Rule("negation", "'not' of other than one atom", _U, None),
    Rule("stray-token", "any other word or list that cannot stand there", _U, _U),
    # Types.
    Rule("keyword-as-name", "a keyword, such as 'object' or 'when', as a name", None, _T),
    Rule("missing-section", "a keyword that stands in a comment only", None, _T),
    Rule("unknown-type", "a type that is not declared", _T, _T),
    Rule("unnamed-object", "'object' where :types names it nowhere", None, _T),
    Rule("duplicate-parameter", "a parameter declared twice (published: with different types)", _T, _T),
    Rule("unsupported-condition", "'or', 'imply', '=', a quantifier in a condition without its requirement", None, _T),
    Rule("undeclared-constant", "a constant that is not declared", _PA, _T),
    Rule("type-mismatch", "an argument of a type that the predicate does not take", _T, None),
    # Predicates and their arguments.
    Rule("several-types", "'either' with several members", None, _PA),
    Rule("arity", "a wrong number of arguments", _PA, _PA),
    Rule("unknown-predicate", "a predicate that is not declared", _PA, _PA),
    Rule("undeclared-variable", "a variable that is no parameter", _PA, None),
    Rule("undeclared-variable-added", "a variable that is no parameter, in an added atom", _PA, _PA),
    Rule("empty-effect", "':effect ()'", None, _PA),
    # Name and features.
    Rule("wrong-name", "the name is not the one asked for (published: of no action of the domain)", _N, _N),
    Rule("negated-precondition", "a negated precondition where the ground truth has none", _BP, None),
    Rule("unsupported", "outside the domain's :requirements", _BP, None),
    Rule("planner-unsupported", "the planner cannot search with this action (exit 34)", None, _BP),
    Rule("planner-refused", "the planner's translator refuses the domain (exit 30)", None, _PA),
)

# Where several problems are found: which gives the class.
PRECEDENCE: dict[Protocol, tuple[Subclass, ...]] = {
    Protocol.STRICT: (_NO, _P, _U, _T, _PA, _N, _BP),
    Protocol.PUBLISHED: (_NO, _P, _U, _T, _N, _PA, _BP),
}

_BY_KIND = {rule.kind: rule for rule in RULES}


def subclass_of(kind: str, protocol: Protocol) -> Subclass | None:
    """What a problem of this kind counts as, or None where the protocol does not refuse it."""
    rule = _BY_KIND[kind]
    return rule.strict if protocol is Protocol.STRICT else rule.published


def problem(kind: str, protocol: Protocol, where: Position, message: str) -> Problem:
    """A problem of a kind that the protocol refuses."""
    subclass = subclass_of(kind, protocol)
    if subclass is None:
        raise ValueError(f"protocol {protocol} does not refuse '{kind}'")
    return Problem(subclass, kind, where.line, where.column, message)


def by_precedence(problems: Iterable[Problem], protocol: Protocol) -> tuple[Problem, ...]:
    """The problems with the one that gives the class first; those of one subclass in the order of the text."""
    order = PRECEDENCE[protocol]
    return tuple(sorted(problems, key=lambda found: (order.index(found.subclass), found.line, found.column)))


def class_of(subclass: Subclass) -> ResultClass:
    """The class that a subclass belongs to."""
    return next(name for name, members in SUBCLASSES.items() if subclass in members)
