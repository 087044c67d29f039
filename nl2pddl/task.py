"""A planning domain and a planning problem as frozen records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nl2pddl.actions import OBJECT, Atom, Formula, LiftedAction, Not, Parameter, conjuncts


@dataclass(frozen=True)
class Predicate:
    """A declared predicate with its typed parameters."""

    name: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class PlanningDomain:
    """A PDDL domain, all in lower case.

    ``types`` maps each declared type to its parent (``object`` at the root), ``constants`` each constant to its type.
    ``source`` is the text as written, ``text`` the same in lower case, which ``with_action`` splices into;
    ``action_spans`` holds each action's offsets in both.
    """

    name: str
    requirements: frozenset[str]
    types: Mapping[str, str]
    constants: Mapping[str, str]
    predicates: Mapping[str, Predicate]
    actions: Mapping[str, LiftedAction]
    source: str = field(repr=False)
    text: str = field(repr=False)
    action_spans: Mapping[str, tuple[int, int]] = field(repr=False)

    def is_type(self, name: str) -> bool:
        """Whether ``name`` is declared, or ``object``."""
        return name == OBJECT or name in self.types

    def is_subtype(self, name: str, ancestor: str) -> bool:
        """Whether ``name`` is ``ancestor`` or below it."""
        seen: set[str] = set()
        while name != ancestor:
            if name in seen or name not in self.types:
                return ancestor == OBJECT
            seen.add(name)
            name = self.types[name]
        return True

    def fits(self, types: Iterable[str], wanted: Iterable[str]) -> bool:
        """Whether something of ``types`` (all members of an ``either``) may stand where ``wanted`` is declared."""
        wanted = tuple(wanted)
        return all(any(self.is_subtype(one, other) for other in wanted) for one in types)

    @property
    def has_negated_preconditions(self) -> bool:
        """Whether a precondition of any action is negated, or the requirements allow it."""
        if self.requirements & {":negative-preconditions", ":adl"}:
            return True
        return any(isinstance(part, Not) for action in self.actions.values() for part in conjuncts(action.precondition))

    def with_action(self, name: str, text: str) -> str:
        """The domain's source with action ``name`` replaced by ``text``: the paper's D'."""
        return self.with_actions({name: text})

    def with_actions(self, texts: Mapping[str, str]) -> str:
        """The domain's source with several actions replaced."""
        source = self.text
        for name in sorted(texts, key=lambda name: -self.action_spans[name][0]):  # from the end: the spans stay true
            start, end = self.action_spans[name]
            source = source[:start] + texts[name] + source[end:]
        return source


@dataclass(frozen=True)
class PlanningProblem:
    """A PDDL problem, all in lower case. ``objects`` maps each object (without the domain's constants) to its type."""

    name: str
    domain_name: str
    objects: Mapping[str, str]
    init: frozenset[Atom]
    goal: Formula
    text: str
