"""How sure a share of outputs is, and whether two models differ: intervals and tests in which actions are the clusters.

Prompts of one action resemble each other, so an action, not a prompt, is what is drawn anew. Everything here is a pure,
deterministic function of counts; nothing is random. docs/statistics.md says why these methods and how well they hold.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special  # type: ignore[import-untyped]

from nl2pddl.errors import InputError

# Answers of one action are taken to be at least this correlated (0 none, 1 all equal), whatever the sample shows: a few
# hits cannot show that they are not. Chosen by the coverage it gives on the study's shares (docs/statistics.md).
CORRELATION_FLOOR = 0.15
FEW_ACTIONS = 5  # up to here an interval comes with a warning
SHARE_METHOD = "Wilson interval at the effective sample size, t quantile with clusters - 1 degrees of freedom"
DIFFERENCE_METHOD = "t test with the jackknife variance over clusters, clusters - 1 degrees of freedom"

Floats = NDArray[np.float64]
Pair = tuple[str, str]


@dataclass(frozen=True)
class Interval:
    """A share in [0, 1] with its confidence interval.

    ``estimate``, ``low`` and ``high`` are nan where they cannot be told; ``reason`` then says why, and warns of few
    clusters. ``clusters`` counts the actions with at least one prompt.
    """

    estimate: float
    low: float
    high: float
    clusters: int
    method: str = SHARE_METHOD
    reason: str = ""


@dataclass(frozen=True)
class Difference:
    """The share of A minus the share of B over matched prompts, in [-1, 1], with interval and two-sided p-value.

    The interval of level 1 - x excludes 0 just when p < x. ``low``, ``high`` and ``p_value`` are nan where they cannot
    be told; ``reason`` says why. ``pairs`` and ``clusters`` count matched prompts and the actions they are of.
    """

    estimate: float
    low: float
    high: float
    p_value: float
    pairs: int
    clusters: int
    method: str = DIFFERENCE_METHOD
    reason: str = ""


@dataclass(frozen=True)
class TiedGroups:
    """Which models cannot be told apart once all pairs are compared at once.

    ``ranking`` holds the models, highest share first; ``tied_with_best`` those that cannot be told from the first.
    Two models share a letter of ``letters`` just when they cannot be told apart; "a" is the group of the best.
    ``adjusted`` holds Holm's p-values by pair, as the pairs were given.
    """

    ranking: tuple[str, ...]
    tied_with_best: tuple[str, ...]
    letters: dict[str, str]
    adjusted: dict[Pair, float]

    @property
    def best(self) -> str:
        """The model with the highest share."""
        return self.ranking[0]


def share_interval(hits: ArrayLike, totals: ArrayLike, level: float = 0.95) -> Interval:
    """The share sum(hits) / sum(totals) with its interval.

    ``hits`` and ``totals`` hold one count a cluster (action), shape (clusters,); a cluster without prompts (total 0 or
    nan) does not count. Raises InputError for counts that cannot be. For many shares at once: ``share_intervals``.
    """
    row = share_intervals(np.atleast_2d(_floats(hits)), np.atleast_2d(_floats(totals)), level).iloc[0]
    return Interval(
        float(row["estimate"]), float(row["low"]), float(row["high"]), int(row["clusters"]), reason=str(row["reason"])
    )


def share_intervals(
    hits: ArrayLike | pd.DataFrame, totals: ArrayLike | pd.DataFrame, level: float = 0.95
) -> pd.DataFrame:
    """``share_interval`` of many groups: one row a group, shape (groups, clusters) in; nan where there is no prompt.

    Gives the columns estimate, low, high, clusters and reason, with the index of ``hits`` where that is a frame. The
    sample's variance gives an effective sample size (Rao and Scott 1992; Saha and others use the same idea), never
    more than independent prompts with ``CORRELATION_FLOOR`` would be worth, and that goes into Wilson's interval with
    a t quantile for the normal one (Dean and Pagano 2015; Franco and others 2019).
    """
    _check_level(level)
    index = hits.index if isinstance(hits, pd.DataFrame) else None
    hit, total = _counts(hits, totals)
    clusters, size = (total > 0).sum(axis=1), total.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = hit.sum(axis=1) / size
        variance, t = _jackknife(hit, total), special.stdtrit(clusters - 1.0, (1 + level) / 2)
        effective = size / _least_design_effect(total)
        effective = np.where(variance > 0, np.minimum(effective, share * (1 - share) / variance), effective)
        centre = (share + t**2 / (2 * effective)) / (1 + t**2 / effective)
        half = t * np.sqrt(share * (1 - share) / effective + t**2 / (4 * effective**2)) / (1 + t**2 / effective)
    known = clusters > 1
    low = np.where(known, np.clip(np.minimum(centre - half, share), 0, 1), np.nan)
    high = np.where(known, np.clip(np.maximum(centre + half, share), 0, 1), np.nan)
    reasons = [_reason(int(count)) for count in clusters]
    columns = {"estimate": share, "low": low, "high": high, "clusters": clusters, "reason": reasons}
    return pd.DataFrame(columns, index=index)


def paired_difference(
    pairs: ArrayLike, hits_a: ArrayLike, hits_b: ArrayLike, differing: ArrayLike, level: float = 0.95
) -> Difference:
    """The difference of two shares over the same prompts, with interval and test that respect the clusters.

    All arguments hold one count a cluster, shape (clusters,): matched prompts, hits of A and of B among them, and the
    matched prompts that are a hit of just one of them (the sum of squared differences; ``match_counts`` makes all
    four). Raises InputError for counts that cannot be. For many comparisons at once: ``paired_differences``.
    """
    total, first, second, split = (np.atleast_2d(_floats(values)) for values in (pairs, hits_a, hits_b, differing))
    row = paired_differences(total, first, second, split, level).iloc[0]
    low, high, p_value = (float(row[name]) for name in ("low", "high", "p_value"))
    numbers = (int(row["pairs"]), int(row["clusters"]))
    return Difference(float(row["estimate"]), low, high, p_value, *numbers, reason=str(row["reason"]))


def paired_differences(
    pairs: ArrayLike, hits_a: ArrayLike, hits_b: ArrayLike, differing: ArrayLike, level: float = 0.95
) -> pd.DataFrame:
    """``paired_difference`` of many comparisons, one row each: shape (comparisons, clusters), nan where none matched.

    Gives the columns estimate, low, high, p_value, pairs, clusters and reason. The standard error is the jackknife
    over clusters of the mean of paired differences (Miller 2024, sections on clustered and paired errors), with t of
    clusters - 1 degrees of freedom for few clusters (Cameron, Gelbach and Miller 2008). It never falls below that of
    prompts correlated by ``CORRELATION_FLOOR``, with half a pair added to each of the four outcomes of a pair
    (Agresti and Min 2005), so that equal answers do not give an interval of no width.
    """
    _check_level(level)
    total, a, b, split = paired_counts(pairs, hits_a, hits_b, differing)
    clusters, size = (total > 0).sum(axis=1), total.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = (a - b).sum(axis=1) / size
        effective = size / _least_design_effect(total)
        shrunk = difference * effective / (effective + 2)
        spread = (split.sum(axis=1) / size * effective + 1) / (effective + 2)
        variance = np.fmax(_jackknife(a - b, total), (spread - shrunk**2) / (effective + 2))
        half = special.stdtrit(clusters - 1.0, (1 + level) / 2) * np.sqrt(variance)
        p_value = 2 * special.stdtr(clusters - 1.0, -np.abs(difference) / np.sqrt(variance))
    known = clusters > 1
    columns = {
        "estimate": difference,
        "low": np.where(known, np.maximum(difference - half, -1), np.nan),
        "high": np.where(known, np.minimum(difference + half, 1), np.nan),
        "p_value": np.where(known, np.minimum(p_value, 1), np.nan),
        "pairs": size.astype(int),
        "clusters": clusters,
        "reason": [_reason(int(count)) for count in clusters],
    }
    return pd.DataFrame(columns)


def match_counts(a: ArrayLike, b: ArrayLike, clusters: Iterable[Any]) -> pd.DataFrame:
    """The counts that ``paired_difference`` and the planner take: pairs, hits_a, hits_b, differing; one row a cluster.

    ``a`` and ``b`` hold one outcome a prompt (1 or True a hit, 0 or False none, nan no verdict), in the same order of
    prompts; ``clusters`` the label of each prompt's action, with its domain: (domain, action). A prompt that lacks
    either outcome is not matched.
    """
    names, counts = _matched(_floats(a)[:, None], _floats(b)[:, None], clusters)
    return pd.DataFrame({name: table[0] for name, table in counts.items()}, index=names)


def all_pairs(outcomes: pd.DataFrame, clusters: Iterable[Any], level: float = 0.95) -> pd.DataFrame:
    """``paired_differences`` of every two columns: one row a pair, its index (a, b).

    ``outcomes`` has one row a prompt and one column a model (or description class): 1 a hit, 0 none, nan no verdict;
    ``clusters`` the label of each row's action, with its domain. Each pair is matched by itself.
    """
    places = list(combinations(range(outcomes.shape[1]), 2))
    first, second = [place[0] for place in places], [place[1] for place in places]
    values = _floats(outcomes)
    _, counts = _matched(values[:, first], values[:, second], clusters)
    total, a, b, split = counts.values()
    rows = paired_differences(total, a, b, split, level)
    names = list(outcomes.columns)
    return rows.set_index(pd.MultiIndex.from_tuples([(names[i], names[j]) for i, j in places], names=["a", "b"]))


def tied_groups(shares: Mapping[str, float], p_values: Mapping[Pair, float], alpha: float = 0.05) -> TiedGroups:
    """Which models are tied, from their shares and the p-value of every pair (in either order; nan: cannot be told).

    All pairs together wrongly part a pair in at most ``alpha`` of all cases (Holm 1979). The letters are the largest
    groups in which no two can be told apart (Piepho 2004), as being tied is not transitive: A may be tied with B, B
    with C, and A not with C. Raises InputError where a pair lacks its p-value.
    """
    if not shares:
        raise InputError("no models to rank: give the share of at least one")
    known = {frozenset(pair): pair for pair in p_values}
    missing = [f"{a} and {b}" for a, b in combinations(shares, 2) if frozenset((a, b)) not in known]
    if missing:
        raise InputError(f"no p-value for {', '.join(missing)}: give one for every pair of models", missing)
    needed = [known[frozenset(pair)] for pair in combinations(shares, 2)]
    adjusted = holm({pair: p_values[pair] for pair in needed})
    ranking = sorted(shares, key=lambda name: (np.isnan(shares[name]), -shares[name]))
    tied = {name: {name} for name in ranking}
    for (a, b), p_value in adjusted.items():
        if not p_value < alpha:
            tied[a].add(b)
            tied[b].add(a)
    groups = [sorted(group, key=ranking.index) for group in _largest_groups(set(), set(ranking), set(), tied)]
    groups.sort(key=lambda group: [ranking.index(name) for name in group])
    letters = {
        name: "".join(_letter(number) for number, group in enumerate(groups) if name in group) for name in ranking
    }
    others = tuple(name for name in ranking[1:] if name in tied[ranking[0]])
    return TiedGroups(tuple(ranking), others, letters, adjusted)


def holm(p_values: Mapping[Pair, float]) -> dict[Pair, float]:
    """The p-values corrected for being so many (Holm 1979), in the order given; nan counts as 1."""
    adjusted, least = {}, 0.0
    ordered = sorted(((1.0 if np.isnan(p) else float(p), pair) for pair, p in p_values.items()), key=lambda row: row[0])
    for done, (p_value, pair) in enumerate(ordered):
        least = max(least, min(1.0, (len(ordered) - done) * p_value))
        adjusted[pair] = least
    return {pair: adjusted[pair] for pair in p_values}


def _largest_groups(
    group: set[str], open_names: set[str], seen: set[str], tied: Mapping[str, set[str]]
) -> list[set[str]]:
    """All maximal groups of mutually tied models (Bron and Kerbosch 1973, with a pivot)."""
    if not open_names and not seen:
        return [group]
    pivot = max(open_names | seen, key=lambda name: len(open_names & tied[name]))
    found: list[set[str]] = []
    for name in open_names - (tied[pivot] - {pivot}):
        others = tied[name] - {name}
        found += _largest_groups(group | {name}, open_names & others, seen & others, tied)
        open_names, seen = open_names - {name}, seen | {name}
    return found


def _letter(number: int) -> str:
    round_, place = divmod(number, len(string.ascii_letters))
    return string.ascii_letters[place] + (str(round_) if round_ else "")


def _jackknife(values: Floats, totals: Floats) -> Floats:
    """The variance of sum(values) / sum(totals) when each cluster in turn is left out; nan for fewer than two."""
    present = totals > 0
    clusters, value, total = present.sum(axis=1), values.sum(axis=1)[:, None], totals.sum(axis=1)[:, None]
    without = (value - values) / (total - totals)
    squares = np.where(present, (without - value / total) ** 2, 0.0)
    variance: Floats = squares.sum(axis=1) * (clusters - 1) / clusters
    return variance


def _least_design_effect(totals: Floats) -> Floats:
    """How many correlated prompts are worth one independent one, at ``CORRELATION_FLOOR``; never below 1."""
    effect: Floats = 1 + ((totals**2).sum(axis=1) / totals.sum(axis=1) - 1) * CORRELATION_FLOOR
    return effect


def _matched(first: Floats, second: Floats, clusters: Iterable[Any]) -> tuple[pd.Index, dict[str, Floats]]:
    """Outcomes of shape (prompts, comparisons) to counts of shape (comparisons, clusters), with the clusters' names."""
    labels = pd.Series(list(clusters), dtype=object)
    if not len(first) == len(second) == len(labels):
        raise InputError(
            f"outcomes of {len(first)} and {len(second)} prompts, {len(labels)} labels: give one each a prompt"
        )
    for values in (first, second):
        if not (np.isnan(values) | (values == 0) | (values == 1)).all():
            raise InputError("an outcome must be 1 (a hit), 0 (none) or nan (no verdict)")
    codes, names = pd.factorize(labels)
    belongs = (codes == np.arange(len(names))[:, None]).astype(float)
    pair = ~(np.isnan(first) | np.isnan(second))
    a, b = np.where(pair, first, 0.0), np.where(pair, second, 0.0)
    tables = {"pairs": pair.astype(float), "hits_a": a, "hits_b": b, "differing": (a - b) ** 2}
    return pd.Index(names, tupleize_cols=False), {name: (belongs @ table).T for name, table in tables.items()}


