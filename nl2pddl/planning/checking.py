"""Who checks plans: our validator, VAL, or both. The equivalence check and the command ``validate`` ask here."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nl2pddl.actions import action_pddl
from nl2pddl.errors import InputError, ValidatorsDifferError
from nl2pddl.planning.val import VAL_VARIABLE, ValAnswer, find_val
from nl2pddl.planning.validation import VALIDATOR_VERSION, PlanCheck, PlanValidator, action_names
from nl2pddl.records import ValidatorChoice
from nl2pddl.task import PlanningDomain, PlanningProblem

_NOT_ASKED = "VAL was not asked: it misreads a wrong number of arguments, an unknown object and the type object"
_OBJECT = re.compile(r"\sobject[\s)]")


class PlanChecker:
    """Checks plans as ``choice`` says; ``version`` tells who gives the answers, as stored with a verdict.

    Raises InputError where VAL is asked for and not installed. ``seconds`` bounds one ``check`` by VAL, ``memory_mb``
    its process.
    """

    def __init__(
        self, choice: ValidatorChoice = ValidatorChoice.AUTO, seconds: float = 30.0, memory_mb: int = 4096
    ) -> None:
        self._val = None if choice is ValidatorChoice.OURS else find_val(seconds, memory_mb)
        self._both = choice is ValidatorChoice.BOTH
        if self._val is None and choice in (ValidatorChoice.VAL, ValidatorChoice.BOTH):
            raise InputError(
                f"VAL is not installed: put its program Validate on PATH, or its path into {VAL_VARIABLE} "
                "(https://github.com/KCL-Planning/VAL); --validator ours needs none"
            )
        self.version = VALIDATOR_VERSION if self._val is None else self._val.version
        if self._both:
            self.version = f"{VALIDATOR_VERSION} and {self.version}"

    def check(
        self, domain: PlanningDomain, domain_text: str, problem: PlanningProblem, plans: Sequence[Sequence[str]]
    ) -> list[PlanCheck]:
        """Whether each plan is one for the problem; ``domain_text`` is the PDDL of ``domain``, for VAL.

        Raises ValidatorsDifferError where both are asked and VAL gives another answer than ours.
        """
        validator = PlanValidator(domain, problem)
        checks = [validator.check(plan) for plan in plans]
        if self._val is None:
            return checks
        misread = _of_type_object(domain)
        asked = [
            n
            for n, plan in enumerate(plans)
            if validator.names_objects(plan) and misread.isdisjoint(action_names(plan))
        ]
        answers = dict.fromkeys(range(len(plans)), ValAnswer(None, reason=_NOT_ASKED))
        answered = self._val.check(domain_text, problem.text, [plans[number] for number in asked])
        answers.update(zip(asked, answered, strict=True))
        for number, (plan, check) in enumerate(zip(plans, checks, strict=True)):
            checks[number] = self._combined(problem, plan, check, answers[number])
        return checks

    def _combined(self, problem: PlanningProblem, plan: Sequence[str], ours: PlanCheck, val: ValAnswer) -> PlanCheck:
        """VAL's answer with our explanation of it; ours where VAL has none."""
        if val.valid is None:
            reason = "; ".join(part for part in (ours.reason, f"answered by {VALIDATOR_VERSION}: {val.reason}") if part)
            return PlanCheck(ours.valid, ours.step, ours.action, ours.literal, reason)
        if ours.valid == val.valid:
            return ours
        if self._both:
            raise ValidatorsDifferError(
                f"the validators differ on problem {problem.name}: VAL says {_words(val.valid, val.reason)}; "
                f"{VALIDATOR_VERSION} says {_words(ours.valid, ours.reason)}; the plan: {' '.join(plan) or '(empty)'}"
            )
        if val.valid:
            return PlanCheck(True)
        action = plan[val.step - 1] if 0 < val.step <= len(plan) else None
        return PlanCheck(False, val.step, action, None, f"VAL: {val.reason}")


def _of_type_object(domain: PlanningDomain) -> set[str]:
    """The actions of a typed domain that speak of the type object: to VAL no object is of it, unless it is declared."""
    return {name for name, action in domain.actions.items() if domain.types and _OBJECT.search(action_pddl(action))}


def _words(valid: bool, reason: str) -> str:
    return "valid" if valid else f"not valid ({reason})"
