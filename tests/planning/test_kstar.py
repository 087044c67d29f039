from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from nl2pddl.domains import DomainLibrary
from nl2pddl.planning.kstar import KStar, Outcome, kstar_folder
from nl2pddl.planning.validation import PlanValidator
from tests.conftest import ROOT

LIMITS = {"seconds": 30.0, "memory_mb": 4096}


@pytest.fixture(scope="module")
def planner() -> Iterator[KStar]:
    with KStar() as warm:
        yield warm


def blocksworld(library: DomainLibrary) -> tuple[str, str]:
    domain = library.find("blocksworld")
    return domain.planning.text, domain.problems[0][1].text


def planner_processes() -> list[psutil.Process]:
    return [p for p in psutil.Process().children(recursive=True) if p.is_running() and p.status() != "zombie"]


def test_top_k_plans_of_every_domain_are_plans_and_exercise_every_action(
    planner: KStar, library: DomainLibrary
) -> None:
    for domain in library.domains.values():
        used: set[str] = set()
        for _, problem in domain.problems:
            answer = planner.top_k(domain.planning.text, problem.text, 100, **LIMITS)
            assert answer.outcome is Outcome.SOLVED
            assert len(set(answer.plans)) == len(answer.plans) <= 100
            assert [len(plan) for plan in answer.plans] == sorted(len(plan) for plan in answer.plans)
            validator = PlanValidator(domain.planning, problem)
            assert all(validator.check(plan).valid for plan in answer.plans)
            used |= {step.strip("()").split()[0] for plan in answer.plans for step in plan}
        assert used == set(domain.planning.actions), domain.id


def test_k_bounds_the_number_of_plans(planner: KStar, library: DomainLibrary) -> None:
    assert len(planner.top_k(*blocksworld(library), 7, **LIMITS).plans) == 7


def test_the_same_task_gives_the_same_plans_in_another_process(planner: KStar, library: DomainLibrary) -> None:
    first = planner.top_k(*blocksworld(library), 100, **LIMITS)
    with KStar() as other:
        assert other.top_k(*blocksworld(library), 100, **LIMITS) == first


def test_unsolvable(planner: KStar, library: DomainLibrary) -> None:
    domain, problem = blocksworld(library)
    answer = planner.top_k(domain.replace("(handempty)", "(and (handempty) (not (handempty)))"), problem, 5, **LIMITS)
    assert answer.outcome is Outcome.ERROR  # not a domain at all: a predicate declaration was broken too
    without = domain.replace("(on ?x ?y)\n", "(ontable ?x)\n")
    assert without != domain
    assert planner.top_k(without, problem, 5, **LIMITS).outcome is Outcome.UNSOLVABLE


def test_a_search_beyond_its_time_is_stopped_and_gives_no_plans(planner: KStar, library: DomainLibrary) -> None:
    answer = planner.top_k(*blocksworld(library), 50_000_000, seconds=1.0, memory_mb=4096)
    assert (answer.outcome, answer.plans) == (Outcome.TIME, ())
    assert not [p for p in planner_processes() if "downward" in p.name()]


def test_the_time_limit_covers_the_translator(planner: KStar) -> None:
    objects = " ".join(f"o{i}" for i in range(40))
    facts = " ".join(f"(p o{i} o{j})" for i in range(40) for j in range(40))
    parameters = " ".join(f"?x{i}" for i in range(9))
    chain = " ".join(f"(p ?x{i} ?x{i + 1})" for i in range(8))
    domain = (
        "(define (domain d) (:predicates (p ?a ?b) (q ?a))"
        f"(:action a :parameters ({parameters}) :precondition (and {chain}) :effect (q ?x8)))"
    )
    problem = f"(define (problem x) (:domain d) (:objects {objects}) (:init {facts}) (:goal (q o1)))"
    answer = planner.top_k(domain, problem, 5, seconds=1.5, memory_mb=4096)
    assert answer.outcome is Outcome.TIME


def test_a_search_beyond_its_memory_says_so(planner: KStar, library: DomainLibrary) -> None:
    answer = planner.top_k(*blocksworld(library), 50_000_000, seconds=60.0, memory_mb=320)
    assert (answer.outcome, answer.plans) == (Outcome.MEMORY, ())


def test_bad_pddl_is_exit_30_with_the_translator_s_words(planner: KStar) -> None:
    answer = planner.top_k("(define", "(define", 5, **LIMITS)
    assert (answer.outcome, answer.exit_code) == (Outcome.ERROR, 30)
    assert answer.detail


def test_an_lmcut_refusal_is_searched_with_hmax(planner: KStar) -> None:
    domain = (
        "(define (domain d) (:requirements :conditional-effects) (:predicates (p) (q) (r))"
        "(:action a :parameters () :effect (and (q) (when (q) (r)))))"
    )
    answer = planner.top_k(domain, "(define (problem x) (:domain d) (:init (p)) (:goal (and (q) (r))))", 3, **LIMITS)
    assert answer.outcome is Outcome.SOLVED
    assert answer.heuristic == "hmax()"
    assert answer.plans[0] == ("(a)", "(a)")


def test_false_in_place_of_the_planner_solves_nothing(library: DomainLibrary) -> None:
    with KStar(search_binary="/bin/false") as broken:
        answer = broken.top_k(*blocksworld(library), 5, **LIMITS)
    assert answer.outcome not in (Outcome.SOLVED, Outcome.UNSOLVABLE)
    with KStar(search_binary="/no/such/binary") as missing:
        assert missing.top_k(*blocksworld(library), 5, **LIMITS).outcome is Outcome.ERROR


def test_a_killed_planner_process_is_an_error_and_is_replaced(library: DomainLibrary) -> None:
    with KStar() as planner:
        assert planner.top_k(*blocksworld(library), 3, **LIMITS).outcome is Outcome.SOLVED
        process = planner._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert planner.top_k(*blocksworld(library), 3, **LIMITS).outcome is Outcome.SOLVED


def test_closing_ends_the_process(library: DomainLibrary) -> None:
    planner = KStar()
    planner.top_k(*blocksworld(library), 3, **LIMITS)
    process = planner._process
    assert process is not None
    planner.close()
    deadline = time.monotonic() + 10
    while psutil.pid_exists(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(process.pid)


def test_a_killed_user_of_the_planner_leaves_no_folder(library: DomainLibrary, tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from nl2pddl.domains import load_library; from nl2pddl.planning.kstar import KStar\n"
        "d = load_library(pathlib.Path('domains')).find('blocksworld'); k = KStar()\n"
        "print(k.top_k(d.planning.text, d.problems[0][1].text, 1, 9, 4096).outcome, flush=True)\n"
        "k.top_k(d.planning.text, d.problems[0][1].text, 50_000_000, 600, 4096)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE) as user:
        assert user.stdout is not None
        assert user.stdout.readline() == b"solved\n"
        assert len(list(tmp_path.iterdir())) == 1
        user.kill()
    deadline = time.monotonic() + 10
    while any(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []


def test_the_binaries_are_the_installed_package_s() -> None:
    assert (kstar_folder() / "downward").is_file()
