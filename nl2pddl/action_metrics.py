"""A generated action held against the original: their relation, the ARE in three readings, precision and recall.

Beyond Oswald et al. 2024, whose action reconstruction error (ARE) matches parameters by position only: an action that
is right but for the order of its parameters has an ARE as high as one that is wrong altogether.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, zip_longest

from nl2pddl.actions import (
    Atom,
    Difference,
    Formula,
    LiftedAction,
    Not,
    Parameter,
    aligned,
    canonical,
    difference,
    rename,
    to_pddl,
    variables,
)
from nl2pddl.records import ActionComparison, ActionRelation, Score
from nl2pddl.task import PlanningDomain

_MOST_LISTED = 200  # an absurdly long action needs no line a literal; the AREs count all of them
_LONGEST_LINE = 300  # characters
_MOST_CHECKS = 700_000  # literals looked at in one search: about 0.1 s, hundreds of times what ordinary actions need

Literal = tuple[str, Formula]  # "pre", "add" or "del", and the formula
Shape = tuple[str, str]  # a literal's text with parameters made nameless


def compare_actions(original: LiftedAction, new: LiftedAction, domain: PlanningDomain) -> ActionComparison:
    """How ``new`` relates to ``original``, whatever its class; see ``records.ActionComparison``.

    The action's name counts nowhere. Names of parameters and the order and doubling of literals do not count either;
    the names of variables bound by a quantifier, and a numeric expression's text, do. ``differing`` is in the order of
    the action's parts, sorted within each; empty for identical and for reordered actions.

    ``are_permuted``: a new parameter may stand for an original one only where the domain gives both the same type (for
    ``either``: the same objects). Every parameter with such a partner left has one. The others (of a type that the
    other side has fewer of) stay unmatched, and each literal that names them differs. So the value is at most ``are``
    where the types agree by position, and may be above it where they do not: a wrong type is no reordering. Of several
    permutations that give the value, the order as it stands is taken where it is one. The value is exact for actions of
    ordinary size (eight parameters of one type on each side take some milliseconds); for absurd ones the search stops
    after a fixed number of steps with the best found, never worse than the order as it stands.

    Any action that can be read is compared, whatever is wrong with it. Of a parameter declared twice the last counts
    (as in ``actions.aligned``); the others are missing. An undeclared variable keeps its name.
    """
    found = difference(original, new)
    faults = tuple(_parameter_faults(original, new, domain))
    are_permuted, permutation = _smallest(original, new, domain)
    relation = ActionRelation.DIFFERENT
    if not found.are and not faults and _same(original, new, tuple(range(len(new.parameters)))):
        relation = ActionRelation.IDENTICAL
    elif not are_permuted and _same(original, new, permutation):
        relation = ActionRelation.REORDERED
    return ActionComparison(
        relation,
        _differing(found, faults) if relation is ActionRelation.DIFFERENT else (),
        found.are,
        found.are + len(faults),
        are_permuted,
        permutation,
        _score(_texts(original.pre), len(found.missing_pre), len(found.surplus_pre)),
        _score(
            _texts(original.add) + _texts(original.delete),
            len(found.missing_add) + len(found.missing_del),
            len(found.surplus_add) + len(found.surplus_del),
        ),
    )


def _texts(formulas: frozenset[Formula] | frozenset[Atom]) -> int:
    return len({to_pddl(formula, ordered=True) for formula in formulas})


def _score(wanted: int, missing: int, surplus: int) -> Score:
    """The score of a part with ``wanted`` literals in the original."""
    shared = wanted - missing
    given = shared + surplus
    return Score(
        precision=shared / given if given else 1.0,
        recall=shared / wanted if wanted else 1.0,
        f1=2 * shared / (wanted + given) if wanted + given else 1.0,
    )


def _differing(found: Difference, faults: Sequence[str]) -> tuple[str, ...]:
    """One line for each difference: the parameters' faults, then the literals."""
    parts = (
        ("precondition lacks", found.missing_pre),
        ("precondition has surplus", found.surplus_pre),
        ("add effect lacks", found.missing_add),
        ("add effect has surplus", found.surplus_add),
        ("delete effect lacks", found.missing_del),
        ("delete effect has surplus", found.surplus_del),
    )
    lines = [*faults, *(f"{words} {literal}" for words, literals in parts for literal in literals)]
    if len(lines) > _MOST_LISTED:
        lines[_MOST_LISTED:] = [f"and {len(lines) - _MOST_LISTED} more"]
    lines = [line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 3]}..." for line in lines]
    # Equal literal by literal and yet not the same: renaming made a parameter the variable of a quantifier.
    return tuple(lines) or ("a quantified variable bears the name of a parameter",)


