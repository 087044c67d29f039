"""What tools find in an action or a domain under construction, as short messages in words.

Nothing here knows a ground truth: messages go back to the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nl2pddl.actions import Atom, Formula, LiftedAction, Not, atoms, conjuncts, to_pddl, variables
from nl2pddl.semantics import check_action
from nl2pddl.worldmodel.brief import Brief
from nl2pddl.worldmodel.draft import ActionDraft, PredicateDraft, Predicates, vocabulary

_UNSUPPORTED = "unsupported"  # the kind of the rule, see rules.py
MOST_CONDITIONS = 20


def faults(draft: ActionDraft, name: str, brief: Brief, known: Predicates) -> tuple[str, ...]:
    """What is wrong with a draft of the action ``name``, where the predicates ``known`` are there already."""
    found = [*_new_predicate_faults(draft, brief, known)]
    together = {**known, **{one.name: one for one in draft.new if one.name not in known}}
    for problem in check_action(draft.action, vocabulary(brief.types, together.values()), name):
        message = problem.message
        if problem.kind == _UNSUPPORTED:
            construct = message.partition("'")[2].partition("'")[0] or "this construct"
            message = (
                f"'{construct}' cannot be used here; say it with plain conditions, if need be with a new predicate"
            )
        found.append(message)
    found += [*contradictions(draft.action), *_lengths(draft.action)]
    return tuple(dict.fromkeys(found))


def _new_predicate_faults(draft: ActionDraft, brief: Brief, known: Predicates) -> Iterator[str]:
    types = {one.name for one in brief.types} | {"object"}
    seen: set[str] = set()
    for one in draft.new:
        if one.name in types:
            yield f"the new predicate '{one.name}' has the name of a type; call it otherwise"
        if one.name in seen:
            yield f"the new predicate '{one.name}' is declared twice"
        seen.add(one.name)
        if one.name in known and not same_signature(one, known[one.name]):
            yield (
                f"there is a predicate {known[one.name].head} already; use that one as it is, or give the new one "
                "another name"
            )
        for parameter in one.parameters:
            for type_name in parameter.types:
                if type_name not in types:
                    known_types = ", ".join(sorted(types))
                    yield f"the type '{type_name}' in {one.head} is none; types are: {known_types}"


def same_signature(one: PredicateDraft, other: PredicateDraft) -> bool:
    """Whether two declarations are the same but for the names of their parameters and their words."""
    return one.name == other.name and [p.types for p in one.parameters] == [p.types for p in other.parameters]


def contradictions(action: LiftedAction) -> Iterator[str]:
    """Effects that cancel each other, and preconditions that cannot hold together."""
    added, deleted = _literals(action.effect)
    for atom in sorted(added & deleted, key=to_pddl):
        yield f"the effects make {to_pddl(atom)} both true and false; keep the one that is meant"
    wanted, unwanted = _literals(action.precondition)
    for atom in sorted(wanted & unwanted, key=to_pddl):
        yield f"the preconditions ask for {to_pddl(atom)} and for its contrary, so the action can never be done"


def _literals(formula: Formula) -> tuple[set[Atom], set[Atom]]:
    parts = conjuncts(formula)
    return {part for part in parts if isinstance(part, Atom)}, {part.operand for part in parts if isinstance(part, Not)}


def _lengths(action: LiftedAction) -> Iterator[str]:
    if not conjuncts(action.effect):
        yield "the action has no effect; say what it changes"
    for what, formula in (("preconditions", action.precondition), ("effects", action.effect)):
        if len(conjuncts(formula)) > MOST_CONDITIONS:
            yield f"{len(conjuncts(formula))} {what} are very many; keep those that matter"


def hints(drafts: Mapping[str, ActionDraft], predicates: Predicates) -> Iterator[str]:
    """What looks odd in a domain and may be right: for a person to look at, not for the model."""
    for name, draft in drafts.items():
        used = variables(draft.action.precondition) | variables(draft.action.effect)
        for parameter in draft.action.parameters:
            if parameter.name not in used:
                yield f"{name}: nothing is said of its parameter {parameter.name}"
    changed = [_literals(draft.action.effect) for draft in drafts.values()]
    added = {atom.predicate for atoms, _ in changed for atom in atoms}
    deleted = {atom.predicate for _, atoms in changed for atom in atoms}
    for name in predicates:
        users = [key for key, draft in drafts.items() if name in _asked_for(draft.action)]
        if not users and name not in added | deleted:
            yield f"no action uses the predicate '{name}'"
        elif not users:
            yield f"'{name}' is an effect only; no action asks for it"
        elif name in deleted and name not in added:
            yield f"'{name}' is made false and never true again, and {', '.join(users)} cannot be done without it"


def _asked_for(action: LiftedAction) -> set[str]:
    return {atom.predicate for atom in atoms(action.precondition)}
