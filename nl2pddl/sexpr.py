"""Reads PDDL text into nested groups of tokens that know their line and column."""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

MAX_DEPTH = 100  # no action needs more, and Python's own recursion must not be the judge
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_BRACKET = re.compile(r"[()]|;[^\n]*")
_TOKEN = re.compile(r"\s+|;[^\n]*|\(|\)|[^\s();]+")


@dataclass(frozen=True)
class Position:
    """A place in a text; line and column count from 1."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True)
class Token:
    """A word between white space, parentheses and comments. ``text`` is in lower case: PDDL does not know case."""

    text: str
    where: Position


@dataclass(frozen=True)
class Group:
    """What stands between a parenthesis at ``where`` and its partner; ``start`` and ``end`` are offsets in the text."""

    items: tuple[Token | Group, ...]
    where: Position
    start: int
    end: int

    @property
    def head(self) -> str | None:
        """The first word, or None where there is none."""
        first = self.items[0] if self.items else None
        return first.text if isinstance(first, Token) else None


Node = Token | Group


class UnmatchedError(ValueError):
    """A parenthesis without partner, at ``where``."""

    def __init__(self, message: str, where: Position) -> None:
        self.where = where
        super().__init__(message)


def lexemes(text: str, start: int = 0) -> Iterator[tuple[str, int]]:
    """Words and parentheses with their offsets, from ``start`` on; white space and ``;`` comments are left out."""
    for match in _TOKEN.finditer(text, start):
        lexeme = match.group()
        if not lexeme.isspace() and not lexeme.startswith(";"):
            yield lexeme, match.start()


def folded(text: str) -> str:
    """The text with A to Z in lower case and every offset as it was (``str.lower`` may lengthen other letters)."""
    return text.translate(_LOWER)


def depth(group: Group) -> int:
    """How deep groups are nested in ``group``; 1 where there is none inside."""
    deepest, stack = 1, [(group, 1)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        stack += [(item, level + 1) for item in node.items if isinstance(item, Group)]
    return deepest


class _Positions:
    """Offsets to lines and columns."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def at(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)


def position_at(text: str, offset: int) -> Position:
    """The line and column of an offset in ``text``."""
    return _Positions(text).at(offset)


def end_of_group(text: str, start: int) -> int:
    """The offset just after the parenthesis that closes the one at ``start``; parentheses in comments do not count.

    Raises UnmatchedError at the innermost parenthesis still open where it never closes. Much faster than reading.
    """
    opened: list[int] = []
    for match in _BRACKET.finditer(text, start):
        bracket = match.group()
        if bracket == "(":
            opened.append(match.start())
        elif bracket == ")":
            opened.pop()
            if not opened:
                return match.end()
    raise _never_closed(text, opened)


def _never_closed(text: str, opened: list[int]) -> UnmatchedError:
    noun = "parenthesis is" if len(opened) == 1 else "parentheses are"
    return UnmatchedError(f"{len(opened)} {noun} never closed", position_at(text, opened[-1]))


def read_group(text: str, start: int = 0) -> Group:
    """Read the group that opens at or after ``start``, up to its matching parenthesis.

    Raises UnmatchedError where it never closes; its position is the innermost parenthesis still open. The reader keeps
    its own stack, so that text nested a thousand deep is no danger.
    """
    positions = _Positions(text)
    stack: list[tuple[list[Node], int]] = []
    for lexeme, offset in lexemes(text, start):
        if lexeme == "(":
            stack.append(([], offset))
        elif lexeme == ")":
            if not stack:
                raise UnmatchedError("')' closes nothing", positions.at(offset))
            items, opened = stack.pop()
            group = Group(tuple(items), positions.at(opened), opened, offset + 1)
            if not stack:
                return group
            stack[-1][0].append(group)
        elif stack:
            stack[-1][0].append(Token(folded(lexeme), positions.at(offset)))
    if not stack:
        raise UnmatchedError("no '(' found", positions.at(len(text)))
    raise _never_closed(text, [offset for _, offset in stack])