def _floats(values: Any) -> Floats:
    array = values.to_numpy(dtype=float, na_value=np.nan) if isinstance(values, pd.Series | pd.DataFrame) else values
    return np.asarray(array, dtype=float)


def _counts(hits: Any, totals: Any) -> tuple[Floats, Floats]:
    hit, total = _floats(hits), np.nan_to_num(_floats(totals))
    if hit.shape != total.shape or hit.ndim != 2:
        raise InputError(f"hits {hit.shape} and totals {total.shape} must have one number a cluster each, in one order")
    hit = np.where(total > 0, hit, 0.0)
    if not ((hit >= 0) & (hit <= total)).all():
        raise InputError("every cluster needs 0 <= hits <= total; check that hits and totals list the same clusters")
    return hit, total


def paired_counts(pairs: Any, hits_a: Any, hits_b: Any, differing: Any) -> tuple[Floats, Floats, Floats, Floats]:
    """The four counts as arrays of shape (comparisons, clusters), 0 where nothing matched. Raises InputError."""
    a, total = _counts(hits_a, pairs)
    b, split = _counts(hits_b, pairs)[0], _counts(differing, pairs)[0]
    slack = 1e-9 * total
    if not ((np.abs(a - b) <= split + slack) & (split <= np.minimum(a + b, 2 * total - a - b) + slack)).all():
        raise InputError(
            "differing must count, a cluster, the pairs that are a hit of just one of the two: "
            "between |hits_a - hits_b| and hits_a + hits_b; match_counts makes all four"
        )
    return total, a, b, split


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"a confidence level of {level} cannot be: give one between 0 and 1, such as 0.95")


def _reason(clusters: int) -> str:
    if clusters > FEW_ACTIONS:
        return ""
    if clusters > 1:
        return f"only {clusters} actions: the interval is wide, as so few say little about how much actions differ"
    return "one action only: how much actions differ cannot be told from it" if clusters else "no prompts"
