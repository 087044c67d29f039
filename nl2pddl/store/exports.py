"""Writes verdicts out of the store: the study's CSV layout, or everything as JSON lines or Parquet."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from nl2pddl.errors import InputError
from nl2pddl.store.database import Store
from nl2pddl.study import csv_rows

FORMATS = ("csv", "jsonl", "parquet")
_BATCH = 1000
_JSON = (
    "context", "dialogue", "model_info", "problems", "cross_checks", "failure", "settings", "comparison",
    "exact_decisions",
)  # fmt: skip
# Everything that a verdict was reached from and says; the domain's texts by their hash.
_EVERYTHING = """
    SELECT run_id, item_index, r.name AS run_name, model, domain, action, description_class, sample, draw, grammar,
           round, prompt, context, dialogue, domain_sha, output, sent_prompt, thinking, stop_reason, prompt_tokens,
           new_tokens, o.seconds AS generation_seconds, reused, model_info, v.protocol, result_class, subclass, reason,
           action_text, action_reconstruction_error, problems, cross_checks, failure, comparison, action_relation,
           plan_relation, exercised, exact, exact_decisions, working_plans, planner_version, validator_version,
           shortcut, cached, settings, v.seconds AS evaluation_seconds, v.created_at
    FROM verdicts v JOIN items USING (run_id, item_index) JOIN runs r USING (run_id)
         LEFT JOIN outputs o USING (run_id, item_index)
    WHERE list_contains(?, run_id) ORDER BY run_id, item_index, v.protocol
"""
_PUBLISHED = """
    SELECT model, domain, action, description_class, result_class, subclass, problems,
           action_reconstruction_error AS are, working_plans
    FROM verdicts v JOIN items USING (run_id, item_index) JOIN runs r USING (run_id)
    WHERE list_contains(?, run_id) AND v.protocol = r.protocol AND round = 0 AND action <> '*'
    ORDER BY run_id, item_index
"""


def export(store: Store, run_ids: Sequence[str], form: str, out: Path) -> int:
    """Write the verdicts of runs to a file in one of ``FORMATS``, and give the number of its rows.

    The CSV has the study's layout, for which there is no undecided verdict, no correction and no whole domain: those
    are left out. The file appears when it is whole. Raises InputError for an unknown format.
    """
    writers: dict[str, Callable[[Store, Sequence[str], Path], int]] = {
        "csv": _csv, "jsonl": _jsonl, "parquet": _parquet,
    }  # fmt: skip
    if form not in writers:
        raise InputError(f"'{form}' is no format to export; there are: {', '.join(FORMATS)}")
    if not out.parent.is_dir() or out.is_dir():
        raise InputError(f"{out}: no file can be written there; name a file in a folder that exists")
    part = out.with_name(f".{out.name}.part")
    try:
        count = writers[form](store, run_ids, part)
        os.replace(part, out)
    finally:
        part.unlink(missing_ok=True)
    return count


def _csv(store: Store, run_ids: Sequence[str], out: Path) -> int:
    rows = csv_rows(store.frame(_PUBLISHED, [list(run_ids)]))
    rows.to_csv(out, index=False, lineterminator="\r\n", encoding="utf-8")  # line ends as in the study's file
    return len(rows)


def _jsonl(store: Store, run_ids: Sequence[str], out: Path) -> int:
    count = 0
    with out.open("w", encoding="utf-8") as file:
        for names, rows in store.batches(_EVERYTHING, [list(run_ids)], _BATCH):
            for values in rows:
                row = dict(zip(names, values, strict=True))
                row |= {name: json.loads(row[name]) for name in _JSON if row[name]}
                file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
                count += 1
    return count


def _parquet(store: Store, run_ids: Sequence[str], out: Path) -> int:
    return store.copy_to_parquet(_EVERYTHING, [list(run_ids)], out)
