"""Domains under construction in the store: what they are built from, and every event, in order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from nl2pddl.errors import InputError
from nl2pddl.experiment import Completion, Decoding, ModelInfo, decoding_from_dict
from nl2pddl.store.database import Store, now
from nl2pddl.store.writes import versions


@dataclass(frozen=True)
class StoredConstruction:
    """A construction as it was begun, and its events as (kind, data) in their order. ``setup`` is JSON."""

    id: str
    name: str
    model: str
    setup: Mapping[str, Any]
    decoding: Decoding
    events: tuple[tuple[str, Mapping[str, Any]], ...]


def add_construction(
    store: Store, construction_id: str, name: str, model: str, setup: Mapping[str, Any], decoding: Decoding
) -> None:
    """Store a construction before its first event."""
    with store.transaction() as cursor:
        cursor.execute(
            "INSERT INTO constructions VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                construction_id, now(), name, model, json.dumps(setup, ensure_ascii=False),
                json.dumps(asdict(decoding), ensure_ascii=False), json.dumps(versions()),
            ],
        )  # fmt: skip


def add_event(
    store: Store,
    construction_id: str,
    number: int,
    kind: str,
    data: Mapping[str, Any],
    completion: Completion | None = None,
    info: ModelInfo | None = None,
) -> None:
    """Store event ``number`` (from 0) of a construction; the model's answer with how it came about.

    Raises InputError where that number is there already: somebody else has gone on with this construction.
    """
    with store.transaction() as cursor:
        taken = cursor.execute(
            "SELECT count(*) FROM construction_events WHERE construction_id = ?", [construction_id]
        ).fetchone()
        if taken is None or taken[0] != number:
            raise InputError(f"the construction {construction_id} has gone on meanwhile; look at it again")
        cursor.execute(
            "INSERT INTO construction_events VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                construction_id, number, now(), kind, json.dumps(data, ensure_ascii=False),
                json.dumps(asdict(completion), ensure_ascii=False) if completion else None,
                json.dumps(asdict(info), ensure_ascii=False) if info else None,
            ],
        )  # fmt: skip


def construction(store: Store, construction_id: str) -> StoredConstruction:
    """A construction with all its events. Raises InputError where there is none of this ID."""
    found = store.rows(
        "SELECT name, model, setup, decoding FROM constructions WHERE construction_id = ?", [construction_id]
    )
    if not found:
        latest = "SELECT construction_id FROM constructions ORDER BY created_at DESC LIMIT 5"
        known = [row[0] for row in store.rows(latest)]
        raise InputError(
            f"the store has no construction '{construction_id}'; the latest are: {', '.join(known) or 'none'}"
        )
    name, model, setup, decoding = found[0]
    events = store.rows(
        "SELECT kind, data FROM construction_events WHERE construction_id = ? ORDER BY number", [construction_id]
    )
    return StoredConstruction(
        construction_id,
        name,
        model,
        json.loads(setup),
        decoding_from_dict(json.loads(decoding)),
        tuple((kind, json.loads(data)) for kind, data in events),
    )


def constructions_frame(store: Store) -> Any:
    """All constructions, newest first: construction_id, created_at, name, model, events (how many)."""
    return store.frame(
        """
        SELECT construction_id, c.created_at, name, model, count(number) AS events
        FROM constructions c LEFT JOIN construction_events e USING (construction_id)
        GROUP BY ALL ORDER BY c.created_at DESC
        """
    )
