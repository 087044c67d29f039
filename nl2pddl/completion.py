"""Whole-domain completion: the actions of a domain generated one after another, each prompt holding those before it.

The future work of Oswald et al. 2024. All items of a run are stored at its launch with their own prompts; what precedes
the question in the prompt sent is made from the answers so far, and stored with the output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from nl2pddl.experiment import WHOLE_DOMAIN, RunItem
from nl2pddl.extraction import extract_action
from nl2pddl.prompts import QUERY_START
from nl2pddl.task import PlanningDomain


@dataclass(frozen=True)
class Step:
    """An item that can be worked on now. ``prompt`` is what to send: None for a whole domain, which is only judged."""

    item: RunItem
    prompt: str | None


def sequences(items: Sequence[RunItem]) -> Iterator[list[RunItem]]:
    """The items of a run (in order), those of one domain's completion together, the whole domain last."""

    def together(item: RunItem) -> tuple[object, ...]:
        return item.model, item.domain, item.description_class, item.sample, item.draw, item.grammar

    for _, group in groupby(items, key=together):
        yield list(group)


def next_steps(items: Sequence[RunItem], answers: Mapping[int, str]) -> list[Step]:
    """Of each sequence the next item without an answer; ``answers`` holds the outputs by item index."""
    steps = []
    for sequence in sequences(items):
        left = [item for item in sequence if item.index not in answers]
        if left:
            item = left[0]
            before = [(one, answers[one.index]) for one in sequence if one.index < item.index]
            whole = item.action == WHOLE_DOMAIN
            steps.append(Step(item, None if whole else _with_earlier(item.prompt, before)))
    return steps


def _with_earlier(prompt: str, before: Sequence[tuple[RunItem, str]]) -> str:
    """The prompt with the earlier questions and the actions found in their answers ahead of its own question."""
    head, question = _split(prompt)
    shown = []
    for item, answer in before:
        action = extract_action(answer).text
        if action is not None:
            shown.append(f"{_split(item.prompt)[1]}\n{action}\n\n")
    return head + "".join(shown) + question


def _split(prompt: str) -> tuple[str, str]:
    """What precedes a prompt's own question, and the question."""
    at = prompt.rindex(QUERY_START)
    return prompt[:at], prompt[at:]


def domain_text(domain: PlanningDomain, answers: Mapping[str, str]) -> str:
    """The generated domain as PDDL: the original's declarations with the actions found in the answers (by action)."""
    found = {name: extract_action(answers.get(name, "")).text for name in domain.actions}
    return domain.with_actions({name: text or f"; no action was found for {name}" for name, text in found.items()})
