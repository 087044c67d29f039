"""Errors of an acquired domain, counted against the hand-made one, and which of them change any plan.

Guan et al. count what people annotate: conditions missing, irrelevant or of a wrong predicate, parameters missing; and
they tell errors that matter (yellow) from those that only cost conciseness (green). Here both are computed: an error
alone is put into the hand-made domain, and the exact decision says whether that has other plans for a task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from nl2pddl.action_reader import read_action
from nl2pddl.actions import And, Atom, Formula, LiftedAction, Not, action_pddl, conjuncts, rename, to_pddl
from nl2pddl.domains import misfits
from nl2pddl.errors import InputError
from nl2pddl.exact import ExactLimits, decide
from nl2pddl.pddl_io import parse_domain
from nl2pddl.records import ExactOutcome
from nl2pddl.sexpr import read_group
from nl2pddl.task import PlanningDomain
from nl2pddl.worldmodel.brief import Example, example_ids, load_example
from nl2pddl.worldmodel.building import Construction
from nl2pddl.worldmodel.carrying import Carrier
from nl2pddl.worldmodel.checking import contradictions
from nl2pddl.worldmodel.matching import Match, best_names, check_match, propose, translated
from nl2pddl.worldmodel.reference import reference_predicates


class ErrorKind(StrEnum):
    """What is wrong with an acquired action."""

    MISSING_ACTION = "missing action"
    MISSING_PARAMETER = "missing parameter"
    EXTRA_PARAMETER = "extra parameter"
    MISSING_PRECONDITION = "missing precondition"
    EXTRA_PRECONDITION = "extra precondition"
    MISSING_EFFECT = "missing effect"
    EXTRA_EFFECT = "extra effect"
    WRONG_PREDICATE = "wrong predicate"
    CONTRADICTION = "contradictory effects"


class Weight(StrEnum):
    """Whether an error changes the set of plans of a task, by the exact decision.

    ``CONCISENESS``: of none that could be decided; with other objects it might. ``UNDECIDED``: no task could be
    decided, or the error has no form in the hand-made domain.
    """

    PLANS = "changes plans"
    CONCISENESS = "changes no plan of the tasks"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class ModelError:
    """An error in an action: what is missing, what is there too much (both as PDDL, in the hand-made action's names).

    ``weight`` and ``task`` (by which it was seen) are known where it was weighed.
    """

    action: str
    kind: ErrorKind
    missing: str = ""
    extra: str = ""
    in_effect: bool = False
    weight: Weight | None = None
    task: str = ""

    @property
    def in_words(self) -> str:
        """Such as "pick-up: missing precondition (clear ?i)"."""
        what = " instead of ".join(part for part in (self.extra, self.missing) if part)
        return f"{self.action}: {self.kind} {what}".rstrip()


def mapping_of(construction: Construction, example: Example) -> dict[str, Match]:
    """Which hand-made predicate each acquired one stands for: as proposed, but for what a person has said."""
    actions = {name: draft.action for name, draft in construction.drafts.items()}
    truth = reference_predicates(example)
    said: dict[str, Match | None] = {}
    for name, match in construction.matches.items():
        with suppress(InputError):  # said of another example's model, or before the predicate was declared anew
            if match is not None:
                check_match(name, match, construction.predicates, truth)
            said[name] = match
    taken = {match.predicate for match in said.values() if match}
    free = {name: one for name, one in construction.predicates.items() if name not in said}
    left = {name: one for name, one in truth.items() if name not in taken}
    fixed = {name: match for name, match in said.items() if match is not None}
    found = fixed | propose(free, actions, example.planning, left)
    return {name: found[name] for name in construction.predicates if name in found}


def closest_examples(construction: Construction, load: Callable[[str], Example] = load_example) -> list[str]:
    """The examples whose hand-made model has an action of this construction, the one that shares most first."""
    names = {action.name for action in construction.setup.brief.actions}
    shared = {name: len(names & set(load(name).planning.actions)) for name in example_ids()}
    return sorted((name for name in shared if shared[name]), key=lambda name: -shared[name])


def carrier_of(construction: Construction, example: Example) -> Carrier:
    """What carries tasks and plans between a construction and an example's hand-made model."""
    actions = {name: draft.action for name, draft in construction.drafts.items()}
    return Carrier(
        example.planning,
        construction.predicates,
        actions,
        mapping_of(construction, example),
    )


def errors(construction: Construction, example: Example, mapping: Mapping[str, Match]) -> list[ModelError]:
    """Every error of the acquired actions, in the order of the brief."""
    drafts = construction.drafts
    # One without a counterpart is not the hand-made one that happens to have its name.
    apart = {
        name: Match(f"own-{name}", tuple(range(len(one.parameters))))
        for name, one in construction.predicates.items()
        if name not in mapping and name in example.planning.predicates
    }
    mapping = {**mapping, **apart}
    found: list[ModelError] = []
    for name, model in example.planning.actions.items():
        if name not in drafts:
            found.append(ModelError(name, ErrorKind.MISSING_ACTION))
            continue
        found += _of_action(name, drafts[name].action, model, mapping, example.planning)
    return found


def _of_action(
    name: str, action: LiftedAction, model: LiftedAction, mapping: Mapping[str, Match], truth: PlanningDomain
) -> Iterator[ModelError]:
    names = best_names(action, model, mapping, truth)
    for _ in contradictions(replace(action, precondition=And())):
        yield ModelError(name, ErrorKind.CONTRADICTION)
    for parameter in model.parameters:
        if parameter.name not in names.values():
            yield ModelError(name, ErrorKind.MISSING_PARAMETER, parameter.name)
    for parameter in action.parameters:
        if parameter.name not in names:
            yield ModelError(name, ErrorKind.EXTRA_PARAMETER, "", parameter.name)
    for ours, theirs, in_effect in (
        (action.precondition, model.precondition, False),
        (action.effect, model.effect, True),
    ):
        have = {rename(part, names) for part in translated(ours, mapping)}
        want = set(conjuncts(theirs))
        yield from _differing(name, sorted(want - have, key=to_pddl), sorted(have - want, key=to_pddl), in_effect)


def _differing(name: str, missing: list[Formula], extra: list[Formula], in_effect: bool) -> Iterator[ModelError]:
    """One error for each literal; a missing and an extra one of the same objects and sign are one wrong predicate."""
    kinds = (ErrorKind.MISSING_PRECONDITION, ErrorKind.EXTRA_PRECONDITION)
    if in_effect:
        kinds = (ErrorKind.MISSING_EFFECT, ErrorKind.EXTRA_EFFECT)
    for lost in missing:
        partner = next((more for more in extra if _shape(more) is not None and _shape(more) == _shape(lost)), None)
        if partner is None:
            yield ModelError(name, kinds[0], to_pddl(lost), "", in_effect)
        else:
            extra.remove(partner)
            yield ModelError(name, ErrorKind.WRONG_PREDICATE, to_pddl(lost), to_pddl(partner), in_effect)
    for more in extra:
        yield ModelError(name, kinds[1], "", to_pddl(more), in_effect)


def _shape(part: Formula) -> tuple[bool, tuple[str, ...]] | None:
    atom = part.operand if isinstance(part, Not) else part
    return (isinstance(part, Not), tuple(sorted(atom.arguments))) if isinstance(atom, Atom) else None


def weighed(error: ModelError, example: Example, limits: ExactLimits, tasks: Sequence[str] = ()) -> ModelError:
    """The error with its weight: it alone is put into the hand-made action, and plans are compared on the tasks.

    ``tasks`` are the names of those to look at (all by default), in this order; the first that it shows on ends it.
    """
    changed = _with_error(error, example.planning)
    if changed is None:
        return replace(error, weight=Weight.UNDECIDED)
    decided = False
    wanted = tasks or [task.name for task in example.tasks]
    for task in sorted((one for one in example.tasks if one.name in wanted), key=lambda one: wanted.index(one.name)):
        outcome = decide(example.planning, changed, task.name, task.problem, limits).outcome
        if outcome is ExactOutcome.DIFFERENT:
            return replace(error, weight=Weight.PLANS, task=task.name)
        decided |= outcome is ExactOutcome.EQUAL
    return replace(error, weight=Weight.CONCISENESS if decided else Weight.UNDECIDED)


def _with_error(error: ModelError, truth: PlanningDomain) -> PlanningDomain | None:
    """The hand-made domain with this one error; None where its predicates do not say it."""
    if error.kind in (ErrorKind.MISSING_PARAMETER, ErrorKind.EXTRA_PARAMETER, ErrorKind.CONTRADICTION):
        return None
    model = truth.actions[error.action]
    if error.kind is ErrorKind.MISSING_ACTION:
        first = next((part for part in conjuncts(model.precondition) if isinstance(part, Atom)), None)
        if first is None:
            return None
        return _parsed(truth, replace(model, precondition=And((first, Not(first)))))
    formula = model.effect if error.in_effect else model.precondition
    parts = [part for part in conjuncts(formula) if to_pddl(part) != error.missing]
    parts += [_literal(error)] if error.extra else []
    changed = And(tuple(parts))
    if error.in_effect:
        return _parsed(truth, replace(model, effect=changed))
    return _parsed(truth, replace(model, precondition=changed))


def _literal(error: ModelError) -> Formula:
    """What is there too much, read back from its text."""
    before, after = ("(and)", error.extra) if error.in_effect else (error.extra, "(and)")
    read, _ = read_action(read_group(f"(:action a :parameters () :precondition {before} :effect {after})"))
    assert read is not None
    return read.effect if error.in_effect else read.precondition


def _parsed(truth: PlanningDomain, action: LiftedAction) -> PlanningDomain | None:
    try:
        changed = parse_domain(truth.with_action(action.name, action_pddl(action, compact=True)))
    except InputError:
        return None
    return None if list(misfits(changed)) else changed
