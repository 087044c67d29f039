"""What the workbench has computed in a process of its own: domains given as texts, and the sizes of state spaces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from nl2pddl.beside import Report
from nl2pddl.domains import from_source, misfits, problem_misfits
from nl2pddl.errors import InputError
from nl2pddl.exact import ExactLimits, decide
from nl2pddl.exact.space import StateSpace, state_space
from nl2pddl.pddl_io import parse_domain, parse_problem
from nl2pddl.records import DomainSource, ExactDecision
from nl2pddl.task import PlanningDomain, PlanningProblem

FIRST, SECOND, PROBLEM = "first domain", "second domain", "problem"
_Parsed = TypeVar("_Parsed")


@dataclass(frozen=True)
class TextComparison:
    """The exact decision on two domains, or everything wrong with each of the texts, by ``FIRST`` and so on."""

    faults: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    decision: ExactDecision | None = None


def compare_texts(report: Report, first: str, second: str, problem: str, limits: ExactLimits) -> TextComparison:
    """Whether two domains have the same plans for a problem, all given as PDDL."""
    report("reading the texts")
    faults: dict[str, tuple[str, ...]] = {}
    domains = {name: _parsed(name, text, parse_domain, faults) for name, text in ((FIRST, first), (SECOND, second))}
    task = _parsed(PROBLEM, problem, parse_problem, faults)
    for name, domain in domains.items():
        if domain is not None:
            _add(faults, name, misfits(domain))
            if task is not None:
                _add(faults, PROBLEM, (f"{fault} ({name})" for fault in problem_misfits(task, domain)))
    one, other = domains[FIRST], domains[SECOND]
    if faults or one is None or other is None or task is None:
        return TextComparison(faults)
    report("comparing all plans")
    return TextComparison(decision=decide(one, other, task.name, task, limits))


def _parsed(
    name: str, text: str, parse: Callable[[str, str], _Parsed], faults: dict[str, tuple[str, ...]]
) -> _Parsed | None:
    if not text.strip():
        faults[name] = ("it is empty",)
        return None
    try:
        return parse(text, name)
    except InputError as error:
        faults[name] = (str(error).removeprefix(f"{name}: "),)
    except RecursionError:
        faults[name] = ("it is nested too deep to be read",)
    return None


def _add(faults: dict[str, tuple[str, ...]], name: str, more: Iterable[str]) -> None:
    found = (*faults.get(name, ()), *more)
    if found:
        faults[name] = found


def measure(report: Report, source: DomainSource, limits: ExactLimits) -> tuple[StateSpace, ...]:
    """The state space of each of a domain's problems; what is finished already is reported as it grows.

    A report is (finished, the number of states of the one being walked).
    """
    domain = from_source(source)
    finished: tuple[StateSpace, ...] = ()
    for name, problem in domain.problems:
        report((finished, 0))
        finished = (*finished, _measured(report, domain.planning, name, problem, limits, finished))
    return finished


def _measured(
    report: Report,
    planning: PlanningDomain,
    name: str,
    problem: PlanningProblem,
    limits: ExactLimits,
    finished: tuple[StateSpace, ...],
) -> StateSpace:
    return state_space(planning, name, problem, limits, lambda states: report((finished, states)))
