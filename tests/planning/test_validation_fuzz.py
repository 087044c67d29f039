"""Our validator against that of unified-planning, on random plans of the project's domains and of changed ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pytest
from unified_planning.engines import SequentialPlanValidator, ValidationResultStatus
from unified_planning.io import PDDLReader
from unified_planning.model import Problem
from unified_planning.plans import ActionInstance, SequentialPlan

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
    conjuncts,
)
from nl2pddl.domains import DomainLibrary
from nl2pddl.pddl_io import parse_domain
from nl2pddl.planning.kstar import KStar
from nl2pddl.planning.validation import PlanValidator
from nl2pddl.task import PlanningDomain, PlanningProblem

# unified-planning still calls its own parser by an old name.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SEED = 2024
VARIANTS, PLANS = 4, 8  # changed domains a domain, and plans of each
ADL = "(:requirements :adl :typing)"

Plan = tuple[str, ...]
Validator = Callable[[PlanningDomain, PlanningProblem], PlanValidator]


@dataclass(frozen=True)
class Case:
    """Plans of one domain and problem, with the other validator's answers."""

    domain: PlanningDomain
    problem: PlanningProblem
    plans: list[Plan]
    valid: list[bool]


def changed(action: LiftedAction, domain: PlanningDomain, rng: random.Random) -> LiftedAction:
    """The action with something taken away, exchanged, negated, quantified or made conditional."""
    pre, effects = list(conjuncts(action.precondition)), list(conjuncts(action.effect))
    i, j = rng.randrange(len(pre)), rng.randrange(len(effects))
    condition, effect = pre[i], effects[j]
    kind = rng.choice(["less", "without effect", "negated", "or", "imply", "quantified", "when", "forall"])
    if kind == "less":
        del pre[i]
    elif kind == "without effect":
        del effects[j]
    elif kind == "negated" and isinstance(condition, Atom):
        pre[i] = Not(condition)
    elif kind == "or":
        pre[i] = Or((condition, rng.choice(pre)))
    elif kind == "imply":
        pre[i] = Imply(rng.choice(pre), condition)
    elif kind == "quantified":
        pre[i] = generalised(rng.choice(["exists", "forall"]), condition, action, rng)
    elif kind == "when":
        effects[j] = When(rng.choice(pre), effect)
    elif kind == "forall":
        effects[j] = generalised("forall", effect, action, rng)
    return LiftedAction(action.name, action.parameters, And(tuple(pre)), And(tuple(effects)))


def generalised(quantifier: str, formula: Formula, action: LiftedAction, rng: random.Random) -> Formula:
    """The literal for any or all objects in the place of one of its parameters."""
    atom = formula.operand if isinstance(formula, Not) else formula
    assert isinstance(atom, Atom)
    chosen = [p for p in action.parameters if p.name in atom.arguments]
    if not chosen:
        return formula
    parameter = rng.choice(chosen)
    bound = Atom(atom.predicate, tuple("?any" if name == parameter.name else name for name in atom.arguments))
    body = Not(bound) if isinstance(formula, Not) else bound
    return Quantified(quantifier, (Parameter("?any", parameter.types),), body)


def altered(plan: Plan, objects: Mapping[str, str], rng: random.Random) -> Plan:
    """The plan with a step dropped, doubled, moved, or on another object of the same type."""
    steps = list(plan)
    i, j = rng.randrange(len(steps)), rng.randrange(len(steps))
    kind = rng.choice(["drop", "double", "exchange", "object"])
    if kind == "drop":
        del steps[i]
    elif kind == "double":
        steps.insert(j, steps[i])
    elif kind == "exchange":
        steps[i], steps[j] = steps[j], steps[i]
    else:
        name, *arguments = steps[i].strip("()").split()
        if arguments:
            place = rng.randrange(len(arguments))
            kin = [name for name, type_name in objects.items() if type_name == objects[arguments[place]]]
            arguments[place] = rng.choice(kin)
        steps[i] = f"({' '.join((name, *arguments))})"
    return tuple(steps)


def unified_answers(domain: str, problem: str, plans: list[Plan]) -> list[bool]:
    task: Problem = PDDLReader().parse_problem_string(domain, problem)
    answers = []
    for plan in plans:
        words = [step.strip("()").split() for step in plan]
        steps = [ActionInstance(task.action(name), [task.object(one) for one in objects]) for name, *objects in words]
        result = SequentialPlanValidator().validate(task, SequentialPlan(steps))
        answers.append(result.status is ValidationResultStatus.VALID)
    return answers


def generated(library: DomainLibrary, rng: random.Random) -> Iterator[Case]:
    with KStar() as planner:
        for domain in library.domains.values():
            original = domain.planning
            _, problem = domain.problems[0]
            objects = {**original.constants, **problem.objects}
            known = planner.top_k(original.text, problem.text, 20, 30.0, 4096).plans
            for number in range(VARIANTS):
                text = original.text
                if number:
                    action = changed(rng.choice(list(original.actions.values())), original, rng)
                    text = original.with_action(action.name, action_pddl(action))
                    head, _, tail = text.partition("(:requirements")
                    text = head + ADL + tail.partition(")")[2]
                found = planner.top_k(text, problem.text, 10, 30.0, 4096).plans
                plans = [rng.choice(known), *rng.sample(found, min(len(found), 2))]
                plans += [altered(rng.choice((*known, *found)), objects, rng) for _ in range(PLANS - len(plans))]
                yield Case(parse_domain(text), problem, plans, unified_answers(text, problem.text, plans))


@pytest.fixture(scope="module")
def generated_cases(library: DomainLibrary) -> list[Case]:
    return list(generated(library, random.Random(SEED)))


def disagreements(cases: list[Case], validator: Validator) -> list[tuple[str, Plan, bool]]:
    return [
        (case.domain.text, plan, valid)
        for case in cases
        for plan, valid in zip(case.plans, case.valid, strict=True)
        if validator(case.domain, case.problem).check(plan).valid != valid
    ]


def test_answers_agree_with_unified_planning(generated_cases: list[Case]) -> None:
    answers = [valid for case in generated_cases for valid in case.valid]
    assert min(answers.count(True), answers.count(False)) > 50
    assert disagreements(generated_cases, PlanValidator) == []


class WithoutDeletes(PlanValidator):
    def _apply(self, action, binding, state):  # type: ignore[no-untyped-def]
        return state | super()._apply(action, binding, state)


class WithoutConditions(PlanValidator):
    def _unmet(self, condition, binding, state):  # type: ignore[no-untyped-def]
        return super()._unmet(condition, binding, state) if not binding else None


@pytest.mark.parametrize("wrong", [WithoutDeletes, WithoutConditions])
def test_a_wrong_validator_is_found_out(generated_cases: list[Case], wrong: Validator) -> None:
    assert disagreements(generated_cases, wrong)
