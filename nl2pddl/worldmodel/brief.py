"""What a person tells a model before a domain is built: the domain, its types and its actions in words; and examples.

A folder of ``data/worldmodels/`` holds an example: brief.toml, a hand-made model (domain.pddl) and tasks for it
(problems/*.pddl with tasks.toml). The two kinds of action descriptions are the two conditions of Guan et al. (NeurIPS
2023): with the constraints said, and without.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from nl2pddl.actions import OBJECT
from nl2pddl.domains import misfits, problem_misfits
from nl2pddl.errors import DomainError
from nl2pddl.pddl_io import parse_domain, parse_problem, read_text
from nl2pddl.settings import PROJECT_ROOT
from nl2pddl.task import PlanningDomain, PlanningProblem

EXAMPLES = PROJECT_ROOT / "data" / "worldmodels"
NAME = re.compile(r"[a-z][a-z0-9_-]*\Z")
# Words that PDDL keeps for itself wherever a name may stand.
RESERVED = frozenset({"and", "or", "not", "forall", "exists", "when", "imply", "either", "object", "define"})


class Condition(StrEnum):
    """How much the description of an action says. ``MINIMAL``: what it does and no constraint."""

    DETAILED = "detailed"
    MINIMAL = "minimal"


def is_name(text: str) -> bool:
    """Whether something can be called so in PDDL: a letter, then letters, digits, - and _; no word that PDDL keeps."""
    return NAME.match(text) is not None and text not in RESERVED


@dataclass(frozen=True)
class TypeBrief:
    """A type with its parent (``object`` at the root) and what it means."""

    name: str
    parent: str = OBJECT
    words: str = ""


@dataclass(frozen=True)
class ActionBrief:
    """An action before it is built: its name in PDDL, a title, and its description under both conditions."""

    name: str
    title: str
    detailed: str
    minimal: str

    def description(self, condition: Condition) -> str:
        """The description by condition; the other one where this is empty."""
        first, second = self.detailed, self.minimal
        if condition is Condition.MINIMAL:
            first, second = second, first
        return first or second


@dataclass(frozen=True)
class Brief:
    """Everything a domain is built from. ``name`` becomes the domain's name in PDDL."""

    name: str
    title: str
    domain: str
    types: tuple[TypeBrief, ...]
    actions: tuple[ActionBrief, ...]

    def action(self, name: str) -> ActionBrief:
        """The action of this name. Raises KeyError."""
        return next(action for action in self.actions if action.name == name)


@dataclass(frozen=True)
class Task:
    """A task for an example: in words, as a problem, and the number of steps of a shortest plan."""

    name: str
    words: str
    problem: PlanningProblem
    shortest: int


@dataclass(frozen=True)
class Example:
    """A brief with a hand-made model of its domain, the words for that model's predicates and parameters, and tasks.

    ``predicates`` maps a predicate to its template such as "package {p} is at location {l}", ``parameters`` an action
    to what each of its parameters is.
    """

    id: str
    brief: Brief
    planning: PlanningDomain
    predicates: Mapping[str, str]
    parameters: Mapping[str, Mapping[str, str]]
    tasks: tuple[Task, ...] = field(repr=False)


def example_ids(directory: Path = EXAMPLES) -> list[str]:
    """The examples that there are, by name."""
    return sorted(path.parent.name for path in directory.glob("*/brief.toml"))


def load_example(name: str, directory: Path = EXAMPLES) -> Example:
    """An example by the name of its folder. Raises DomainError with everything that is wrong in it."""
    if name not in example_ids(directory):
        raise DomainError(name, [f"there is no such example; there are: {', '.join(example_ids(directory)) or 'none'}"])
    folder = directory / name
    data = _toml(folder / "brief.toml", name)
    planning = parse_domain(read_text(folder / "domain.pddl"), f"{name}/domain.pddl")
    brief = brief_from(data, name)
    parameters = {entry["name"]: dict(entry.get("parameters", {})) for entry in data["actions"]}
    tasks = tuple(_tasks(folder, name))
    example = Example(name, brief, planning, dict(data.get("predicates", {})), parameters, tasks)
    if faults := list(_faults(example)):
        raise DomainError(name, faults)
    return example


def read_brief(path: Path) -> Brief:
    """A brief from a file of a brief.toml's layout, whose key ``name`` (else the file's own name) names the domain.

    Raises InputError where it cannot be read, DomainError with all that is wrong in it.
    """
    data = _toml(path, path.stem)
    return brief_from(data, str(data.get("name", path.stem.lower())))


