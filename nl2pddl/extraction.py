"""Finds the action in a model's answer: from the first ``(:action`` to the parenthesis that closes it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nl2pddl.records import Problem, Protocol
from nl2pddl.rules import problem
from nl2pddl.sexpr import MAX_DEPTH, Group, UnmatchedError, depth, end_of_group, position_at, read_group

MAX_LENGTH = 100_000  # characters; the longest ground-truth action has 300, and reading must take no time
_START = re.compile(r"\(\s*(?:;[^\n]*\n\s*)*:(?a:action)(?![\w-])", re.IGNORECASE)
_COMMENT_LINE = re.compile(r"[^\S\n]*;")


@dataclass(frozen=True)
class Extraction:
    """The action text with its offset in the output and its parsed group, or the problem that kept us from it.

    With an unmatched parenthesis ``text`` runs to the end of the output and ``group`` is None. Of an action longer than
    ``MAX_LENGTH`` or nested deeper than ``MAX_DEPTH`` both ``group`` and ``problem`` are None: it is found, but not
    read.
    """

    text: str | None
    offset: int
    group: Group | None
    problem: Problem | None


def extract_action(output: str) -> Extraction:
    """Find the first action in ``output``.

    Any letter case and white space are accepted, prose and code fences around the action are passed over, a line that
    is a ``;`` comment is not searched, and parentheses inside comments do not count.
    """
    start = _start_of_action(output)
    if start is None:
        has_parenthesis = "(" in output
        message = (
            "there is a '(' but no '(:action': no PDDL action was written"
            if has_parenthesis
            else "the output holds no '(' at all: no PDDL was written"
        )
        where = position_at(output, output.index("(")) if has_parenthesis else position_at(output, 0)
        return Extraction(None, 0, None, problem("no-action", Protocol.STRICT, where, message))
    rest = output[start:]
    try:
        text = rest[: end_of_group(rest, 0)]
    except UnmatchedError as error:
        message = f"{error}; the innermost one opens here and has no ')'"
        unmatched = problem("unmatched-parenthesis", Protocol.STRICT, error.where, message)
        return Extraction(_without_fence(rest), start, None, unmatched)
    group = read_group(text) if len(text) <= MAX_LENGTH else None
    return Extraction(text, start, group if group and depth(group) <= MAX_DEPTH else None, None)


def _start_of_action(output: str) -> int | None:
    position = 0
    while (match := _START.search(output, position)) is not None:
        line_start = output.rfind("\n", 0, match.start()) + 1
        # In prose a semicolon is punctuation; only a line that begins with one is a comment.
        if _COMMENT_LINE.match(output, line_start) is None:
            return match.start()
        line_end = output.find("\n", match.start())
        if line_end < 0:
            return None
        position = line_end + 1
    return None


def _without_fence(text: str) -> str:
    """An unclosed action without the code fence that ends it and what follows the fence."""
    return text.split("\n```", 1)[0].rstrip()
