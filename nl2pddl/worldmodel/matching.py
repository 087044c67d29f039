"""Which predicate of an acquired domain stands for which of the hand-made one: a proposal, which people correct."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import permutations

from nl2pddl.actions import Atom, Formula, LiftedAction, Not, atoms, conjuncts, rename
from nl2pddl.errors import InputError
from nl2pddl.task import PlanningDomain
from nl2pddl.worldmodel.draft import PredicateDraft, Predicates

_MOST_PARAMETERS = 6  # of a predicate or an action: more are too many orders to try
_LEAST = 0.25  # likeness, 0 to 1: less is no proposal
_WEIGHTS = (0.5, 0.3, 0.2)  # of use, words, name


@dataclass(frozen=True)
class Match:
    """The predicate of the hand-made domain that one stands for: argument i of it is argument ``order[i]`` of ours.

    ``negated``: ours holds exactly where that one does not ("open" and "closed").
    """

    predicate: str
    order: tuple[int, ...]
    negated: bool = False


Matches = Mapping[str, Match]
_Use = tuple[str, str]  # an action, and how the predicate stands in it


def propose(
    predicates: Predicates,
    actions: Mapping[str, LiftedAction],
    truth: PlanningDomain,
    truth_predicates: Predicates,
) -> dict[str, Match]:
    """A match for each acquired predicate that one is likely enough for; each hand-made one is taken once, but for
    contraries. Use in actions of the same name counts most, then words, then names."""
    # A third of a second, which no other command should wait for.
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

    ours, theirs = list(predicates), list(truth_predicates)
    if not ours or not theirs:
        return {}
    used, wanted = _uses(actions), _uses(truth.actions)
    scores = [
        [_likeness(predicates[a], truth_predicates[b], used.get(a, set()), wanted.get(b, set()), truth) for b in theirs]
        for a in ours
    ]
    found: dict[str, Match] = {}
    for row, column in zip(*linear_sum_assignment(scores, maximize=True), strict=True):
        if scores[row][column] >= _LEAST:
            a, b = ours[row], theirs[column]
            own, wants = used.get(a, set()), wanted.get(b, set())
            negated = _shared(_turned(own), wants) > _shared(own, wants)
            found[a] = Match(b, _order(predicates[a], truth_predicates[b], truth) or (), negated)
    for name in ours:
        if name not in found and (contrary := _contrary(name, predicates, truth_predicates, used, wanted, truth)):
            found[name] = contrary
    for name, match in found.items():
        orders = list(_orders(predicates[name], truth_predicates[match.predicate], truth))
        if len(orders) > 1:
            users = [action for action, _ in used.get(name, set()) if action in truth.actions]
            tried = [found | {name: replace(match, order=order)} for order in orders]
            best = max(tried, key=lambda mapping: _agreement(mapping, users, actions, truth))
            found[name] = best[name]
    return found


def _agreement(
    mapping: Matches, names: Iterable[str], actions: Mapping[str, LiftedAction], truth: PlanningDomain
) -> float:
    return sum(_best(actions[name], truth.actions[name], mapping, truth)[1] for name in set(names))


def check_match(name: str, match: Match, predicates: Predicates, truth_predicates: Predicates) -> None:
    """Raise InputError where a person's match cannot be."""
    if name not in predicates:
        raise InputError(f"there is no predicate '{name}'")
    if match.predicate not in truth_predicates:
        raise InputError(f"the hand-made model has no predicate '{match.predicate}'")
    count = len(truth_predicates[match.predicate].parameters)
    if len(predicates[name].parameters) != count or sorted(match.order) != list(range(count)):
        raise InputError(f"{predicates[name].head} and {truth_predicates[match.predicate].head} differ in parameters")


def translated(formula: Formula, mapping: Matches) -> Iterator[Formula]:
    """The literals of a conjunction in the hand-made domain's predicates; what has no match stays as it is."""
    for part in conjuncts(formula):
        atom = part.operand if isinstance(part, Not) else part
        match = mapping.get(atom.predicate) if isinstance(atom, Atom) else None
        if not isinstance(atom, Atom) or match is None or len(atom.arguments) != len(match.order):
            yield part
            continue
        moved = Atom(match.predicate, tuple(atom.arguments[place] for place in match.order))
        yield Not(moved) if isinstance(part, Not) != match.negated else moved


def _uses(actions: Mapping[str, LiftedAction]) -> dict[str, set[_Use]]:
    """In which actions each predicate stands, and how: asked for or its contrary, added or deleted."""
    found: dict[str, set[_Use]] = {}
    for name, action in actions.items():
        for formula, plain, negated in ((action.precondition, "pre", "not"), (action.effect, "add", "del")):
            for part in conjuncts(formula):
                role = negated if isinstance(part, Not) else plain
                for atom in atoms(part):
                    found.setdefault(atom.predicate, set()).add((name, role))
    return found


