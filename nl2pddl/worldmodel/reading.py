"""Reads an answer of the layout in ``asking``: parameters, preconditions, effects, new predicates, or what is wrong.

Answers come from a model: whatever is in them, this gives a draft or messages, never an exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nl2pddl.action_reader import read_action
from nl2pddl.actions import Parameter
from nl2pddl.sexpr import Group, UnmatchedError, end_of_group, folded, read_group
from nl2pddl.worldmodel.brief import NAME, is_name
from nl2pddl.worldmodel.draft import ActionDraft, PredicateDraft

LONGEST_ANSWER = 50_000
_HEADING = re.compile(
    r"^[ \t#*_]*(parameters?|preconditions?|effects?|new[ _]predicates?)[ \t*_]*:[ \t*_]*", re.IGNORECASE | re.MULTILINE
)
_PARAMETER = re.compile(r"(\?[\w-]+)`?(?:\s+-\s+`?(\(\s*either\b[^)]*\)|[\w-]+)`?)?\s*[:,]?\s*(.*)", re.IGNORECASE)
_NEXT = re.compile(r"^[ \t#*_]*(?:action|domain|example \d+)[ \t*_]*:", re.IGNORECASE | re.MULTILINE)
_TRUE_IF = re.compile(r"^\s*[:\-–]?\s*(?:(?:it is )?true (?:if|when|iff)\s+)?", re.IGNORECASE)
_MOST_PREDICATES = 200


@dataclass(frozen=True)
class Answer:
    """An answer, read: the draft, or None where none can be made of it; and what is wrong, a message each."""

    draft: ActionDraft | None
    problems: tuple[str, ...] = ()


def read_answer(text: str, name: str) -> Answer:
    """The draft of the action ``name`` in an answer. An answer may begin behind its first heading, as records do."""
    sections = _sections(text[:LONGEST_ANSWER])
    problems: list[str] = []
    for key, heading in (("parameter", "Parameters"), ("precondition", "Preconditions"), ("effect", "Effects")):
        if key not in sections:
            problems.append(f"the heading '{heading}:' is missing")
    if problems:
        return Answer(None, tuple(problems))
    words: dict[str, str] = {}
    typed = _parameters(sections["parameter"], words, problems)
    formulas = {key: _formula(sections[key], key, problems) for key in ("precondition", "effect")}
    new = tuple(_predicates(sections.get("new predicate", ""), problems))
    if None in formulas.values() or typed is None:
        return Answer(None, tuple(problems))
    source = (
        f"(:action {name} :parameters ({typed}) :precondition {formulas['precondition']} :effect {formulas['effect']})"
    )
    action, found = read_action(read_group(source))
    problems += [fault.message for fault in found]
    return Answer(None if action is None else ActionDraft(action, words, new), tuple(dict.fromkeys(problems)))


def read_predicates(text: str) -> tuple[list[PredicateDraft], list[str]]:
    """The predicates that a text declares, one a line, and what is wrong, a message each."""
    problems: list[str] = []
    return list(_predicates(text[:LONGEST_ANSWER], problems)), problems


def _sections(text: str) -> dict[str, str]:
    """What stands under each heading, the first time it comes; a further question of the model's own is cut off."""
    ahead = _HEADING.search(text)
    if ahead is None:
        return {}
    if (own := _NEXT.search(text, ahead.end())) is not None:
        text = text[: own.start()]
    found = list(_HEADING.finditer(text))
    sections: dict[str, str] = {}
    if not found[0].group(1).lower().startswith("param") and text[: found[0].start()].strip():
        sections["parameter"] = text[: found[0].start()]
    for at, heading in enumerate(found):
        key = heading.group(1).lower().replace("_", " ").rstrip("s")
        if key in sections:
            break
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        sections[key] = text[heading.end() : end]
    return sections


def _parameters(text: str, words: dict[str, str], problems: list[str]) -> str | None:
    """The parameters as a typed list, and what each is into ``words``; None where a line cannot be read."""
    typed = []
    for line in text.splitlines():
        if "?" not in line:
            continue
        found = _PARAMETER.search(line)
        if found is None or found[2] is None:
            problems.append(f"the parameter in '{_short(line)}' has no type; write it as '?x - type: what it is'")
            return None
        variable = folded(found[1])
        if not NAME.match(variable[1:]):
            problems.append(f"'{_short(variable)}' cannot be the name of a parameter")
            return None
        typed.append(f"{variable} - {folded(found[2])}")
        words[variable] = found[3].strip()
    return " ".join(typed)


def _formula(text: str, key: str, problems: list[str]) -> str | None:
    """The formula of a section as one PDDL text; several groups are a conjunction, none is nothing."""
    groups, at = [], text.find("(")
    while at >= 0:
        try:
            end = end_of_group(text, at)
        except UnmatchedError as error:
            problems.append(f"in the {key}s {error}")
            return None
        groups.append(text[at:end])
        at = text.find("(", end)
    # Comments would swallow what is put behind them.
    groups = [re.sub(r";[^\n]*", "", group) for group in groups]
    return groups[0] if len(groups) == 1 else f"(and {' '.join(groups)})"


def _predicates(text: str, problems: list[str]) -> Iterator[PredicateDraft]:
    """The new predicates, one a line that holds a parenthesis."""
    for line in text.splitlines()[:_MOST_PREDICATES]:
        at = line.find("(")
        if at < 0:
            continue
        try:
            group = read_group(line, at)
        except UnmatchedError as error:
            problems.append(f"in the new predicate '{_short(line)}' {error}")
            continue
        parameters = _declared(line[group.start : group.end], group, problems)
        if parameters is not None and group.head is not None:
            words = _TRUE_IF.sub("", line[group.end :].removeprefix("`"), count=1)
            yield PredicateDraft(group.head, parameters, words.strip())


def _declared(text: str, group: Group, problems: list[str]) -> tuple[Parameter, ...] | None:
    """The typed parameters of a declaration such as "(on ?x - block ?y - block)"; None where it is none."""
    if group.head is None or not is_name(group.head):
        problems.append(f"'{_short(text)}' declares no predicate: it begins with no name that it could have")
        return None
    typed = folded(text)[1:-1].strip().removeprefix(group.head)
    read, found = read_action(read_group(f"(:action a :parameters ({typed}) :effect (and))"))
    if read is None:
        problems.append(f"the new predicate '{_short(text)}' is not declared as PDDL asks: {found[0].message}")
        return None
    if typed.count("?") and "-" not in typed:
        problems.append(f"the parameters of the new predicate '{_short(text)}' have no types")
        return None
    return read.parameters


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
