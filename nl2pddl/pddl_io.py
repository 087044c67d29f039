"""The only module that imports ``pddl``: parses trusted domains and problems and translates its errors.

Model outputs never come here (see action_reader). A ``pddl`` parser is useless after its first failure and not safe to
share between threads, so one pair is kept behind a lock and thrown away when it fails.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import lark
from pddl.exceptions import PDDLError
from pddl.logic.base import And as PddlAnd
from pddl.logic.base import Not as PddlNot
from pddl.logic.predicates import EqualTo
from pddl.logic.predicates import Predicate as PddlPredicate
from pddl.parser.domain import DomainParser
from pddl.parser.problem import ProblemParser

from nl2pddl.action_reader import read_action
from nl2pddl.actions import OBJECT, And, Atom, Formula, LiftedAction, Not, Parameter
from nl2pddl.errors import InputError
from nl2pddl.sexpr import Group, UnmatchedError, folded, read_group
from nl2pddl.task import PlanningDomain, PlanningProblem, Predicate

_lock = threading.Lock()
_parsers: dict[type, Any] = {}
_PDDL_FAULTS = (lark.exceptions.LarkError, PDDLError, AssertionError, TypeError, ValueError, KeyError, AttributeError)


def _parse(parser_class: type, text: str, where: str) -> Any:
    """Run one of ``pddl``'s parsers; InputError with its place where it refuses the text."""
    with _lock:
        parser = _parsers.pop(parser_class, None) or parser_class()
        tracebacks = getattr(sys, "tracebacklimit", None)
        try:
            parsed = parser(text)
        except _PDDL_FAULTS as error:
            raise InputError(f"{where}: {_plain(error)}") from error
        finally:
            # A failed parse can leave tracebacks switched off for the whole process.
            if tracebacks is None and hasattr(sys, "tracebacklimit"):
                del sys.tracebacklimit
            elif tracebacks is not None:
                sys.tracebacklimit = tracebacks
        _parsers[parser_class] = parser
        return parsed


def _plain(error: Exception) -> str:
    """One line from an error of lark, of ``pddl`` or a bare AssertionError."""
    line, column = getattr(error, "line", None), getattr(error, "column", None)
    token = getattr(error, "token", None)
    if isinstance(error, lark.exceptions.UnexpectedInput) and line is not None and line > 0:
        found = f", found '{token}'" if token else ""
        return f"line {line}, column {column}: not valid PDDL{found}"
    inner = getattr(error, "orig_exc", None)
    text = " ".join(str(inner or error).split()) or type(error).__name__
    return f"not valid PDDL: {text[:300]}"


def read_text(path: Path) -> str:
    """The text of a file, or an InputError that names it."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error


def parse_domain(source: str, where: str = "domain") -> PlanningDomain:
    """A PDDL domain as a record. Raises InputError, with ``where`` and the line, for what is not a valid domain."""
    text = folded(source)
    # Positions, order and actions come from our own reader: ``pddl`` keeps sets, and no places.
    try:
        root = read_group(text)
    except UnmatchedError as error:
        raise InputError(f"{where}: line {error.where.line}, column {error.where.column}: {error}") from error
    actions: dict[str, LiftedAction] = {}
    spans: dict[str, tuple[int, int]] = {}
    for group in (item for item in root.items if isinstance(item, Group) and item.head == ":action"):
        action, problems = read_action(group)
        if action is None:
            found = "; ".join(f"line {fault.line}, column {fault.column}: {fault.message}" for fault in problems)
            raise InputError(f"{where}: {found}")
        if action.name in actions:
            raise InputError(f"{where}: line {group.where.line}: action '{action.name}' stands twice")
        actions[action.name] = action
        spans[action.name] = (group.start, group.end)
    # ``pddl`` sees the rest only: it dies on an action without :precondition, and checks no action's predicates.
    parsed = _parse(DomainParser, _blanked(text, spans), where)
    order = _declared_predicates(root)
    if doubled := sorted({name for name in order if order.count(name) > 1}):
        raise InputError(f"{where}: the predicate '{doubled[0]}' is declared twice")
    predicates = {
        predicate.name: Predicate(predicate.name, tuple(_parameter(term) for term in predicate.terms))
        for predicate in sorted(parsed.predicates, key=lambda predicate: order.index(predicate.name))
    }
    return PlanningDomain(
        name=str(parsed.name),
        requirements=frozenset(f":{getattr(item, 'value', item)}".replace("::", ":") for item in parsed.requirements),
        types={str(name): str(parent or OBJECT) for name, parent in sorted(parsed.types.items())},
        constants={str(c.name): str(c.type_tag or OBJECT) for c in sorted(parsed.constants, key=lambda c: str(c.name))},
        predicates=predicates,
        actions=actions,
        source=source,
        text=text,
        action_spans=spans,
    )


def parse_problem(source: str, where: str = "problem") -> PlanningProblem:
    """A PDDL problem as a record. Raises InputError for what is not valid, or beyond STRIPS in init or goal."""
    text = folded(source)
    parsed = _parse(ProblemParser, text, where)
    return PlanningProblem(
        name=str(parsed.name),
        domain_name=str(parsed.domain_name),
        objects={str(o.name): str(o.type_tag or OBJECT) for o in sorted(parsed.objects, key=lambda o: str(o.name))},
        init=frozenset(_ground_atom(item, where) for item in parsed.init if not isinstance(item, PddlNot)),
        goal=_goal(parsed.goal, where),
        text=text,
    )


def _blanked(text: str, spans: Mapping[str, tuple[int, int]]) -> str:
    """``text`` with the spans replaced by spaces, line breaks kept, so that ``pddl``'s places still hold."""
    for start, end in spans.values():
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def _declared_predicates(root: Group) -> list[str]:
    for item in root.items:
        if isinstance(item, Group) and item.head == ":predicates":
            return [group.head or "" for group in item.items[1:] if isinstance(group, Group)]
    return []


def _parameter(term: Any) -> Parameter:
    types = tuple(sorted(str(tag) for tag in term.type_tags)) or (OBJECT,)
    return Parameter(f"?{term.name}", types)


def _ground_atom(item: Any, where: str) -> Atom:
    if isinstance(item, PddlPredicate):
        return Atom(str(item.name), tuple(str(term.name) for term in item.terms))
    raise InputError(f"{where}: '{item}' in :init is not an atom; numeric fluents are not supported")


def _goal(item: Any, where: str) -> Formula:
    if isinstance(item, PddlAnd):
        return And(tuple(_goal(operand, where) for operand in item.operands))
    if isinstance(item, PddlNot) and isinstance(item.argument, PddlPredicate):
        return Not(_ground_atom(item.argument, where))
    if isinstance(item, EqualTo):
        return Atom("=", (str(item.left.name), str(item.right.name)))
    if isinstance(item, PddlPredicate):
        return _ground_atom(item, where)
    raise InputError(f"{where}: the goal '{item}' is not a conjunction of literals")
