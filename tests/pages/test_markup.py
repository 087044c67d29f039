import pytest

from nl2pddl.diffing import ActionDiff, Change, DiffRow, DiffSection, mark_problems
from nl2pddl.durations import duration
from nl2pddl.ui import markup
from nl2pddl.ui.text import plain

EVIL = '<script>x</script><img src=y onerror="z">&lt;'
ESCAPED = "&lt;script&gt;x&lt;/script&gt;&lt;img src=y onerror=&quot;z&quot;&gt;&amp;lt;"
PROBLEM = {"subclass": "UToken", "kind": "k", "line": 1, "column": 2, "message": EVIL}
FAILURE = {
    "problem": "p01",
    "direction": "new on original",
    "plan": [EVIL, "(b)"],
    "step": 1,
    "action": EVIL,
    "literal": EVIL,
    "reason": EVIL,
}


@pytest.mark.parametrize(
    "drawn",
    [
        markup.diff_html(ActionDiff((DiffSection(EVIL, (DiffRow(EVIL, EVIL, Change.SAME, EVIL),)),), ((EVIL, EVIL),))),
        markup.text_diff_html([DiffRow(EVIL, None, Change.MISSING), DiffRow(None, EVIL, Change.SURPLUS)]),
        markup.marked_html(mark_problems(EVIL, [PROBLEM])),
        markup.plan_html(FAILURE),
        markup.plan_html({**FAILURE, "step": 3}),
        markup.plan_html({**FAILURE, "literal": None}),
        markup.facts_html({EVIL: EVIL}),
        markup.verdict_html(EVIL, EVIL, "#000"),
    ],
)
def test_every_text_is_escaped(drawn: str) -> None:
    assert "<script" not in drawn
    assert "<img" not in drawn
    assert "onerror=&quot;" in drawn
    assert ESCAPED in drawn or "<mark>" in drawn


def test_each_change_is_said_in_words_too() -> None:
    rows = [
        DiffRow("a", "a", Change.SAME),
        DiffRow("b", None, Change.MISSING),
        DiffRow(None, "c", Change.SURPLUS),
        DiffRow("d", "e", Change.CHANGED),
    ]
    drawn = markup.text_diff_html(rows)
    assert [drawn.count(word) for word in ("− missing", "+ surplus", "≠ changed")] == [1, 1, 1]


def test_the_failing_step_is_marked_with_its_literal() -> None:
    plan = {**FAILURE, "plan": ["(a)", "(b x)"], "step": 2, "literal": "(clear x)"}
    drawn = markup.plan_html(plan)
    assert '<td class="nl-code">(a)</td>' in drawn
    assert '<td class="nl-code nl-fault">(b x)</td><td class="nl-code nl-fault">✕ (clear x) does not hold</td>' in drawn


def test_a_goal_that_is_not_reached_stands_after_the_last_step() -> None:
    drawn = markup.plan_html({**FAILURE, "plan": ["(a)"], "step": 2, "literal": "(on a b)"})
    assert drawn.index("(a)") < drawn.index("(goal)") < drawn.index("✕ (on a b) does not hold")


def test_a_reason_without_a_literal_is_told_once() -> None:
    failure = {**FAILURE, "plan": ["(a x)"], "action": "(a x)", "literal": None, "reason": "step 1, (a x): bad type"}
    assert "✕ bad type" in markup.plan_html(failure)


@pytest.mark.parametrize("text", ["**a**", "$x$", ":material/home:", "[a](b)", "<b>", "`c`", "# d", "&lt;", "a_b_"])
def test_plain_leaves_no_mark_unescaped(text: str) -> None:
    assert plain(text).replace("\\", "") == text
    bare = [char for before, char in zip(" " + plain(text), plain(text), strict=False) if before != "\\"]
    assert not set(bare) & set("*$:[]()<>`#&_{}!|~")


def test_plain_keeps_to_one_line() -> None:
    assert plain("a\n\n- b") == r"a \- b"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (119, "119 s"), (125, "2 min"), (7200, "2 h 0 min"), (9000, "2 h 30 min")]
)
def test_durations_are_said_in_few_words(seconds: float, text: str) -> None:
    assert duration(seconds) == text
