"""The records of a domain under construction: predicates and actions with their meaning in words, and their PDDL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nl2pddl.actions import (
    And,
    Atom,
    Formula,
    Imply,
    LiftedAction,
    Not,
    Or,
    Parameter,
    Quantified,
    When,
    action_pddl,
    typed_list,
)
from nl2pddl.task import PlanningDomain, Predicate
from nl2pddl.worldmodel.brief import Brief, TypeBrief

# What an action may use. Without quantifiers and conditional effects, as Guan et al. have it: such a model is read and
# corrected by people.
REQUIREMENTS = (":strips", ":typing", ":negative-preconditions", ":disjunctive-preconditions", ":equality")
_VARIABLE = re.compile(r"\?[A-Za-z][\w-]*")


@dataclass(frozen=True)
class PredicateDraft:
    """A predicate that was made up on the way. ``words`` say when it is true and name its parameters as they are."""

    name: str
    parameters: tuple[Parameter, ...]
    words: str = ""

    @property
    def head(self) -> str:
        """As PDDL declares it: "(on ?x - block ?y - block)"."""
        return f"({' '.join(part for part in (self.name, typed_list(self.parameters)) if part)})"

    def said_of(self, arguments: Sequence[str]) -> str:
        """Its words with ``arguments`` in place of its parameters; the bare atom where it has no words."""
        if not self.words or len(arguments) != len(self.parameters):
            return f"({' '.join((self.name, *arguments))})"
        put = {parameter.name: argument for parameter, argument in zip(self.parameters, arguments, strict=True)}
        # All at once: an argument may have the name of another parameter.
        return _VARIABLE.sub(lambda found: put.get(found.group().lower(), found.group()), self.words)


@dataclass(frozen=True)
class ActionDraft:
    """An action as it was built. ``words`` say what each parameter is; ``new`` are the predicates it brought along."""

    action: LiftedAction
    words: Mapping[str, str] = field(default_factory=dict)
    new: tuple[PredicateDraft, ...] = ()


Predicates = Mapping[str, PredicateDraft]


def vocabulary(types: Iterable[TypeBrief], predicates: Iterable[PredicateDraft]) -> PlanningDomain:
    """Types and predicates as a domain without actions, which an action can be held against."""
    return PlanningDomain(
        name="",
        requirements=frozenset(REQUIREMENTS),
        types={one.name: one.parent for one in types},
        constants={},
        predicates={one.name: Predicate(one.name, one.parameters) for one in predicates},
        actions={},
        source="",
        text="",
        action_spans={},
    )


def domain_pddl(brief: Brief, predicates: Iterable[PredicateDraft], actions: Iterable[LiftedAction]) -> str:
    """The domain as PDDL, each predicate with its words as a comment."""
    types = "\n".join(f"    {one.name} - {one.parent}" for one in brief.types)
    declared = "\n".join(
        f"    {one.head}" + (f"  ; {' '.join(one.words.split())}" if one.words else "") for one in predicates
    )
    parts = [
        f"(define (domain {brief.name})",
        f"  (:requirements {' '.join(REQUIREMENTS)})",
        *([f"  (:types\n{types}\n  )"] if types else []),
        *([f"  (:predicates\n{declared}\n  )"] if declared else []),
        *(_indented(action_pddl(action)) for action in actions),
        ")",
    ]
    return "\n".join(parts) + "\n"


def _indented(text: str) -> str:
    return "\n".join(["", *(f"  {line}" for line in text.splitlines())])


def with_predicate(formula: Formula, old: str, new: str, order: Sequence[int]) -> Formula:
    """The formula with the predicate ``old`` called ``new``, whose argument i is argument ``order[i]`` of the old."""
    match formula:
        case Atom(predicate, arguments):
            if predicate != old or any(place >= len(arguments) for place in order):
                return formula
            return Atom(new, tuple(arguments[place] for place in order), formula.where)
        case Not(operand):
            inner = with_predicate(operand, old, new, order)
            assert isinstance(inner, Atom)
            return Not(inner)
        case And(operands):
            return And(tuple(with_predicate(part, old, new, order) for part in operands))
        case Or(operands):
            return Or(tuple(with_predicate(part, old, new, order) for part in operands), formula.where)
        case Imply(left, right):
            return Imply(with_predicate(left, old, new, order), with_predicate(right, old, new, order), formula.where)
        case Quantified(quantifier, variables, body):
            return Quantified(quantifier, variables, with_predicate(body, old, new, order), formula.where)
        case When(condition, effect):
            return When(
                with_predicate(condition, old, new, order), with_predicate(effect, old, new, order), formula.where
            )
        case _:
            return formula


def renamed_in(draft: ActionDraft, old: str, new: str, order: Sequence[int]) -> ActionDraft:
    """The draft with a predicate renamed, or merged into another, wherever it stands."""
    action = replace(
        draft.action,
        precondition=with_predicate(draft.action.precondition, old, new, order),
        effect=with_predicate(draft.action.effect, old, new, order),
    )
    return replace(draft, action=action, new=tuple(one for one in draft.new if one.name != old))
