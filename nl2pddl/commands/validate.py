"""``validate``: checks plans against a domain and a problem with the built-in validator."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from nl2pddl.errors import InputError
from nl2pddl.pddl_io import parse_domain, parse_problem, read_text
from nl2pddl.planning.validation import PlanValidator, read_plan
from nl2pddl.semantics import check_ground_atoms


def validate_plans(domain: Path, problem: Path, plans: Sequence[Path], *, as_json: bool) -> int:
    """Print whether each plan is valid, and the reason where it is not. A file that is no plan counts as not valid."""
    planning = parse_domain(read_text(domain), str(domain))
    task = parse_problem(read_text(problem), str(problem))
    faults = list(check_ground_atoms(task, planning))
    if faults:
        raise InputError(f"{problem} does not fit {domain}: {faults[0]}", faults)
    validator = PlanValidator(planning, task)
    for path in plans:
        text = read_text(path)
        try:
            check = validator.check(read_plan(text))
            valid, reason = check.valid, check.reason
        except InputError as error:
            valid, reason = False, str(error)
        if as_json:
            print(json.dumps({"plan": str(path), "valid": valid, "reason": reason or None}))
        else:
            print(f"{path}: {'valid' if valid else 'not valid: ' + reason}")
    return 0
