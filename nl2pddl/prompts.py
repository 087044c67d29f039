"""Builds prompts, pure and seeded: instruction, context examples, allowed predicates, input.

The parts and their headings are the paper's (Oswald et al. 2024, "Sample Prompt"), and its stop strings depend on them;
the instruction is worded by us.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from nl2pddl.actions import action_pddl, typed_list
from nl2pddl.descriptions import describe
from nl2pddl.domains import Domain
from nl2pddl.errors import InputError
from nl2pddl.experiment import WHOLE_DOMAIN, RunConfig, RunItem, RunKind
from nl2pddl.records import DescriptionClass
from nl2pddl.seeding import draw

INSTRUCTION = (
    "Write the PDDL action that the input describes. Use no predicates besides those listed as allowed\n"
    "for it, with the arguments shown there."
)


QUERY_START = "Allowed Predicates:\n"  # each question of a prompt begins so, the last one too


@dataclass(frozen=True)
class Preset:
    """A named experiment size: description classes and prompts for one action in each of them."""

    name: str
    descriptions: tuple[DescriptionClass, ...]
    prompts: int


PRESETS = (
    Preset("paper: base", (DescriptionClass.BASE,), 60),
    Preset("paper: three classes", tuple(DescriptionClass), 20),
)


@dataclass(frozen=True)
class Prompt:
    """A prompt and the context examples in it, as "domain/action" in their order."""

    text: str
    context: tuple[str, ...]


class PromptBuilder:
    """Builds the prompts of one experiment. The context pool is every domain given that has a language file."""

    def __init__(self, pool: Sequence[Domain], seed: int, context_examples: int) -> None:
        self._pool = {domain.id: domain for domain in sorted(pool, key=lambda domain: domain.id) if domain.language}
        self._seed = seed
        self._count = context_examples

    def build(
        self, domain: Domain, action: str, description_class: DescriptionClass, sample: int, *, whole: bool = False
    ) -> Prompt:
        """The ``sample``-th prompt for an action; with ``whole`` all actions of the domain get the same context.

        The context examples depend on the seed, the action and the sample but not on the description class, so that the
        classes are compared on the same contexts. A twin's prompt is paired with the original's: same contexts, same
        draws. Raises InputError where other domains have too few actions.
        """
        original = domain.counterpart(action).name
        key = f"{self._seed}|{domain.family}|{original}|{sample}"
        drawn_for = f"{self._seed}|{domain.family}|{WHOLE_DOMAIN if whole else original}|{sample}"
        context = draw(self._candidates(domain), self._count, f"context|{drawn_for}")
        if len(context) < self._count:
            raise InputError(
                f"{self._count} context examples are asked for, but outside '{domain.id}' only {len(context)} actions "
                "have a description; ask for fewer or add a domain with a language.toml"
            )
        parts = [INSTRUCTION]
        for name in context:
            other, other_action = name.split("/")
            shown = self._pool[other]
            text = action_pddl(shown.planning.actions[other_action], compact=True)
            parts.append(f"{_query(shown, other_action, description_class, f'{name}|{key}')}\n{text}")
        parts.append(_query(domain, action, description_class, f"query|{key}"))
        return Prompt("\n\n".join(parts), tuple(context))

    def _candidates(self, domain: Domain) -> list[str]:
        return [
            f"{other.id}/{name}"
            for other in self._pool.values()
            if other.family != domain.family
            for name in other.planning.actions
        ]


def _query(domain: Domain, action: str, description_class: DescriptionClass, key: str) -> str:
    return (
        f"{QUERY_START}{allowed_predicates(domain)}\n\n"
        f"Input:\n{describe(domain, action, description_class, key)}\n\n"
        "PDDL Action:"
    )


def allowed_predicates(domain: Domain) -> str:
    """The predicates of a domain with their meaning, one a line, as the prompt lists them."""
    if domain.language is None:
        raise InputError(f"the domain '{domain.id}' has no language.toml; prompts are made from it")
    lines = []
    for name, predicate in domain.planning.predicates.items():
        words = {p.name.removeprefix("?"): p.name.removeprefix("?") for p in predicate.parameters}
        head = " ".join(part for part in (name, typed_list(predicate.parameters)) if part)
        meaning = domain.language.predicates[name].format(**words).strip().removesuffix(".")
        lines.append(f"({head}) : {meaning}.")
    return "\n".join(lines)


def plan_items(config: RunConfig, domains: Sequence[Domain], pool: Sequence[Domain]) -> Iterator[RunItem]:
    """Every item of a run, in its order, numbered from 0.

    ``domains`` are the ones asked for, ``pool`` those that context examples come from. Each model gets the same
    prompts. ``config.items`` picks some by their place in the whole order.
    """
    builder = PromptBuilder(pool, config.seed, config.context_examples)
    cells = list(_cells(config, domains, builder))
    place = -1
    chosen = set(config.items)
    index = 0
    for model in config.models:
        for cell in cells:
            place += 1
            if chosen and place not in chosen:
                continue
            yield replace(cell, index=index, model=model)
            index += 1


def _cells(config: RunConfig, domains: Sequence[Domain], builder: PromptBuilder) -> Iterator[RunItem]:
    """The items of one model, not yet numbered."""
    variants = [(draw, grammar) for draw in range(config.draws) for grammar in config.grammars]
    whole = config.kind is RunKind.DOMAIN
    for domain in domains:
        actions, described = list(domain.planning.actions), config.descriptions
        if whole:
            cells = [(a, c, s, v) for c, s, v in product(described, range(config.prompts), variants) for a in actions]
        else:
            cells = list(product(actions, described, range(config.prompts), variants))
        prompts: dict[tuple[str, DescriptionClass, int], Prompt] = {}
        for action, description_class, sample, (drawn, grammar) in cells:
            key = (action, description_class, sample)
            if key not in prompts:
                prompts[key] = builder.build(domain, *key, whole=whole)
            item = RunItem(
                index=0,
                model="",
                domain=domain.id,
                action=action,
                description_class=description_class,
                sample=sample,
                prompt=prompts[key].text,
                context=prompts[key].context,
                domain_sha=domain.source.sha,
                draw=drawn,
                grammar=grammar,
            )
            yield item
            if whole and action == actions[-1]:
                yield replace(item, action=WHOLE_DOMAIN, prompt="", context=())
