"""What a model should have answered, by an example's hand-made model."""

from __future__ import annotations

from nl2pddl.actions import atoms
from nl2pddl.worldmodel.asking import answer_text
from nl2pddl.worldmodel.brief import Example
from nl2pddl.worldmodel.draft import ActionDraft, PredicateDraft, Predicates


def reference_predicates(example: Example) -> dict[str, PredicateDraft]:
    """The predicates of the hand-made model with their words."""
    return {
        name: PredicateDraft(
            name,
            predicate.parameters,
            example.predicates[name].format(**{p.name[1:]: p.name for p in predicate.parameters}),
        )
        for name, predicate in example.planning.predicates.items()
    }


def reference_draft(example: Example, action: str, known: Predicates) -> ActionDraft:
    """The hand-made action as a draft that brings along what it uses beyond the predicates ``known``."""
    model = example.planning.actions[action]
    used = {atom.predicate for formula in (model.precondition, model.effect) for atom in atoms(formula)}
    new = tuple(one for name, one in reference_predicates(example).items() if name in used and name not in known)
    return ActionDraft(model, {f"?{name}": words for name, words in example.parameters[action].items()}, new)


def reference_answer(example: Example, action: str, known: Predicates) -> str:
    """The answer that gives the hand-made action."""
    return answer_text(reference_draft(example, action, known))
