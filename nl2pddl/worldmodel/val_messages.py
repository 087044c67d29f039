"""What VAL's parser objects to in an answer that our own checks take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from nl2pddl.actions import LiftedAction, atoms
from nl2pddl.planning.val_parser import ValParser
from nl2pddl.worldmodel import checking
from nl2pddl.worldmodel.brief import Brief
from nl2pddl.worldmodel.building import Construction
from nl2pddl.worldmodel.draft import ActionDraft, PredicateDraft, Predicates, domain_pddl
from nl2pddl.worldmodel.reading import read_answer

_NEUTRAL = "a"  # the names of the domain and of its actions are the brief's: no answer can mend them
_NO_ACTION = LiftedAction(_NEUTRAL, ())


def val_faults(parser: ValParser, construction: Construction, action: str, text: str) -> tuple[str, ...]:
    """Its messages on an answer about ``action``; none where our own checks find something, as it would repeat that."""
    answer = read_answer(text, action)
    brief, known = construction.setup.brief, construction.predicates
    if answer.draft is None or answer.problems or checking.faults(answer.draft, action, brief, known):
        return ()
    found = parser.faults(_domain(brief, _used(answer.draft, known), answer.draft.action))
    if not found:
        return ()
    of_types = parser.faults(_domain(brief, (), _NO_ACTION))
    return tuple(message for message in found if message not in of_types)


def _used(draft: ActionDraft, known: Predicates) -> list[PredicateDraft]:
    """The predicates that the draft speaks of or brings; others may be unreadable without its fault."""
    brought = {one.name: one for one in draft.new}
    named = {atom.predicate for formula in (draft.action.precondition, draft.action.effect) for atom in atoms(formula)}
    return [one for name, one in {**brought, **known}.items() if name in named or name in brought]


def _domain(brief: Brief, predicates: Iterable[PredicateDraft], action: LiftedAction) -> str:
    return domain_pddl(replace(brief, name=_NEUTRAL), predicates, [replace(action, name=_NEUTRAL)])
