"""How many prompts an action, or how many actions, tell two models apart: a plan from the variance a run has shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special  # type: ignore[import-untyped]

from nl2pddl.errors import InputError
from nl2pddl.statistics import CORRELATION_FLOOR, Floats, paired_counts

_MOST = 1_000_000  # actions or prompts an action: more is as good as never


@dataclass(frozen=True)
class Plan:
    """What it takes to see a difference between two models; shares and differences are fractions of 1.

    ``between`` is the variance of the actions' true differences, ``within`` that of one pair's difference around its
    action's. ``actions`` and ``prompts`` (matched, an action) are what there is, or what was asked for.
    ``prompts_needed`` (an action, with so many ``actions``) and ``actions_needed`` (with so many ``prompts`` each) are
    None where no number up to a million suffices. ``smallest_now`` can be seen with ``actions`` and ``prompts``,
    ``smallest_ever`` with any number of prompts. Where ``reason`` says why nothing can be planned, numbers that cannot
    be told are nan or None.
    """

    difference: float
    power: float
    alpha: float
    actions: int
    prompts: float
    between: float
    within: float
    prompts_needed: int | None
    actions_needed: int | None
    smallest_now: float
    smallest_ever: float
    reason: str = ""

    @property
    def suffices(self) -> bool:
        """Whether there are as many prompts as are needed."""
        return self.prompts_needed is not None and self.prompts_needed <= self.prompts

    @property
    def in_words(self) -> str:
        """One plain sentence for a person."""
        if self.reason:
            return f"Nothing can be planned: {self.reason}."
        wanted, ever = _points(self.difference), _points(self.smallest_ever)
        chance = f"with {self.power:.0%} power at the {self.alpha:.0%} level"
        more = "more than a million" if self.actions_needed is None else f"{self.actions_needed:,}"
        if self.prompts_needed is None:
            return (
                f"With {self.actions} actions no number of prompts shows a difference of {wanted} {chance} "
                f"(the smallest that any number shows is {ever}), "
                f"but {more} actions with {self.prompts:.3g} prompts each would."
            )
        return (
            f"With {self.actions} actions it takes {_many(self.prompts_needed, 'prompt')} an action to see a "
            f"difference of {wanted} {chance} (now {self.prompts:.3g}, which show {_points(self.smallest_now)}; "
            f"the smallest that any number shows is {ever}); "
            f"with {self.prompts:.3g} prompts each it takes {more} actions."
        )


def prompts_needed(
    pairs: ArrayLike,
    hits_a: ArrayLike,
    hits_b: ArrayLike,
    differing: ArrayLike,
    difference: float | None = None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    actions: int | None = None,
    prompts: float | None = None,
) -> Plan:
    """Plans a comparison from one that was made: counts a cluster as in ``paired_difference``, shape (clusters,).

    ``difference`` is what shall be seen, as a fraction (0.05 is 5 percentage points); without it, the one that was
    seen. ``actions`` and ``prompts`` (an action) are how many there will be; without them, as many as there are. The
    power is that of the two-sided t test with actions - 1 degrees of freedom (noncentral t); variances are those of
    ``variance_components``, with at least the correlation that the test assumes. Raises InputError for numbers that
    cannot be.
    """
    _check(difference, power, alpha, actions, prompts)
    total, a, b, split = (
        row[0] for row in paired_counts(*(np.atleast_2d(x) for x in (pairs, hits_a, hits_b, differing)))
    )
    used = total > 0
    total, gap, split = total[used], (a - b)[used], split[used]
    seen = float(gap.sum() / total.sum()) if used.any() else math.nan
    wanted = abs(seen) if difference is None else abs(difference)
    count = int(used.sum()) if actions is None else actions
    if prompts is None:
        prompts = float(total.mean()) if used.any() else math.nan
    between, within = variance_components(total, gap, split)
    plan = _Design(between, within, power, alpha)
    reason = _why_not(total, between, within, wanted)
    if reason:
        return Plan(wanted, power, alpha, count, prompts, between, within, None, None, math.nan, math.nan, reason)
    return Plan(
        difference=wanted,
        power=power,
        alpha=alpha,
        actions=count,
        prompts=prompts,
        between=between,
        within=within,
        prompts_needed=plan.prompts(wanted, count),
        actions_needed=plan.actions(wanted, prompts),
        smallest_now=plan.smallest(count, prompts),
        smallest_ever=plan.smallest(count, math.inf),
    )


def variance_components(pairs: Floats, gaps: Floats, differing: Floats) -> tuple[float, float]:
    """The variance of paired differences between and within actions: one-way ANOVA for unequal groups, never negative.

    One number a cluster with at least one pair: matched pairs, hits of A minus hits of B, and pairs that differ. Gives
    nan where there are fewer than two clusters or no cluster has two pairs (Searle, Casella and McCulloch 1992).
    """
    clusters, size = len(pairs), float(pairs.sum())
    if clusters < 2 or size <= clusters:
        return math.nan, math.nan
    within = float((differing - gaps**2 / pairs).sum() / (size - clusters))
    among = float((pairs * (gaps / pairs - gaps.sum() / size) ** 2).sum() / (clusters - 1))
    typical = (size - float((pairs**2).sum()) / size) / (clusters - 1)
    return max(0.0, (among - within) / typical), max(0.0, within)


@dataclass(frozen=True)
class _Design:
    """The variances and the error rates of a comparison; what it takes and what it shows."""

    between: float
    within: float
    power: float
    alpha: float

    @property
    def _floored(self) -> tuple[float, float]:
        """Both variances with at least the correlation that the test assumes, their sum unchanged."""
        whole = self.between + self.within
        between = max(self.between, CORRELATION_FLOOR * whole)
        return between, whole - between

    def _shift(self, actions: int) -> float:
        """How many standard errors a difference must be for the power wanted."""
        freedom = actions - 1.0
        return float(special.nctdtrinc(freedom, 1 - self.power, special.stdtrit(freedom, 1 - self.alpha / 2)))

    def smallest(self, actions: int, prompts: float) -> float:
        """The smallest difference seen with the power wanted."""
        between, within = self._floored
        return self._shift(actions) * math.sqrt((between + within / prompts) / actions)

    def prompts(self, difference: float, actions: int) -> int | None:
        """Prompts an action; None where no number suffices."""
        between, within = self._floored
        room = actions * (difference / self._shift(actions)) ** 2 - between
        needed = within / room if room > 0 else math.inf
        return max(1, math.ceil(needed - 1e-9)) if needed <= _MOST else None

    def actions(self, difference: float, prompts: float) -> int | None:
        """Actions with so many prompts each; None where a million do not suffice."""
        too_few, enough = 1, 2
        while self.smallest(enough, prompts) > difference:
            too_few, enough = enough, enough * 2
            if too_few > _MOST:
                return None
        while enough - too_few > 1:
            middle = (too_few + enough) // 2
            too_few, enough = (too_few, middle) if self.smallest(middle, prompts) <= difference else (middle, enough)
        return enough


def _why_not(pairs: Floats, between: float, within: float, wanted: float) -> str:
    if len(pairs) < 2:
        return (
            f"there are matched prompts of {_many(len(pairs), 'action')}, and two are needed to see how actions differ"
        )
    if math.isnan(within):
        return "every action has one prompt, so that the variance within actions cannot be told from that between them"
    if between + within == 0:
        return "every matched pair has the same difference, so that there is no variance to plan with"
    return "the difference is 0, which no number of prompts can show" if wanted == 0 else ""


def _check(difference: float | None, power: float, alpha: float, actions: int | None, prompts: float | None) -> None:
    if difference is not None and not 0 < abs(difference) <= 1:
        raise InputError(
            f"a difference of {difference} cannot be planned for: give a fraction, such as 0.05 for 5 points"
        )
    if not 0 < alpha < power < 1:
        raise InputError(f"power {power} and alpha {alpha}: need 0 < alpha < power < 1, such as 0.8 and 0.05")
    if actions is not None and actions < 2:
        raise InputError(f"a comparison needs at least 2 actions, not {actions}")
    if prompts is not None and not prompts >= 1:
        raise InputError(f"a comparison needs at least 1 prompt an action, not {prompts}")


def _points(share: float) -> str:
    return f"{100 * share:.1f} percentage points"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
