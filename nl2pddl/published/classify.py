"""From a model's answer to a candidate for planning, or to its class, as the published code does it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from nl2pddl.actions import And, Atom, Formula, Imply, LiftedAction, Not, Or, canonical
from nl2pddl.candidate import Candidate
from nl2pddl.extraction import MAX_LENGTH
from nl2pddl.published.checks import check_action, crashes, folded_action, suspects
from nl2pddl.published.domain import PublishedDomain, domain_text
from nl2pddl.published.reader import GrammarError, PublishedAction, Reader
from nl2pddl.records import Problem, Protocol, Subclass
from nl2pddl.rules import problem
from nl2pddl.semantics import check_action as check_strictly
from nl2pddl.sexpr import MAX_DEPTH, position_at
from nl2pddl.task import PlanningDomain

KEYWORDS = (":action", ":parameters", ":precondition", ":effect")
_PARENTHESIS = re.compile(r"[()]")


@dataclass(frozen=True)
class Reading:
    """What became of an output before planning.

    ``candidate`` says that it goes on to planning, where ``problems`` are what the translator may refuse it for;
    without one, ``problems`` or ``no_class`` (why there is no class at all) ends it. ``text`` is the extracted action,
    ``are`` the action reconstruction error as the published code counts it, and ``action`` the action in lower case
    where it could be read.
    """

    text: str | None = None
    problems: tuple[Problem, ...] = ()
    no_class: str = ""
    are: int | None = None
    action: LiftedAction | None = None
    candidate: Candidate | None = None


def read_output(output: str, asked: str, domain: PublishedDomain, planning: PlanningDomain) -> Reading:
    """Read ``output`` as an answer to the question for action ``asked`` of the domain."""
    start = output.find("(")
    if start < 0:
        message = "the output holds no '(' at all: no PDDL was written"
        return Reading(problems=(problem("no-action", Protocol.PUBLISHED, position_at(output, 0), message),))
    text, deepest = _group(output[start:])
    if text is None:
        message = "the first '(' of the output is never closed; parentheses in comments count too"
        where = position_at(output[start:], 0)
        fault = problem("unmatched-parenthesis", Protocol.PUBLISHED, where, message)
        return Reading(output[start:].rstrip(), (fault,))
    missing = tuple(_missing(keyword, text) for keyword in KEYWORDS if keyword not in text)
    if missing:
        return Reading(text, missing)
    if len(text) > MAX_LENGTH or deepest > MAX_DEPTH:
        reason = f"an action longer than {MAX_LENGTH:,} characters or nested deeper than {MAX_DEPTH} is not read"
        return Reading(text, no_class=reason)
    try:
        found = Reader(text).action()
    except GrammarError as error:
        return Reading(text, (problem("stray-token", Protocol.PUBLISHED, error.where, str(error)),))
    return _checked(Reading(text), found, asked, domain, planning)


def _group(text: str) -> tuple[str | None, int]:
    """From the first "(" to the one that closes it, comments read like text; and how deep it is nested."""
    level = deepest = 0
    for match in _PARENTHESIS.finditer(text):
        level += 1 if match.group() == "(" else -1
        deepest = max(deepest, level)
        if level == 0:
            return text[: match.end()], deepest
    return None, deepest


def _missing(keyword: str, text: str) -> Problem:
    kind = "missing-precondition" if keyword == ":precondition" else "missing-keyword"
    message = f"'{keyword}' is missing between the first '(' and its ')' (letter case counts)"
    return problem(kind, Protocol.PUBLISHED, position_at(text, 0), message)


def _checked(
    reading: Reading, found: PublishedAction, asked: str, domain: PublishedDomain, planning: PlanningDomain
) -> Reading:
    problems = check_action(found, domain, planning)
    early = [fault for fault in problems if fault.subclass in (Subclass.T_ERROR, Subclass.N_ERROR)]
    if early:
        return replace(reading, problems=problems)
    crash = crashes(found.action)
    if crash is not None:
        reason = f"line {crash.line}, column {crash.column}: 'not' of other than an atom ends the published code"
        return replace(reading, no_class=f"{reason}; such a row has no class")
    replaced = found.name.lower()
    action = folded_action(found.action, replaced)
    are = reconstruction_error(domain.actions[asked].action, found.action)
    reading = replace(reading, are=are, action=action)
    if problems:
        return replace(reading, problems=problems)
    strictly = check_strictly(action, planning, replaced)
    text = domain_text(domain, replaced, found.action)
    candidate = Candidate(
        replaced=replaced,
        action=action,
        domain_text=text,
        key=text,
        same=canonical(action) == canonical(folded_action(domain.actions[replaced].action, replaced)),
        well_typed=not any(fault.subclass in (Subclass.T_ERROR, Subclass.PA_ERROR) for fault in strictly),
    )
    return replace(reading, candidate=candidate, problems=suspects(found))


def reconstruction_error(original: LiftedAction, new: LiftedAction) -> int:
    """The ARE as the published code counts it: letter case counts, and only literals at the top of a formula.

    Parameters are matched by position; a surplus parameter of either side keeps its own name, even where that is
    another's. Operands of ``or`` and ``imply`` count as literals where they are the whole precondition; ``when`` and
    ``forall`` are ignored.
    """
    names = {old.name: fresh.name for old, fresh in zip(original.parameters, new.parameters, strict=False)}
    shared = len(names)
    for surplus in (*original.parameters[shared:], *new.parameters[shared:]):
        names[surplus.name] = surplus.name
    total = 0
    for old, fresh in ((original.precondition, new.precondition), (original.effect, new.effect)):
        for negated in (False, True):
            renamed = {
                (atom.predicate, *(names.get(argument, argument) for argument in atom.arguments))
                for atom in _literals(old, negated=negated)
            }
            total += len(renamed ^ {(atom.predicate, *atom.arguments) for atom in _literals(fresh, negated=negated)})
    return total


def _literals(formula: Formula, *, negated: bool) -> list[Atom]:
    match formula:
        case And(operands) | Or(operands):
            pass
        case Imply(left, right):
            operands = (left, right)
        case _:
            operands = (formula,)
    if negated:
        return [part.operand for part in operands if isinstance(part, Not)]
    return [part for part in operands if isinstance(part, Atom) and part.predicate != "="]
