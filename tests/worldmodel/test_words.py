"""Actions in plain language."""

from __future__ import annotations

from nl2pddl.action_reader import read_action
from nl2pddl.actions import Parameter
from nl2pddl.sexpr import read_group
from nl2pddl.worldmodel.brief import load_example
from nl2pddl.worldmodel.draft import ActionDraft, PredicateDraft
from nl2pddl.worldmodel.reference import reference_draft, reference_predicates
from nl2pddl.worldmodel.words import in_words


def test_an_action_is_said_with_its_own_parameters() -> None:
    example = load_example("logistics")
    told = in_words(reference_draft(example, "drive-truck", {}), reference_predicates(example))
    assert told.parameters[1] == "?from, where it starts"
    assert told.preconditions == (
        "truck ?t is at location ?from", "location ?from is in city ?c", "location ?to is in city ?c",
    )  # fmt: skip
    assert told.becomes_true == ("truck ?t is at location ?to",)
    assert told.becomes_false == ("truck ?t is at location ?from",)
    assert "and no longer true that:\n- truck ?t is at location ?from" in told.text


def test_parameters_that_trade_names_are_not_mixed_up() -> None:
    on = PredicateDraft("on", (Parameter("?x"), Parameter("?y")), "block ?x is on block ?y")
    assert on.said_of(["?y", "?x"]) == "block ?y is on block ?x"


def test_everything_that_pddl_has_can_be_said() -> None:
    text = (
        "(:action a :parameters (?x - t) :precondition (and (or (p ?x) (not (q))) (not (= ?x ?x)) (imply (q) (q)) "
        "(exists (?z - t) (p ?z))) :effect (when (q) (unknown ?x)))"
    )
    action, problems = read_action(read_group(text))
    assert action is not None, problems
    predicates = {
        "p": PredicateDraft("p", (Parameter("?a", ("t",)),), "?a is p"), "q": PredicateDraft("q", (), "it rains"),
    }  # fmt: skip
    told = in_words(ActionDraft(action), predicates)
    assert told.parameters == ("?x, of type t",)
    assert told.preconditions == (
        "either ?x is p, or it is not so that it rains", "?x and ?x are not the same", "if it rains, then it rains",
        "for some ?z (t): ?z is p",
    )  # fmt: skip
    assert told.becomes_true == ("if it rains: (unknown ?x)",)
