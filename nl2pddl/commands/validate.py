"""``validate``: checks plans against a domain and a problem with VAL, with the built-in validator, or with both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from nl2pddl.errors import InputError
from nl2pddl.pddl_io import parse_domain, parse_problem, read_text
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.planning.validation import PlanCheck, read_plan
from nl2pddl.records import ValidatorChoice
from nl2pddl.semantics import check_ground_atoms


def validate_plans(
    domain: Path,
    problem: Path,
    plans: Sequence[Path],
    *,
    as_json: bool,
    validator: ValidatorChoice = ValidatorChoice.AUTO,
) -> int:
    """Print whether each plan is valid, and the reason where it is not. A file that is no plan counts as not valid."""
    planning = parse_domain(read_text(domain), str(domain))
    task = parse_problem(read_text(problem), str(problem))
    faults = list(check_ground_atoms(task, planning))
    if faults:
        raise InputError(f"{problem} does not fit {domain}: {faults[0]}", faults)
    checker = PlanChecker(validator)
    steps: list[tuple[str, ...]] = []
    refused: dict[Path, PlanCheck] = {}
    for path in plans:
        text = read_text(path)
        try:
            steps.append(read_plan(text))
        except InputError as error:
            refused[path] = PlanCheck(False, reason=str(error))
    checks = iter(checker.check(planning, planning.text, task, steps))
    for path in plans:
        check = refused.get(path) or next(checks)
        if as_json:
            answer = {"plan": str(path), "valid": check.valid, "reason": check.reason or None}
            print(json.dumps({**answer, "validator": checker.version}))
        else:
            print(f"{path}: {'valid' if check.valid else 'not valid: ' + check.reason}")
    return 0
