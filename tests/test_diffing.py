import pytest

from nl2pddl.action_reader import read_action
from nl2pddl.actions import LiftedAction, action_pddl, difference
from nl2pddl.diffing import ActionDiff, Change, DiffRow, diff_actions, diff_texts, mark_problems
from nl2pddl.extraction import extract_action

STACK = """(:action stack
    :parameters (?x - block ?y - block)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (on ?x ?y) (clear ?x) (handempty) (not (holding ?x)) (not (clear ?y))))"""


def action(text: str) -> LiftedAction:
    group = extract_action(text).group
    assert group is not None
    read, problems = read_action(group)
    assert read is not None, problems
    return read


def rows(diff: ActionDiff, title: str) -> tuple[DiffRow, ...]:
    return next(section.rows for section in diff.sections if section.title == title)


def test_equal_up_to_names_and_order_has_only_same_rows() -> None:
    other = """(:action stack :parameters (?top - block ?under - block)
        :precondition (and (clear ?under) (holding ?top))
        :effect (and (not (clear ?under)) (handempty) (clear ?top) (on ?top ?under) (not (holding ?top))))"""
    diff = diff_actions(action(STACK), action(other))
    assert {row.change for section in diff.sections for row in section.rows} == {Change.SAME}
    assert diff.names == (("?top", "?x"), ("?under", "?y"))
    assert rows(diff, "Precondition") == (
        DiffRow("(holding ?x)", "(holding ?x)", Change.SAME),
        DiffRow("(clear ?y)", "(clear ?y)", Change.SAME),
    )
    assert rows(diff, "Parameters")[0] == DiffRow("?x - block", "?x - block", Change.SAME, "written as ?top")


def test_missing_surplus_and_changed_literals_stand_in_their_section() -> None:
    other = """(:action stack :parameters (?x - block ?y - block)
        :precondition (and (holding ?x) (ontable ?y))
        :effect (and (on ?y ?x) (clear ?x) (not (holding ?x)) (not (clear ?y)) (not (ontable ?y))))"""
    diff = diff_actions(action(STACK), action(other))
    assert rows(diff, "Precondition") == (
        DiffRow("(holding ?x)", "(holding ?x)", Change.SAME),
        DiffRow("(clear ?y)", None, Change.MISSING),
        DiffRow(None, "(ontable ?y)", Change.SURPLUS),
    )
    assert rows(diff, "Add effects") == (
        DiffRow("(on ?x ?y)", "(on ?y ?x)", Change.CHANGED),
        DiffRow("(clear ?x)", "(clear ?x)", Change.SAME),
        DiffRow("(handempty)", None, Change.MISSING),
    )
    assert rows(diff, "Delete effects")[-1] == DiffRow(None, "(not (ontable ?y))", Change.SURPLUS)


def test_a_changed_literal_is_paired_with_the_one_it_shares_most_with() -> None:
    original = action("(:action a :parameters (?x ?y) :precondition (and (at ?x ?y) (at ?y ?y)) :effect (and))")
    other = action("(:action a :parameters (?x ?y) :precondition (and (at ?y ?x) (at ?x ?x)) :effect (and))")
    assert rows(diff_actions(original, other), "Precondition") == (
        DiffRow("(at ?x ?y)", "(at ?x ?x)", Change.CHANGED),
        DiffRow("(at ?y ?y)", "(at ?y ?x)", Change.CHANGED),
    )


def test_parameters_show_types_and_what_one_side_has_more() -> None:
    other = "(:action stack :parameters (?a - table ?b ?c - block) :effect (and))"
    diff = diff_actions(action(STACK), action(other))
    assert rows(diff, "Parameters") == (
        DiffRow("?x - block", "?x - table", Change.CHANGED, "written as ?a"),
        DiffRow("?y - block", "?y - block", Change.SAME, "written as ?b"),
        DiffRow(None, "?c - block", Change.SURPLUS),
    )
    fewer = diff_actions(action(STACK), action("(:action stack :parameters (?x - block) :effect (and))"))
    assert rows(fewer, "Parameters")[1] == DiffRow("?y - block", None, Change.MISSING)


