"""Judges one stored output under the other protocol, the way a run judges it, and keeps both verdicts."""

from __future__ import annotations

from dataclasses import replace

from nl2pddl.errors import InputError
from nl2pddl.experiment import WHOLE_DOMAIN
from nl2pddl.pipeline import EvaluationTask
from nl2pddl.pools import open_pool
from nl2pddl.records import Protocol, Verdict
from nl2pddl.settings import Settings
from nl2pddl.store import Store, StoreMemory, queries, writes
from nl2pddl.store.queries import ItemDetail


def other_protocol(detail: ItemDetail) -> Protocol | None:
    """The protocol that an item can still be judged under; None where it has both verdicts, or cannot have two.

    What was imported has no output to judge, and the published code judges single actions only.
    """
    if detail.output is None or detail.item.action == WHOLE_DOMAIN:
        return None
    return next((name for name in Protocol if name.value not in detail.protocols), None)


def judge_again(store: Store, settings: Settings, run_id: str, index: int) -> Verdict:
    """The verdict on an item under the protocol that it has none under yet, stored beside the first.

    The limits are its run's. Takes as long as the planner does, in a worker process of its own. Raises InputError where
    there is nothing to judge it under, or the verdict cannot be reached.
    """
    detail = queries.item_detail(store, run_id, index)
    protocol = other_protocol(detail)
    if protocol is None:
        raise InputError("there is no other protocol to judge this item under: it has both verdicts, or no output")
    evaluation = replace(queries.run_config(store, run_id).evaluation, protocol=protocol)
    source = queries.domain_source(store, detail.item.domain_sha)
    with open_pool(1, settings.dask, StoreMemory(store)) as pool:
        verdict = pool.submit(EvaluationTask(source, detail.item.action, detail.output or "", evaluation)).result()
    writes.add_verdicts(store, run_id, [(index, verdict)], evaluation)
    return verdict
