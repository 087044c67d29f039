"""Stores verdicts that were reached elsewhere: a results file becomes a run of its own, marked as imported."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from nl2pddl import __version__, study
from nl2pddl.errors import InputError
from nl2pddl.experiment import RunConfig, RunKind
from nl2pddl.records import DescriptionClass, EvaluationSettings, Problem, Protocol, Subclass
from nl2pddl.store.database import Store, now


def imported_config(results: study.Results) -> RunConfig:
    """What a run with these results would have been asked for. How it was decoded and judged is not on record."""
    rows = results.rows
    present = set(rows["description_class"])
    return RunConfig(
        models=tuple(dict.fromkeys(rows["model"])),
        domains=tuple(dict.fromkeys(rows["domain"])),
        descriptions=tuple(one for one in DescriptionClass if one.value in present),
        prompts=int(rows["sample"].max()) + 1,
        name=results.name,
        evaluation=EvaluationSettings(protocol=Protocol.PUBLISHED),
        kind=RunKind.IMPORTED,
    )


def add_imported(store: Store, run_id: str, results: study.Results) -> None:
    """Store a results file as a run, in one transaction. Raises InputError where the same content is there already."""
    config, at = imported_config(results), now()
    origin = {"nl2pddl": __version__, "imported file": results.name, "sha256": results.sha}
    with store.transaction() as cursor:
        same = cursor.execute("SELECT run_id FROM runs WHERE contains(versions, ?)", [results.sha]).fetchone()
        if same:
            raise InputError(f"{results.name}: imported already, as run {same[0]}")
        cursor.execute(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                run_id, at, config.name, json.dumps(config.to_dict(), ensure_ascii=False), json.dumps(origin),
                len(results), config.evaluation.protocol.value,
            ],
        )  # fmt: skip
        cursor.register("imported", _frame(results))
        cursor.execute(
            """
            INSERT INTO items BY NAME
            SELECT $run AS run_id, item_index, model, domain, action, description_class, sample, '' AS prompt,
                   '[]' AS context, '' AS domain_sha
            FROM imported
            """,
            {"run": run_id},
        )
        cursor.execute(
            """
            INSERT INTO verdicts BY NAME
            SELECT $run AS run_id, item_index, $protocol AS protocol, result_class, subclass, reason,
                   are AS action_reconstruction_error, problems, '[]' AS cross_checks, '' AS planner_version,
                   '' AS validator_version, 0 AS seconds, '{}' AS settings, $at AS created_at, working_plans
            FROM imported
            """,
            {"run": run_id, "protocol": config.evaluation.protocol.value, "at": at},
        )
        cursor.unregister("imported")
        cursor.execute(
            "INSERT INTO run_events VALUES (?, ?, 'imported', ?)",
            [run_id, at, f"{len(results):,} verdicts from {results.name}; its outputs are not in it{_hint(results)}"],
        )


def _hint(results: study.Results) -> str:
    return f". Lines may be there twice: {'; '.join(results.hints)}" if results.hints else ""


def _frame(results: study.Results) -> Any:
    rows = results.rows
    # Few kinds of verdicts, many rows: each text is made once.
    texts = {name: _told(name) for name in set(rows["published_subclass"])}
    return rows.assign(
        item_index=range(len(rows)),
        reason=[texts[name][0] for name in rows["published_subclass"]],
        problems=[texts[name][1] for name in rows["published_subclass"]],
    )


def _told(published_subclass: str) -> tuple[str, str]:
    """The reason and the problems (JSON) of an imported verdict, of which only the subclass is known."""
    problems: Iterable[Problem] = ()
    if keyword := study.missing_keyword(published_subclass):
        kind = "missing-precondition" if keyword == ":precondition" else "missing-keyword"
        problems = [Problem(Subclass.NO_PDDL, kind, 0, 0, f"'{keyword}' is missing, by the imported file")]
    reason = f"imported as {published_subclass}" if published_subclass else "imported as equivalent"
    return reason, json.dumps([asdict(problem) for problem in problems])
