"""An action in plain language, made from what its predicates and parameters mean, for readers who know no PDDL."""

from __future__ import annotations

from dataclasses import dataclass

from nl2pddl.actions import And, Atom, Formula, Imply, Not, Or, Quantified, When, conjuncts, to_pddl
from nl2pddl.worldmodel.draft import ActionDraft, Predicates


@dataclass(frozen=True)
class InWords:
    """An action as sentences: what it is about, what must hold, what becomes true and what false."""

    parameters: tuple[str, ...]
    preconditions: tuple[str, ...]
    becomes_true: tuple[str, ...]
    becomes_false: tuple[str, ...]

    @property
    def parts(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each part with its heading."""
        return (
            ("It is about", self.parameters),
            ("It can be done when", self.preconditions),
            ("Then it becomes true that", self.becomes_true),
            ("and no longer true that", self.becomes_false),
        )

    @property
    def text(self) -> str:
        """All of it as one text."""
        listed = ((head, "\n".join(f"- {line}" for line in lines)) for head, lines in self.parts if lines)
        return "\n".join(f"{head}:\n{lines}" for head, lines in listed)


def in_words(draft: ActionDraft, predicates: Predicates) -> InWords:
    """The draft in words."""
    action = draft.action
    effects = conjuncts(action.effect)
    return InWords(
        tuple(f"{p.name}, {draft.words.get(p.name) or 'of type ' + p.type_text}" for p in action.parameters),
        tuple(said(part, predicates) for part in conjuncts(action.precondition)),
        tuple(said(part, predicates) for part in effects if not isinstance(part, Not)),
        tuple(said(part.operand, predicates) for part in effects if isinstance(part, Not)),
    )


def said(formula: Formula, predicates: Predicates) -> str:
    """A condition in words."""
    match formula:
        case Atom("=", (left, right)):
            return f"{left} and {right} are the same"
        case Atom(predicate, arguments):
            known = predicates.get(predicate)
            return known.said_of(arguments) if known else to_pddl(formula)
        case Not(Atom("=", (left, right))):
            return f"{left} and {right} are not the same"
        case Not(operand):
            return f"it is not so that {said(operand, predicates)}"
        case And(operands):
            return ", and ".join(said(part, predicates) for part in operands) or "nothing is asked for"
        case Or(operands):
            return "either " + ", or ".join(said(part, predicates) for part in operands)
        case Imply(left, right):
            return f"if {said(left, predicates)}, then {said(right, predicates)}"
        case When(condition, effect):
            return f"if {said(condition, predicates)}: {said(effect, predicates)}"
        case Quantified(quantifier, variables, body):
            names = ", ".join(f"{v.name} ({v.type_text})" for v in variables)
            return f"for {'all' if quantifier == 'forall' else 'some'} {names}: {said(body, predicates)}"
        case _:
            return to_pddl(formula)