def test_a_surplus_parameter_never_becomes_an_aligned_one() -> None:
    other = "(:action stack :parameters (?y - block ?z - block ?x - block) :effect (holding ?x))"
    diff = diff_actions(action(STACK), action(other))
    assert rows(diff, "Parameters")[2] == DiffRow(None, "?x-surplus - block", Change.SURPLUS, "written as ?x")
    assert DiffRow(None, "(holding ?x-surplus)", Change.SURPLUS) in rows(diff, "Add effects")


def test_another_name_is_shown() -> None:
    diff = diff_actions(action(STACK), action(STACK.replace(":action stack", ":action put-on")))
    assert rows(diff, "Action") == (DiffRow("stack", "put-on", Change.CHANGED),)


@pytest.mark.parametrize(
    "body",
    [
        ":parameters (?x - block ?y - block) :effect (and)",
        ":parameters (?y - block ?x - block) :precondition (and (holding ?y) (holding ?y)) :effect (on ?x ?y)",
        ":parameters (?x - block) :precondition (not (clear ?y)) :effect (not (on ?x ?y))",
        ":parameters (?x - block ?x - block) :precondition (clear ?x) :effect (and (clear ?x) (not (clear ?x)))",
        ":parameters (?x ?y) :precondition (or (clear ?x) (holding ?y)) :effect (when (clear ?x) (handempty))",
    ],
)
def test_differing_literals_are_the_action_reconstruction_error(body: str) -> None:
    original, other = action(STACK), action(f"(:action stack {body})")
    assert diff_actions(original, other).differing_literals == difference(original, other).are


def test_text_diff_ignores_case_and_white_space() -> None:
    original = action_pddl(action(STACK))
    assert {row.change for row in diff_texts(original, original.upper().replace("    ", "\t"))} == {Change.SAME}


def test_text_diff_pairs_lines_that_changed_and_lists_the_rest() -> None:
    assert diff_texts("(a)\n(b)\n(c)\n(d)", "(a)\n(B!)\n(c)\n(d)\n(e)") == (
        DiffRow("(a)", "(a)", Change.SAME),
        DiffRow("(b)", "(B!)", Change.CHANGED),
        DiffRow("(c)", "(c)", Change.SAME),
        DiffRow("(d)", "(d)", Change.SAME),
        DiffRow(None, "(e)", Change.SURPLUS),
    )
    assert diff_texts("(a)\n(b)", "(a)")[1] == DiffRow("(b)", None, Change.MISSING)


def problem(line: int, column: int, message: str = "wrong") -> dict[str, object]:
    return {"subclass": "UToken", "kind": "k", "line": line, "column": column, "message": message}


def test_the_word_at_the_column_of_a_problem_is_marked() -> None:
    lines = mark_problems("(:action a\n\t:effect (on ?x (b))", [problem(2, 17, "second"), problem(2, 10, "first")])
    assert [line.number for line in lines] == [1, 2]
    assert lines[0].parts == (("(:action a", False),)
    assert lines[0].messages == ()
    assert lines[1].parts == (("\t:effect ", False), ("(on", True), (" ?x ", False), ("(b", True), ("))", False))
    assert lines[1].messages == ("column 10: UToken, first", "column 17: UToken, second")


def test_two_problems_of_one_word_mark_it_once_and_are_both_told() -> None:
    (line,) = mark_problems("(on ?x)", [problem(1, 1, "one"), problem(1, 1, "two")])
    assert line.parts == (("(on", True), (" ?x)", False))
    assert line.messages == ("column 1: UToken, one", "column 1: UToken, two")


@pytest.mark.parametrize(("number", "column"), [(9, 3), (1, 40), (0, 1)])
def test_a_problem_outside_the_text_is_told_at_the_nearest_line(number: int, column: int) -> None:
    (line,) = mark_problems("(a", [problem(number, column)])
    assert "".join(part for part, _ in line.parts) == "(a"
    assert line.messages == (f"column {column}: UToken, wrong",)
