"""Intervals, paired tests, ties and sample sizes with actions as clusters."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from nl2pddl.errors import InputError
from nl2pddl.sample_size import prompts_needed
from nl2pddl.statistics import (
    CORRELATION_FLOOR,
    all_pairs,
    holm,
    match_counts,
    paired_difference,
    share_interval,
    share_intervals,
    tied_groups,
)

HITS, TOTALS = [20, 0, 18, 3, 0, 11, 20, 1], [20] * 8


def test_a_share_and_its_interval_by_hand() -> None:
    hits, totals = np.array(HITS, float), np.array(TOTALS, float)
    found = share_interval(hits, totals)
    share = hits.sum() / totals.sum()
    without = np.array([(hits.sum() - h) / (totals.sum() - n) for h, n in zip(hits, totals, strict=True)])
    variance = ((without - share) ** 2).sum() * 7 / 8
    effective, t = share * (1 - share) / variance, stats.t.ppf(0.975, 7)
    centre = (share + t**2 / (2 * effective)) / (1 + t**2 / effective)
    half = t * math.sqrt(share * (1 - share) / effective + t**2 / (4 * effective**2)) / (1 + t**2 / effective)
    assert (found.estimate, found.clusters, found.reason) == (share, 8, "")
    assert (found.low, found.high) == (pytest.approx(centre - half), pytest.approx(centre + half))


def test_the_interval_is_wider_than_one_of_independent_outputs() -> None:
    found = share_interval(HITS, TOTALS)
    plain = stats.binomtest(sum(HITS), sum(TOTALS)).proportion_ci(method="wilson")
    assert found.high - found.low > 2 * (plain.high - plain.low)


def test_more_prompts_of_the_same_actions_tell_little_more() -> None:
    once, many = share_interval(HITS, TOTALS), share_interval(np.multiply(HITS, 50), np.multiply(TOTALS, 50))
    assert many.high - many.low > 0.9 * (once.high - once.low)
    more_actions = share_interval(HITS * 4, TOTALS * 4)
    assert more_actions.high - more_actions.low < 0.6 * (once.high - once.low)


@pytest.mark.parametrize("hits", [[0] * 32, [20] * 32])
def test_none_and_all_have_an_interval(hits: list[int]) -> None:
    found = share_interval(hits, [20] * 32)
    assert found.estimate in (found.low, found.high)
    assert 0.01 < found.high - found.low < 0.2
    # As many independent prompts as the floor of correlation leaves.
    effective, t = 640 / (1 + 19 * CORRELATION_FLOOR), stats.t.ppf(0.975, 31)
    assert found.high - found.low == pytest.approx(t**2 / (effective + t**2))


def test_few_actions_are_warned_of_and_one_has_no_interval() -> None:
    assert share_interval([5, 1], [20, 20]).reason
    one = share_interval([5], [20])
    assert (one.estimate, one.clusters) == (0.25, 1)
    assert math.isnan(one.low)
    assert math.isnan(one.high)
    assert math.isnan(share_interval([0], [0]).estimate)


def test_the_order_of_actions_and_empty_ones_do_not_matter() -> None:
    first = share_interval(HITS, TOTALS)
    other = share_interval([*HITS[::-1], 0], [*TOTALS, 0])
    assert (first.estimate, first.clusters) == (other.estimate, other.clusters)
    assert (first.low, first.high) == (pytest.approx(other.low), pytest.approx(other.high))


def test_many_groups_at_once_are_as_one_by_one() -> None:
    hits = pd.DataFrame([HITS, [1] * 8], index=["a", "b"])
    table = share_intervals(hits, pd.DataFrame([TOTALS, TOTALS]))
    assert list(table.index) == ["a", "b"]
    one = share_interval(HITS, TOTALS)
    assert (table.loc["a", "low"], table.loc["a", "high"]) == (one.low, one.high)


@pytest.mark.parametrize(("hits", "totals"), [([3], [2]), ([-1], [2]), ([1, 2], [3])])
def test_counts_that_cannot_be_are_refused(hits: list[int], totals: list[int]) -> None:
    with pytest.raises(InputError):
        share_interval(hits, totals)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    generator = np.random.default_rng(3)
    for share, correlation in ((0.05, 0.3), (0.25, 0.4)):
        a, b = share * (1 / correlation - 1), (1 - share) * (1 / correlation - 1)
        own = generator.beta(a, b, size=(1500, 32))
        hits = generator.binomial(20, own)
        table = share_intervals(hits, np.full(hits.shape, 20))
        covered = ((table["low"] <= share) & (share <= table["high"])).mean()
        assert 0.91 < covered <= 1.0


def outcomes(seed: int, shift: float, actions: int = 32, prompts: int = 20) -> pd.DataFrame:
    """Two models on the same prompts; the second is better by ``shift``."""
    generator = np.random.default_rng(seed)
    base = generator.beta(0.5, 1.5, size=actions).repeat(prompts)
    ease = generator.random(actions * prompts)
    frame = pd.DataFrame({"a": (ease < base).astype(float), "b": (ease < np.clip(base + shift, 0, 1)).astype(float)})
    return frame.assign(cluster=np.arange(actions).repeat(prompts))


def difference(frame: pd.DataFrame):  # type: ignore[no-untyped-def]
    counts = match_counts(frame["a"], frame["b"], frame["cluster"])
    return paired_difference(counts["pairs"], counts["hits_a"], counts["hits_b"], counts["differing"])


def test_a_difference_prompt_by_prompt() -> None:
    frame = outcomes(1, 0.2)
    found = difference(frame)
    assert found.estimate == pytest.approx(frame["a"].mean() - frame["b"].mean())
    assert (found.pairs, found.clusters) == (640, 32)
    assert found.high < 0
    assert found.p_value < 0.001
    swapped = difference(frame.rename(columns={"a": "b", "b": "a"}))
    assert (swapped.estimate, swapped.low, swapped.high) == (-found.estimate, -found.high, -found.low)


@pytest.mark.parametrize("seed", range(12))
def test_test_and_interval_agree(seed: int) -> None:
    found = difference(outcomes(seed, 0.02 * (seed % 4)))
    assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)


def test_pairing_tells_more_than_two_shares_do() -> None:
    frame = outcomes(5, 0.05)
    found = difference(frame)
    grouped = frame.groupby("cluster")
    alone = share_interval(grouped["a"].sum(), grouped["a"].count())
    assert found.high - found.low < 0.5 * (alone.high - alone.low)


def test_equal_answers_are_no_difference_and_no_proof() -> None:
    frame = outcomes(2, 0.0)
    found = difference(frame.assign(b=frame["a"]))
    assert (found.estimate, found.p_value) == (0, 1)
    assert found.low < 0 < found.high


def test_a_prompt_that_lacks_an_answer_is_not_matched() -> None:
    frame = outcomes(1, 0.2)
    frame.loc[:99, "b"] = np.nan
    assert difference(frame).pairs == 540
    pairs = all_pairs(frame[["a", "b"]], frame["cluster"])
    assert int(pairs.loc[("a", "b"), "pairs"]) == 540
    with pytest.raises(InputError):
        match_counts([1, 2], [0, 1], ["x", "y"])


def test_a_test_of_models_that_do_not_differ_is_seldom_wrong() -> None:
    wrong = 0
    for seed in range(300):
        generator = np.random.default_rng(seed)
        own = generator.beta(0.5, 1.5, size=(2, 32)) * 0.5 + generator.beta(0.5, 1.5, size=32) * 0.5
        frame = pd.DataFrame(
            {name: generator.binomial(1, own[n].repeat(20)).astype(float) for n, name in enumerate("ab")}
        )
        wrong += difference(frame.assign(cluster=np.arange(32).repeat(20))).p_value < 0.05
    assert wrong / 300 < 0.09


def test_holm_by_hand() -> None:
    found = holm({("a", "b"): 0.01, ("a", "c"): 0.04, ("b", "c"): 0.03})
    assert {pair: round(value, 10) for pair, value in found.items()} == {
        ("a", "b"): 0.03, ("a", "c"): 0.06, ("b", "c"): 0.06,
    }  # fmt: skip


def test_ties_are_not_transitive() -> None:
    shares = {"worst": 0.1, "best": 0.5, "middle": 0.3}
    p_values = {("best", "middle"): 0.4, ("middle", "worst"): 0.4, ("best", "worst"): 0.001}
    groups = tied_groups(shares, p_values)
    assert groups.ranking == ("best", "middle", "worst")
    assert groups.letters == {"best": "a", "middle": "ab", "worst": "b"}
    assert groups.tied_with_best == ("middle",)
    assert tied_groups({"alone": 0.2}, {}).letters == {"alone": "a"}
    with pytest.raises(InputError, match="no p-value for"):
        tied_groups(shares, {("best", "middle"): 0.4})


def planned(frame: pd.DataFrame, wanted: float | None = None):  # type: ignore[no-untyped-def]
    counts = match_counts(frame["a"], frame["b"], frame["cluster"])
    return prompts_needed(counts["pairs"], counts["hits_a"], counts["hits_b"], counts["differing"], wanted)


def test_a_plan_asks_for_more_where_less_is_to_be_seen() -> None:
    frame = outcomes(4, 0.1)
    large, small = planned(frame, 0.2), planned(frame, 0.08)
    assert large.prompts_needed is not None
    assert small.prompts_needed is None or small.prompts_needed > large.prompts_needed
    assert small.actions_needed is not None
    assert large.actions_needed is not None
    assert small.actions_needed > large.actions_needed
    assert large.smallest_ever <= large.smallest_now
    assert f"{large.prompts_needed:,} prompt" in large.in_words


def test_no_number_of_prompts_undoes_how_few_actions_there_are() -> None:
    plan = planned(outcomes(4, 0.1), 0.001)
    assert plan.prompts_needed is None
    assert "no number of prompts shows a difference of 0.1 percentage points" in plan.in_words
    assert plan.actions_needed is not None
    assert plan.actions_needed > 32


def test_a_plan_says_why_there_is_none() -> None:
    frame = outcomes(4, 0.1, actions=1)
    assert "Nothing can be planned" in planned(frame, 0.1).in_words
    with pytest.raises(InputError, match="give a fraction"):
        planned(outcomes(4, 0.1), 5.0)
