"""How often 95 % intervals hold the truth, ours beside other methods: `python -m benchmarks.coverage`.

The populations are the study's: each draws actions with replacement from its 32, and 20 prompts an action with that
action's own shares, so that the true share of all actions is known. Others are beta-binomial. Takes some two minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from benchmarks.material import SHARED
from nl2pddl.sample_size import prompts_needed, variance_components
from nl2pddl.statistics import paired_differences, share_intervals

Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]
PROMPTS = 20
ACTIONS = (2, 3, 5, 10, 20, 32)
RESAMPLES = 999
LEVEL = 0.95
UPPER = (1 + LEVEL) / 2


def resampled(values: Floats, totals: Floats) -> Floats:
    """The ratio in bootstrap samples of clusters: shape (rows, RESAMPLES), sorted."""
    clusters = values.shape[1]
    weights = np.random.default_rng(7).multinomial(clusters, [1 / clusters] * clusters, RESAMPLES).astype(float)
    return np.sort((values @ weights.T) / (totals @ weights.T), axis=1)


def percentile(values: Floats, totals: Floats) -> Limits:
    ratios = resampled(values, totals)
    low, high = np.quantile(ratios, [1 - UPPER, UPPER], axis=1)
    return low, high


def bca(values: Floats, totals: Floats) -> Limits:
    """Bias-corrected and accelerated bootstrap (Efron 1987)."""
    ratios, whole = resampled(values, totals), values.sum(axis=1) / totals.sum(axis=1)
    below = (ratios < whole[:, None]).mean(axis=1) + (ratios == whole[:, None]).mean(axis=1) / 2
    bias = special.ndtri(np.clip(below, 1 / RESAMPLES, 1 - 1 / RESAMPLES))
    left = (values.sum(axis=1)[:, None] - values) / (totals.sum(axis=1)[:, None] - totals)
    pull = left.mean(axis=1)[:, None] - left
    skew = (pull**3).sum(axis=1) / np.maximum(6 * (pull**2).sum(axis=1) ** 1.5, 1e-300)
    limits = []
    for tail in (1 - UPPER, UPPER):
        moved = bias + special.ndtri(tail)
        place = special.ndtr(bias + moved / (1 - skew * moved)) * (RESAMPLES - 1)
        limits.append(np.take_along_axis(ratios, np.rint(place).astype(int)[:, None], axis=1)[:, 0])
    return limits[0], limits[1]


def robust(values: Floats, totals: Floats) -> tuple[Floats, Floats, float]:
    """The ratio, its jackknife standard error over clusters, and the t quantile."""
    whole, clusters = values.sum(axis=1) / totals.sum(axis=1), values.shape[1]
    left = (values.sum(axis=1)[:, None] - values) / (totals.sum(axis=1)[:, None] - totals)
    error = np.sqrt(((left - whole[:, None]) ** 2).sum(axis=1) * (clusters - 1) / clusters)
    return whole, error, float(special.stdtrit(clusters - 1, UPPER))


def plain_t(values: Floats, totals: Floats) -> Limits:
    whole, error, t = robust(values, totals)
    return whole - t * error, whole + t * error


def logit_t(values: Floats, totals: Floats) -> Limits:
    whole, error, t = robust(values, totals)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = t * error / (whole * (1 - whole))
        low, high = special.expit(special.logit(whole) - half), special.expit(special.logit(whole) + half)
    return np.where(np.isnan(low), whole, low), np.where(np.isnan(high), whole, high)


def ours_share(values: Floats, totals: Floats) -> Limits:
    table = share_intervals(values, totals, LEVEL)
    return table["low"].to_numpy(), table["high"].to_numpy()


SHARES: dict[str, Callable[[Floats, Floats], Limits]] = {
    "percentile bootstrap": percentile,
    "BCa bootstrap": bca,
    "t on the share": plain_t,
    "t on the logit": logit_t,
    "ours": ours_share,
}


def sign_flips(gaps: Floats, totals: Floats) -> Limits:
    """The sign-flip test of clusters, inverted: a difference is kept unless few ways to flip the signs are as far off.

    A flipped set of clusters is as far off as the sample just when the difference lies between the ratio in the set and
    that in the rest, so the limits are quantiles of these.
    """
    clusters = gaps.shape[1]
    if clusters <= 12:
        sets = ((np.arange(2 ** (clusters - 1))[:, None] >> np.arange(clusters)) & 1).astype(float)
    else:
        sets = np.vstack([np.zeros(clusters), np.random.default_rng(7).integers(0, 2, (RESAMPLES, clusters))])
    with np.errstate(invalid="ignore"):
        inside, outside = (gaps @ sets.T) / (totals @ sets.T), (gaps @ (1 - sets).T) / (totals @ (1 - sets).T)
    low, high = np.fmin(inside, outside), np.fmax(inside, outside)
    low[:, 0], high[:, 0] = -1, 1
    rank = int((1 - LEVEL) * len(sets) + 1e-9)
    return np.sort(low, axis=1)[:, rank], np.sort(high, axis=1)[:, len(sets) - 1 - rank]


def study() -> pd.DataFrame:
    """The published verdicts; ``prompt`` numbers the rows of an action, class and model, to pair models."""
    rows = pd.read_csv(SHARED / "published" / "results.csv")
    rows["action"] = rows["domain"] + "/" + rows["action"]
    rows["prompt"] = rows.groupby(["action", "class", "model"]).cumcount()
    return rows


def shares_of_study(rows: pd.DataFrame) -> Iterator[tuple[Floats, Floats]]:
    """Hits and totals an action, for each model, description class and result class that occurs."""
    for _, group in rows.groupby(["class", "model"]):
        totals = group.groupby("action").size()
        for name in sorted(rows["resultClass"].unique()):
            hits = group[group["resultClass"] == name].groupby("action").size().reindex(totals.index, fill_value=0)
            if hits.sum():
                yield hits.to_numpy(float), totals.to_numpy(float)


def pairs_of_study(rows: pd.DataFrame) -> Iterator[Floats]:
    """Shares of pairs an action that are a hit of A alone and of B alone, shape (32, 2), of every third comparison."""
    number = 0
    full = rows[rows.groupby(["action", "class", "model"])["prompt"].transform("size") == PROMPTS]
    for _, group in full.groupby("class"):
        wide = group.pivot(index=["action", "prompt"], columns="model", values="resultClass")
        for (a, b), name in (
            (pair, name) for pair in combinations(wide.columns, 2) for name in rows["resultClass"].unique()
        ):
            both = wide[[a, b]].dropna()
            hits = pd.DataFrame(
                {"a": (both[a] == name) & (both[b] != name), "b": (both[a] != name) & (both[b] == name)}
            )
            number += 1
            if number % 3 == 0:
                yield hits.groupby(level="action").mean().to_numpy(float)


def summary(cells: list[dict[str, tuple[float, float]]], label: str) -> None:
    """Mean and worst coverage over the populations, and the mean width."""
    for name in cells[0]:
        covered, width = np.array([cell[name] for cell in cells]).T
        print(
            f"{label:34} {name:22} mean {100 * covered.mean():5.1f} %  worst {100 * covered.min():5.1f} %  "
            f"under 90: {100 * (covered < 0.9).mean():3.0f} % of populations  width {100 * width.mean():5.1f} points",
            flush=True,
        )


def held(limits: Limits, truth: float) -> tuple[float, float]:
    low, high = np.maximum(limits[0], -1), np.minimum(limits[1], 1)
    return float(((low <= truth + 1e-12) & (truth <= high + 1e-12)).mean()), float((high - low).mean())


def share_tables(populations: list[tuple[Floats, Floats]], draws: int = 1000) -> None:
    rng = np.random.default_rng(1)
    for actions in ACTIONS:
        cells = []
        for hits, totals in populations:
            chances = (hits / totals)[rng.integers(0, len(hits), (draws, actions))]
            sample, size = rng.binomial(PROMPTS, chances).astype(float), np.full((draws, actions), float(PROMPTS))
            truth = float((hits / totals).mean())
            cells.append({name: held(method(sample, size), truth) for name, method in SHARES.items()})
        summary(cells, f"shares, {actions} actions")
        if actions == 32:
            means = np.array([(hits / totals).mean() for hits, totals in populations])
            for low, high in ((0, 0.02), (0.02, 0.1), (0.1, 0.4), (0.4, 1)):
                band = [cell for cell, mean in zip(cells, means, strict=True) if low < mean <= high]
                summary(band, f"  of them {low:.0%} to {high:.0%} ({len(band)})")


def beta_binomial_tables(draws: int = 4000) -> None:
    """Populations that are not the study's; totals of 2 to 38 prompts an action, 20 on average."""
    rng = np.random.default_rng(2)
    for actions in (5, 32):
        for share in (0.003, 0.02, 0.1, 0.3, 0.5):
            line = []
            for correlation in (0.01, 0.15, 0.3, 0.6):
                for equal in (True, False):
                    size = np.full((draws, actions), 20) if equal else rng.integers(2, 39, (draws, actions))
                    strength = (1 - correlation) / correlation
                    chances = rng.beta(share * strength, (1 - share) * strength, (draws, actions))
                    covered, _ = held(ours_share(rng.binomial(size, chances).astype(float), size.astype(float)), share)
                    line.append(f"{correlation:.2f} {'equal' if equal else 'unequal'} {100 * covered:5.1f} %")
            print(f"beta-binomial, {actions:2} actions, share {share:5.3f}: " + "  ".join(line), flush=True)


