"""``evaluate``: judges outputs from a JSONL file, in the order of the input; one bad line never stops the rest."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nl2pddl import twins
from nl2pddl.domains import DomainLibrary, load_library
from nl2pddl.errors import InputError
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.pools import open_pool
from nl2pddl.records import EvaluationSettings, Verdict

VERDICT_FIELDS = (
    "class", "subclass", "are", "reason", "problems", "plans", "failure", "exact", "exact_problems", "relation",
    "comparison", "plan_relation", "exercised", "working_plans", "protocol", "shortcut", "cached", "planner",
    "validator", "seconds",
)  # fmt: skip
Row = dict[str, Any]
Answer = Future[Verdict] | str


def evaluate_file(
    outputs: Path,
    domains: Sequence[Path],
    out: Path,
    settings: EvaluationSettings,
    workers: int,
    dask: str | None = None,
) -> int:
    """Judge every line of ``outputs`` and write it to ``out`` with its verdict.

    A line that cannot be judged (no JSON, an unknown domain) comes out with an "error" and no class, and is counted on
    standard error. The exit status is 2 where that goes for all lines, or there are none. ``dask`` is the address of a
    Dask scheduler whose workers judge instead of this machine's.
    """
    library = load_library(*domains)
    for broken in library.broken.values():
        print(f"warning: domain left out: {broken}", file=sys.stderr)
    if not library.domains:
        raise InputError(f"{domains[0]}: none of its domains can be used (see above)")
    if outputs.is_dir():
        raise InputError(f"{outputs}: this is a folder; name a file with one JSON object a line")
    if not outputs.exists():
        raise InputError(f"{outputs}: no such file; it should hold one JSON object a line")
    if not out.parent.is_dir():
        raise InputError(f"{out.parent}: no such folder for the verdicts; make it first")
    if out.exists() and out.samefile(outputs):
        raise InputError(f"{out}: the verdicts would overwrite the outputs; name another file")
    PlanChecker(settings.validator)  # a validator that is not there is told before anything is judged
    judged = failed = 0
    waiting: deque[tuple[Row, Answer]] = deque()
    with open_pool(workers, dask) as pool, out.open("w", encoding="utf-8") as file:

        def write_first() -> None:
            nonlocal judged, failed
            row, answer = waiting.popleft()
            completed = _completed(row, answer)
            judged, failed = judged + 1, failed + ("error" in completed)
            file.write(json.dumps(completed) + "\n")

        for row, task in _tasks(outputs, library, settings):
            waiting.append((row, pool.submit(task) if isinstance(task, EvaluationTask) else task))
            while len(waiting) > pool.appetite:
                write_first()
        while waiting:
            write_first()
    print(f'{judged} lines, {failed} could not be judged (see their "error"); verdicts in {out}', file=sys.stderr)
    # A file of which nothing could be judged is the wrong file; one bad line among good ones is no failure.
    return 0 if failed < judged else 2


def _tasks(
    outputs: Path, library: DomainLibrary, settings: EvaluationSettings
) -> Iterator[tuple[Row, EvaluationTask | str]]:
    """Each line as its row and the task made of it, or what is wrong with it."""
    with outputs.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                reason = f"{error.msg}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else error
                yield {"line": number}, f"line {number}: not JSON ({reason})"
                continue
            if not isinstance(row, dict):
                yield {"line": number}, f"line {number}: expected an object, found {type(row).__name__}"
                continue
            yield row, _task(number, row, library, settings)


def _task(number: int, row: Row, library: DomainLibrary, settings: EvaluationSettings) -> EvaluationTask | str:
    for name in ("domain", "action", "output"):
        if not isinstance(row.get(name), str):
            return f"line {number}: '{name}' is missing or no text"
    try:
        domain = twins.find(library, row["domain"])
    except InputError as error:
        return f"line {number}: {error}"
    if row["action"].lower() not in domain.planning.actions:
        known = ", ".join(domain.planning.actions)
        return f"line {number}: the domain '{domain.id}' has no action '{row['action']}'; its actions are: {known}"
    return EvaluationTask(domain.source, row["action"], row["output"], settings)


def _completed(row: Row, answer: Answer) -> Row:
    # The line may be that of an earlier evaluation: what that found must not stand beside what is found now.
    asked = {name: value for name, value in row.items() if name not in (*VERDICT_FIELDS, "error")}
    try:
        if not isinstance(answer, str):
            return {**asked, **verdict_fields(answer.result())}
    except InputError as error:
        answer = str(error)
    return {**asked, **dict.fromkeys(VERDICT_FIELDS), "error": answer}


def verdict_fields(verdict: Verdict) -> Row:
    """A verdict as the plain fields of a line."""
    return {
        "class": verdict.result_class.value,
        "subclass": verdict.subclass.value if verdict.subclass else None,
        "are": verdict.are,
        "reason": verdict.reason,
        "problems": [asdict(problem) for problem in verdict.problems],
        "plans": [asdict(check) for check in verdict.cross_checks],
        "failure": asdict(verdict.failure) if verdict.failure else None,
        "exact": verdict.exact_outcome.value if verdict.exact_outcome else None,
        "exact_problems": [asdict(decision) for decision in verdict.exact],
        "relation": verdict.comparison.relation.value if verdict.comparison else None,
        "comparison": asdict(verdict.comparison) if verdict.comparison else None,
        "plan_relation": verdict.plan_relation.value if verdict.plan_relation else None,
        "exercised": verdict.exercised,
        "working_plans": verdict.working_plans,
        "protocol": verdict.protocol.value,
        "shortcut": verdict.shortcut,
        "cached": verdict.cached,
        "planner": verdict.planner_version,
        "validator": verdict.validator_version,
        "seconds": round(verdict.seconds, 6),
    }
