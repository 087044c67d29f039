"""The prompt for one action, and the layout of its answer.

What goes into it, and in which order, is that of Guan et al. (NeurIPS 2023, Section 4.1): instruction, demonstrations
from blocksworld, the domain, its types, the action, the predicates so far. The layout of the answer is that of their
published records, so that these can be read; the wording is ours.
"""

from __future__ import annotations

from collections.abc import Iterable

from nl2pddl.action_reader import read_action
from nl2pddl.actions import Formula, Parameter, conjuncts, to_pddl
from nl2pddl.sexpr import read_group
from nl2pddl.worldmodel.brief import ActionBrief, Brief, Condition
from nl2pddl.worldmodel.draft import ActionDraft, PredicateDraft, Predicates

INSTRUCTION = (
    "Define what an agent's action needs and what it changes, as a PDDL action model. You are told about the domain "
    "and its types of objects, about one action, and which predicates there are so far.\n\n"
    "Answer under four headings, as in the demonstration: the parameters, each with its type and what it is; the "
    "preconditions; the effects; and the predicates that you had to make up, each with the types of its parameters and "
    "a sentence that says when it is true. Use the given predicates wherever they say what is meant, and make up "
    "others only where they do not. List every condition on its own, and name as a precondition everything that must "
    "hold before the action can be done. A predicate's name may be used once only, and is no name of a type. Do not "
    "use forall, exists or when."
)

NONE_SO_FAR = "none so far"
NO_NEW = "none"
STOPS = ("\nAction:", "\nDomain:")  # a model that goes on with a question of its own

_BLOCKS = (
    "A robot arm moves blocks that stand on a table or on each other. It holds one block at a time, and can only move "
    "a block that nothing stands on."
)
_DEMONSTRATED = (
    (
        "The robot arm puts down the block it holds on the table.",
        "(:action put-down :parameters (?x - block) :precondition (holding ?x) "
        ":effect (and (not (holding ?x)) (clear ?x) (arm-empty) (on-table ?x)))",
        {"?x": "the block to put down"},
        ("holding", "clear", "arm-empty", "on-table"),
    ),
    (
        "The robot arm lifts a block off the table.",
        "(:action pick-up :parameters (?x - block) :precondition (and (clear ?x) (on-table ?x) (arm-empty)) "
        ":effect (and (not (on-table ?x)) (not (clear ?x)) (not (arm-empty)) (holding ?x)))",
        {"?x": "the block to lift"},
        (),
    ),
)
_BLOCK = (Parameter("?x", ("block",)),)
_BLOCK_PREDICATES = {
    "holding": PredicateDraft("holding", _BLOCK, "the robot arm holds block ?x"),
    "clear": PredicateDraft("clear", _BLOCK, "nothing stands on block ?x"),
    "arm-empty": PredicateDraft("arm-empty", (), "the robot arm holds nothing"),
    "on-table": PredicateDraft("on-table", _BLOCK, "block ?x stands on the table"),
}


def prompt(
    brief: Brief,
    action: ActionBrief,
    predicates: Predicates,
    condition: Condition = Condition.DETAILED,
    demonstrations: int = 2,
) -> str:
    """The prompt for an action. ``demonstrations`` (1 or 2) are actions of blocksworld, built before its eyes."""
    return "\n\n".join(
        [
            INSTRUCTION,
            *_demonstrations(demonstrations),
            _question(brief.domain, _types(brief), action.description(condition), predicates.values()),
        ]
    )


def _demonstrations(count: int) -> list[str]:
    known: dict[str, PredicateDraft] = {}
    shown = []
    for words, text, parameters, brought in _DEMONSTRATED[:count]:
        read, _ = read_action(read_group(text))
        assert read is not None
        draft = ActionDraft(read, parameters, tuple(_BLOCK_PREDICATES[name] for name in brought))
        shown.append(f"{_question(_BLOCKS, '- block: a block', words, known.values())}\n{answer_text(draft)}")
        known |= {one.name: one for one in draft.new}
    return shown


def _question(domain: str, types: str, action: str, predicates: Iterable[PredicateDraft]) -> str:
    return (
        f"Domain: {domain}\n\nTypes:\n{types}\n\nAction: {action}\n\n"
        f"Predicates so far:\n{listed(predicates) or NONE_SO_FAR}\n"
    )


def _types(brief: Brief) -> str:
    """The types as a tree, a line each, deeper ones further in."""

    def below(parent: str, depth: int) -> Iterable[str]:
        for one in brief.types:
            if one.parent == parent:
                yield f"{'  ' * depth}- {one.name}" + (f": {one.words}" if one.words else "")
                yield from below(one.name, depth + 1)

    return "\n".join(below("object", 0)) or "- object: everything is of one type"


def listed(predicates: Iterable[PredicateDraft]) -> str:
    """Predicates as a numbered list with their words."""
    return "\n".join(
        f"{number}. {one.head}" + (f": true if {one.words}" if one.words else "")
        for number, one in enumerate(predicates, start=1)
    )


def answer_text(draft: ActionDraft) -> str:
    """A draft as the answer that gives it: what a model should have written, and what a person edits."""
    parameters = "\n".join(
        f"{number}. {one.name} - {one.type_text}: {draft.words.get(one.name, '')}".rstrip(": ")
        for number, one in enumerate(draft.action.parameters, start=1)
    )
    return (
        f"Parameters:\n{parameters or NO_NEW}\n\n"
        f"Preconditions:\n```\n{_block(draft.action.precondition)}\n```\n\n"
        f"Effects:\n```\n{_block(draft.action.effect)}\n```\n\n"
        f"New Predicates:\n{listed(draft.new) or NO_NEW}"
    )


def _block(formula: Formula) -> str:
    return "\n".join(["(and", *(f"    {to_pddl(part)}" for part in conjuncts(formula)), ")"])
