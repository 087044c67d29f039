"""An action that passed all checks before planning, ready to take the place of one in the ground-truth domain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nl2pddl.actions import LiftedAction
from nl2pddl.equivalence import CrossCheckResult


@dataclass(frozen=True)
class Candidate:
    """What the plan cross-check needs of a generated action.

    ``replaced`` is the action of the domain it takes the place of and ``action`` the action itself, all in lower case;
    ``domain_text`` is the PDDL of the domain with it, for the planner, or None, with ``unplannable`` saying why. Two
    candidates with the same ``key`` give the same result. ``same`` tells that it is the original up to names,
    ``well_typed`` that every literal fits its predicate's types and every variable is declared: VAL refuses a domain
    where one does not. ``others`` are further actions that are replaced together with it, where a whole domain is
    compared.
    """

    replaced: str
    action: LiftedAction
    domain_text: str | None
    key: str
    same: bool
    well_typed: bool = True
    unplannable: str = ""
    others: tuple[tuple[str, LiftedAction], ...] = ()

    @property
    def changes(self) -> dict[str, LiftedAction]:
        """Every action that is replaced, by the name of the one it takes the place of."""
        return {self.replaced: self.action, **dict(self.others)}


# Runs planner and validators on a candidate. Called only where nothing else decides.
ComparePlans = Callable[[Candidate], CrossCheckResult]
