"""Read queries: records for the run manager, frames for figures and pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nl2pddl.errors import InputError
from nl2pddl.experiment import Completion, RunConfig, RunItem, Turn, run_config_from_dict
from nl2pddl.records import DescriptionClass, DomainSource
from nl2pddl.store.database import Store

_ITEM_COLUMNS = (
    "item_index, model, domain, action, description_class, sample, prompt, context, domain_sha, "
    "draw, grammar, round, dialogue"
)


ASIDE = "judged again"  # the event of a run whose outputs were judged by the other protocol too
_STATUS = f"event NOT IN ('{ASIDE}', 'dry run')"  # events that say where a run stands


def run_config(store: Store, run_id: str) -> RunConfig:
    """What a run was launched with. Raises InputError where there is no such run."""
    rows = store.rows("SELECT config FROM runs WHERE run_id = ?", [run_id])
    if not rows:
        known = [row[0] for row in store.rows("SELECT run_id FROM runs ORDER BY created_at DESC LIMIT 5")]
        raise InputError(f"the store has no run '{run_id}'; the latest are: {', '.join(known) or 'none'}")
    return run_config_from_dict(json.loads(rows[0][0]))


def whole_config(store: Store, dry_run: str) -> RunConfig | None:
    """What a dry run was a trial of; None for any other run."""
    rows = store.rows("SELECT detail FROM run_events WHERE run_id = ? AND event = 'dry run'", [dry_run])
    return run_config_from_dict(json.loads(rows[0][0])) if rows else None


def last_event(store: Store, run_id: str) -> tuple[str, str]:
    """The last event of a run and its detail."""
    rows = store.rows(
        f"SELECT event, detail FROM run_events WHERE run_id = ? AND {_STATUS} "
        "ORDER BY created_at DESC, rowid DESC LIMIT 1",
        [run_id],
    )
    return (str(rows[0][0]), str(rows[0][1])) if rows else ("created", "")


def counts(store: Store, run_id: str) -> tuple[int, int, int]:
    """Items planned, outputs stored and verdicts stored of a run."""
    rows = store.rows(
        """
        SELECT (SELECT greatest(total, (SELECT count(*) FROM items WHERE run_id = $1)) FROM runs WHERE run_id = $1),
               (SELECT count(*) FROM outputs WHERE run_id = $1),
               (SELECT count(DISTINCT item_index) FROM verdicts WHERE run_id = $1)
        """,
        [run_id],
    )
    total, generated, judged = rows[0]
    return int(total or 0), int(generated), int(judged)


def verdict_count(store: Store, run_ids: Sequence[str]) -> int:
    """How many verdicts the runs have by now, those of the other protocol too."""
    return int(store.rows("SELECT count(*) FROM verdicts WHERE list_contains(?, run_id)", [list(run_ids)])[0][0])


def items_without_output(store: Store, run_id: str) -> list[RunItem]:
    """The items of a run that still have to be generated, in order."""
    rows = store.rows(
        f"""
        SELECT {_ITEM_COLUMNS} FROM items i ANTI JOIN outputs USING (run_id, item_index)
        WHERE run_id = ? ORDER BY item_index
        """,
        [run_id],
    )
    return [_item(row) for row in rows]


def run_items(store: Store, run_id: str, model: str) -> list[RunItem]:
    """All items that a run has for a model so far, in order."""
    rows = store.rows(
        f"SELECT {_ITEM_COLUMNS} FROM items i WHERE run_id = ? AND model = ? ORDER BY item_index", [run_id, model]
    )
    return [_item(row) for row in rows]


def outputs(store: Store, run_id: str) -> dict[int, str]:
    """The outputs of a run by item index."""
    return dict(store.rows("SELECT item_index, output FROM outputs WHERE run_id = ?", [run_id]))


def known_answers(store: Store, keys: Sequence[str]) -> dict[str, Completion]:
    """Answers of any run by their generation key (see ``Backend.key``), as far as there are any."""
    rows = store.rows(
        """
        SELECT generation_key, first(output), first(stop_reason), first(new_tokens), first(seconds),
               first(prompt_tokens), first(thinking)
        FROM outputs SEMI JOIN (SELECT unnest(?) AS generation_key) USING (generation_key) GROUP BY generation_key
        """,
        [list(keys)],
    )
    return {key: Completion(*fields) for key, *fields in rows}


def fault_count(store: Store, run_id: str) -> int:
    """How many items of a run have no answer and a fault on record."""
    query = (
        "SELECT count(DISTINCT item_index) FROM faults ANTI JOIN outputs USING (run_id, item_index) WHERE run_id = ?"
    )
    return int(store.rows(query, [run_id])[0][0])


def latest_faults(store: Store, run_id: str) -> Any:
    """The last fault of each item without an answer: item_index, kind, message, attempts, created_at, and what it asks
    for (model, domain, action, description_class)."""
    return store.frame(
        """
        SELECT item_index, any_value(model) AS model, any_value(domain) AS domain, any_value(action) AS action,
               any_value(description_class) AS description_class,
               arg_max(kind, created_at) AS kind,
               arg_max(message, created_at) AS message, arg_max(attempts, created_at) AS attempts,
               max(created_at) AS created_at
        FROM faults JOIN items USING (run_id, item_index) ANTI JOIN outputs USING (run_id, item_index)
        WHERE run_id = ? GROUP BY item_index ORDER BY item_index
        """,
        [run_id],
    )


def uncorrected(store: Store, run_id: str, model: str, rounds: int) -> list[int]:
    """The items of a model whose verdict calls for a correction that the run does not have yet, in order."""
    rows = store.rows(
        """
        SELECT i.item_index FROM items i JOIN verdicts v USING (run_id, item_index)
        WHERE run_id = $1 AND model = $2 AND round < $3 AND result_class IN ('syntax', 'semantic', 'different')
          AND protocol = (SELECT protocol FROM runs WHERE run_id = $1)
          AND item_index + (SELECT total FROM runs WHERE run_id = $1) NOT IN
              (SELECT item_index FROM items WHERE run_id = $1)
        ORDER BY item_index
        """,
        [run_id, model, rounds],
    )
    return [int(index) for (index,) in rows]


def reused_count(store: Store, run_id: str) -> int:
    """How many answers of a run were found again in the store, and not generated."""
    return int(store.rows("SELECT count(*) FROM outputs WHERE run_id = ? AND reused", [run_id])[0][0])


def measured(store: Store, run_id: str) -> list[tuple[str, float, float, float, float]]:
    """A row a model of a run: its name; mean seconds to generate and to judge; mean tokens of prompt and answer.

    Answers found again in the store took no time and cost nothing; where there are no others, these numbers are 0.
    """
    return store.rows(
        """
        SELECT model, coalesce(avg(o.seconds) FILTER (NOT reused), 0), coalesce(avg(v.seconds), 0),
               coalesce(avg(prompt_tokens) FILTER (NOT reused), 0), coalesce(avg(new_tokens) FILTER (NOT reused), 0)
        FROM items JOIN outputs o USING (run_id, item_index) LEFT JOIN verdicts v USING (run_id, item_index)
        WHERE run_id = ? GROUP BY model ORDER BY model
        """,
        [run_id],
    )


def planned_total(store: Store, run_id: str) -> int:
    """How many items a run was launched with, corrections not counted."""
    return int(store.rows("SELECT total FROM runs WHERE run_id = ?", [run_id])[0][0])


def outputs_without_verdict(store: Store, run_id: str, protocol: str) -> list[tuple[RunItem, str]]:
    """The generated items of a run that still have to be judged under ``protocol``, each with its output."""
    rows = store.rows(
        f"""
        SELECT {_ITEM_COLUMNS}, output FROM items i JOIN outputs o USING (run_id, item_index)
        WHERE run_id = $1 AND item_index NOT IN (
            SELECT item_index FROM verdicts WHERE run_id = $1 AND protocol = $2
        )
        ORDER BY item_index
        """,
        [run_id, protocol],
    )
    return [(_item(row[:-1]), str(row[-1])) for row in rows]


def _item(row: Sequence[Any]) -> RunItem:
    index, model, domain, action, description_class, sample, prompt, context, sha, draw, grammar, number, dialogue = row
    return RunItem(
        index,
        model,
        domain,
        action,
        DescriptionClass(description_class),
        sample,
        prompt,
        tuple(json.loads(context)),
        sha,
        draw,
        grammar,
        number,
        tuple(Turn(**turn) for turn in json.loads(dialogue)),
    )


def domain_source(store: Store, sha: str) -> DomainSource:
    """The texts of a domain as they were when the run was launched."""
    rows = store.rows("SELECT domain, domain_pddl, problems FROM domains WHERE domain_sha = ?", [sha])
    if not rows:
        raise InputError(f"the store has no domain with the content {sha[:12]}")
    identity, text, problems = rows[0]
    return DomainSource(identity, text, tuple((name, problem) for name, problem in json.loads(problems)))


def runs_frame(store: Store) -> Any:
    """One row a run, newest first: run_id, created_at, name, config (JSON), total, generated, judged, event, detail."""
    # Joins, because a subquery a run would read every verdict once for each.
    return store.frame(
        f"""
        SELECT run_id, r.created_at, r.name, r.config, greatest(r.total, coalesce(i.items, 0)) AS total,
               coalesce(o.outputs, 0) AS generated, coalesce(v.verdicts, 0) AS judged, e.event, e.detail
        FROM runs r
        LEFT JOIN (SELECT run_id, count(*) AS items FROM items GROUP BY run_id) i USING (run_id)
        LEFT JOIN (SELECT run_id, count(*) AS outputs FROM outputs GROUP BY run_id) o USING (run_id)
        LEFT JOIN (
            SELECT run_id, count(*) AS verdicts FROM verdicts SEMI JOIN runs USING (run_id, protocol) GROUP BY run_id
        ) v USING (run_id)
        LEFT JOIN (
            SELECT run_id, arg_max(event, (created_at, rowid)) AS event, arg_max(detail, (created_at, rowid)) AS detail
            FROM run_events WHERE {_STATUS} GROUP BY run_id
        ) e USING (run_id)
        ORDER BY r.created_at DESC
        """
    )


_RESULTS = """
    SELECT run_id, item_index, model, domain, action, description_class, sample, draw, grammar, round,
           protocol, result_class, subclass,
           action_reconstruction_error AS are, reason, shortcut, v.seconds AS judge_seconds,
           o.seconds AS generate_seconds, o.prompt_tokens, o.new_tokens, o.stop_reason, o.reused,
           action_relation, plan_relation, exercised, exact, working_plans, coalesce(cached, false) AS cached
    FROM verdicts v JOIN items i USING (run_id, item_index) LEFT JOIN outputs o USING (run_id, item_index)
