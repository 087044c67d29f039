"""Lays a generated action beside the ground truth and marks problems in its text. Pure: pages only draw the rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import zip_longest
from typing import Any

from nl2pddl.actions import Atom, Formula, LiftedAction, Not, Parameter, aligned, conjuncts, to_pddl


class Change(StrEnum):
    """How the two sides of a row relate: ``MISSING`` is in the ground truth only, ``SURPLUS`` in the generated only."""

    SAME = "same"
    MISSING = "missing"
    SURPLUS = "surplus"
    CHANGED = "changed"


@dataclass(frozen=True)
class DiffRow:
    """One line of a side-by-side view; a side is None where it has nothing. ``note`` explains the row, if need be."""

    original: str | None
    generated: str | None
    change: Change
    note: str = ""


@dataclass(frozen=True)
class DiffSection:
    """A part of an action, such as its precondition, with its rows."""

    title: str
    rows: tuple[DiffRow, ...]


@dataclass(frozen=True)
class ActionDiff:
    """Two actions side by side, the generated one with its parameters renamed to those at the same position.

    ``names`` holds each renamed parameter as (name in the output, name here).
    """

    sections: tuple[DiffSection, ...]
    names: tuple[tuple[str, str], ...]

    @property
    def differing_literals(self) -> int:
        """The literals that one side has and the other has not: the ARE. A changed literal counts on both sides."""
        rows = [row for section in self.sections if section.title in _LITERAL_SECTIONS for row in section.rows]
        return sum({Change.SAME: 0, Change.CHANGED: 2}.get(row.change, 1) for row in rows)


_LITERAL_SECTIONS = ("Precondition", "Add effects", "Delete effects")


def diff_actions(original: LiftedAction, generated: LiftedAction) -> ActionDiff:
    """The two actions section by section: name, parameters by position, precondition, add effects, delete effects.

    Literals are matched whatever their order. What is left over on both sides with the same predicate is shown as one
    changed row.
    """
    matched = aligned(original, generated)
    sections = [
        DiffSection("Action", (_row(original.name, generated.name),)),
        DiffSection("Parameters", tuple(_parameter_rows(original, generated, matched))),
    ]
    for title, left, right in zip(_LITERAL_SECTIONS, _parts(original), _parts(matched), strict=True):
        sections.append(DiffSection(title, tuple(_literal_rows(left, right))))
    pairs = zip(generated.parameters, matched.parameters, strict=True)
    renamed = dict.fromkeys((old.name, new.name) for old, new in pairs if old.name != new.name)
    return ActionDiff(tuple(sections), tuple(renamed))


def _parts(action: LiftedAction) -> tuple[list[Formula], list[Formula], list[Formula]]:
    """Precondition, add effects and delete effects, in the order of the text."""
    effects = conjuncts(action.effect)
    return (
        list(conjuncts(action.precondition)),
        [part for part in effects if not isinstance(part, Not)],
        [part for part in effects if isinstance(part, Not)],
    )


def _row(original: str | None, generated: str | None, note: str = "", *, same: bool | None = None) -> DiffRow:
    if original is None or generated is None:
        return DiffRow(original, generated, Change.MISSING if generated is None else Change.SURPLUS, note)
    equal = original == generated if same is None else same
    return DiffRow(original, generated, Change.SAME if equal else Change.CHANGED, note)


def _parameter_rows(original: LiftedAction, generated: LiftedAction, matched: LiftedAction) -> Iterator[DiffRow]:
    written_and_shown = zip(generated.parameters, matched.parameters, strict=True)
    for wanted, pair in zip_longest(original.parameters, written_and_shown):
        if pair is None:
            yield _row(_typed(wanted), None)
            continue
        written, shown = pair
        note = f"written as {written.name}" if written.name != shown.name else ""
        yield _row(_typed(wanted) if wanted else None, _typed(shown), note)


def _typed(parameter: Parameter) -> str:
    return f"{parameter.name} - {parameter.type_text}"


def _literal_rows(left: Iterable[Formula], right: Iterable[Formula]) -> Iterator[DiffRow]:
    """Rows in the order of the ground truth, then what only the generated side has."""
    wanted = {to_pddl(part, ordered=True): part for part in left}
    found = {to_pddl(part, ordered=True): part for part in right}
    surplus = {text: part for text, part in found.items() if text not in wanted}
    for text, part in wanted.items():
        if text in found:
            yield DiffRow(text, text, Change.SAME)
            continue
        candidates = [other for other, candidate in surplus.items() if _head(candidate) == _head(part)]
        similar = max(candidates, key=lambda other: _words_shared(text, other), default=None)
        if similar is not None:
            del surplus[similar]
        yield _row(text, similar)
    for text in surplus:
        yield _row(None, text)


def _head(formula: Formula) -> tuple[str, str]:
    """What two literals share that may count as one changed: the kind and the predicate."""
    atom = formula.operand if isinstance(formula, Not) else formula
    return type(formula).__name__, atom.predicate if isinstance(atom, Atom) else to_pddl(formula)


def _words_shared(one: str, other: str) -> int:
    return sum(a == b for a, b in zip(one.split(), other.split(), strict=False))


def diff_texts(original: str, generated: str) -> tuple[DiffRow, ...]:
    """A line-by-line comparison, for an action that did not parse. Letter case and white space do not count."""
    left, right = original.split("\n"), generated.split("\n")
    matcher = SequenceMatcher(None, [_folded(line) for line in left], [_folded(line) for line in right], autojunk=False)
    rows: list[DiffRow] = []
    for tag, left_from, left_to, right_from, right_to in matcher.get_opcodes():
        pairs = zip_longest(left[left_from:left_to], right[right_from:right_to])
        rows += [_row(one, other, same=tag == "equal") for one, other in pairs]
    return tuple(rows)


def _folded(line: str) -> str:
    return " ".join(line.lower().split())


@dataclass(frozen=True)
class MarkedLine:
    """A line of a text, its number from 1, and the problems in it.

    ``parts`` joined are the line; each says whether it is what a problem points at. ``messages`` holds one line a
    problem, with its column.
    """

    number: int
    parts: tuple[tuple[str, bool], ...]
    messages: tuple[str, ...] = ()


_POINTED_AT = re.compile(r"\(?[^\s()]+|\S|\Z")


def mark_problems(text: str, problems: Sequence[Mapping[str, Any]]) -> tuple[MarkedLine, ...]:
    """Every line of ``text``; the word at the line and column of each problem (as the store gives them) is marked."""
    lines = text.split("\n")
    found: dict[int, list[Mapping[str, Any]]] = {}
    for problem in problems:
        # A problem past the end (the closing parenthesis that never came) is marked at the last line.
        found.setdefault(min(max(int(problem["line"]), 1), len(lines)), []).append(problem)
    return tuple(_marked_line(number, line, found.get(number, ())) for number, line in enumerate(lines, start=1))


def _marked_line(number: int, line: str, problems: Iterable[Mapping[str, Any]]) -> MarkedLine:
    ordered = sorted(problems, key=lambda problem: int(problem["column"]))
    parts: list[tuple[str, bool]] = []
    end = 0
    for problem in ordered:
        word = _POINTED_AT.search(line, int(problem["column"]) - 1)
        if word is None or word.start() < end:
            continue  # two problems of one word: it is marked already
        parts += [(line[end : word.start()], False), (word.group(), True)]
        end = word.end()
    parts.append((line[end:], False))
    messages = tuple(f"column {problem['column']}: {problem['subclass']}, {problem['message']}" for problem in ordered)
    return MarkedLine(number, tuple(part for part in parts if part[0]), messages)
