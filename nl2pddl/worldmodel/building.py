"""The construction of a domain as a sequence of events: what was answered, said and changed makes what is asked next.

Nothing is kept but the events: a construction is what folding them gives, so it survives restarts, every step can be
looked at again, and taking one back is one more event. Knows neither models nor the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from nl2pddl.experiment import Turn
from nl2pddl.worldmodel import asking, checking
from nl2pddl.worldmodel.brief import Brief, Condition
from nl2pddl.worldmodel.draft import ActionDraft, PredicateDraft, domain_pddl, renamed_in
from nl2pddl.worldmodel.matching import Match
from nl2pddl.worldmodel.reading import read_answer, read_predicates

_AGAIN = "Give the whole answer again, corrected, under the same headings."
PASSES = 2  # the second with all predicates known (Guan et al., Section 4.1)


class Origin(StrEnum):
    """Where a version of an action comes from: the first building, a person's feedback, a person's own hand."""

    BUILT = "built"
    FEEDBACK = "feedback"
    EDITED = "edited"


class EventKind(StrEnum):
    """What can happen in a construction."""

    ANSWER = "answer"
    FEEDBACK = "feedback"
    EDIT = "edit"
    UNDO = "undo"
    RENAME = "rename"
    REWORD = "reword"
    PREDICATES = "predicates"
    REMARK = "remark"
    ACCEPT = "accept"
    MATCH = "match"


@dataclass(frozen=True)
class Event:
    """Something that happened: ``data`` is JSON, checked before it becomes an event (``answered`` and ``person``)."""

    kind: EventKind
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Setup:
    """How a domain is built. ``rounds`` is how often, at most, tools send an answer back; then it is taken."""

    brief: Brief
    condition: Condition = Condition.DETAILED
    rounds: int = 3
    passes: int = PASSES
    demonstrations: int = 2


@dataclass(frozen=True)
class Ask:
    """The next question to the model. ``taken`` counts the actions finished before, ``round`` the tools' objections."""

    action: str
    turns: tuple[Turn, ...]
    taken: int
    round: int


@dataclass(frozen=True)
class Version:
    """A version of an action: the dialogue that led to it (the answer last), the draft, and what tools object to.

    ``renamed``: predicates have got other names since, so that the dialogue speaks of what is no longer there.
    """

    origin: Origin
    turns: tuple[Turn, ...]
    draft: ActionDraft | None
    faults: tuple[str, ...] = ()
    round: int = 0
    renamed: bool = False


@dataclass(frozen=True)
class Construction:
    """A construction as it stands. ``versions`` of an action are in the order they came, the current one last.

    ``taken`` counts the actions finished over all passes. ``pending`` is an action and the dialogue that its next
    answer continues, where a person or a tool has objected. ``feedback`` counts a person's messages by action, and
    ``remarks`` are what people found wrong in it without asking the model (annotations): the measures of Guan et al.
    ``accepted`` are the actions that a person found right as they are now, ``matches`` what a person said of predicates
    beside a hand-made model's (None: it has no counterpart there).
    """

    setup: Setup
    versions: Mapping[str, tuple[Version, ...]] = field(default_factory=dict)
    predicates: Mapping[str, PredicateDraft] = field(default_factory=dict)
    taken: int = 0
    pending: tuple[str, tuple[Turn, ...], int] | None = None
    by_person: bool = False
    feedback: Mapping[str, int] = field(default_factory=dict)
    remarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    accepted: frozenset[str] = frozenset()
    matches: Mapping[str, Match | None] = field(default_factory=dict)

    @property
    def is_built(self) -> bool:
        """Whether all passes are through; a person may still object."""
        return self.taken >= self.setup.passes * len(self.setup.brief.actions)

    def current(self, action: str) -> Version | None:
        """The last version that could be read; the very last where none could."""
        versions = self.versions.get(action, ())
        readable = [version for version in versions if version.draft is not None]
        return (readable or list(versions) or [None])[-1]  # type: ignore[list-item]

    @property
    def drafts(self) -> dict[str, ActionDraft]:
        """The current draft of every action that has one, in the order of the brief."""
        found = {action.name: self.current(action.name) for action in self.setup.brief.actions}
        return {name: version.draft for name, version in found.items() if version and version.draft}

    @property
    def missing(self) -> list[str]:
        """The actions without a draft."""
        return [action.name for action in self.setup.brief.actions if action.name not in self.drafts]

    def domain_text(self) -> str:
        """The domain as it stands, as PDDL."""
        actions = [draft.action for draft in self.drafts.values()]
        return domain_pddl(self.setup.brief, self.predicates.values(), actions)