def brief_from(data: Mapping[str, Any], name: str) -> Brief:
    """A brief from the tables of a brief.toml, of a domain that shall be called ``name``. Raises DomainError."""
    faults = list(_shape_faults(data))
    if not is_name(name):
        faults.append(f"the domain's name '{name[:60]}' must be a PDDL name: a letter, then letters, digits, - and _")
    if faults:
        raise DomainError(name[:60], faults)
    types = tuple(
        TypeBrief(key.lower(), str(entry.get("parent", OBJECT)).lower(), str(entry.get("words", "")).strip())
        for key, entry in data.get("types", {}).items()
    )
    actions = tuple(
        ActionBrief(
            entry["name"].lower(),
            str(entry.get("title", entry["name"])).strip(),
            str(entry.get("detailed", "")).strip(),
            str(entry.get("minimal", "")).strip(),
        )
        for entry in data["actions"]
    )
    brief = Brief(name, str(data.get("title", name)).strip(), data["domain"].strip(), types, actions)
    if faults := list(brief_faults(brief)):
        raise DomainError(name, faults)
    return brief


def brief_faults(brief: Brief) -> Iterator[str]:
    """What in a brief keeps a domain from being built of it."""
    names = [action.name for action in brief.actions]
    known = {one.name for one in brief.types} | {OBJECT}
    if not is_name(brief.name):
        yield f"'{brief.name[:60]}' cannot be the name of a domain: a letter, then letters, digits, - and _"
    if not brief.domain.strip():
        yield "the domain is not described"
    for one in brief.types:
        if not is_name(one.name):
            yield f"'{one.name}' cannot be the name of a type"
        if one.parent not in known:
            yield f"the type '{one.name}' is below '{one.parent}', which is no type here"
        elif _is_circular(one, brief):
            yield f"the type '{one.name}' is below itself"
    for name in dict.fromkeys(names):
        if not is_name(name):
            yield f"'{name}' cannot be the name of an action"
        if names.count(name) > 1:
            yield f"the action '{name}' stands twice"
    for action in brief.actions:
        if not (action.detailed or action.minimal):
            yield f"the action '{action.name}' is not described"
    if not names:
        yield "there is no action to build"


def _is_circular(one: TypeBrief, brief: Brief) -> bool:
    parents = {other.name: other.parent for other in brief.types}
    at = one.name
    for _ in range(len(parents) + 1):
        if at not in parents or at == OBJECT:
            return False
        at = parents[at]
    return True


def _shape_faults(data: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(data.get("domain"), str):
        yield 'the text domain = "…" is missing'
    types, actions = data.get("types", {}), data.get("actions")
    if not isinstance(types, dict) or not all(isinstance(entry, dict) for entry in types.values()):
        yield '[types] must be a table of tables, such as truck = { words = "a truck" }'
    if not isinstance(actions, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get("name"), str) for entry in actions
    ):
        yield "[[actions]] must be tables with a name each"


def _toml(path: Path, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise DomainError(name, [f"{path.name}: {error}"]) from error


def _tasks(folder: Path, name: str) -> Iterator[Task]:
    for key, entry in _toml(folder / "tasks.toml", name).items():
        problem = parse_problem(read_text(folder / "problems" / f"{key}.pddl"), f"{name}/problems/{key}.pddl")
        yield Task(key, entry["words"], problem, entry["shortest"])


def _faults(example: Example) -> Iterator[str]:
    planning, brief = example.planning, example.brief
    yield from misfits(planning, complete=True)
    if {one.name: one.parent for one in brief.types} != dict(planning.types):
        yield "the types of brief.toml and domain.pddl are not the same"
    if [action.name for action in brief.actions] != list(planning.actions):
        yield "the actions of brief.toml and domain.pddl are not the same, in one order"
    if list(example.predicates) != list(planning.predicates):
        yield "the predicates of brief.toml and domain.pddl are not the same, in one order"
    for name, action in planning.actions.items():
        if [f"?{key}" for key in example.parameters.get(name, {})] != [p.name for p in action.parameters]:
            yield f"the parameters of '{name}' in brief.toml and domain.pddl are not the same"
    for task in example.tasks:
        yield from (f"{task.name}: {fault}" for fault in problem_misfits(task.problem, planning))
