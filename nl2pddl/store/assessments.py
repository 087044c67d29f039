"""What constructions are worth, in the store: tasks planned with them, and their errors beside a hand-made model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from nl2pddl.experiment import Turn
from nl2pddl.store.database import Store, now
from nl2pddl.store.writes import versions


@dataclass(frozen=True)
class TaskRow:
    """A task and what became of it, by the construction as it was after so many ``events``.

    ``example`` is empty for a task in the domain's own words, which that domain alone judges. ``problem`` is the PDDL
    that was planned with, ``turns`` the dialogue where a model planned, ``validator`` who checked the plan.
    """

    construction_id: str
    events: int
    example: str
    task: str
    words: str
    problem: str
    planner: str
    model: str
    outcome: str
    plan: tuple[str, ...]
    reason: str
    turns: tuple[Turn, ...]
    seconds: float
    validator: str


def add_task(store: Store, row: TaskRow) -> None:
    """Store what became of a task."""
    with store.transaction() as cursor:
        cursor.execute(
            "INSERT INTO task_results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                row.construction_id, now(), row.events, row.example, row.task, row.words, row.problem, row.planner,
                row.model, row.outcome, json.dumps(row.plan), row.reason,
                json.dumps([asdict(turn) for turn in row.turns], ensure_ascii=False), row.seconds, row.validator,
                json.dumps(versions()),
            ],
        )  # fmt: skip


def tasks_frame(store: Store, construction_id: str) -> Any:
    """The latest result of each task by each planner and model: all columns of ``TaskRow`` and created_at.

    ``plan`` is a list of steps in JSON, ``turns`` a list of turns.
    """
    return store.frame(
        """
        SELECT * EXCLUDE versions FROM task_results WHERE construction_id = ?
        QUALIFY row_number() OVER (
            PARTITION BY example, task, planner, model ORDER BY created_at DESC, rowid DESC
        ) = 1
        ORDER BY example, planner, model, task
        """,
        [construction_id],
    )


def next_own(store: Store, construction_id: str) -> str:
    """A name for the next task of a person's own: "own-1" and so on."""
    query = "SELECT count(DISTINCT task) FROM task_results WHERE construction_id = ? AND example = ''"
    return f"own-{int(store.rows(query, [construction_id])[0][0]) + 1}"


@dataclass(frozen=True)
class StoredAssessment:
    """An assessment beside an example: after how many events, its errors as JSON objects, what can never be done."""

    events: int
    errors: tuple[Mapping[str, Any], ...]
    impossible: tuple[str, ...] = ()


def add_assessment(
    store: Store, construction_id: str, example: str, mapping: Mapping[str, Any], found: StoredAssessment
) -> None:
    """Store the errors of a construction beside an example's hand-made model, and how predicates were matched."""
    with store.transaction() as cursor:
        cursor.execute(
            "INSERT INTO assessments VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                construction_id, now(), found.events, example, json.dumps(mapping), json.dumps(found.errors),
                json.dumps(found.impossible), json.dumps(versions()),
            ],
        )  # fmt: skip


def assessment_of(store: Store, construction_id: str, example: str) -> StoredAssessment | None:
    """The latest assessment of a construction beside an example's model; None where there is none."""
    rows = store.rows(
        "SELECT events, errors, impossible FROM assessments WHERE construction_id = ? AND example = ? "
        "ORDER BY created_at DESC, rowid DESC LIMIT 1",
        [construction_id, example],
    )
    return StoredAssessment(rows[0][0], *(tuple(json.loads(text)) for text in rows[0][1:])) if rows else None
