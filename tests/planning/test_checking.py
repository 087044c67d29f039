from __future__ import annotations

from pathlib import Path

import pytest

from nl2pddl.actions import action_pddl
from nl2pddl.domains import DomainLibrary
from nl2pddl.equivalence import ORIGINAL_ON_NEW, PlannedProblem, cross_check
from nl2pddl.errors import InputError, ValidatorsDifferError
from nl2pddl.pddl_io import parse_domain, parse_problem
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.planning.kstar import KStar
from nl2pddl.planning.val import VAL_VARIABLE, find_val
from nl2pddl.planning.validation import VALIDATOR_VERSION, PlanCheck, PlanValidator
from nl2pddl.records import ResultClass, Subclass, ValidatorChoice
from tests.planning.test_val import install_fake

# The fake VAL answers by the name of a plan's first action, whatever the domain says; ours reads the domain.
DOMAIN = "(define (domain d) (:predicates (p ?x) (q)) {} (:action end :parameters () :precondition (q) :effect (and)))"
ACTION = "(:action {} :parameters (?x) :precondition (and (p ?x)) :effect (and (q)))"
PLANNING = parse_domain(DOMAIN.format(" ".join(map(ACTION.format, ("good", "bad", "unmet", "error", "crash")))))
PROBLEM = parse_problem("(define (problem little) (:domain d) (:objects a b) (:init (p a)) (:goal (q)))")


def check(choice: ValidatorChoice, *plans: list[str]) -> list[PlanCheck]:
    return PlanChecker(choice).check(PLANNING, PLANNING.text, PROBLEM, plans)


@pytest.fixture
def no_val(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(VAL_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def fake_val(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    program = install_fake(tmp_path / "bin")
    monkeypatch.setenv(VAL_VARIABLE, str(program))
    return program


def test_auto_without_val_is_ours(no_val: None) -> None:
    assert PlanChecker().version == PlanChecker(ValidatorChoice.OURS).version == VALIDATOR_VERSION
    assert check(ValidatorChoice.AUTO, ["(bad a)"], ["(good b)"])[0] == PlanCheck(True)


@pytest.mark.parametrize("choice", [ValidatorChoice.VAL, ValidatorChoice.BOTH])
def test_val_asked_for_and_not_installed_is_an_input_error(no_val: None, choice: ValidatorChoice) -> None:
    with pytest.raises(InputError, match=f"VAL is not installed.*{VAL_VARIABLE}"):
        PlanChecker(choice)


def test_versions_say_who_answers(fake_val: Path) -> None:
    val = PlanChecker(ValidatorChoice.VAL).version
    assert val.startswith("VAL ")
    assert PlanChecker(ValidatorChoice.AUTO).version == val
    assert PlanChecker(ValidatorChoice.OURS).version == VALIDATOR_VERSION
    assert PlanChecker(ValidatorChoice.BOTH).version == f"{VALIDATOR_VERSION} and {val}"


def test_val_decides_and_ours_explains(fake_val: Path) -> None:
    good, bad, odd = check(ValidatorChoice.VAL, ["(good b)"], ["(bad a)"], ["(unmet a)", "(end)"])
    assert good == PlanCheck(True)
    assert (bad.valid, bad.reason) == (False, "VAL: Bad plan description!")
    assert (odd.valid, odd.step, odd.action, odd.literal) == (False, 2, "(end)", None)
    assert "Set (p m) to true" in odd.reason
    (agreed,) = check(ValidatorChoice.VAL, ["(unmet b)"])
    assert agreed == PlanValidator(PLANNING, PROBLEM).check(["(unmet b)"])
    assert agreed.literal == "(p b)"


@pytest.mark.parametrize("choice", [ValidatorChoice.VAL, ValidatorChoice.BOTH])
def test_where_val_has_no_answer_ours_answers_and_says_so(fake_val: Path, choice: ValidatorChoice) -> None:
    crashed, met, arity, unknown = check(choice, ["(crash a)"], ["(error b)"], ["(good a a)"], ["(good z)"])
    assert [one.valid for one in (crashed, met, arity, unknown)] == [True, False, False, False]
    assert f"answered by {VALIDATOR_VERSION}: VAL crashed" in crashed.reason
    assert met.literal == "(p b)"
    assert "takes 1 arguments" in arity.reason
    assert "was not asked" in unknown.reason
    asked = [int(line) for line in fake_val.with_name("calls").read_text().split()]
    assert asked[0] == 2  # VAL would not have survived the other two


@pytest.mark.parametrize(
    ("plan", "answers"),
    [
        (["(bad a)"], r"VAL says not valid \(Bad plan.*nl2pddl 1 says valid; the plan: \(bad a\)"),
        (["(good b)"], r"VAL says valid; nl2pddl 1 says not valid \(step 1.*the plan: \(good b\)"),
    ],
)
def test_both_stop_where_they_differ(fake_val: Path, plan: list[str], answers: str) -> None:
    assert [one.valid for one in check(ValidatorChoice.BOTH, ["(good a)"], ["(unmet b)"])] == [True, False]
    with pytest.raises(ValidatorsDifferError, match=f"problem little: {answers}"):
        check(ValidatorChoice.BOTH, ["(good a)"], plan)


def test_val_is_not_asked_about_the_type_object(fake_val: Path) -> None:
    typed = parse_domain(
        "(define (domain d) (:requirements :adl :typing) (:types a) (:predicates (q))"
        "(:action bad :parameters (?x - object) :precondition (and) :effect (q))"
        "(:action unmet :parameters () :precondition (forall (?x - object) (q)) :effect (and)))"
    )
    problem = parse_problem("(define (problem little) (:domain d) (:objects a - a) (:init) (:goal (q)))")
    checks = PlanChecker(ValidatorChoice.BOTH).check(typed, typed.text, problem, [["(bad a)"], ["(bad a)", "(unmet)"]])
    assert [check.valid for check in checks] == [True, True]
    assert "type object" in checks[0].reason
    assert not fake_val.with_name("calls").exists()


@pytest.mark.parametrize("choice", list(ValidatorChoice))
def test_the_cross_check_asks_the_checker_about_each_domain_s_own_text(
    library: DomainLibrary, choice: ValidatorChoice
) -> None:
    if choice in (ValidatorChoice.VAL, ValidatorChoice.BOTH) and find_val() is None:
        pytest.skip("VAL is not installed")
    original = library.find("blocksworld").planning
    action = action_pddl(original.actions["put-down"])
    text = original.with_action("put-down", action.replace("n (holding ?x)", "n (and (holding ?x) (clear ?x))", 1))
    new = parse_domain(text)
    problem = parse_problem(
        "(define (problem two) (:domain blocksworld) (:objects a b - block)"
        "(:init (handempty) (ontable a) (clear a) (ontable b) (clear b)) (:goal (on a b)))"
    )
    with KStar() as planner:
        answers = [planner.top_k(one, problem.text, 20, 30, 4096) for one in (original.text, text)]
    planned = [PlannedProblem("two", problem, *answers)]
    result = cross_check(original, new, planned, ["put-down"], PlanChecker(choice))
    assert (result.result_class, result.subclass) == (ResultClass.DIFFERENT, Subclass.OP_APP)
    assert result.failure is not None
    assert result.failure.direction == ORIGINAL_ON_NEW
    assert result.failure.literal is not None
    assert result.failure.literal.startswith("(clear ")
    assert result == cross_check(original, new, planned, ["put-down"])
