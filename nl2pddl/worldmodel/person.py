"""What a person does to a construction: each step is checked here before it becomes an event.

All raise InputError, in words for the person, where a step cannot be taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nl2pddl.errors import InputError
from nl2pddl.worldmodel import checking
from nl2pddl.worldmodel.brief import is_name
from nl2pddl.worldmodel.building import Construction, Event, EventKind, is_usable, moves
from nl2pddl.worldmodel.draft import Predicates, vocabulary
from nl2pddl.worldmodel.matching import Match, check_match
from nl2pddl.worldmodel.reading import read_answer, read_predicates

_VARIABLE = re.compile(r"\?[a-z][\w-]*")


def objected(construction: Construction, action: str, words: str) -> Event:
    """The event that a person has said what is wrong with an action. Raises InputError where that cannot be."""
    _check_action(construction, action)
    if construction.pending is not None or not construction.is_built:
        raise InputError("the model has not answered everything yet; say what is wrong when it has, or let it go on")
    if not words.strip():
        raise InputError("say in words what is wrong")
    if construction.current(action) is None:
        raise InputError(f"'{action}' has not been built yet")
    return Event(EventKind.FEEDBACK, {"action": action, "text": words.strip()})


def edited(construction: Construction, action: str, text: str) -> Event:
    """The event that a person has rewritten an action, in an answer's layout."""
    _check_action(construction, action)
    answer = read_answer(text, action)
    found = answer.problems
    if answer.draft is not None:
        found += checking.faults(answer.draft, action, construction.setup.brief, construction.predicates)
    if found:
        raise InputError("; ".join(found), found)
    return Event(EventKind.EDIT, {"action": action, "text": text})


def undone(construction: Construction, action: str) -> Event:
    """The event that the last move of an action is taken back (see ``building.moves``)."""
    _check_action(construction, action)
    if construction.pending is not None and construction.pending[0] == action:
        raise InputError("an answer about this action is still to come; take it back when it is there")
    if len(moves(construction.versions.get(action, ()))) < 2:
        raise InputError(f"there is no version of '{action}' before this one")
    return Event(EventKind.UNDO, {"action": action})


def renamed(construction: Construction, old: str, new: str, order: Sequence[int] | None = None) -> Event:
    """The event that a predicate is called otherwise, or merged into one that there is.

    Argument i of the new one is argument ``order[i]`` of the old.
    """
    new = new.strip().lower()
    known = construction.predicates
    if old not in known:
        raise InputError(f"there is no predicate '{old}'")
    if not is_name(new) or new in {one.name for one in construction.setup.brief.types}:
        raise InputError(
            f"'{new}' cannot be the name of a predicate: a letter, then letters, digits, - and _; no type, and no word "
            "that PDDL keeps for itself"
        )
    if new == old:
        raise InputError("that is its name already")
    count = len(known[old].parameters)
    places = list(range(count)) if order is None else list(order)
    if new in known and len(known[new].parameters) != len(places):
        raise InputError(
            f"{known[old].head} and {known[new].head} cannot be one: they have other numbers of parameters"
        )
    if sorted(places) != list(range(count)):
        raise InputError(f"the order must name each of the parameters 1 to {count} once")
    if new in known:
        types = vocabulary(construction.setup.brief.types, ())
        for place, wanted in zip(places, known[new].parameters, strict=True):
            given_one = known[old].parameters[place]
            if not types.fits(given_one.types, wanted.types):
                raise InputError(
                    f"{known[old].head} and {known[new].head} cannot be one: {given_one.name} is of type "
                    f"{given_one.type_text} here and {wanted.type_text} there"
                )
    return Event(EventKind.RENAME, {"old": old, "new": new, "order": places})


def reworded(construction: Construction, predicate: str, words: str) -> Event:
    """The event that a predicate is said in other words."""
    if predicate not in construction.predicates:
        raise InputError(f"there is no predicate '{predicate}'")
    own = {parameter.name for parameter in construction.predicates[predicate].parameters}
    strange = [name for name in _VARIABLE.findall(words.lower()) if name not in own]
    if strange:
        raise InputError(f"{construction.predicates[predicate].head} has no parameter {', '.join(strange)}")
    if not words.strip():
        raise InputError(f"say in words when '{predicate}' is true")
    return Event(EventKind.REWORD, {"predicate": predicate, "words": " ".join(words.split())})


def given(construction: Construction, text: str) -> Event:
    """The event that a person adds predicates, one a line with its words, as answers list them."""
    brought, found = read_predicates(text)
    for one in brought:
        if one.name in construction.predicates:
            found.append(f"there is a predicate '{one.name}' already")
        elif not is_usable(one, construction):
            found.append(f"{one.head} has the name of a type, or a type that is not there")
    if found or not brought:
        raise InputError("; ".join(found) or "no line declares a predicate such as (on ?x - block): true if …", found)
    return Event(EventKind.PREDICATES, {"text": text})


def remarked(construction: Construction, action: str, words: str) -> Event:
    """The event that a person notes an error in an action, without asking the model to mend it."""
    _check_action(construction, action)
    if not words.strip():
        raise InputError("say in words what is wrong")
    return Event(EventKind.REMARK, {"action": action, "text": words.strip()})


def accepted(construction: Construction, action: str) -> Event:
    """The event that a person finds an action right as it is; it holds until the action changes."""
    _check_action(construction, action)
    if construction.pending is not None and construction.pending[0] == action:
        raise InputError("an answer about this action is still to come; look at it first")
    version = construction.current(action)
    if version is None or version.draft is None:
        raise InputError(f"there is no version of '{action}' that could be accepted")
    return Event(EventKind.ACCEPT, {"action": action})


def matched(construction: Construction, predicate: str, match: Match | None, truth: Predicates) -> Event:
    """The event that a person says which predicate of a hand-made model one stands for (None: for none)."""
    if match is None:
        if predicate not in construction.predicates:
            raise InputError(f"there is no predicate '{predicate}'")
        return Event(EventKind.MATCH, {"predicate": predicate, "match": None})
    check_match(predicate, match, construction.predicates, truth)
    data = {"predicate": match.predicate, "order": list(match.order), "negated": match.negated}
    return Event(EventKind.MATCH, {"predicate": predicate, "match": data})


def _check_action(construction: Construction, action: str) -> None:
    if action not in {one.name for one in construction.setup.brief.actions}:
        raise InputError(f"there is no action '{action}' in this domain")