def draw_pairs(
    rng: np.random.Generator, chances: Floats, shape: tuple[int, int], prompts: int
) -> tuple[Floats, Floats]:
    """Hits of A alone and of B alone an action, both of ``shape`` (samples, actions)."""
    whole = np.column_stack([chances, 1 - chances.sum(axis=1)]).clip(0)
    counts = rng.multinomial(prompts, (whole / whole.sum(axis=1, keepdims=True))[rng.integers(0, len(whole), shape)])
    return counts[..., 0].astype(float), counts[..., 1].astype(float)


def paired_tables(populations: list[Floats], draws: int = 1000) -> None:
    """As they are, and with each action's mirror image beside it, so that the true difference is 0."""
    rng = np.random.default_rng(3)
    for kind in ("as it is", "no difference"):
        for actions in ACTIONS:
            cells = []
            for chances in populations:
                source = chances if kind == "as it is" else np.vstack([chances, chances[:, ::-1]])
                a, b = draw_pairs(rng, source, (draws, actions), PROMPTS)
                size, truth = np.full(a.shape, float(PROMPTS)), float((source[:, 0] - source[:, 1]).mean())
                ours = paired_differences(size, a, b, a + b, LEVEL)
                limits = {
                    "percentile bootstrap": percentile(a - b, size),
                    "plain t": plain_t(a - b, size),
                    "sign flips": sign_flips(a - b, size),
                    "ours": (ours["low"].to_numpy(), ours["high"].to_numpy()),
                }
                cells.append({name: held(pair, truth) for name, pair in limits.items()})
            summary(cells, f"pairs, {kind}, {actions} actions")


