"""What is shared between workers: nothing computed twice, nobody left waiting."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from nl2pddl.equivalence import CrossCheckResult
from nl2pddl.memory import LocalMemory, PlansKey, SharedMemory
from nl2pddl.planning.kstar import Outcome, PlannerAnswer
from nl2pddl.records import ResultClass

KEY = PlansKey("sha", "p01", 100, "kstar")
ANSWER = PlannerAnswer(Outcome.SOLVED, (("(move a b)",),), 0)
RESULT = CrossCheckResult(ResultClass.EQUIVALENT, None, "all cross over", ())


def test_what_is_remembered_is_found() -> None:
    for memory in (LocalMemory(), SharedMemory(), SharedMemory(LocalMemory())):
        assert memory.plans(KEY) is None
        assert memory.comparison("k") is None
        memory.remember_plans(KEY, ANSWER)
        memory.remember_comparison("k", RESULT)
        assert memory.plans(KEY) == ANSWER
        assert memory.comparison("k") == RESULT
        assert memory.plans(PlansKey("sha", "p01", 50, "kstar")) is None


def test_the_backing_is_told_and_asked() -> None:
    backing = LocalMemory()
    SharedMemory(backing).remember_comparison("k", RESULT)
    assert backing.comparison("k") == RESULT
    assert SharedMemory(backing).comparison("k") == RESULT


def test_a_second_asker_waits_for_the_first_and_computes_nothing() -> None:
    memory = SharedMemory()
    computed = []
    together = threading.Barrier(4)

    def work(number: int) -> CrossCheckResult:
        together.wait(10)
        known = memory.comparison("k")
        if known is None:
            computed.append(number)
            threading.Event().wait(0.05)
            memory.remember_comparison("k", RESULT)
            known = RESULT
        memory.release()
        return known

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(work, range(4))) == [RESULT] * 4
    assert len(computed) == 1


def test_who_gives_up_lets_the_next_one_compute() -> None:
    memory = SharedMemory()
    assert memory.comparison("k") is None
    asked = threading.Event()

    def second() -> CrossCheckResult | None:
        asked.set()
        return memory.comparison("k")

    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(second)
        assert asked.wait(10)
        assert not waiting.done()
        memory.release()
        assert waiting.result(10) is None


def test_asking_again_does_not_wait_for_oneself() -> None:
    memory = SharedMemory()
    assert memory.comparison("k") is None
    assert memory.comparison("k") is None


def test_what_was_given_up_once_is_not_waited_for_again() -> None:
    memory = SharedMemory()
    assert memory.comparison("k") is None
    memory.release()
    assert memory.comparison("k") is None
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(memory.comparison, "k").result(10) is None
    memory.remember_comparison("k", RESULT)
    assert memory.comparison("k") == RESULT
