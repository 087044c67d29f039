"""``worldmodel``, a person's part: read actions in words, say what is wrong, accept, edit, rename; own tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from nl2pddl.actions import action_pddl
from nl2pddl.commands.worldmodel import opened
from nl2pddl.errors import InputError
from nl2pddl.generation import open_backend
from nl2pddl.pddl_io import read_text
from nl2pddl.settings import Settings
from nl2pddl.store import Store, assessments, constructions
from nl2pddl.worldmodel import goals, person, session
from nl2pddl.worldmodel.brief import Task, load_example
from nl2pddl.worldmodel.building import Construction, Event
from nl2pddl.worldmodel.matching import Match
from nl2pddl.worldmodel.published import records_json
from nl2pddl.worldmodel.reference import reference_predicates
from nl2pddl.worldmodel.session import Work
from nl2pddl.worldmodel.using import TaskChoice, put_into_pddl, run_tasks
from nl2pddl.worldmodel.words import in_words

Make = Callable[[Construction], Event]


def list_all(settings: Settings) -> int:
    """Print a line a construction: ID, name, model, how many events."""
    with opened(settings) as store:
        for row in constructions.constructions_frame(store).itertuples():
            print(f"{row.construction_id} {row.name}, by {row.model}: {row.events} events")
    return 0


def show(settings: Settings, construction_id: str, action: str | None) -> int:
    """Print each action, or the one, in words and as PDDL, with what tools and people say against it."""
    with opened(settings) as store:
        construction = session.load(store, construction_id).construction
    names = [one.name for one in construction.setup.brief.actions]
    if action is not None and action not in names:
        raise InputError(f"there is no action '{action}' in this domain; there are: {', '.join(names)}")
    for name in names if action is None else [action]:
        _print(construction, name)
    return 0


def _print(construction: Construction, name: str) -> None:
    version = construction.current(name)
    state = (
        "accepted" if name in construction.accepted else "not built yet" if version is None else version.origin.value
    )
    print(f"== {name} ({state})")
    if version is None:
        return
    if version.draft is None:
        print(version.turns[-1].content)
    else:
        print(f"{in_words(version.draft, construction.predicates).text}\n\n{action_pddl(version.draft.action)}")
    for fault in version.faults:
        print(f"tools: {fault}")
    for remark in construction.remarks.get(name, ()):
        print(f"note: {remark}")
    print()


def tell(settings: Settings, construction_id: str, action: str, words: str) -> int:
    """Say in words what is wrong with an action; the model answers, and the new version is printed."""
    with opened(settings) as store:
        work = _stored(store, construction_id, lambda construction: person.objected(construction, action, words))
        work = session.work_on(store, work.id, open_backend, settings.data_dir)
    _print(work.construction, action)
    return 0


def do(settings: Settings, construction_id: str, make: Make) -> int:
    """Store one step of a person's; prints how many events there are then."""
    with opened(settings) as store:
        work = _stored(store, construction_id, make)
    print(f"construction {construction_id}: {work.events} events")
    return 0


def match(
    settings: Settings, construction_id: str, example: str, predicate: str, other: str | None,
    order: Sequence[int], *, negated: bool,
) -> int:  # fmt: skip
    """Say which predicate of an example's hand-made model one stands for; None: for none."""
    truth = reference_predicates(load_example(example))
    found = None
    if other is not None:
        count = len(truth[other].parameters) if other in truth else len(order)
        found = Match(other, tuple(place - 1 for place in order) or tuple(range(count)), negated)
    return do(settings, construction_id, lambda construction: person.matched(construction, predicate, found, truth))


def edit(settings: Settings, construction_id: str, action: str, path: Path) -> int:
    """Take an answer from a file for an action."""
    text = read_text(path)
    return do(settings, construction_id, lambda construction: person.edited(construction, action, text))


def export(settings: Settings, construction_id: str, records: Path | None, domain: Path | None) -> int:
    """Write the records with their annotations, and the domain."""
    if records is None and domain is None:
        raise InputError("name a file with --records or --domain")
    with opened(settings) as store:
        construction = session.load(store, construction_id).construction
    for path, text in ((records, records_json(construction)), (domain, construction.domain_text())):
        if path is not None:
            path.write_text(text, encoding="utf-8")
            print(f"{path}: written")
    return 0


def own_task(settings: Settings, construction_id: str, texts: tuple[str, str], goal: str | None, choice: TaskChoice,
             words: str | None) -> int:  # fmt: skip
    """Plan a task of objects, initial state and a goal in PDDL or words; prints the goal, the outcome and the plan."""
    with opened(settings) as store:
        if goal is not None:
            work = session.load(store, construction_id)
            name = assessments.next_own(store, construction_id)
            problem = goals.own_problem(work.construction, *texts, goal)
            told = words or "; ".join(goals.goal_in_words(work.construction, problem))
            choice = replace(choice, own=(Task(name, told, problem, 0),))
        else:
            found = put_into_pddl(
                store, construction_id, (*texts, words or ""), choice, open_backend, settings.data_dir
            )
            assert found is not None  # nothing stops it
            choice = found
        print(f"goal: {' '.join(goals.goal_text(choice.own[0].problem).splitlines())}")
        for result in run_tasks(store, construction_id, choice, open_backend, settings.data_dir):
            print(f"{result.task} {result.outcome}" + (f": {result.reason}" if result.reason else ""))
            print("\n".join(result.plan))
    return 0


def _stored(store: Store, construction_id: str, make: Make) -> Work:
    work = session.load(store, construction_id)
    return session.add(store, work, make(work.construction))
