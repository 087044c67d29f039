from __future__ import annotations

import pytest

from nl2pddl.sexpr import Group, Position, Token, UnmatchedError, position_at, read_group


def test_tokens_know_line_and_column_and_are_folded() -> None:
    group = read_group("(:Action A\n  (P ?X))")
    assert group.head == ":action"
    inner = group.items[2]
    assert isinstance(inner, Group)
    assert inner.where == Position(2, 3)
    assert inner.items[1] == Token("?x", Position(2, 6))


def test_parentheses_in_comments_do_not_count() -> None:
    group = read_group("(a ; (((\n b)")
    assert [item.text for item in group.items if isinstance(item, Token)] == ["a", "b"]


def test_a_group_ends_at_its_own_parenthesis() -> None:
    text = "x (a (b)) (c)"
    group = read_group(text)
    assert text[group.start : group.end] == "(a (b))"


@pytest.mark.parametrize(
    ("text", "line", "column"), [("(a (b)", 1, 1), ("(a\n  (b", 2, 3), (") (a)", 1, 1), ("nothing", 1, 8)]
)
def test_an_unmatched_parenthesis_is_placed(text: str, line: int, column: int) -> None:
    with pytest.raises(UnmatchedError) as caught:
        read_group(text)
    assert caught.value.where == Position(line, column)


def test_a_hundred_thousand_levels_are_read() -> None:
    group = read_group("(" * 100_000 + ")" * 100_000)
    assert group.end == 200_000


def test_position_at_counts_from_one() -> None:
    assert position_at("ab\ncd", 0) == Position(1, 1)
    assert position_at("ab\ncd", 4) == Position(2, 2)
