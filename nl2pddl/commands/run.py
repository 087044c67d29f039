"""``run``: an experiment as in the browser, in the foreground."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nl2pddl.errors import InputError
from nl2pddl.experiment import RunConfig, RunProgress, RunStatus
from nl2pddl.generation import EMBEDDED
from nl2pddl.records import ResultClass
from nl2pddl.runs import RunManager
from nl2pddl.settings import Settings
from nl2pddl.store import Store, counts, queries

__all__ = ["EMBEDDED", "launch", "resume"]

_REPORT_SECONDS = 5.0


def launch(settings: Settings, make_config: Callable[[Sequence[str]], RunConfig], *, dry: bool = False) -> int:
    """Launch a run and follow it to its end.

    ``make_config`` gets the ids of all domains that prompts can be made for. A dry run takes three prompts a model, and
    says how long the whole run would take by them.
    """
    with Store(settings.store) as store:
        manager = RunManager(store, settings)
        try:
            ids = [domain.id for domain in manager.library().with_language()]
            config = make_config(ids)
            if not dry:
                return _follow(manager, manager.launch(config))
            run_id = manager.dry_run(config)
            status = _follow(manager, run_id)
            if status == 0:
                print(f"the whole run: {manager.estimate(run_id, config).in_words}")
            return status
        finally:
            manager.close()


def resume(settings: Settings, run_id: str) -> int:
    """Go on with a run of the store and follow it to its end."""
    if not settings.store.is_file():
        raise InputError(f"{settings.store}: no such store, so there is no run to resume")
    with Store(settings.store) as store:
        manager = RunManager(store, settings)
        try:
            total, _, judged = queries.counts(store, run_id)
            if not total or judged < total:
                manager.resume(run_id)
            return _follow(manager, run_id)
        finally:
            manager.close()


def _follow(manager: RunManager, run_id: str) -> int:
    print(run_id, flush=True)
    reported = time.monotonic()
    while not manager.wait(run_id, 0.2):
        if time.monotonic() - reported >= _REPORT_SECONDS:
            reported = time.monotonic()
            print(_progress_line(manager.progress(run_id)), file=sys.stderr, flush=True)
    progress = manager.progress(run_id)
    for line in (*_side_by_side(manager.store, run_id), *_later(manager.store, run_id)):
        print(line)
    print(f"run {run_id} {progress.status}: {_summary(manager.store, run_id, progress)}", flush=True)
    return 0 if progress.status is RunStatus.FINISHED else 1


def _side_by_side(store: Store, run_id: str) -> Iterator[str]:
    """Lines that compare the first answers of what was run side by side: models, with and without grammar, twins."""
    found = counts.class_counts(store, [run_id])
    if found["model"].nunique() < 2:
        return
    kinds = found["result_class"] + (" " + found["subclass"]).fillna("")
    table = found.assign(kind=kinds).pivot_table("count", "model", "kind", "sum", fill_value=0)
    order = [name.value for name in reversed(ResultClass)]
    columns = sorted(table.columns, key=lambda kind: (order.index(kind.split()[0]), kind))
    for model, row in table.iterrows():
        yield f"{model}: " + ", ".join(f"{row[kind]:.0f} {kind}" for kind in columns if row[kind])


def _later(store: Store, run_id: str) -> Iterator[str]:
    """A line for each round of corrections, and one for the domains generated whole; the summary has neither."""
    for number, found in counts.round_counts(store, [run_id]).groupby("round"):
        yield f"{f'after round {number}' if number else 'first answers'}: {_classes(found)}"
    whole = counts.whole_domain_counts(store, [run_id])
    if not whole.empty:
        yield f"whole domains: {_classes(whole)}"


def _progress_line(progress: RunProgress) -> str:
    line = f"{progress.generated} generated, {progress.judged} of {progress.total} judged"
    if progress.rate is not None and progress.seconds_left is not None:
        line += f", {progress.rate:.1f} a minute, about {progress.seconds_left:.0f} s left"
    return f"{line} ({progress.message})"


def _classes(found: Any) -> str:
    sums = found.groupby("result_class")["count"].sum().to_dict()
    return ", ".join(f"{sums.get(name.value, 0)} {name}" for name in reversed(ResultClass))


def _summary(store: Store, run_id: str, progress: RunProgress) -> str:
    first = counts.class_counts(store, [run_id])
    # Corrections and whole domains are items of the run too, but no share of theirs belongs to the first answers'.
    apart = "" if first["count"].sum() == progress.judged else "first answers: "
    line = f"{progress.judged} of {progress.total} items judged: {apart}{_classes(first)}"
    return f"{line} ({progress.message})" if progress.message and progress.status is not RunStatus.FINISHED else line
