"""The work on one construction: asks the model until it is a person's turn, and stores every event as it happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from nl2pddl.experiment import ChatMode, Completion, Decoding
from nl2pddl.generation import check_model
from nl2pddl.generation.base import GenerationRequest, never
from nl2pddl.generation.driver import Answer, Driver, OpenBackend
from nl2pddl.planning.val_parser import find_parser
from nl2pddl.store import Store, constructions
from nl2pddl.worldmodel import building
from nl2pddl.worldmodel.asking import STOPS
from nl2pddl.worldmodel.brief import ActionBrief, Brief, Condition, TypeBrief
from nl2pddl.worldmodel.building import Ask, Construction, Event, EventKind, Setup
from nl2pddl.worldmodel.published import Records
from nl2pddl.worldmodel.val_messages import val_faults

# An action of 22 predicates and its new ones; the paper's models write some 300 tokens.
DECODING = Decoding(max_new_tokens=700, stop_strings=STOPS, chat=ChatMode.TEMPLATE)
_ANSWER = "Answer:\n"
IMPORTED = "imported"  # in place of a model: nobody can be asked again


@dataclass(frozen=True)
class Work:
    """A construction of the store: as it stands, and how to go on with it."""

    id: str
    model: str
    decoding: Decoding
    construction: Construction
    events: int


def begin(store: Store, construction_id: str, setup: Setup, model: str, decoding: Decoding = DECODING) -> None:
    """Store a construction that nothing has been asked for yet. Raises ModelError for a model that cannot be."""
    check_model(model)
    constructions.add_construction(store, construction_id, setup.brief.title, model, asdict(setup), decoding)


def add_records(store: Store, construction_id: str, records: Records) -> Work:
    """Store a construction that was made elsewhere, with all its events."""
    setup = records.setup
    constructions.add_construction(store, construction_id, setup.brief.title, IMPORTED, asdict(setup), DECODING)
    work = load(store, construction_id)
    for event in records.events:
        work = add(store, work, event)
    return work


def load(store: Store, construction_id: str, count: int | None = None) -> Work:
    """A construction as it stands, or as it was after ``count`` events. Raises InputError for an unknown ID."""
    stored = constructions.construction(store, construction_id)
    events = [Event(EventKind(kind), data) for kind, data in stored.events[:count]]
    construction = building.fold(setup_from(stored.setup), events)
    return Work(construction_id, stored.model, stored.decoding, construction, len(events))


def add(store: Store, work: Work, event: Event, answer: Answer | None = None) -> Work:
    """Store an event, and give the construction after it. Raises InputError where somebody else was first."""
    construction = building.after(work.construction, event)  # what cannot be folded is not stored
    completion = answer.result if answer and isinstance(answer.result, Completion) else None
    info = answer.info if answer else None
    constructions.add_event(store, work.id, work.events, event.kind.value, event.data, completion, info)
    return replace(work, construction=construction, events=work.events + 1)


def work_on(
    store: Store,
    construction_id: str,
    open_model: OpenBackend,
    data_dir: Path,
    should_stop: Callable[[], bool] = never,
    tell: Callable[[Work], None] = lambda work: None,
) -> Work:
    """Ask the model until it is a person's turn, or ``should_stop`` says so; ``tell`` hears of every answer.

    What VAL's parser finds, where it is installed, is stored with the answer, so that folding the events needs no VAL.
    Raises ModelError where the model gives no answer at all; what came before is stored, and this goes on from there.
    Raises InputError where NL2PDDL_VAL names no VAL.
    """
    work = load(store, construction_id)
    if building.next_ask(work.construction) is None:
        return work
    parser = find_parser()
    driver = Driver(open_model, work.model, work.decoding, data_dir)
    try:
        while not should_stop() and (ask := building.next_ask(work.construction)) is not None:
            answered = driver.answer(request(work, ask), should_stop)
            if answered is None:
                break
            answer, text = answered
            # A person may have noted, accepted or renamed something meanwhile: an answer to a question that would be
            # another one now is dropped, and that one asked.
            work = load(store, construction_id)
            if building.next_ask(work.construction) != ask:
                continue
            tools = val_faults(parser, work.construction, ask.action, text) if parser else ()
            work = add(store, work, building.answered(ask, text, tools), answer)
            tell(work)
    finally:
        driver.close()
    return work


def request(work: Work, ask: Ask) -> GenerationRequest:
    """The question for a backend. A script's answers for an action are taken in the order of its questions."""
    versions = work.construction.versions.get(ask.action, ())
    asked_before = sum(version.origin is not building.Origin.EDITED for version in versions)
    return GenerationRequest(
        index=work.events,
        domain=work.construction.setup.brief.name,
        action=ask.action,
        sample=asked_before,
        prompt="\n\n".join([*(turn.content for turn in ask.turns), _ANSWER]),
        dialogue=ask.turns,
        round=ask.round,
    )


def setup_from(data: Mapping[str, Any]) -> Setup:
    """Read back what ``asdict`` gave of a setup (after a trip through JSON)."""
    brief = data["brief"]
    return Setup(
        Brief(
            brief["name"],
            brief["title"],
            brief["domain"],
            tuple(TypeBrief(**one) for one in brief["types"]),
            tuple(ActionBrief(**one) for one in brief["actions"]),
        ),
        Condition(data["condition"]),
        data["rounds"],
        data["passes"],
        data["demonstrations"],
    )
