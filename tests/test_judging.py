from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from nl2pddl.actions import action_pddl
from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError
from nl2pddl.judging import JudgePool
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.records import EvaluationSettings, Protocol, ResultClass
from tests.conftest import ROOT

FULL = EvaluationSettings(shortcuts=False)
# A planner call that goes on for a minute: k plans that are never all found.
ENDLESS = EvaluationSettings(k=50_000_000, seconds=60, shortcuts=False)


def task(library: DomainLibrary, settings: EvaluationSettings = FULL, output: str | None = None) -> EvaluationTask:
    domain = library.find("blocksworld")
    text = action_pddl(domain.planning.actions["stack"]) if output is None else output
    return EvaluationTask(domain.source, "stack", text, settings)


def ours() -> list[psutil.Process]:
    return [p for p in psutil.Process().children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE]


def test_verdicts_come_back_in_the_order_asked(library: DomainLibrary) -> None:
    with JudgePool(2) as pool:
        futures = [pool.submit(task(library)) for _ in range(4)] + [pool.submit(task(library, output="x"))]
        classes = [future.result(60).result_class for future in futures]
    assert classes == [ResultClass.EQUIVALENT] * 4 + [ResultClass.SYNTAX]


def test_a_killed_worker_is_replaced_and_its_task_done(library: DomainLibrary) -> None:
    with JudgePool(1) as pool:
        assert pool.submit(task(library)).result(60).result_class is ResultClass.EQUIVALENT
        (worker,) = (p for p in ours() if "nl2pddl.judge_process" in p.cmdline())
        os.kill(worker.pid, signal.SIGKILL)
        assert pool.submit(task(library)).result(60).result_class is ResultClass.EQUIVALENT


def test_a_worker_that_always_dies_gives_an_undecided_verdict(library: DomainLibrary) -> None:
    with JudgePool(1) as pool:
        future = pool.submit(task(library, ENDLESS))
        killed = 0
        deadline = time.monotonic() + 60
        while killed < 2 and time.monotonic() < deadline:
            for process in ours():
                if process.name() == "downward":
                    os.kill(process.ppid(), signal.SIGSTOP)
                    worker = psutil.Process(process.ppid()).parent()
                    assert worker is not None
                    os.kill(worker.pid, signal.SIGKILL)
                    os.kill(process.ppid(), signal.SIGCONT)
                    killed += 1
                    time.sleep(0.2)
                    break
            time.sleep(0.05)
        verdict = future.result(60)
    assert killed == 2
    assert verdict.result_class is ResultClass.UNDECIDED
    assert "failed twice" in verdict.reason


def test_a_wrong_task_is_an_error_of_its_own(library: DomainLibrary) -> None:
    with JudgePool(1) as pool:
        wrong = EvaluationTask(library.find("blocksworld").source, "fly", "", FULL)
        with pytest.raises(InputError, match="has no action 'fly'"):
            pool.submit(wrong).result(60)
        assert pool.submit(task(library)).result(60).result_class is ResultClass.EQUIVALENT


def test_closing_ends_workers_and_planners_at_once(library: DomainLibrary) -> None:
    before = {process.pid for process in ours()}
    pool = JudgePool(1)
    future = pool.submit(task(library, ENDLESS))
    wait_for_planner()
    pool.close()
    assert future.done()
    assert gone({process.pid for process in ours()} - before)


def wait_for_planner() -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if any(process.name() == "downward" for process in ours()):
            return
        time.sleep(0.05)
    raise AssertionError("no planner was started")


def gone(pids: set[int]) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if not any(psutil.pid_exists(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def test_when_the_program_is_killed_nothing_of_it_survives(library: DomainLibrary) -> None:
    code = """
import sys, time
from pathlib import Path
sys.path.insert(0, ".")
from nl2pddl.domains import load_library
from nl2pddl.judging import JudgePool
from tests.test_judging import ENDLESS, task
pool = JudgePool(2)
library = load_library(Path("domains"))
futures = [pool.submit(task(library, ENDLESS)) for _ in range(4)]
print("running", flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "running\n"
        wait_for_planner()
        pids = {process.pid for process in psutil.Process(program.pid).children(recursive=True)}
        assert len(pids) >= 4  # two workers, their planner processes, and searches
        program.kill()
    assert gone(pids)


def with_parameters(count: int, used: bool) -> str:
    names = [f"?z{number}" for number in range(count)]
    literals = " ".join(f"(on {one} {other})" for one, other in itertools.pairwise(names)) if used else ""
    return (
        f"(:action stack :parameters (?x ?y {' '.join(names)} - block) :precondition (and (holding ?x) (clear ?y)) "
        f":effect (and (on ?x ?y) (clear ?x) (handempty) (not (holding ?x)) (not (clear ?y)) {literals}))"
    )


@pytest.mark.parametrize("protocol", list(Protocol))
@pytest.mark.parametrize(("count", "used"), [(100, False), (100, True), (13, True)])
def test_an_action_that_runs_away_is_stopped_and_the_next_one_unharmed(
    library: DomainLibrary, protocol: Protocol, count: int, used: bool
) -> None:
    limits = EvaluationSettings(protocol, seconds=2, memory_mb=1024, exact=True, exact_seconds=2)
    with JudgePool(1) as pool:
        runaway = pool.submit(task(library, limits, with_parameters(count, used)))
        after = pool.submit(task(library, FULL))
        verdict = runaway.result(120)
        assert verdict.result_class is ResultClass.UNDECIDED
        assert "time" in verdict.reason or "memory" in verdict.reason
        assert verdict.cross_checks[0].planner in ("time", "memory")
        assert len(verdict.exact) == 2
        assert after.result(120).result_class is ResultClass.EQUIVALENT
