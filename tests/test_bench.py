import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from itertools import count

import pytest

from nl2pddl.actions import action_pddl
from nl2pddl.bench import Bench
from nl2pddl.beside import BesideError, Report, run_beside
from nl2pddl.comparing import FIRST, PROBLEM, SECOND, compare_texts, measure
from nl2pddl.domains import DomainLibrary
from nl2pddl.exact import ExactLimits
from nl2pddl.exact.space import state_space
from nl2pddl.pddl_io import parse_domain, parse_problem
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.planning.validation import PlanValidator
from nl2pddl.records import EvaluationSettings, ExactOutcome, ResultClass
from tests.conftest import ROOT

# More ground actions than any translator lists in a minute.
RUNAWAY = "(:action stack :parameters ({}) :precondition (and {}) :effect (on ?p0 ?p1))".format(
    " ".join(f"?p{number} - block" for number in range(14)),
    " ".join(f"(clear ?p{number})" for number in range(14)),
)


def doubled(report: Report, value: int) -> int:
    report("begun")
    return 2 * value


def forever(report: Report) -> None:
    for number in count():
        report(number)
        time.sleep(0.01)


def broken(report: Report) -> None:
    raise KeyError("lost")


def greedy(report: Report) -> int:
    return len(bytearray(1 << 33))


def dying(report: Report) -> None:
    import os

    os._exit(3)


def ignore(progress: object) -> None:
    pass


@pytest.fixture
def bench() -> Iterator[Bench]:
    opened = Bench(lanes=1)
    yield opened
    opened.close()


def test_a_function_beside_reports_and_answers() -> None:
    said: list[object] = []
    assert run_beside(doubled, 21, seconds=60, stopped=threading.Event(), report=said.append) == 42
    assert said == ["begun"]


@pytest.mark.parametrize(
    ("function", "reason"),
    [(broken, "KeyError: 'lost'"), (greedy, "MB of memory"), (dying, "ended before"), (forever, "more than 1 s")],
)
def test_a_function_without_an_answer_says_why(function: object, reason: str) -> None:
    with pytest.raises(BesideError, match=reason):
        run_beside(function, seconds=1 if function is forever else 60, stopped=threading.Event(), report=ignore)  # type: ignore[arg-type]


def test_what_is_stopped_makes_room_for_the_next(bench: Bench, library: DomainLibrary) -> None:
    endless = bench.beside(forever, seconds=600)
    waiting = bench.beside(doubled, 1, seconds=60)
    never_begun = bench.beside(doubled, 2, seconds=60)
    never_begun.stop()
    with pytest.raises(CancelledError):
        never_begun.result()
    assert not waiting.started
    endless.stop()
    with pytest.raises(CancelledError):
        endless.result()
    assert waiting.result() == 2


def test_a_runaway_action_can_be_stopped_and_another_is_judged(bench: Bench, library: DomainLibrary) -> None:
    domain = library.find("blocksworld")
    settings = EvaluationSettings(seconds=600)
    runaway = bench.judge(EvaluationTask(domain.source, "stack", RUNAWAY, settings))
    assert not runaway.done(3)
    runaway.stop()
    with pytest.raises(CancelledError):
        runaway.result()
    truth = action_pddl(domain.planning.actions["stack"], types=True)
    assert bench.judge(EvaluationTask(domain.source, "stack", truth, settings)).result().result_class == "equivalent"


def test_a_runaway_action_ends_as_the_limits_say(bench: Bench, library: DomainLibrary) -> None:
    task = EvaluationTask(library.find("blocksworld").source, "stack", RUNAWAY, EvaluationSettings(seconds=2))
    verdict = bench.judge(task).result()
    assert verdict.result_class is ResultClass.UNDECIDED
    assert "stopped after 2 s" in verdict.reason


def test_closing_ends_what_is_under_way(library: DomainLibrary) -> None:
    bench = Bench(lanes=1)
    job = bench.beside(forever, seconds=600)
    bench.close()
    with pytest.raises(CancelledError):
        job.result()


