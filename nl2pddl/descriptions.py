"""The three description classes of an action (Oswald et al. 2024, "Description Classes").

base: the one-line description. flipped: base, and the deleted preconditions pre(a) ∩ del(a) as preconditions. random:
base, and as many literals drawn from pre, add and del, each described as precondition or effect according to where it
was drawn. Hand-written texts of the domain's language file replace the composed ones.
"""

from __future__ import annotations

from collections.abc import Iterable

from nl2pddl.actions import Atom, Formula, LiftedAction, Not, conjuncts, to_pddl
from nl2pddl.domains import Domain, Language
from nl2pddl.errors import InputError
from nl2pddl.records import DescriptionClass
from nl2pddl.seeding import draw


def describe(domain: Domain, action_name: str, description_class: DescriptionClass, key: str) -> str:
    """The description of an action in one class. ``key`` seeds the draw of the class random: same key, same text.

    Raises InputError where the domain has no language file.
    """
    language = _language(domain)
    action = domain.planning.actions[action_name]
    entry = language.actions[action_name]
    if description_class is DescriptionClass.FLIPPED:
        flipped = [atom for atom in _in_order(action.precondition) if atom in action.delete]
        return entry.flipped or _compose(entry.base, domain, language, flipped, [])
    if description_class is DescriptionClass.RANDOM:
        if entry.random is not None:
            return entry.random
        before, after = _draw_literals(action, domain.counterpart(action_name), key)
        return _compose(entry.base, domain, language, before, after)
    return entry.base.strip()


def _language(domain: Domain) -> Language:
    if domain.language is None:
        raise InputError(f"the domain '{domain.id}' has no language.toml; prompts are made from it")
    return domain.language


def _in_order(formula: Formula) -> list[Formula]:
    """The literals of a conjunction in the order of the text, without doubles."""
    return [part for part in dict.fromkeys(conjuncts(formula)) if isinstance(part, Atom | Not)]


def _draw_literals(action: LiftedAction, ranked: LiftedAction, key: str) -> tuple[list[Formula], list[Formula]]:
    """|pre ∩ del| literals drawn uniformly from pre, add and del: those from pre, and those from the effect.

    The draw ranks those of ``ranked``, the same action under its original names, so that twins draw the same.
    """
    count = len(action.pre & action.delete)
    pool = _pool(action)
    names = [f"{place} {to_pddl(literal)}" for place, literal in _pool(ranked)]
    chosen = set(draw(names, count, key))
    drawn = [item for item, name in zip(pool, names, strict=True) if name in chosen]
    return [lit for place, lit in drawn if place == "pre"], [lit for place, lit in drawn if place == "eff"]


def _pool(action: LiftedAction) -> list[tuple[str, Formula]]:
    return [
        *(("pre", literal) for literal in _in_order(action.precondition)),
        *(("eff", literal) for literal in _in_order(action.effect)),
    ]


def _compose(base: str, domain: Domain, language: Language, before: Iterable[Formula], after: Iterable[Formula]) -> str:
    """The base sentence, "if" the preconditions, and what holds "after the action"."""
    text = base.strip().removesuffix(".")
    conditions = [_say(literal, domain, language) for literal in before]
    effects = [_say(literal, domain, language) for literal in after]
    if conditions:
        text += f", if {_joined(conditions)}"
    text += "."
    if effects:
        text += f" After the action, {_joined(effects)}."
    return text


def _say(literal: Formula, domain: Domain, language: Language) -> str:
    """A literal in words, by its predicate's template."""
    atom = literal.operand if isinstance(literal, Not) else literal
    assert isinstance(atom, Atom)
    parameters = domain.planning.predicates[atom.predicate].parameters
    words = {
        parameter.name.removeprefix("?"): argument.removeprefix("?")
        for parameter, argument in zip(parameters, atom.arguments, strict=True)
    }
    text = language.predicates[atom.predicate].format(**words).strip().removesuffix(".")
    return f"it is not the case that {text}" if isinstance(literal, Not) else text


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
