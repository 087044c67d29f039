"""``worldmodel``: build a whole domain with a model, go on with one, plan its tasks, count its errors."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from nl2pddl.errors import InputError
from nl2pddl.experiment import Decoding
from nl2pddl.generation import open_backend
from nl2pddl.runs import new_id
from nl2pddl.settings import Settings
from nl2pddl.store import Store
from nl2pddl.worldmodel import checking, session
from nl2pddl.worldmodel.brief import load_example
from nl2pddl.worldmodel.building import Setup
from nl2pddl.worldmodel.impossible import never_possible_in
from nl2pddl.worldmodel.published import read_records
from nl2pddl.worldmodel.quality import Weight
from nl2pddl.worldmodel.reaching import reached_in
from nl2pddl.worldmodel.session import Work
from nl2pddl.worldmodel.tasks import TaskOutcome
from nl2pddl.worldmodel.using import TaskChoice, assessed, keep_assessment, run_tasks


def build(settings: Settings, setup: Setup, model: str, decoding: Decoding, out: Path | None) -> int:
    """Begin a construction and ask the model until it is through; prints the ID first and a summary last."""
    with Store(settings.store) as store:
        construction_id = new_id()
        session.begin(store, construction_id, setup, model, decoding)
        print(construction_id, flush=True)
        return _work_on(settings, store, construction_id, out)


def resume(settings: Settings, construction_id: str, out: Path | None) -> int:
    """Go on with a construction of the store."""
    with opened(settings) as store:
        session.load(store, construction_id)
        print(construction_id, flush=True)
        return _work_on(settings, store, construction_id, out)


def tasks(settings: Settings, construction_id: str, choice: TaskChoice) -> int:
    """Plan the tasks of an example with a construction's domain; prints a line a task and a summary last."""
    found: Counter[str] = Counter()
    with opened(settings) as store:
        construction = session.load(store, construction_id).construction
        for result in run_tasks(store, construction_id, choice, open_backend, settings.data_dir):
            found[result.outcome] += 1
            steps = f" {len(result.plan)} steps" if result.plan else ""
            reason = f": {result.reason}" if result.reason else ""
            print(f"{result.task} {result.outcome}{steps}{reason}", flush=True)
    told = ", ".join(f"{found[outcome]} {outcome}" for outcome in TaskOutcome if found[outcome])
    print(f"{found[TaskOutcome.SOLVED]} of {found.total()} tasks solved: {told}")
    _look_at(reached_in(construction, load_example(choice.example)).sentences())
    return 0


def count_errors(settings: Settings, construction_id: str, example: str, *, weigh: bool) -> int:
    """Store and print how the predicates were matched, a line an error, and a summary last."""
    with opened(settings) as store:
        work = session.load(store, construction_id)
        assessment = assessed(lambda at: None, work.construction, example, weigh)
        keep_assessment(store, work, example, assessment)
    for name in work.construction.predicates:
        match = assessment.mapping.get(name)
        print(f"{name}: " + (f"{'not ' if match.negated else ''}{match.predicate}" if match else "of its own"))
    for error in assessment.errors:
        seen = f" (seen on {error.task})" if error.task else ""
        print(error.in_words + (f": {error.weight}{seen}" if error.weight else ""), flush=True)
    told = Counter(error.weight for error in assessment.errors)
    kinds = "; ".join(f"{told[weight]} {weight}" for weight in Weight if told[weight])
    count = len(assessment.errors)
    told_of = f"{count} error{'' if count == 1 else 's'} against the hand-made model"
    print(told_of + (f": {kinds}" if kinds else ""))
    _look_at(assessment.impossible)
    return 0


def import_records(
    settings: Settings, actions: Path, predicates: Path, types: Path, name: str, out: Path | None
) -> int:
    """Store published records as a construction; prints its ID first and a summary last."""
    contents = [_content(path) for path in (actions, predicates, types)]
    records = read_records(contents[0], contents[1], contents[2], name)
    with Store(settings.store) as store:
        construction_id = new_id()
        construction = session.add_records(store, construction_id, records).construction
    print(construction_id)
    if out is not None:
        out.write_text(construction.domain_text(), encoding="utf-8")
    faulty = sum(bool(versions[-1].faults) for versions in construction.versions.values())
    remarks = sum(map(len, construction.remarks.values()))
    print(
        f"construction {construction_id}: {len(construction.drafts)} of {len(records.setup.brief.actions)} actions, "
        f"{len(construction.predicates)} predicates; tools object to {faulty}, people to {len(construction.remarks)} "
        f"({remarks} remarks)"
    )
    return 0


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def _work_on(settings: Settings, store: Store, construction_id: str, out: Path | None) -> int:
    work = session.work_on(store, construction_id, open_backend, settings.data_dir, tell=_tell)
    construction = work.construction
    if out is not None:
        out.write_text(construction.domain_text(), encoding="utf-8")
    left = [version.faults for action in construction.drafts if (version := construction.current(action))]
    faulty = sum(bool(faults) for faults in left)
    _look_at(never_possible_in(construction))
    _look_at(checking.hints(construction.drafts, construction.predicates))
    missing = f"; none for {', '.join(construction.missing)}" if construction.missing else ""
    total = len(construction.setup.brief.actions)
    print(
        f"construction {construction_id}: {len(construction.drafts)} of {total} actions, "
        f"{len(construction.predicates)} predicates, {work.events} events; tools still object to {faulty}{missing}"
    )
    return 0


def _look_at(sentences: Iterable[str]) -> None:
    """What people should look at; not on stdout, which holds results."""
    for sentence in sentences:
        print(f"look at: {sentence}", file=sys.stderr)


def _tell(work: Work) -> None:
    construction = work.construction
    total = construction.setup.passes * len(construction.setup.brief.actions)
    print(f"{construction.taken} of {total} taken, {work.events} events", file=sys.stderr, flush=True)


def opened(settings: Settings) -> Store:
    """The store, which must be there. Raises InputError where it is not."""
    if not settings.store.is_file():
        raise InputError(f"{settings.store}: no such store; build a domain first")
    return Store(settings.store)
