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


def run_config(store: Store, run_id: str) -> RunConfig:
    """What a run was launched with. Raises InputError where there is no such run."""
    rows = store.rows("SELECT config FROM runs WHERE run_id = ?", [run_id])
    if not rows:
        known = [row[0] for row in store.rows("SELECT run_id FROM runs ORDER BY created_at DESC LIMIT 5")]
        raise InputError(f"the store has no run '{run_id}'; the latest are: {', '.join(known) or 'none'}")
    return run_config_from_dict(json.loads(rows[0][0]))


def last_event(store: Store, run_id: str) -> tuple[str, str]:
    """The last event of a run and its detail."""
    rows = store.rows(
        "SELECT event, detail FROM run_events WHERE run_id = ? ORDER BY created_at DESC, rowid DESC LIMIT 1", [run_id]
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
    """The last fault of each item without an answer: item_index, kind, message, attempts, created_at."""
    return store.frame(
        """
        SELECT item_index, arg_max(kind, created_at) AS kind, arg_max(message, created_at) AS message,
               arg_max(attempts, created_at) AS attempts, max(created_at) AS created_at
        FROM faults ANTI JOIN outputs USING (run_id, item_index) WHERE run_id = ?
        GROUP BY item_index ORDER BY item_index
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


def measured(store: Store, run_id: str) -> list[tuple[str, float, float, float, float]]:
    """A row a model of a run: its name; mean seconds to generate and to judge; mean tokens of prompt and answer."""
    return store.rows(
        """
        SELECT model, avg(o.seconds), coalesce(avg(v.seconds), 0), avg(prompt_tokens), avg(new_tokens)
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
    return store.frame(
        """
        SELECT r.run_id, r.created_at, r.name, r.config,
               greatest(r.total, (SELECT count(*) FROM items i WHERE i.run_id = r.run_id)) AS total,
               (SELECT count(*) FROM outputs o WHERE o.run_id = r.run_id) AS generated,
               (SELECT count(DISTINCT item_index) FROM verdicts v WHERE v.run_id = r.run_id) AS judged,
               (SELECT arg_max(e.event, (e.created_at, e.rowid)) FROM run_events e WHERE e.run_id = r.run_id) AS event,
               (SELECT arg_max(e.detail, (e.created_at, e.rowid)) FROM run_events e WHERE e.run_id = r.run_id) AS detail
        FROM runs r ORDER BY r.created_at DESC
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
    imported. ``protocols`` are those it has a verdict under, its run's own first; ``verdict`` is under one of them."""

    item: RunItem
    output: str | None
    stop_reason: str
    new_tokens: int
    generate_seconds: float
    model_info: dict[str, Any]
    thinking: str
    reused: bool
    verdict: dict[str, Any]
    protocols: tuple[str, ...] = ()


_VERDICT_COLUMNS = (
    "protocol", "result_class", "subclass", "reason", "action_text", "action_reconstruction_error", "problems",
    "cross_checks", "failure", "planner_version", "validator_version", "shortcut", "seconds", "settings",
    "comparison", "plan_relation", "exercised", "exact_decisions", "working_plans", "cached",
)  # fmt: skip
_JSON_COLUMNS = ("problems", "cross_checks", "failure", "settings", "comparison", "exact_decisions")


def item_detail(store: Store, run_id: str, item_index: int, protocol: str | None = None) -> ItemDetail:
    """One judged item whole, with its verdict under ``protocol``, or under its run's own where it has none such.

    Raises InputError where it has no verdict at all.
    """
    columns = ", ".join(f"v.{name}" for name in _VERDICT_COLUMNS)
    rows = store.rows(
        f"""
        SELECT {_ITEM_COLUMNS}, o.output, o.stop_reason, o.new_tokens, o.seconds, o.model_info, o.thinking, o.reused,
               o.sent_prompt, {columns}
        FROM items i JOIN verdicts v USING (run_id, item_index) LEFT JOIN outputs o USING (run_id, item_index)
        LEFT JOIN runs r ON r.run_id = i.run_id
        WHERE i.run_id = ? AND item_index = ? ORDER BY v.protocol IS NOT DISTINCT FROM r.protocol DESC, v.protocol
        """,
        [run_id, item_index],
    )
    if not rows:
        raise InputError(f"run '{run_id}' has no judged item {item_index}")
    verdicts = {row[21]: row for row in rows}
    row = verdicts.get(protocol, rows[0])
    output, stop_reason, new_tokens, seconds, model_info, thinking, reused, sent = row[13:21]
    item = _item(row[:13])
    item = replace(item, prompt=sent) if sent is not None else item
    info = json.loads(model_info or "{}")
    return ItemDetail(
        item, output, stop_reason or "", new_tokens or 0, seconds or 0.0, info, thinking or "", bool(reused),
        _verdict(row[21:]), tuple(verdicts),
    )  # fmt: skip


def _verdict(row: Sequence[Any]) -> dict[str, Any]:
    verdict = dict(zip(_VERDICT_COLUMNS, row, strict=True))
    for name in _JSON_COLUMNS:
        verdict[name] = json.loads(verdict[name]) if verdict[name] else None
    verdict["exact"] = verdict.pop("exact_decisions")
    return verdict


def same_prompt(store: Store, run_ids: Sequence[str], item: RunItem, limit: int = 200) -> Any:
    """What the models of these runs answered to the prompt of ``item``, as far as it is judged, by model and run.

    Two prompts are the same where action, description class, sample and context are. Each answer is under its run's
    own protocol. Columns: run_id, item_index, model, draw, grammar, round, protocol, result_class, subclass, are.
    """
    return store.frame(
        """
        SELECT run_id, item_index, model, draw, grammar, round, v.protocol, result_class, subclass,
               action_reconstruction_error AS are
        FROM items i JOIN verdicts v USING (run_id, item_index) JOIN runs r USING (run_id)
        WHERE v.protocol = r.protocol AND run_id IN (SELECT unnest(?)) AND domain = ? AND action = ?
          AND description_class = ? AND sample = ? AND context = ?
        ORDER BY model, run_id DESC, item_index LIMIT ?
        """,
        [
            list(run_ids), item.domain, item.action, item.description_class.value, item.sample,
            json.dumps(item.context, ensure_ascii=False), limit,
        ],
    )  # fmt: skip


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