def _turned(uses: set[_Use]) -> set[_Use]:
    """The uses of a predicate's contrary."""
    flipped = {"pre": "not", "not": "pre", "add": "del", "del": "add"}
    return {(action, flipped[role]) for action, role in uses}


def _likeness(
    one: PredicateDraft, other: PredicateDraft, used: set[_Use], wanted: set[_Use], truth: PlanningDomain
) -> float:
    if _order(one, other, truth) is None:
        return 0.0
    parts = (
        max(_shared(used, wanted), _shared(_turned(used), wanted)),
        _shared(_words(one.words), _words(other.words)),
        SequenceMatcher(None, one.name, other.name).ratio(),
    )
    return sum(weight * part for weight, part in zip(_WEIGHTS, parts, strict=True))


def _contrary(
    name: str, predicates: Predicates, truth_predicates: Predicates,
    used: Mapping[str, set[_Use]], wanted: Mapping[str, set[_Use]], truth: PlanningDomain,
) -> Match | None:  # fmt: skip
    """A predicate whose contrary ours may be: it stands in the same actions, the other way round in each."""
    turned = _turned(used.get(name, set()))
    ranked = sorted(
        ((_shared(turned, uses), key) for key, uses in wanted.items() if key in truth_predicates), reverse=True
    )
    for share, key in ranked:
        order = _order(predicates[name], truth_predicates[key], truth)
        if share >= 0.5 and order is not None:
            return Match(key, order, negated=True)
    return None


def _order(one: PredicateDraft, other: PredicateDraft, truth: PlanningDomain) -> tuple[int, ...] | None:
    """The first order of ours that fits the types of the other; None where none does."""
    return next(_orders(one, other, truth), None)


def _orders(one: PredicateDraft, other: PredicateDraft, truth: PlanningDomain) -> Iterator[tuple[int, ...]]:
    """The orders of ours that fit the types of the other, the plain one first."""
    if len(one.parameters) != len(other.parameters) or len(one.parameters) > _MOST_PARAMETERS:
        return
    for order in permutations(range(len(one.parameters))):
        pairs = zip((one.parameters[place] for place in order), other.parameters, strict=True)
        if all(truth.fits(a.types, b.types) or truth.fits(b.types, a.types) for a, b in pairs):
            yield order


def _shared(one: Iterable[object], other: Iterable[object]) -> float:
    """Jaccard's index of two sets; 0 where both are empty."""
    left, right = set(one), set(other)
    return len(left & right) / len(left | right) if left | right else 0.0


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z]+", re.sub(r"\?[\w-]+", " ", text.lower())) if len(word) > 2]


def best_names(action: LiftedAction, model: LiftedAction, mapping: Matches, truth: PlanningDomain) -> dict[str, str]:
    """Which parameter of the hand-made action each of ours is, by the literals that then agree; types must fit."""
    return _best(action, model, mapping, truth)[0]


def _best(
    action: LiftedAction, model: LiftedAction, mapping: Matches, truth: PlanningDomain
) -> tuple[dict[str, str], float]:
    """The best names, and how well the literals agree with them."""
    wanted = {*conjuncts(model.precondition), *(conjuncts(model.effect))}
    literals = [*translated(action.precondition, mapping), *translated(action.effect, mapping)]
    best: dict[str, str] = {}
    most = -1.0
    for names in _namings(action, model, truth):
        agree = sum(rename(part, names) in wanted for part in literals)
        # Of equals the one that keeps the order of parameters, and then the one that names most.
        kept = sum(
            a.name in names and names[a.name] == b.name
            for a, b in zip(action.parameters, model.parameters, strict=False)
        )
        score = agree + 0.01 * len(names) + 0.001 * kept
        if score > most:
            most, best = score, names
    return best, most


def _namings(action: LiftedAction, model: LiftedAction, truth: PlanningDomain) -> Iterator[dict[str, str]]:
    ours: Sequence[str] = [p.name for p in action.parameters[:_MOST_PARAMETERS]]
    types = {p.name: p.types for p in action.parameters}
    theirs = {p.name: p.types for p in model.parameters[:_MOST_PARAMETERS]}
    fits = {
        a: [b for b, wanted in theirs.items() if truth.fits(types[a], wanted) or truth.fits(wanted, types[a])]
        for a in ours
    }

    def extend(at: int, taken: dict[str, str]) -> Iterator[dict[str, str]]:
        if at == len(ours):
            yield dict(taken)
            return
        for b in fits[ours[at]]:
            if b not in taken.values():
                yield from extend(at + 1, {**taken, ours[at]: b})
        yield from extend(at + 1, taken)

    return extend(0, {})