def _parameter_faults(original: LiftedAction, new: LiftedAction, domain: PlanningDomain) -> Iterator[str]:
    """One line for each position whose parameter one side lacks, or whose type differs."""
    pairs = zip_longest(_declared(original), _declared(aligned(original, new)))
    for number, (wanted, found) in enumerate(pairs, start=1):
        if wanted is None and found is not None:
            yield f"parameter {number} {found.name}: surplus"
        elif wanted is not None and found is None:
            yield f"parameter {number} {wanted.name}: missing"
        elif wanted is not None and found is not None and not _same_type(wanted, found, domain):
            yield f"parameter {number} {wanted.name}: type {found.type_text} instead of {wanted.type_text}"


def _declared(action: LiftedAction) -> tuple[Parameter | None, ...]:
    """The parameters, without those whose name is declared again later."""
    last = {parameter.name: position for position, parameter in enumerate(action.parameters)}
    return tuple(p if last[p.name] == position else None for position, p in enumerate(action.parameters))


def _same_type(one: Parameter, other: Parameter, domain: PlanningDomain) -> bool:
    """Whether the same objects fit both, so that the members of an ``either`` may stand in any order."""
    if one.types == other.types:
        return True
    return domain.fits(one.types, other.types) and domain.fits(other.types, one.types)


def _same(original: LiftedAction, new: LiftedAction, order: Sequence[int | None]) -> bool:
    """Whether ``new`` with its parameters in this order is ``original``; their types are the same already."""
    positions = [position for position in order if position is not None]
    if not len(original.parameters) == len(new.parameters) == len(positions):
        return False
    parameters = tuple(
        replace(new.parameters[position], types=wanted.types)
        for wanted, position in zip(original.parameters, positions, strict=True)
    )
    return canonical(replace(new, name=original.name, parameters=parameters)) == canonical(original)


def _smallest(original: LiftedAction, new: LiftedAction, domain: PlanningDomain) -> tuple[int, tuple[int | None, ...]]:
    """The smallest ARE over type-respecting matchings of the parameters, and the matching that gives it.

    Branch and bound, depth first, the most promising child first; the bound is how many of the original's literals can
    still find a partner.
    """
    search = _Search(original, new, _partners(original, new, domain))
    best = search.as_it_stands()
    left = search.start
    for level, value in enumerate(best):
        left = search.matched(left, best[:level], value)
    most = search.bound(left)
    stack: list[tuple[int, list[int], tuple[int, ...]]] = [(search.bound(search.start), search.start, ())]
    checks = 0
    while stack and checks < _MOST_CHECKS:
        bound, left, chosen = stack.pop()
        if bound <= most:
            continue
        if len(chosen) == len(search.order):
            most, best = bound, chosen
            continue
        children = []
        for value in search.choices(chosen):
            child = search.matched(left, chosen, value)
            children.append((search.bound(child), child, (*chosen, value)))
            checks += len(left)
        stack += sorted(children, key=lambda entry: entry[0])
    matched = dict(zip(search.order, best, strict=True))
    values = (matched[position] for position in range(len(original.parameters)))
    return search.literals - 2 * most, tuple(value if value >= 0 else None for value in values)