def test_a_program_that_ends_does_not_wait_for_a_runaway() -> None:
    code = (
        "import time\n"
        "from nl2pddl.bench import Bench\n"
        "from nl2pddl.domains import load_library\n"
        "from nl2pddl.pipeline import EvaluationTask\n"
        "from nl2pddl.records import EvaluationSettings\n"
        "from tests.conftest import DOMAINS\n"
        "from tests.test_bench import RUNAWAY\n"
        "source = load_library(DOMAINS).find('blocksworld').source\n"
        "job = Bench().judge(EvaluationTask(source, 'stack', RUNAWAY, EvaluationSettings(seconds=3600)))\n"
        "print(job.done(5))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.returncode) == ("False", 0)


def test_texts_are_compared_with_a_witness(library: DomainLibrary) -> None:
    domain = library.find("blocksworld")
    changed = domain.planning.source.replace("(not (ontable ?x))", "", 1)
    found = compare_texts(ignore, domain.planning.source, changed, domain.problems[0][1].text, ExactLimits())
    decision = found.decision
    assert decision is not None
    assert decision.outcome is ExactOutcome.DIFFERENT
    assert decision.witness is not None
    problem = domain.problems[0][1]
    assert not PlanValidator(domain.planning, problem).check(decision.witness).valid
    assert PlanValidator(parse_domain(changed), problem).check(decision.witness).valid
    same = compare_texts(ignore, changed, changed, problem.text, ExactLimits()).decision
    assert same is not None
    assert same.outcome is ExactOutcome.EQUAL


def test_each_text_is_named_with_all_that_is_wrong(library: DomainLibrary) -> None:
    domain = library.find("blocksworld")
    found = compare_texts(ignore, "(define (domain x)\n  (:predicates (p)", "", "(define (problem p) 5)", ExactLimits())
    assert found.decision is None
    assert found.faults[FIRST] == ("line 2, column 3: 2 parentheses are never closed",)
    assert found.faults[SECOND] == ("it is empty",)
    assert found.faults[PROBLEM][0].startswith("line 1, column 21: not valid PDDL")
    unfit = domain.problems[0][1].text.replace("- block", "- brick").replace("(handempty)", "(handfull)")
    wrong = domain.planning.source.replace("(clear ?x)\n", "(clean ?x)\n", 2)
    found = compare_texts(ignore, domain.planning.source, wrong, unfit, ExactLimits())
    assert any("'clean'" in fault and fault.startswith("line ") for fault in found.faults[SECOND])
    assert any("'brick'" in fault and fault.endswith("(first domain)") for fault in found.faults[PROBLEM])
    assert any("handfull" in fault for fault in found.faults[PROBLEM])


def test_text_nested_without_end_is_refused(library: DomainLibrary) -> None:
    deep = "(define (problem p) (:domain x) (:goal " + "(not " * 50_000 + "(p)" + ")" * 50_002
    assert compare_texts(ignore, deep, deep, deep, ExactLimits()).faults.keys() == {FIRST, SECOND, PROBLEM}


def test_the_known_sizes_of_blocksworld_are_found(library: DomainLibrary) -> None:
    # 22 and 866 states with three and five blocks, the hand included. Deletes ignored, n blocks are picked up and put
    # down, and stacked on and lifted from n: 2n + 2n * n ground actions.
    domain = library.find("blocksworld")
    said: list[object] = []
    three, five = measure(said.append, domain.source, ExactLimits())
    assert (three.states, three.ground_actions, three.detail) == (22, 24, "")
    assert (five.states, five.ground_actions, five.detail) == (866, 60, "")
    assert said[0] == ((), 0)
    assert said[-1] == ((three,), 866)


UNUSED = """(define (domain d) (:requirements :strips) (:predicates (p ?x) (q ?x) (never))
  (:action mark :parameters (?x ?idle) :precondition (p ?x) :effect (q ?x))
  (:action dead :parameters (?x) :precondition (never) :effect (not (p ?x))))"""
THREE = "(define (problem x) (:domain d) (:objects a b c) (:init (p a) (p b)) (:goal (q a)))"


def test_facts_no_condition_mentions_and_idle_parameters_count_too() -> None:
    space = state_space(parse_domain(UNUSED), "x", parse_problem(THREE), ExactLimits())
    # (q a) and (q b) can each become true; mark has two marked objects times three idle ones, dead never applies.
    assert (space.states, space.ground_actions, space.facts) == (4, 6, 2)


def test_a_limit_of_states_says_more_than(library: DomainLibrary) -> None:
    domain = library.find("blocksworld")
    space = state_space(domain.planning, "p02", domain.problems[1][1], ExactLimits(states=100))
    assert (space.states, space.ground_actions) == (100, 60)
    assert "100 states" in space.detail
