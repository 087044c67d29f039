"""Writes records to the store. Every write is one transaction, and repeating one changes nothing."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from nl2pddl import __version__
from nl2pddl.errors import InputError
from nl2pddl.experiment import Completion, Fault, ModelInfo, RunConfig, RunItem
from nl2pddl.memory import PlansKey
from nl2pddl.planning.kstar import PlannerAnswer
from nl2pddl.records import DomainSource, EvaluationSettings, Verdict
from nl2pddl.store.database import Store, now

RECORDED_PACKAGES = ("pddl", "kstar-planner", "duckdb", "torch", "transformers", "bitsandbytes", "llguidance")


def add_run(
    store: Store,
    run_id: str,
    config: RunConfig,
    items: Sequence[RunItem],
    sources: Iterable[DomainSource],
    whole: RunConfig | None = None,
) -> None:
    """Store a run with all its items and the texts of its domains, so that everything after is only results.

    ``whole`` is what a dry run was a trial of.
    """
    with store.transaction() as cursor:
        cursor.execute(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                run_id, now(), config.name, _json(config.to_dict()), _json(versions()), len(items),
                config.evaluation.protocol.value,
            ],
        )  # fmt: skip
        for source in sources:
            cursor.execute(
                "INSERT INTO domains VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [source.sha, source.id, source.domain, _json(source.problems)],
            )
        _insert_items(cursor, run_id, items)
        if whole is not None:
            cursor.execute(
                "INSERT INTO run_events VALUES (?, ?, 'dry run', ?)", [run_id, now(), _json(whole.to_dict())]
            )
        cursor.execute("INSERT INTO run_events VALUES (?, ?, 'created', '')", [run_id, now()])


def add_event(store: Store, run_id: str, event: str, detail: str = "") -> None:
    """Append to a run's history; its status is read from the last event."""
    with store.transaction() as cursor:
        cursor.execute("INSERT INTO run_events VALUES (?, ?, ?, ?)", [run_id, now(), event, detail])


def add_items(store: Store, run_id: str, items: Sequence[RunItem]) -> None:
    """Add items to a run that has begun: the next round of corrections. Those it has already are left as they are."""
    with store.transaction() as cursor:
        _insert_items(cursor, run_id, items)


def _insert_items(cursor: Any, run_id: str, items: Sequence[RunItem]) -> None:
    if items:
        cursor.executemany(
            f"INSERT INTO items VALUES ({', '.join('?' * 14)}) ON CONFLICT DO NOTHING",
            [
                [
                    run_id, item.index, item.model, item.domain, item.action, item.description_class.value,
                    item.sample, item.prompt, _json(item.context), item.domain_sha, item.draw, item.grammar, item.round,
                    _json([asdict(turn) for turn in item.dialogue]),
                ]
                for item in items
            ],
        )  # fmt: skip


_OF_A_RUN = ("notes", "verdicts", "outputs", "faults", "items", "run_events", "runs")


def delete_run(store: Store, run_id: str) -> None:
    """Take a run and everything that belongs to it alone out of the store: items, outputs, verdicts, notes.

    Domains and the plans of original domains stay: other runs have them too. Raises InputError where there is no such
    run.
    """
    with store.transaction() as cursor:
        if not cursor.execute("SELECT 1 FROM runs WHERE run_id = ?", [run_id]).fetchone():
            raise InputError(f"the store has no run {run_id}")
        for table in _OF_A_RUN:
            cursor.execute(f"DELETE FROM {table} WHERE run_id = ?", [run_id])
    store.checkpoint()


@dataclass(frozen=True)
class Output:
    """A completion of an item. ``key`` finds it again (see ``Backend.key``); ``prompt`` is what was sent where that is
    not the item's own prompt."""

    index: int
    completion: Completion
    info: ModelInfo
    key: str | None = None
    prompt: str | None = None


def add_outputs(store: Store, run_id: str, outputs: Sequence[Output]) -> None:
    """Store a batch of completions."""
    if not outputs:
        return
    at = now()
    with store.transaction() as cursor:
        cursor.executemany(
            f"INSERT INTO outputs VALUES ({', '.join('?' * 13)}) ON CONFLICT DO NOTHING",
            [
                [
                    run_id, output.index, answer.text, answer.stop_reason, answer.new_tokens, answer.seconds,
                    _json(asdict(output.info)), at, output.prompt, answer.prompt_tokens, answer.thinking, answer.reused,
                    output.key,
                ]
                for output in outputs
                for answer in [output.completion]
            ],
        )  # fmt: skip


def add_faults(store: Store, run_id: str, faults: Sequence[tuple[int, Fault]]) -> None:
    """Store why items (by index) got no answer this time; they stay missing, and a resumed run asks again."""
    if not faults:
        return
    at = now()
    with store.transaction() as cursor:
        cursor.executemany(
            "INSERT INTO faults VALUES (?, ?, ?, ?, ?, ?)",
            [[run_id, index, fault.kind, fault.message, fault.attempts, at] for index, fault in faults],
        )


def add_verdicts(
    store: Store, run_id: str, verdicts: Sequence[tuple[int, Verdict]], settings: EvaluationSettings
) -> None:
    """Store a batch of verdicts, each with its item's index, and the settings they were reached with.

    Raises InputError where the run was deleted meanwhile.
    """
    if not verdicts:
        return
    with store.transaction() as cursor:
        if not cursor.execute("SELECT 1 FROM runs WHERE run_id = ?", [run_id]).fetchone():
            raise InputError(f"the store has no run {run_id}")
        cursor.executemany(
            f"INSERT INTO verdicts VALUES ({', '.join('?' * 26)}) ON CONFLICT DO NOTHING",
            [_verdict_row(run_id, index, verdict, settings) for index, verdict in verdicts],
        )


def add_original_plans(store: Store, key: PlansKey, answer: PlannerAnswer) -> None:
    """Store the plans that a planner found for a problem of an original domain."""
    with store.transaction() as cursor:
        cursor.execute(
            "INSERT INTO original_plans VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                key.domain_sha, key.problem, key.k, key.planner_version, answer.heuristic, _json(answer.plans), now(),
            ],
        )  # fmt: skip


def _verdict_row(run_id: str, index: int, verdict: Verdict, settings: EvaluationSettings) -> list[Any]:
    return [
        run_id,
        index,
        verdict.protocol.value,
        verdict.result_class.value,
        verdict.subclass.value if verdict.subclass else None,
        verdict.reason,
        verdict.action_text,
        verdict.are,
        _json([asdict(problem) for problem in verdict.problems]),
        _json([asdict(check) for check in verdict.cross_checks]),
        _json(asdict(verdict.failure)) if verdict.failure else None,
        verdict.planner_version,
        verdict.validator_version,
        verdict.shortcut,
        verdict.seconds,
        _json(asdict(settings)),
        now(),
        _json(asdict(verdict.comparison)) if verdict.comparison else None,
        verdict.comparison.relation.value if verdict.comparison else None,
        verdict.plan_relation.value if verdict.plan_relation else None,
        verdict.exercised,
        verdict.exact_outcome.value if verdict.exact_outcome else None,
        _json([asdict(decision) for decision in verdict.exact]),
        verdict.working_plans,
        verdict.comparison_key,
        verdict.cached,
    ]


def versions() -> dict[str, str]:
    """The versions that a result depends on: ours, Python's, and those of the packages that do the work."""
    found = {"nl2pddl": __version__, "python": platform.python_version()}
    for package in RECORDED_PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
