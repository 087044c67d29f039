"""``compare``: decides exactly whether two domains have the same set of plans, problem by problem."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from nl2pddl.domains import misfits, problem_misfits
from nl2pddl.errors import InputError
from nl2pddl.exact import ExactLimits, decide
from nl2pddl.pddl_io import parse_domain, parse_problem, read_text
from nl2pddl.records import EvaluationSettings, ExactDecision, ExactOutcome
from nl2pddl.task import PlanningDomain, PlanningProblem


def compare_domains(
    domain_a: Path, domain_b: Path, problems: Sequence[Path], limits: ExactLimits, *, as_json: bool
) -> int:
    """Print the decision on each problem as soon as it is made; a problem must fit both domains.

    A problem file that cannot be used keeps none of the others from being decided: InputError comes at the end, and
    names all such files.
    """
    if faults := EvaluationSettings(exact_states=limits.states, exact_seconds=limits.seconds).faults():
        raise InputError("; ".join(faults), faults)
    domains = {path: _read_domain(path) for path in (domain_a, domain_b)}
    for path in problems:
        try:
            problem = _read_problem(path, domains)
        except InputError as error:
            faults.append(str(error))
            continue
        decision = decide(domains[domain_a], domains[domain_b], str(path), problem, limits)
        print(_json_line(decision) if as_json else _words(decision, domain_a, domain_b), flush=True)
    if faults:
        raise InputError("; ".join(faults), faults)
    return 0


def _read_domain(path: Path) -> PlanningDomain:
    domain = parse_domain(read_text(path), str(path))
    if faults := list(misfits(domain)):
        raise InputError(f"{path}: {faults[0]}", faults)
    return domain


def _read_problem(path: Path, domains: dict[Path, PlanningDomain]) -> PlanningProblem:
    problem = parse_problem(read_text(path), str(path))
    for domain_path, domain in domains.items():
        faults = list(problem_misfits(problem, domain))
        if faults:
            raise InputError(f"{path} does not fit {domain_path}: {faults[0]}", faults)
    return problem


def _json_line(decision: ExactDecision) -> str:
    return json.dumps(
        {
            "problem": decision.problem,
            "exact": decision.outcome.value,
            "witness": None if decision.witness is None else list(decision.witness),
            "witness_of": decision.witness_of,
            "reason": decision.failure or decision.detail or None,
            "facts": decision.facts,
            "states": decision.states,
            "transitions": decision.transitions,
            "seconds": round(decision.seconds, 3),
        }
    )


def _words(decision: ExactDecision, domain_a: Path, domain_b: Path) -> str:
    sizes = (
        f"{decision.facts:,} facts, {decision.states:,} states and {decision.transitions:,} transitions in "
        f"{decision.seconds:.1f} s"
    )
    if decision.outcome is ExactOutcome.UNDECIDED:
        return f"{decision.problem}: undecided: {decision.detail}"
    if decision.witness is None:
        same = decision.detail or "both domains have the same plans"
        return f"{decision.problem}: equal: {same} ({sizes})"
    own, other = (domain_a, domain_b) if decision.witness_of == "first" else (domain_b, domain_a)
    plan = " ".join(decision.witness) or "the empty plan"
    return (
        f"{decision.problem}: different ({sizes})\n"
        f"  a shortest plan of {own} that is none of {other}: {plan}\n"
        f"  {decision.failure}"
    )
