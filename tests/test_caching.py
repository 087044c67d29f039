"""A comparison made once is not made again: within a process, between workers, and between the runs of a store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nl2pddl.domains import DomainLibrary
from nl2pddl.experiment import Completion, ModelInfo, RunConfig
from nl2pddl.judging import JudgePool
from nl2pddl.memory import LocalMemory, SharedMemory
from nl2pddl.pipeline import EvaluationTask, Evaluator
from nl2pddl.planning.kstar import KStar
from nl2pddl.records import DescriptionClass, EvaluationSettings, Protocol, ResultClass, Verdict
from nl2pddl.runs import items_of
from nl2pddl.store import Store, StoreMemory, queries, writes

WRONG = "(:action stack :parameters (?x ?y - block) :precondition (and {pre}) :effect (and {eff}))"
FIRST = WRONG.format(pre="(holding ?x)", eff="(on ?x ?y) (clear ?x) (handempty) (not (holding ?x))")
SAME = FIRST.replace("?x", "?a").replace("?y", "?b").replace("(clear ?a) (handempty)", "(handempty) (clear ?a)")
PROTOCOLS = [Protocol.STRICT, Protocol.PUBLISHED]


def task(library: DomainLibrary, output: str, settings: EvaluationSettings) -> EvaluationTask:
    return EvaluationTask(library.find("blocksworld").source, "stack", output, settings)


def comparable(verdict: Verdict) -> Verdict:
    """The verdict without what may differ between a cached and a fresh one."""
    return replace(verdict, seconds=0.0, cached=False, action_text=None)


@pytest.mark.parametrize("exact", [False, True])
def test_a_cached_verdict_equals_a_fresh_one(library: DomainLibrary, exact: bool) -> None:
    settings = EvaluationSettings(exact=exact)
    with Evaluator() as first, Evaluator() as second:
        before = first.evaluate(task(library, FIRST, settings))
        cached = first.evaluate(task(library, SAME, settings))
        fresh = second.evaluate(task(library, SAME, settings))
    assert (before.cached, cached.cached, fresh.cached) == (False, True, False)
    assert cached.result_class is ResultClass.DIFFERENT
    assert cached.failure is not None
    timeless = [
        replace(comparable(v), exact=tuple(replace(decision, seconds=0.0) for decision in v.exact))
        for v in (cached, fresh)
    ]
    assert timeless[0] == timeless[1]
    assert bool(fresh.exact) is exact


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_another_protocol_k_or_limit_is_another_comparison(library: DomainLibrary, protocol: Protocol) -> None:
    base = EvaluationSettings(protocol=protocol)
    other = next(entry for entry in PROTOCOLS if entry is not protocol)
    with Evaluator() as evaluator:
        assert not evaluator.evaluate(task(library, FIRST, base)).cached
        for changed in (
            replace(base, protocol=other), replace(base, k=50), replace(base, seconds=20.0), replace(base, exact=True)
        ):  # fmt: skip
            assert not evaluator.evaluate(task(library, FIRST, changed)).cached
        assert evaluator.evaluate(task(library, FIRST, base)).cached


def test_without_shortcuts_nothing_is_looked_up_or_left(library: DomainLibrary) -> None:
    memory = LocalMemory()
    full = EvaluationSettings(shortcuts=False)
    with Evaluator(memory=memory) as evaluator:
        verdicts = [evaluator.evaluate(task(library, output, full)) for output in (FIRST, FIRST)]
        key = verdicts[0].comparison_key
        assert key is not None
        assert memory.comparison(key) is None
        assert not any(verdict.cached for verdict in verdicts)
        assert not evaluator.evaluate(task(library, FIRST, EvaluationSettings())).cached


def test_workers_that_meet_the_same_action_at_once_judge_it_once(library: DomainLibrary) -> None:
    outputs = [FIRST, SAME] * 5
    with JudgePool(2) as pool:
        futures = [pool.submit(task(library, output, EvaluationSettings())) for output in outputs]
        verdicts = [future.result(60) for future in futures]
    assert [verdict.cached for verdict in verdicts].count(False) == 1
    assert len({verdict.reason for verdict in verdicts}) == 1


def filled(store: Store, library: DomainLibrary, run_id: str, verdict: Verdict) -> None:
    config = RunConfig(("scripted:x",), ("blocksworld",), (DescriptionClass.BASE,))
    items = items_of(config, library)
    index = next(item.index for item in items if item.action == "stack")
    writes.add_run(store, run_id, config, items, [library.find("blocksworld").source])
    writes.add_outputs(
        store, run_id, [writes.Output(index, Completion(FIRST, "length", 3, 0.5), ModelInfo("scripted:x"))]
    )
    writes.add_verdicts(store, run_id, [(index, verdict)], config.evaluation)


def test_a_store_gives_back_comparisons_and_original_plans(store: Store, library: DomainLibrary) -> None:
    settings = EvaluationSettings(exact=True)
    with Evaluator(memory=SharedMemory(StoreMemory(store))) as evaluator:
        verdict = evaluator.evaluate(task(library, FIRST, settings))
    filled(store, library, "r1", verdict)
    assert store.rows("SELECT count(*) FROM original_plans") == [(2,)]
    # This one cannot plan at all: whatever it knows is from the store.
    with KStar("/bin/false") as broken, Evaluator(broken, SharedMemory(StoreMemory(store))) as evaluator:
        again = evaluator.evaluate(task(library, SAME, settings))
        original = evaluator.evaluate(task(library, library_text(library), EvaluationSettings()))
        other = evaluator.evaluate(task(library, FIRST.replace("(holding ?x)", "(clear ?x)"), settings))
    assert again.cached
    assert comparable(again) == comparable(verdict)
    assert original.result_class is ResultClass.EQUIVALENT
    assert other.result_class is ResultClass.UNDECIDED
    detail = queries.item_detail(store, "r1", verdict_index(store))
    assert detail.verdict["plan_relation"] == verdict.plan_relation
    assert [entry["outcome"] for entry in detail.verdict["exact"]] == [entry.outcome for entry in verdict.exact]
    frame = queries.results_frame(store, ["r1"])
    assert list(frame["exact"]) == ["different"]
    assert list(frame["action_relation"]) == ["different"]


def library_text(library: DomainLibrary) -> str:
    domain = library.find("blocksworld").planning
    start, end = domain.action_spans["stack"]
    return domain.text[start:end]


def verdict_index(store: Store) -> int:
    return int(store.rows("SELECT item_index FROM verdicts")[0][0])


def test_a_comparison_that_gave_nothing_keeps_nobody_waiting(library: DomainLibrary) -> None:
    limited = EvaluationSettings(k=50_000_000, seconds=1)
    with JudgePool(2) as pool:
        futures = [pool.submit(task(library, FIRST, limited)) for _ in range(3)]
        verdicts = [future.result(60) for future in futures]
    assert {verdict.result_class for verdict in verdicts} == {ResultClass.UNDECIDED}