def fold(setup: Setup, events: Iterable[Event]) -> Construction:
    """The construction that these events led to."""
    construction = Construction(setup)
    for event in events:
        construction = after(construction, event)
    return construction


def next_ask(construction: Construction) -> Ask | None:
    """What to ask the model now; None where it is a person's turn."""
    if construction.pending is not None:
        action, turns, objections = construction.pending
        return Ask(action, turns, construction.taken, objections)
    if construction.is_built:
        return None
    actions = construction.setup.brief.actions
    action = actions[construction.taken % len(actions)].name
    return Ask(action, (Turn("user", _prompt(construction, action)),), construction.taken, 0)


def _prompt(construction: Construction, action: str) -> str:
    setup = construction.setup
    brief = setup.brief
    return asking.prompt(brief, brief.action(action), construction.predicates, setup.condition, setup.demonstrations)


def answered(ask: Ask, text: str, tools: Sequence[str] = ()) -> Event:
    """The event that the model has answered; ``tools`` is what tools that may not be there another time object to."""
    data = {"action": ask.action, "turns": [asdict(turn) for turn in ask.turns], "text": text}
    return Event(EventKind.ANSWER, {**data, "tools": list(tools)} if tools else data)


def after(construction: Construction, event: Event) -> Construction:
    """The construction after an event."""
    data = event.data
    match event.kind:
        case EventKind.ANSWER:
            return _after_answer(construction, data["action"], data["turns"], data["text"], data.get("tools", ()))
        case EventKind.FEEDBACK:
            return _after_feedback(construction, data["action"], data["text"])
        case EventKind.EDIT:
            return _after_edit(construction, data["action"], data["text"])
        case EventKind.UNDO:
            kept = tuple(version for move in moves(construction.versions[data["action"]])[:-1] for version in move)
            return _with_versions(construction, data["action"], kept)
        case EventKind.RENAME:
            return _after_rename(construction, data["old"], data["new"], data["order"])
        case EventKind.REWORD:
            changed = replace(construction.predicates[data["predicate"]], words=data["words"])
            return replace(construction, predicates={**construction.predicates, changed.name: changed})
        case EventKind.PREDICATES:
            brought = {one.name: one for one in read_predicates(data["text"])[0]}
            return replace(construction, predicates={**construction.predicates, **brought})
        case EventKind.REMARK:
            said = (*construction.remarks.get(data["action"], ()), data["text"])
            return replace(construction, remarks={**construction.remarks, data["action"]: said})
        case EventKind.ACCEPT:
            return replace(construction, accepted=construction.accepted | {data["action"]})
        case EventKind.MATCH:
            said_of = data["match"]
            match = Match(said_of["predicate"], tuple(said_of["order"]), said_of["negated"]) if said_of else None
            return replace(construction, matches={**construction.matches, data["predicate"]: match})


def moves(versions: Sequence[Version]) -> list[tuple[Version, ...]]:
    """The versions of an action by what led to them: an answer and all that followed as tools sent it back."""
    found: list[tuple[Version, ...]] = []
    for version in versions:
        if version.round and found:
            found[-1] += (version,)
        else:
            found.append((version,))
    return found