"""


def results_frame(store: Store, run_ids: Sequence[str] | None = None) -> Any:
    """One row a verdict of the given runs (None: all), in the order of run and item.

    See ``_RESULTS`` for the columns.
    """
    if run_ids is None:
        return store.frame(f"{_RESULTS} ORDER BY run_id, item_index")
    return store.frame(f"{_RESULTS} WHERE list_contains(?, run_id) ORDER BY run_id, item_index", [list(run_ids)])


@dataclass(frozen=True)
class ItemDetail:
    """Everything stored about one item; the JSON parts are decoded. ``output`` is None where only the verdict was
    imported."""

    item: RunItem
    output: str | None
    stop_reason: str
    new_tokens: int
    generate_seconds: float
    model_info: dict[str, Any]
    thinking: str
    reused: bool
    verdict: dict[str, Any]


_VERDICT_COLUMNS = (
    "protocol", "result_class", "subclass", "reason", "action_text", "action_reconstruction_error", "problems",
    "cross_checks", "failure", "planner_version", "validator_version", "shortcut", "seconds", "settings",
    "comparison", "plan_relation", "exercised", "exact_decisions", "working_plans", "cached",
)  # fmt: skip
_JSON_COLUMNS = ("problems", "cross_checks", "failure", "settings", "comparison", "exact_decisions")


def item_detail(store: Store, run_id: str, item_index: int, protocol: str | None = None) -> ItemDetail:
    """One judged item whole, by a protocol; by the one its run was launched with for None, or where it has no other.

    Raises InputError where it has no verdict.
    """
    columns = ", ".join(f"v.{name}" for name in _VERDICT_COLUMNS)
    rows = store.rows(
        f"""
        SELECT {_ITEM_COLUMNS}, o.output, o.stop_reason, o.new_tokens, o.seconds, o.model_info, o.thinking, o.reused,
               o.sent_prompt, {columns}
        FROM items i JOIN verdicts v USING (run_id, item_index) LEFT JOIN outputs o USING (run_id, item_index)
        JOIN runs r USING (run_id)
        WHERE run_id = ? AND item_index = ? AND v.protocol IN (?, r.protocol)
        ORDER BY v.protocol = r.protocol LIMIT 1
        """,
        [run_id, item_index, protocol],
    )
    if not rows:
        raise InputError(f"run '{run_id}' has no judged item {item_index}")
    row = rows[0]
    verdict = dict(zip(_VERDICT_COLUMNS, row[21:], strict=True))
    for name in _JSON_COLUMNS:
        verdict[name] = json.loads(verdict[name]) if verdict[name] else None
    verdict["exact"] = verdict.pop("exact_decisions")
    output, stop_reason, new_tokens, seconds, model_info, thinking, reused, sent = row[13:21]
    item = _item(row[:13])
    item = replace(item, prompt=sent) if sent is not None else item
    info = json.loads(model_info or "{}")
    return ItemDetail(
        item, output, stop_reason or "", new_tokens or 0, seconds or 0.0, info, thinking or "", bool(reused), verdict
    )


def run_versions(store: Store, run_id: str) -> dict[str, str]:
    """The versions of program and packages that a run was launched with; empty for an unknown run."""
    rows = store.rows("SELECT versions FROM runs WHERE run_id = ?", [run_id])
    return dict(json.loads(rows[0][0])) if rows else {}


def tokens(store: Store, run_id: str) -> list[tuple[str, int, int]]:
    """Tokens of prompts and of answers that a run had generated, by model; reused answers cost nothing again."""
    return store.rows(
        """
        SELECT model, sum(prompt_tokens)::BIGINT, sum(new_tokens)::BIGINT
        FROM items JOIN outputs USING (run_id, item_index) WHERE run_id = ? AND NOT reused GROUP BY model
        """,
        [run_id],
    )


def failed_items(store: Store, run_id: str) -> list[int]:
    """The first items of a run whose last answer is not equivalent, in order."""
    rows = store.rows(
        """
        SELECT item_index % total AS first FROM verdicts JOIN items USING (run_id, item_index) JOIN runs USING (run_id)
        WHERE run_id = ? AND verdicts.protocol = runs.protocol
        GROUP BY first HAVING arg_max(result_class, round) <> 'equivalent' ORDER BY first
        """,
        [run_id],
    )
    return [int(index) for (index,) in rows]
