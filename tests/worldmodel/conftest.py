"""Scripted models that give the right answers, and what the tests of a construction share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nl2pddl.worldmodel import building
from nl2pddl.worldmodel.brief import Example
from nl2pddl.worldmodel.building import Ask, Construction, Setup
from nl2pddl.worldmodel.reference import reference_answer
from tests.conftest import write_script

Change = Callable[[Ask, str], str]


def unchanged(ask: Ask, text: str) -> str:
    """The right answer."""
    return text


def scripted(path: Path, example: Example, setup: Setup, change: Change = unchanged) -> str:
    """A model that answers every question of a construction rightly, but for what ``change`` makes of it."""
    construction, lines = Construction(setup), []
    while (ask := building.next_ask(construction)) is not None:
        text = change(ask, reference_answer(example, ask.action, construction.predicates))
        lines.append({"domain": setup.brief.name, "action": ask.action, "output": text})
        construction = building.after(construction, building.answered(ask, text))
    return write_script(path, lines)