def _partners(original: LiftedAction, new: LiftedAction, domain: PlanningDomain) -> tuple[tuple[int, ...], ...]:
    """For each parameter of the original the positions of the new parameters that may stand for it."""
    available = [(position, found) for position, found in enumerate(_declared(new)) if found is not None]
    of_type: dict[tuple[str, ...], tuple[int, ...]] = {}
    for wanted in original.parameters:
        if wanted.types not in of_type:
            of_type[wanted.types] = tuple(p for p, found in available if _same_type(wanted, found, domain))
    return tuple(of_type[wanted.types] if wanted is not None else () for wanted in _declared(original))


class _Search:
    """The tables of a search over matchings.

    A matching is a tuple of values along ``order``, which holds the positions of the original's parameters: the
    position of the new parameter that stands for it, or ``~position`` where none does. (An undeclared variable of the
    new action that bears the name of an unmatched parameter means that one, as in ``actions.difference``.) What a
    matching so far leaves possible is a list with a bit set for each of the original's literals: the new literals that
    it may still be equal to.
    """

    def __init__(self, original: LiftedAction, new: LiftedAction, partners: tuple[tuple[int, ...], ...]) -> None:
        self._partners = partners
        self._own = {parameter.name: position for position, parameter in enumerate(original.parameters)}
        self._values = {name: ~position for name, position in self._own.items()}
        self._values |= {parameter.name: position for position, parameter in enumerate(new.parameters)}
        wanted = [(_shape(literal, self._own), literal) for literal in _literals(original)]
        wanted.sort(key=lambda pair: pair[0])
        found = [(_shape(literal, self._values), literal) for literal in _literals(new)]
        self.literals = len(wanted) + len(found)
        equals = dict.fromkeys((shape for shape, _ in wanted), 0)
        found = [(shape, literal) for shape, literal in found if shape in equals]
        for index, (shape, _) in enumerate(found):
            equals[shape] |= 1 << index
        self.start = [equals[shape] for shape, _ in wanted]
        self._runs = [len(list(run)) for _, run in groupby(shape for shape, _ in wanted)]
        self._wanted = [literal for _, literal in wanted]
        self._found = [literal for _, literal in found]
        self._index_found(len(new.parameters))
        self._index_wanted(len(original.parameters))

    def _index_found(self, parameters: int) -> None:
        """Which new literals name a value, and which name it in which places."""
        self._naming: dict[int, int] = {}
        self._marked: dict[Shape, dict[int, int]] = {}
        kinds: dict[int, set[Shape] | None] = {value: set() for value in range(parameters)}
        for index, literal in enumerate(self._found):
            marks = _marks(literal, self._values)
            for name, mark in marks.items():
                value = self._values[name]
                self._naming[value] = self._naming.get(value, 0) | 1 << index
                row = self._marked.setdefault(mark, {})
                row[value] = row.get(value, 0) | 1 << index
                kind = kinds.get(value)
                if len(marks) > 1:
                    kinds[value] = None
                elif kind is not None:
                    kind.add(mark)
        # New parameters that stand alone in like literals are interchangeable: one of them need be tried.
        self._kinds = {value: value if kind is None else frozenset(kind) for value, kind in kinds.items()}

    def _index_wanted(self, parameters: int) -> None:
        """The rows to narrow literals by, the order of the search, and when a literal that is no atom is complete."""
        marks = [_marks(literal, self._own) for literal in self._wanted]
        self._rows: list[list[dict[int, int] | None]] = [[None] * len(marks) for _ in range(parameters)]
        naming: list[set[int]] = [set() for _ in range(parameters)]
        for index, named in enumerate(marks):
            for name, mark in named.items():
                self._rows[self._own[name]][index] = self._marked.get(mark, {})
                naming[self._own[name]].add(index)
        self.order = self._ordered(naming)
        self._pending = [
            sum(self._partners[later] == self._partners[position] for later in self.order[level:])
            for level, position in enumerate(self.order)
        ]
        self._complete: dict[int, list[int]] = {}
        for index, (_, formula) in enumerate(self._wanted):
            if not isinstance(formula, Atom | Not) and len(marks[index]) > 1:
                level = max(self.order.index(self._own[name]) for name in marks[index])
                self._complete.setdefault(level, []).append(index)

    def _ordered(self, naming: Sequence[set[int]]) -> tuple[int, ...]:
        """The original's parameters: those without a choice, then the one that shares most literals."""
        order: list[int] = []
        rest, seen = list(range(len(naming))), set[int]()
        while rest:
            chosen = max(rest, key=lambda p: (len(self._partners[p]) <= 1, len(naming[p] & seen), len(naming[p]), -p))
            rest.remove(chosen)
            order.append(chosen)
            seen |= naming[chosen]
        return tuple(order)

    def as_it_stands(self) -> tuple[int, ...]:
        """The matching that keeps every parameter's position where its type allows that."""
        values = {position: position for position in self.order if position in self._partners[position]}
        for position in sorted(self.order):
            if position not in values:
                taken = set(values.values())
                free = (value for value in self._partners[position] if value not in taken)
                values[position] = next(free, ~position)
        return tuple(values[position] for position in self.order)

    def choices(self, chosen: tuple[int, ...]) -> list[int]:
        """The values to try next; "none" only where the new action has too few parameters of this type."""
        position = self.order[len(chosen)]
        taken = set(chosen)
        free = [value for value in self._partners[position] if value not in taken]
        free.sort(key=lambda value: value == position)  # of equally good ones the last is followed first
        unmatched = [~position] if self._pending[len(chosen)] > len(free) else []
        return unmatched + list({self._kinds[value]: value for value in free}.values())

    def matched(self, left: Sequence[int], chosen: tuple[int, ...], value: int) -> list[int]:
        """What is left possible after one value more."""
        level = len(chosen)
        others = ~self._naming.get(value, 0)
        narrowed = [
            bits & others if row is None else bits & row.get(value, 0)
            for bits, row in zip(left, self._rows[self.order[level]], strict=True)
        ]
        for index in self._complete.get(level, ()):
            if narrowed[index]:
                narrowed[index] &= self._equal(index, narrowed[index], (*chosen, value))
        return narrowed

    def bound(self, left: Sequence[int]) -> int:
        """The most literals that can still be equal; for a whole matching, how many are."""
        total = start = 0
        for length in self._runs:
            count = union = 0
            for bits in left[start : start + length]:
                if bits:
                    count += 1
                    union |= bits
            total += min(count, union.bit_count())
            start += length
        return total

    def _equal(self, index: int, bits: int, chosen: tuple[int, ...]) -> int:
        """Which of the new literals in ``bits`` are the original's, all of whose parameters are matched."""
        numbers = {value: f"?{position}" for position, value in zip(self.order, chosen, strict=False)}
        own = {name: f"?{position}" for name, position in self._own.items()}
        new = {name: numbers[value] for name, value in self._values.items() if value in numbers}
        wanted = to_pddl(rename(self._wanted[index][1], own), ordered=True)
        equal = 0
        for other, (_, formula) in enumerate(self._found):
            if bits >> other & 1 and to_pddl(rename(formula, new), ordered=True) == wanted:
                equal |= 1 << other
        return equal


def _literals(action: LiftedAction) -> list[Literal]:
    """The action's literals, each once, in an order that depends on their text only."""
    parts: tuple[tuple[str, frozenset[Formula] | frozenset[Atom]], ...] = (
        ("pre", action.pre), ("add", action.add), ("del", action.delete),
    )  # fmt: skip
    texts = {(part, to_pddl(formula, ordered=True)): (part, formula) for part, found in parts for formula in found}
    return [texts[key] for key in sorted(texts)]


def _shape(literal: Literal, parameters: Container[str], marked: str = "") -> Shape:
    """The literal's text with "?" for parameters, and "!" for the one that is marked."""
    part, formula = literal
    names = {name: "!" if name == marked else "?" for name in variables(formula) if name in parameters}
    return part, to_pddl(rename(formula, names), ordered=True)


def _marks(literal: Literal, parameters: Container[str]) -> dict[str, Shape]:
    """For each parameter that occurs free in the literal, the shape with that one marked."""
    plain = _shape(literal, parameters)
    marks = {name: _shape(literal, parameters, name) for name in variables(literal[1]) if name in parameters}
    return {name: mark for name, mark in marks.items() if mark != plain}
