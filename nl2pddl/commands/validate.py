"""``validate``: checks plans against a domain and a problem with VAL, with the built-in validator, or with both."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path

from nl2pddl.domains import misfits, problem_misfits
from nl2pddl.errors import InputError
from nl2pddl.pddl_io import parse_domain, parse_problem, read_text
from nl2pddl.planning.checking import PlanChecker
from nl2pddl.planning.validation import PlanCheck, read_plan
from nl2pddl.records import ValidatorChoice


def validate_plans(
    domain: Path,
    problem: Path,
    plans: Sequence[Path],
    *,
    as_json: bool,
    validator: ValidatorChoice = ValidatorChoice.AUTO,
) -> int:
    """Print whether each plan is valid, and the reason where it is not.

    A file that is no plan counts as not valid, and so does every plan where the domain itself is faulty: VAL refuses
    such a domain whole. A file that cannot be read keeps none of the others from being checked: InputError comes at the
    end, and names all such files.
    """
    planning = parse_domain(read_text(domain), str(domain))
    task = parse_problem(read_text(problem), str(problem))
    faults = list(problem_misfits(task, planning))
    if faults:
        raise InputError(f"{problem} does not fit {domain}: {faults[0]}", faults)
    checker = PlanChecker(validator)
    refusal = next(misfits(planning), "")
    steps: list[tuple[str, ...]] = []
    refused: dict[Path, PlanCheck] = {}
    unread: dict[Path, str] = {}
    for path in plans:
        try:
            text = read_text(path)
        except InputError as error:
            unread[path] = str(error)
            continue
        try:
            steps.append(read_plan(text))
        except InputError as error:
            refused[path] = PlanCheck(False, reason=str(error))
    checks: Iterator[PlanCheck] = repeat(PlanCheck(False, reason=f"{domain}: {refusal}"))
    if not refusal:
        checks = iter(checker.check(planning, planning.text, task, steps))
    for path in (path for path in plans if path not in unread):
        check = refused.get(path) or next(checks)
        if as_json:
            answer = {"plan": str(path), "valid": check.valid, "reason": check.reason or None}
            print(json.dumps({**answer, "validator": checker.version}))
        else:
            print(f"{path}: {'valid' if check.valid else 'not valid: ' + check.reason}")
    if unread:
        raise InputError("; ".join(unread.values()), list(unread.values()))
    return 0
