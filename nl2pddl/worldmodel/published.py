"""The record layout that Guan et al. publish: read into a construction, so that its transcripts replay, and written.

A file of actions (JSON) has for each action, by its title, its description, what people found wrong ("annotation"), and
either the text that the model wrote ("llm_output") or its parts ("parameters", "preconditions", "effects"). Beside it
are a list of predicates (text, one a line with its words) and the types ("hierarchy", JSON).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nl2pddl.actions import OBJECT
from nl2pddl.errors import InputError
from nl2pddl.worldmodel import building, person
from nl2pddl.worldmodel.asking import answer_text
from nl2pddl.worldmodel.brief import ActionBrief, Brief, TypeBrief, brief_faults
from nl2pddl.worldmodel.building import Construction, Event, Setup

LARGEST_FILE = 8 << 20  # bytes
_MOST_ACTIONS = 500


@dataclass(frozen=True)
class Records:
    """What the files hold: what a construction is set up with, and the events that lead to it."""

    setup: Setup
    events: tuple[Event, ...]

    @property
    def construction(self) -> Construction:
        """The construction that they led to."""
        return building.fold(self.setup, self.events)


def read_records(actions: bytes, predicates: bytes, types: bytes, name: str, domain: str = "") -> Records:
    """Read the three files. ``name`` is what the domain is called, ``domain`` its description.

    Raises InputError, with every fault, where the files are not of the layout. What is wrong inside an action is no
    fault of the file: it is kept as what tools object to.
    """
    listed = _json(actions, "the file of actions")
    hierarchy = _json(types, "the file of types")
    faults = list(_faults(listed))
    if faults:
        raise InputError("; ".join(faults[:5]), faults)
    brief = Brief(
        name,
        name,
        domain or f"The domain {name}, as published.",
        tuple(_types(hierarchy)),
        tuple(
            ActionBrief(slug(title), title, str(entry.get("action_desc") or title), "")
            for title, entry in listed.items()
        ),
    )
    if faults := list(brief_faults(brief)):
        raise InputError("; ".join(faults[:5]), faults)
    setup = Setup(brief, rounds=0, passes=1)
    return Records(setup, tuple(_events(setup, listed, _text(predicates, "the list of predicates"))))


def _events(setup: Setup, listed: Mapping[str, Any], predicates: str) -> Iterator[Event]:
    construction = Construction(setup)
    if predicates.strip():
        event = person.given(construction, predicates)
        construction = building.after(construction, event)
        yield event
    for title, entry in listed.items():
        ask = building.next_ask(construction)
        assert ask is not None
        event = building.answered(ask, _answer(entry))
        construction = building.after(construction, event)
        yield event
        for words in entry.get("annotation") or ():
            if str(words).strip():
                yield person.remarked(construction, slug(title), str(words))


def _answer(entry: Mapping[str, Any]) -> str:
    if isinstance(entry.get("llm_output"), str):
        return str(entry["llm_output"])
    parameters = "\n".join(f"{number}. {line}" for number, line in enumerate(entry["parameters"], start=1))
    return f"Parameters:\n{parameters}\n\nPreconditions:\n{entry['preconditions']}\n\nEffects:\n{entry['effects']}"


def records_json(construction: Construction) -> str:
    """The construction in the same layout: for each action the model's text and people's remarks."""
    told: dict[str, Any] = {}
    for action in construction.setup.brief.actions:
        version = construction.current(action.name)
        if version is None:
            continue
        told[action.title] = {
            "action_desc": action.description(construction.setup.condition),
            "llm_output": answer_text(version.draft) if version.draft else version.turns[-1].content,
            "annotation": list(construction.remarks.get(action.name, ())),
        }
    return json.dumps(told, indent=4, ensure_ascii=False) + "\n"


def slug(title: str) -> str:
    """A PDDL name from a title: "Load a package into a truck" is load-a-package-into-a-truck."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return words if words[:1].isalpha() else f"action-{words}"


def _types(read: Any) -> Iterator[TypeBrief]:
    hierarchy = read.get("hierarchy") if isinstance(read, dict) else None
    if not isinstance(hierarchy, dict) or not all(isinstance(below, list) for below in hierarchy.values()):
        raise InputError('the file of types needs a table "hierarchy": a list of subtypes for each type')
    below = {str(child).lower(): str(parent).lower() for parent, children in hierarchy.items() for child in children}
    for name in dict.fromkeys([*map(str.lower, hierarchy), *below]):
        yield TypeBrief(name, below.get(name, OBJECT))


def _faults(listed: Any) -> Iterator[str]:
    if not isinstance(listed, dict) or not listed:
        yield "the file of actions must be a JSON object with an entry for each action"
        return
    if len(listed) > _MOST_ACTIONS:
        yield f"the file of actions has {len(listed):,} actions; at most {_MOST_ACTIONS} are taken"
        return
    seen: set[str] = set()
    for title, entry in listed.items():
        parts = ("parameters", "preconditions", "effects")
        whole = isinstance(entry, dict) and isinstance(entry.get("llm_output"), str)
        apart = isinstance(entry, dict) and isinstance(entry.get("parameters"), list) and all(k in entry for k in parts)
        if not (whole or apart):
            yield f"'{title[:60]}' has neither llm_output nor {', '.join(parts)}"
        if slug(title) in seen:
            yield f"'{title[:60]}' stands twice, but for case and punctuation"
        seen.add(slug(title))


def _json(content: bytes, what: str) -> Any:
    try:
        return json.loads(_text(content, what))
    except ValueError as error:
        raise InputError(f"{what} is no JSON: {error}") from error


def _text(content: bytes, what: str) -> str:
    if len(content) > LARGEST_FILE:
        raise InputError(f"{what} is larger than {LARGEST_FILE >> 20} MB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{what} is no text in UTF-8") from error