def planner_table(populations: list[Floats], draws: int = 4000) -> None:
    """The power of the real test with as many prompts (or actions) as the planner says, knowing the true variances."""
    rng = np.random.default_rng(4)
    powers: dict[str, list[float]] = {"prompts": [], "actions": []}
    for chances in populations:
        known = 1e6 * np.column_stack([np.ones(len(chances)), chances, chances.sum(axis=1)])
        wanted = abs(float((chances[:, 0] - chances[:, 1]).mean()))
        if not wanted:
            continue
        plan = prompts_needed(*known.T, difference=wanted, actions=48, prompts=PROMPTS)
        for kind, actions, prompts in (
            ("prompts", 48, plan.prompts_needed or 0),
            ("actions", plan.actions_needed or 0, PROMPTS),
        ):
            if 3 <= prompts <= 200 and 6 <= actions <= 200:
                a, b = draw_pairs(rng, chances, (draws, actions), prompts)
                table = paired_differences(np.full(a.shape, float(prompts)), a, b, a + b)
                powers[kind].append(float((table["p_value"] < 1 - LEVEL).mean()))
    for kind, values in powers.items():
        spread = np.quantile(values, [0, 0.1, 0.5, 0.9, 1])
        print(f"planned {kind}: power in {len(values)} comparisons, least/10 %/median/90 %/most: {spread.round(3)}")


def correlations(shares: list[tuple[Floats, Floats]], pairs: list[Floats]) -> None:
    """How correlated the study's answers of one action are (intraclass correlation)."""
    parts = [variance_components(totals, hits, hits) for hits, totals in shares]
    size = np.full(32, float(PROMPTS))
    twice = [variance_components(size[: len(x)], 20 * (x[:, 0] - x[:, 1]), 20 * x.sum(axis=1)) for x in pairs]
    for label, found in (("shares", parts), ("paired differences", twice)):
        values = [between / (between + within) for between, within in found if between + within > 0]
        print(f"correlation of {label}, {len(values)}, at 0/10/25/50/75/90/100 %:", end=" ")
        print(np.quantile(values, [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]).round(3))


def main() -> None:
    beta_binomial_tables()
    if not (SHARED / "published" / "results.csv").is_file():
        print(f"the study's results.csv is not in {SHARED / 'published'}: its tables are left out (NL2PDDL_SHARED)")
        return
    rows = study()
    shares, pairs = list(shares_of_study(rows)), list(pairs_of_study(rows))
    correlations(shares, pairs)
    share_tables(shares)
    paired_tables(pairs)
    planner_table(pairs)


if __name__ == "__main__":
    main()
