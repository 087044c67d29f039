"""Plans validated a second: our validator, VAL in batches and one process a plan, and pddl-pyvalidator."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.material import material
from nl2pddl.planning.kstar import KStar
from nl2pddl.planning.val import find_val
from nl2pddl.planning.validation import PlanValidator
from nl2pddl.task import PlanningDomain, PlanningProblem

Task = tuple[PlanningDomain, PlanningProblem, list[tuple[str, ...]]]


def tasks() -> list[Task]:
    """The top 100 plans of every problem, and each again without its last step."""
    found = []
    with KStar() as planner:
        for domain in material().library().domains.values():
            for _, problem in domain.problems:
                plans = list(planner.top_k(domain.planning.text, problem.text, 100, 60, 4096).plans)
                found.append((domain.planning, problem, [*plans, *(plan[:-1] for plan in plans)]))
    return found


def rate(name: str, found: list[Task], limit: int, check: Callable[[Task], int]) -> float:
    """Plans a second, over the first ``limit`` plans of each task; prints it with how many were valid."""
    shortened = [(domain, problem, plans[:limit]) for domain, problem, plans in found]
    count = sum(len(plans) for _, _, plans in shortened)
    started = time.perf_counter()
    valid = sum(check(task) for task in shortened)
    speed = count / (time.perf_counter() - started)
    print(f"{name:34} {speed:9.1f} plans a second  ({count} plans, {valid} valid)", flush=True)
    return speed


def ours(task: Task) -> int:
    domain, problem, plans = task
    validator = PlanValidator(domain, problem)
    return sum(validator.check(plan).valid for plan in plans)


def val_batched(task: Task) -> int:
    domain, problem, plans = task
    val = find_val(60.0, 4096)
    assert val is not None
    return sum(answer.valid is True for answer in val.check(domain.text, problem.text, plans))


def each_alone(command: list[str], marker: str) -> Callable[[Task], int]:
    """One process a plan; valid where its output holds ``marker``."""

    def check(task: Task) -> int:
        domain, problem, plans = task
        valid = 0
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            paths = [folder / part for part in ("domain.pddl", "problem.pddl", "plan.txt")]
            paths[0].write_text(domain.text, encoding="utf-8")
            paths[1].write_text(problem.text, encoding="utf-8")
            for plan in plans:
                paths[2].write_text("\n".join(plan) + "\n", encoding="utf-8")
                done = subprocess.run([*command, *map(str, paths)], capture_output=True, text=True, check=False)
                valid += marker in done.stdout
        return valid

    return check


def pyvalidator(task: Task) -> int:
    """pddl-pyvalidator in this process, so that only its own work counts."""
    from pyval import PDDLValidator

    domain, problem, plans = task
    valid = 0
    with tempfile.TemporaryDirectory() as name:
        paths = [str(Path(name) / part) for part in ("domain.pddl", "problem.pddl", "plan.txt")]
        Path(paths[0]).write_text(domain.text, encoding="utf-8")
        Path(paths[1]).write_text(problem.text, encoding="utf-8")
        for plan in plans:
            Path(paths[2]).write_text("\n".join(plan) + "\n", encoding="utf-8")
            valid += bool(PDDLValidator().validate(*paths).is_valid)
    return valid


def main() -> None:
    found = tasks()
    own = rate("ours", found, 200, ours)
    val = find_val(60.0, 4096)
    if val is None:
        print("VAL is not installed; NL2PDDL_VAL or PATH would name its Validate")
    else:
        batched = rate("VAL, in batches", found, 200, val_batched)
        alone = rate("VAL, one process a plan", found, 20, each_alone([str(val.binary)], "Plan valid"))
        print(f"ours: {own / alone:.1f} times VAL one process a plan, {own / batched:.1f} times VAL in batches")
    other = rate("pddl-pyvalidator", found, 2, pyvalidator)
    print(f"ours: {own / other:.0f} times pddl-pyvalidator")
