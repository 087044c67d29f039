"""A brief as texts that a person types: types a line each, actions a paragraph each; and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nl2pddl.actions import OBJECT
from nl2pddl.errors import DomainError
from nl2pddl.worldmodel.brief import ActionBrief, Brief, Condition, TypeBrief, brief_faults, is_name

LONGEST = 100_000  # characters of each text
MOST_ACTIONS = 200
_TYPE = re.compile(r"(?P<name>[^\s:]+)(?:\s+-\s+(?P<parent>[^\s:]+))?\s*(?::\s*(?P<words>.*))?\Z")
# A name and a colon at the beginning of the text, or of a line after an empty one.
_ACTION = re.compile(r"(?:\A|\n[ \t]*\n)[ \t]*([A-Za-z][\w-]*)[ \t]*:")


def brief_from_texts(
    name: str, domain: str, types: str, actions: str, condition: Condition = Condition.DETAILED
) -> Brief:
    """A brief of what was typed; descriptions of actions are those under ``condition``.

    Types are lines such as "truck - vehicle: a truck", actions such as "load-truck: Load a package …", an empty line
    between them. Raises DomainError with everything that is wrong.
    """
    faults = [
        f"the text of the {what} has {len(text):,} characters; at most {LONGEST:,} are taken"
        for what, text in (("domain", domain), ("types", types), ("actions", actions))
        if len(text) > LONGEST
    ]
    if faults:
        raise DomainError(name[:60] or "the brief", faults)
    called = name.strip().lower()
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,59}", called) or not is_name(called):
        faults.append("the domain's name must be a letter, then letters, digits, - and _, at most 60 characters")
        called = "unnamed"  # so that the other faults are told too
    read_actions = list(_actions(actions, condition, faults))
    read_types = list(_types(types, faults))
    if len(read_actions) > MOST_ACTIONS:
        faults.append(f"there are {len(read_actions)} actions; at most {MOST_ACTIONS} are taken")
    brief = Brief(called, name.strip(), domain.strip(), tuple(read_types), tuple(read_actions))
    faults += brief_faults(brief)
    if faults:
        raise DomainError(name[:60] or "the brief", faults)
    return brief


def types_text(brief: Brief) -> str:
    """The types as ``brief_from_texts`` takes them."""
    return "\n".join(
        one.name + (f" - {one.parent}" if one.parent != OBJECT else "") + (f": {one.words}" if one.words else "")
        for one in brief.types
    )


def actions_text(brief: Brief, condition: Condition) -> str:
    """The actions as ``brief_from_texts`` takes them."""
    return "\n\n".join(f"{one.name}: {one.description(condition)}" for one in brief.actions)


def _types(text: str, faults: list[str]) -> Iterator[TypeBrief]:
    seen: set[str] = set()
    for line in filter(None, map(str.strip, text.splitlines())):
        found = _TYPE.match(line)
        if found is None:
            faults.append(f"the type '{line[:60]}' is not of the form 'truck - vehicle: a truck'")
            continue
        name = found["name"].lower()
        if name in seen:
            faults.append(f"the type '{name}' stands twice")
        seen.add(name)
        yield TypeBrief(name, (found["parent"] or OBJECT).lower(), (found["words"] or "").strip())


def _actions(text: str, condition: Condition, faults: list[str]) -> Iterator[ActionBrief]:
    found = list(_ACTION.finditer(text))
    ahead = text[: found[0].start()].strip() if found else text.strip()
    if ahead:
        faults.append(f"'{ahead[:60]}' stands before the first action; begin each with its name, such as 'move: …'")
    for at, head in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        words = text[head.end() : end].strip()
        detailed, minimal = (words, "") if condition is Condition.DETAILED else ("", words)
        name = head[1].lower()
        yield ActionBrief(name, name.replace("-", " "), detailed, minimal)