def _after_answer(
    construction: Construction, action: str, turns: Sequence[Mapping[str, str]], text: str, tools: Sequence[str]
) -> Construction:
    dialogue = (*(Turn(**turn) for turn in turns), Turn("assistant", text))
    objections = construction.pending[2] if construction.pending else 0
    origin = Origin.FEEDBACK if construction.by_person else Origin.BUILT
    answer = read_answer(text, action)
    found = answer.problems
    if answer.draft is not None:
        found += checking.faults(answer.draft, action, construction.setup.brief, construction.predicates)
    found += tuple(tools)
    construction = _with_version(construction, action, Version(origin, dialogue, answer.draft, found, objections))
    if found and objections < construction.setup.rounds:
        back = (*dialogue, Turn("user", objection(found)))
        return replace(construction, pending=(action, back, objections + 1))
    return _accepted(construction, answer.draft)


def objection(found: Sequence[str]) -> str:
    """What the tools say of an answer, as the next message of the dialogue."""
    listed = "\n".join(f"- {fault}" for fault in found)
    return f"That action model cannot be used yet:\n{listed}\n{_AGAIN}"


def _accepted(construction: Construction, draft: ActionDraft | None) -> Construction:
    """The last answer is taken, whatever is left in it; its new predicates join the list."""
    brought = draft.new if draft else ()
    usable = {one.name: one for one in brought if is_usable(one, construction)}
    return replace(
        construction,
        predicates={**construction.predicates, **usable},
        taken=construction.taken + (0 if construction.by_person else 1),
        pending=None,
        by_person=False,
    )


def is_usable(one: PredicateDraft, construction: Construction) -> bool:
    """Whether a new predicate can join the list: its types are there, and its name is free."""
    types = {known.name for known in construction.setup.brief.types} | {"object"}
    fitting = all(name in types for parameter in one.parameters for name in parameter.types)
    return fitting and one.name not in types and one.name not in construction.predicates


def _after_feedback(construction: Construction, action: str, words: str) -> Construction:
    version = construction.current(action)
    assert version is not None
    back = (*_replayed(construction, action, version), Turn("user", f"{words}\n{_AGAIN}"))
    count = {**construction.feedback, action: construction.feedback.get(action, 0) + 1}
    return replace(construction, pending=(action, back, 0), by_person=True, feedback=count)


def _replayed(construction: Construction, action: str, version: Version) -> tuple[Turn, ...]:
    """The dialogue that led to a version; begun anew where its predicates have got other names since."""
    if version.draft is None or not version.renamed:
        return version.turns
    return (Turn("user", _prompt(construction, action)), Turn("assistant", asking.answer_text(version.draft)))


def _after_edit(construction: Construction, action: str, text: str) -> Construction:
    before = construction.current(action)
    answer = read_answer(text, action)
    # The dialogue goes on from what the person wrote, as if the model had said it.
    asked = before.turns[:-1] if before else ()
    version = Version(Origin.EDITED, (*asked, Turn("assistant", text)), answer.draft)
    brought = answer.draft.new if answer.draft else ()
    usable = {one.name: one for one in brought if is_usable(one, construction)}
    construction = _with_version(construction, action, version)
    return replace(construction, predicates={**construction.predicates, **usable})


def _after_rename(construction: Construction, old: str, new: str, order: Sequence[int]) -> Construction:
    known = construction.predicates
    was = known[old]
    if new in known:
        predicates = {name: one for name, one in known.items() if name != old}
    else:
        called = PredicateDraft(new, tuple(was.parameters[place] for place in order), was.words)
        predicates = {(new if name == old else name): (called if name == old else one) for name, one in known.items()}
    versions = {
        action: tuple(
            replace(version, draft=version.draft and renamed_in(version.draft, old, new, order), renamed=True)
            for version in each
        )
        for action, each in construction.versions.items()
    }
    # Which predicate of a hand-made model it stands for was said of the old one's order of arguments.
    matches = {name: match for name, match in construction.matches.items() if name not in (old, new)}
    return replace(construction, predicates=predicates, versions=versions, matches=matches)


def _with_version(construction: Construction, action: str, version: Version) -> Construction:
    return _with_versions(construction, action, (*construction.versions.get(action, ()), version))


def _with_versions(construction: Construction, action: str, versions: tuple[Version, ...]) -> Construction:
    """With other versions of an action, which nobody has accepted yet."""
    return replace(
        construction,
        versions={**construction.versions, action: versions},
        accepted=construction.accepted - {action},
    )
