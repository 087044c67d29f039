"""A model as the planner, with and without an acquired domain that criticises its plans ("LLM-modulo").

The model is told the actions in words, what holds at first and what is wanted, and proposes a plan. The plan validator
runs it on the acquired domain; what it finds is put into words and sent back, at most ``ROUNDS`` times (Guan et al.,
NeurIPS 2023). Whether the plan is right is another question, answered by the hand-made model. Pure: knows no models.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nl2pddl.action_reader import read_action
from nl2pddl.actions import Formula, conjuncts
from nl2pddl.experiment import Turn
from nl2pddl.planning.validation import PlanCheck, PlanValidator
from nl2pddl.sexpr import read_group
from nl2pddl.task import PlanningDomain, PlanningProblem
from nl2pddl.worldmodel.draft import ActionDraft, Predicates
from nl2pddl.worldmodel.words import in_words, said

ROUNDS = 8
LONGEST_PLAN = 500  # steps
LONGEST_ANSWER = 20_000  # characters
_NAMES = r"[a-z][\w-]*(?:[ \t]+[a-z0-9][\w-]*)*"
# In parentheses, or alone on a line that may be numbered.
_STEP = re.compile(rf"\([ \t]*({_NAMES})[ \t]*\)|^[^\w\n]*(?:\d+[.):][ \t]*)?({_NAMES})[^\w\n]*$", re.MULTILINE)
_AGAIN = "Give the whole plan again, corrected, one step a line."


@dataclass(frozen=True)
class Proposal:
    """A plan that the model proposed, and what the validator found on the acquired domain."""

    plan: tuple[str, ...]
    check: PlanCheck


@dataclass(frozen=True)
class PlanTalk:
    """The dialogue about one task: what was proposed so far, and the turns up to the next answer."""

    turns: tuple[Turn, ...]
    proposals: tuple[Proposal, ...] = ()

    @property
    def is_valid(self) -> bool:
        """Whether the last proposal works on the acquired domain."""
        return bool(self.proposals) and self.proposals[-1].check.valid

    def is_over(self, rounds: int = ROUNDS) -> bool:
        """Whether nothing more is asked; ``rounds`` is how often findings are sent back. 0: the model alone."""
        return self.is_valid or len(self.proposals) > rounds


def opened(drafts: Mapping[str, ActionDraft], predicates: Predicates, problem: PlanningProblem, words: str) -> PlanTalk:
    """The dialogue before the first answer; ``words`` say what is wanted."""
    return PlanTalk((Turn("user", question(drafts, predicates, problem, words)),))


def question(drafts: Mapping[str, ActionDraft], predicates: Predicates, problem: PlanningProblem, words: str) -> str:
    """The prompt: the actions in words, the objects, what holds, and what is wanted, in words and in full."""
    actions = "\n\n".join(
        f"({' '.join((name, *(p.name for p in draft.action.parameters)))})\n{in_words(draft, predicates).text}"
        for name, draft in drafts.items()
    )
    objects = "\n".join(f"- {name}: {kind}" for name, kind in problem.objects.items())
    init = sorted(problem.init, key=lambda atom: (atom.predicate, atom.arguments))
    holds = "\n".join(f"- {said(atom, predicates)}" for atom in init)
    goals = "\n".join(f"- {said(part, predicates)}" for part in conjuncts(problem.goal))
    example = next(iter(drafts), "act")
    return (
        "Find a plan: a sequence of actions, each possible in its turn, after which all that is wanted holds.\n\n"
        f"Actions:\n\n{actions}\n\nObjects:\n{objects}\n\nAt first:\n{holds}\n\nWanted: {words}\n{goals}\n\n"
        f"Answer with the plan alone, one step a line, such as ({example} …) with objects for its parameters."
    )


def read_steps(text: str, actions: Sequence[str]) -> tuple[str, ...]:
    """The steps of a plan in an answer: groups in parentheses, or lines, that begin with the name of an action."""
    steps = []
    for found in _STEP.finditer(text[:LONGEST_ANSWER].lower()):
        words = (found[1] or found[2]).split()
        if found[1] or words[0] in actions:
            steps.append(f"({' '.join(words)})")
        if len(steps) >= LONGEST_PLAN:
            break
    return tuple(steps)


def after_answer(
    talk: PlanTalk, text: str, domain: PlanningDomain, problem: PlanningProblem, predicates: Predicates
) -> PlanTalk:
    """The dialogue after an answer, with the finding as the next message where there is one."""
    plan = read_steps(text, list(domain.actions))
    check = PlanValidator(domain, problem).check(plan)
    turns = (*talk.turns, Turn("assistant", text))
    if not check.valid:
        turns = (*turns, Turn("user", f"{finding(plan, check, predicates)}\n{_AGAIN}"))
    return PlanTalk(turns, (*talk.proposals, Proposal(plan, check)))


def finding(plan: Sequence[str], check: PlanCheck, predicates: Predicates) -> str:
    """What the validator found, in words."""
    if not plan:
        return "There is no step in that answer."
    unmet = _literal(check.literal)
    if check.action is None:
        what = said(unmet, predicates) if unmet is not None else check.reason
        return f"All {len(plan)} steps can be taken, but at the end this is wanted and not so: {what}."
    where = f"Step {check.step}, {check.action}, cannot be taken"
    if unmet is None:
        return f"{where}: {check.reason.partition(': ')[2]}."
    return f"{where}: it needs that {said(unmet, predicates)}, and that is not so then."


def _literal(text: str | None) -> Formula | None:
    """An unmet condition of the validator's, read back from its text."""
    if text is None:
        return None
    read, _ = read_action(read_group(f"(:action a :parameters () :precondition {text} :effect (and))"))
    return read.precondition if read is not None else None
