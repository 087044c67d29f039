"""The published cross-check: its order, what it makes of the planner's exits, and VAL as it takes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nl2pddl.actions import And, LiftedAction, Or, Parameter
from nl2pddl.candidate import Candidate
from nl2pddl.domains import DomainLibrary
from nl2pddl.equivalence import CrossCheckResult
from nl2pddl.planning.kstar import Outcome, PlannerAnswer
from nl2pddl.published.plans import ImitatedVal, cross_check
from nl2pddl.records import ResultClass, Subclass

MOVE = "(move cellar attic)"
GOOD = PlannerAnswer(Outcome.SOLVED, ((MOVE,),), 0)


def result(
    library: DomainLibrary, *pairs: tuple[PlannerAnswer, PlannerAnswer], well_typed: bool = True
) -> CrossCheckResult:
    """The cross-check of gripper's own ``move``, with these answers of the planner in turn."""
    domain = library.find("gripper")
    action = domain.planning.actions["move"]
    candidate = Candidate("move", action, "", "", same=False, well_typed=well_typed)
    answers = iter(pairs)
    # No goal, so that a plan is valid when its steps apply.
    problems = [(name, replace(problem, goal=And())) for name, problem in domain.problems][: len(pairs)]
    return cross_check(domain.planning, candidate, problems, lambda *_: next(answers))


@pytest.mark.parametrize(
    ("answer", "result_class", "subclass"),
    [
        (PlannerAnswer(Outcome.UNSOLVABLE, exit_code=12), ResultClass.DIFFERENT, Subclass.NO_PLAN),
        (PlannerAnswer(Outcome.TIME, exit_code=23), ResultClass.DIFFERENT, Subclass.NO_PLAN),
        (PlannerAnswer(Outcome.TIME, exit_code=-9, translated=False), ResultClass.UNDECIDED, None),
        (PlannerAnswer(Outcome.ERROR, exit_code=30), ResultClass.SEMANTIC, Subclass.PA_ERROR),
        (PlannerAnswer(Outcome.ERROR, exit_code=34), ResultClass.SEMANTIC, Subclass.BP_ERROR),
        (PlannerAnswer(Outcome.MEMORY, exit_code=22), ResultClass.UNDECIDED, None),
        (PlannerAnswer(Outcome.ERROR, exit_code=1), ResultClass.UNDECIDED, None),
    ],
)
def test_what_the_planner_s_exits_become(
    library: DomainLibrary, answer: PlannerAnswer, result_class: ResultClass, subclass: Subclass | None
) -> None:
    found = result(library, (GOOD, answer))
    assert (found.result_class, found.subclass, found.working_plans) == (result_class, subclass, 0)


def solved(*plans: str) -> PlannerAnswer:
    return PlannerAnswer(Outcome.SOLVED, tuple((plan,) for plan in plans), 0)


@pytest.mark.parametrize(
    ("pairs", "subclass", "working"),
    [
        ([(solved(MOVE, MOVE), solved(MOVE, MOVE))], None, 2),
        ([(solved(MOVE), solved(MOVE, MOVE))], Subclass.OP_APP, 0),
        ([(solved(MOVE, MOVE), solved(MOVE, "(move attic cellar)"))], Subclass.NP_APP, 1),
        ([(solved(MOVE, "(move attic cellar)"), solved(MOVE, MOVE))], Subclass.OP_APP, 2),
        # Pair by pair: the second half of the first pair comes before the first half of the second.
        ([(solved("(move attic cellar)", MOVE), solved(MOVE, "(move attic cellar)"))], Subclass.OP_APP, 1),
        # Problem by problem: a difference in the first keeps the second from being planned at all.
        (
            [
                (solved(MOVE), solved("(move attic cellar)")),
                (solved(MOVE), PlannerAnswer(Outcome.UNSOLVABLE, exit_code=12)),
            ],
            Subclass.NP_APP,
            0,
        ),
        ([(solved(MOVE), solved("(fly b1)"))], None, 1),  # VAL: "Bad plan description!", with exit status 0
    ],
)
def test_the_order_of_the_comparison(
    library: DomainLibrary,
    pairs: list[tuple[PlannerAnswer, PlannerAnswer]],
    subclass: Subclass | None,
    working: int,
) -> None:
    found = result(library, *pairs)
    assert (found.subclass, found.working_plans) == (subclass, working)


def test_a_domain_that_val_refuses_fails_every_original_plan(library: DomainLibrary) -> None:
    found = result(library, (GOOD, GOOD), well_typed=False)
    assert (found.subclass, found.working_plans) == (Subclass.OP_APP, 1)


@pytest.mark.parametrize(
    ("plan", "valid"),
    [
        ((MOVE,), True),
        (("(move attic cellar)",), False),
        (("(fly cellar)",), True),
        (("(move cellar b1)",), True),
        (("(move cellar nowhere)",), True),
        (("(move cellar)",), False),
        (("(move cellar attic attic)",), False),
        (("(move b1 attic attic)",), True),  # what it can read is wrong, so it does not come to count
        (("(move cellar)", "(fly cellar)"), True),  # all steps are read before one is run
    ],
)
def test_val_as_the_published_code_takes_it(library: DomainLibrary, plan: tuple[str, ...], valid: bool) -> None:
    domain = library.find("gripper")
    problem = replace(domain.problems[0][1], goal=And())
    assert ImitatedVal(domain.planning, problem, refused=False).check(plan).valid is valid
    assert not ImitatedVal(domain.planning, problem, refused=True).check(plan).valid


def test_an_empty_precondition_makes_val_refuse_the_domain(library: DomainLibrary) -> None:
    domain = library.find("gripper")
    action = LiftedAction("move", (Parameter("?from", ("room",)), Parameter("?to", ("room",))), Or(()), And())
    candidate = Candidate("move", action, "", "", same=False)
    found = cross_check(domain.planning, candidate, domain.problems[:1], lambda *_: (solved(), solved()))
    assert found.result_class is ResultClass.EQUIVALENT  # no plan, nothing to refuse
    problem = replace(domain.problems[0][1], goal=And())
    found = cross_check(domain.planning, candidate, [("p", problem)], lambda *_: (GOOD, GOOD))
    assert found.subclass is Subclass.OP_APP
