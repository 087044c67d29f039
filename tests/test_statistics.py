"""Intervals, paired tests, ties and the planner against closed forms, invariances, extremes and simulations."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from nl2pddl.errors import InputError
from nl2pddl.sample_size import prompts_needed, variance_components
from nl2pddl.statistics import (
    CORRELATION_FLOOR,
    all_pairs,
    holm,
    match_counts,
    paired_difference,
    paired_differences,
    share_interval,
    share_intervals,
    tied_groups,
)

RNG = np.random.default_rng


def correlated(seed, shape, share, correlation, prompts=20):
    """Hits a cluster of beta-binomial prompts, shape (samples, clusters)."""
    strength = (1 - correlation) / correlation
    chances = RNG(seed).beta(share * strength, (1 - share) * strength, shape)
    return RNG(seed + 1).binomial(prompts, chances).astype(float)


def pairs_of(seed, clusters=12, prompts=20, shift=0.1, spread=0.5):
    """Counts of two models whose chances differ from action to action, by ``spread``."""
    rng = RNG(seed)
    chance = rng.uniform(0.1, 0.8, clusters)[:, None]
    a = rng.random((clusters, prompts)) < np.clip(chance + rng.normal(shift, spread, (clusters, 1)), 0, 1)
    b = rng.random((clusters, prompts)) < chance
    return np.full(clusters, float(prompts)), a.sum(1), b.sum(1), (a != b).sum(1)


# Shares


def test_a_share_of_half_solved_actions_is_wilson_with_actions_as_trials():
    # 16 of 32 actions are solved by every prompt, 16 by none: the 640 prompts are worth the 31 that the jackknife
    # variance leaves, p (1 - p) / (p (1 - p) / 31).
    found = share_interval([20] * 16 + [0] * 16, [20] * 32)
    t, trials = stats.t.ppf(0.975, 31), 31
    half = t * math.sqrt(0.25 / trials + t**2 / (4 * trials**2)) / (1 + t**2 / trials)
    assert (found.estimate, found.clusters, found.reason) == (0.5, 32, "")
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half))


def test_one_prompt_an_action_gives_the_ordinary_wilson_interval_but_for_t():
    hits = [1] * 3000 + [0] * 7000
    known = stats.binomtest(3000, 10000).proportion_ci(0.95, method="wilson")
    found = share_interval(hits, [1] * 10000)
    assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=1e-5)


def test_no_hits_bound_the_share_at_the_assumed_correlation():
    worth = 640 / (1 + 19 * CORRELATION_FLOOR)
    t = stats.t.ppf(0.975, 31)
    none, all_ = share_interval([0] * 32, [20] * 32), share_interval([20] * 32, [20] * 32)
    assert (none.estimate, none.low) == (0, 0)
    assert none.high == pytest.approx(t**2 / (worth + t**2))
    assert (all_.low, all_.high) == (pytest.approx(1 - none.high), 1)


def test_one_hit_more_never_lowers_the_interval_at_the_ends():
    # A bound for no hits that came from another method than the next ones could lie above theirs.
    limits = [share_interval([hits] + [0] * 31, [20] * 32) for hits in range(4)]
    assert [x.high for x in limits] == sorted(x.high for x in limits)
    assert [x.low for x in limits] == sorted(x.low for x in limits)


def test_misses_mirror_hits():
    hits, totals = np.array([3, 0, 12, 20, 7, 9, 1]), np.array([20, 11, 20, 20, 15, 20, 3])
    found, mirrored = share_interval(hits, totals), share_interval(totals - hits, totals)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((found.low, found.high))


def test_the_order_of_clusters_does_not_matter():
    hits, totals = np.array([3, 0, 12, 20, 7, 9, 1]), np.array([20, 11, 20, 20, 15, 20, 3])
    order = [4, 2, 6, 0, 5, 1, 3]
    found, turned = share_interval(hits, totals), share_interval(hits[order], totals[order])
    assert (turned.low, turned.high) == pytest.approx((found.low, found.high))


def test_asking_every_prompt_twice_hardly_narrows_the_interval():
    hits = correlated(1, (1, 32), 0.3, 0.4)[0]
    once, twice = share_interval(hits, [20] * 32), share_interval(2 * hits, [40] * 32)
    assert twice.high - twice.low == pytest.approx(once.high - once.low, rel=1e-6)
    once, twice = share_interval([0] * 32, [20] * 32), share_interval([0] * 32, [40] * 32)
    assert once.high * 0.85 < twice.high < once.high
    naive = (
        stats.binomtest(0, 640).proportion_ci(method="wilson").high,
        stats.binomtest(0, 1280).proportion_ci(method="wilson").high,
    )
    assert naive[1] < 0.6 * naive[0]  # which is what the assumption avoids


def test_correlated_prompts_widen_the_interval():
    spread, even = share_interval([20] * 8 + [0] * 8, [20] * 16), share_interval([10] * 16, [20] * 16)
    assert spread.high - spread.low > 1.5 * (even.high - even.low)


def test_unequal_actions_weigh_by_their_prompts():
    found = share_interval([10, 0, 0], [10, 10, 80])
    assert found.estimate == pytest.approx(0.1)
    assert found.low < 0.1 < found.high


def test_limits_stay_within_0_and_1_and_around_the_share():
    for clusters in (2, 3, 7, 32):
        for share in (0.003, 0.1, 0.5, 0.99):
            hits = correlated(clusters, (200, clusters), share, 0.5)
            table = share_intervals(hits, np.full(hits.shape, 20))
            assert ((table.low >= 0) & (table.low <= table.estimate)).all()
            assert ((table.estimate <= table.high) & (table.high <= 1)).all()
            assert (table.high - table.low > 0.01).all()


@pytest.mark.parametrize("clusters", [2, 3, 4, 5])
def test_few_actions_are_wide_and_say_so(clusters):
    found = share_interval([6] * clusters, [20] * clusters)
    assert found.high - found.low > 0.3
    assert f"only {clusters} actions" in found.reason


def test_one_action_and_none_have_no_interval():
    one, none = share_interval([3], [20]), share_interval([0, 0], [0, 0])
    assert one.estimate == 0.15
    assert math.isnan(one.low)
    assert math.isnan(one.high)
    assert "one action" in one.reason
    assert math.isnan(none.estimate)
    assert (none.clusters, none.reason) == (0, "no prompts")


def test_many_groups_at_once_are_each_as_alone():
    hits = pd.DataFrame(correlated(3, (5, 9), 0.2, 0.3), index=list("vwxyz"))
    totals = pd.DataFrame(np.full((5, 9), 20.0), index=hits.index)
    totals.loc["w", 3] = hits.loc["w", 3] = np.nan
    totals.loc["x", :] = 0
    table = share_intervals(hits, totals)
    assert list(table.index) == list("vwxyz")
    for name in "vwz":
        kept = totals.loc[name].notna()
        alone = share_interval(hits.loc[name][kept], totals.loc[name][kept])
        row = table.loc[name]
        assert (row.estimate, row.low, row.high) == pytest.approx((alone.estimate, alone.low, alone.high))
        assert row.clusters == alone.clusters == kept.sum()
    assert math.isnan(table.loc["x"].low)


def test_a_higher_level_is_wider():
    widths = [x.high - x.low for x in (share_interval([5, 9, 2, 14, 7], [20] * 5, level) for level in (0.5, 0.9, 0.99))]
    assert widths == sorted(widths)
    assert widths[0] < widths[2] / 2


@pytest.mark.parametrize(
    ("hits", "totals", "level", "told"),
    [
        ([3, 4], [2, 20], 0.95, "0 <= hits <= total;"),
        ([-1, 4], [2, 20], 0.95, "0 <= hits <= total;"),
        ([math.nan, 4], [2, 20], 0.95, "0 <= hits <= total;"),
        ([3, 4], [20], 0.95, "one number a cluster"),
        ([3, 4], [20, 20], 95, "between 0 and 1"),
    ],
)
def test_impossible_counts_are_refused(hits, totals, level, told):
    with pytest.raises(InputError, match=told):
        share_interval(hits, totals, level)


@pytest.mark.parametrize(("clusters", "share"), [(5, 0.3), (32, 0.02), (32, 0.3)])
def test_intervals_hold_the_truth_as_often_as_they_say(clusters, share):
    hits = correlated(11, (3000, clusters), share, 0.3)
    table = share_intervals(hits, np.full(hits.shape, 20))
    held = ((table.low <= share) & (share <= table.high)).mean()
    assert 0.93 < held < 0.995
    naive = stats.binomtest(int(share * 20 * clusters), 20 * clusters).proportion_ci(method="wilson")
    assert (table.high - table.low).mean() > 1.3 * (naive.high - naive.low)  # prompts are not independent


# Paired differences


def test_the_difference_is_the_t_test_of_the_actions_differences():
    pairs, a, b, differing = pairs_of(4)
    known = stats.ttest_1samp((a - b) / pairs, 0)
    found = paired_difference(pairs, a, b, differing)
    limits = known.confidence_interval(0.95)
    assert found.estimate == pytest.approx(np.mean((a - b) / pairs))
    assert (found.p_value, found.low, found.high) == pytest.approx((known.pvalue, limits.low, limits.high))
    assert (found.pairs, found.clusters) == (240, 12)


def test_unequal_actions_use_the_jackknife():
    pairs, gaps = np.array([20.0, 5, 12, 20, 8, 16]), np.array([19.0, -4, 4, -6, 0, 14])
    a, b = np.maximum(gaps, 0), np.maximum(-gaps, 0)
    left = [(gaps.sum() - gaps[i]) / (pairs.sum() - pairs[i]) for i in range(6)]
    whole = gaps.sum() / pairs.sum()
    error = math.sqrt(5 / 6 * sum((value - whole) ** 2 for value in left))
    found = paired_difference(pairs, a, b, a + b)
    assert found.estimate - found.low == pytest.approx(stats.t.ppf(0.975, 5) * error)
    assert found.high == 1  # where the plain limit would be 1.1


@pytest.mark.parametrize("clusters", [2, 4, 8, 32])
def test_test_and_interval_agree(clusters):
    tables = [np.stack(rows) for rows in zip(*(pairs_of(seed, clusters, 6) for seed in range(300)), strict=True)]
    for alpha in (0.05, 0.2):
        found = paired_differences(*tables, level=1 - alpha)
        excluded = (found.low > 0) | (found.high < 0)
        assert (excluded == (found.p_value < alpha)).all()
        assert clusters == 2 or 0 < excluded.mean() < 1
        assert ((found.low >= -1) & (found.high <= 1)).all()


def test_the_error_never_falls_below_that_of_prompts_correlated_as_assumed():
    # Agresti and Min's half pair more in each cell, at the size that 12 actions of 20 prompts are then worth.
    worth = 240 / (1 + 19 * CORRELATION_FLOOR)
    found = paired_difference([20] * 12, [8] * 12, [6] * 12, [6] * 12)
    variance = ((0.3 * worth + 1) / (worth + 2) - (0.1 * worth / (worth + 2)) ** 2) / (worth + 2)
    assert found.high - found.estimate == pytest.approx(stats.t.ppf(0.975, 11) * math.sqrt(variance))
    assert found.p_value == pytest.approx(2 * stats.t.sf(0.1 / math.sqrt(variance), 11))


def test_exchanging_the_models_turns_the_sign():
    pairs, a, b, differing = pairs_of(5)
    found, turned = paired_difference(pairs, a, b, differing), paired_difference(pairs, b, a, differing)
    assert (turned.estimate, turned.low, turned.high) == pytest.approx((-found.estimate, -found.high, -found.low))
    assert turned.p_value == pytest.approx(found.p_value)


def test_equal_answers_do_not_differ_and_do_not_prove_it():
    found = paired_difference([20] * 32, [7] * 32, [7] * 32, [0] * 32)
    assert (found.estimate, found.p_value) == (0, 1)
    assert -0.03 < found.low == -found.high < -0.005


def test_equal_shares_by_different_prompts_are_less_sure_than_equal_answers():
    same, other = (paired_difference([20] * 32, [7] * 32, [7] * 32, [n] * 32) for n in (0, 14))
    assert other.p_value == 1
    assert other.high > 3 * same.high


def test_all_against_none_is_a_difference_with_width():
    found = paired_difference([20] * 32, [20] * 32, [0] * 32, [20] * 32)
    assert (found.estimate, found.high) == (1, 1)
    assert found.p_value < 1e-9
    assert 0.9 < found.low < 0.995


def test_two_actions_that_agree_by_chance_do_not_part_models():
    # A t test on the two differences, which are equal, would have no variance and p = 0.
    found = paired_difference([5, 5], [3, 3], [2, 2], [1, 1])
    assert found.p_value > 0.3
    assert "only 2 actions" in found.reason


def test_one_action_cannot_be_tested():
    found = paired_difference([20, 0], [15, 0], [2, 0], [13, 0])
    assert found.estimate == pytest.approx(0.65)
    assert math.isnan(found.p_value)
    assert math.isnan(found.low)
    assert "one action" in found.reason


def test_asking_every_pair_twice_hardly_narrows_the_difference():
    counts = pairs_of(6, 32)
    once, twice = paired_difference(*counts), paired_difference(*(2 * x for x in counts))
    assert twice.high - twice.low == pytest.approx(once.high - once.low, rel=0.02)


def test_impossible_numbers_of_differing_pairs_are_refused():
    for differing in (2, 9):  # 5 hits and 2: at least 3 pairs differ, at most 7
        with pytest.raises(InputError, match="hit of just one"):
            paired_difference([20, 20], [5, 5], [2, 2], [differing, 3])


def test_models_without_a_difference_are_rarely_told_apart():
    rng = RNG(8)
    chances = rng.uniform(0.05, 0.6, (2000, 32))
    tilt = rng.uniform(-0.2, 0.2, (2000, 32))  # either model may be better at an action; on average neither is
    a = rng.binomial(20, np.clip(chances + tilt, 0, 1))
    b = rng.binomial(20, np.clip(chances - tilt, 0, 1))
    # Independent answers: expected numbers of pairs that differ.
    differing = np.clip(a + b - 2 * a * b / 20, np.abs(a - b), np.minimum(a + b, 40 - a - b))
    found = paired_differences(np.full(a.shape, 20), a, b, differing)
    assert 0.025 < (found.p_value < 0.05).mean() < 0.07


def test_only_prompts_that_both_answered_are_matched():
    a = [1, 0, np.nan, 1, 1, 0]
    b = [0, 0, 1, np.nan, 1, 1]
    labels = [("d", "x"), ("d", "x"), ("d", "x"), ("d", "y"), ("d", "y"), ("e", "x")]
    found = match_counts(a, b, labels)
    assert list(found.index) == [("d", "x"), ("d", "y"), ("e", "x")]
    assert found.to_numpy().tolist() == [[2, 1, 0, 1], [1, 1, 1, 0], [1, 0, 1, 1]]


def test_outcomes_must_be_hits_or_none():
    with pytest.raises(InputError, match="outcome must be"):
        match_counts([2, 0], [1, 0], "ab")
    with pytest.raises(InputError, match="labels"):
        match_counts([1, 0], [1, 0], "abc")


def test_all_pairs_are_each_as_alone():
    rng = RNG(9)
    outcomes = pd.DataFrame((rng.random((120, 4)) < [0.2, 0.3, 0.5, 0.5]).astype(float), columns=list("wxyz"))
    outcomes = outcomes.mask(rng.random((120, 4)) < 0.1)
    labels = np.repeat(list("abcdefgh"), 15)
    table = all_pairs(outcomes, labels)
    assert list(table.index) == list(combinations("wxyz", 2))
    for a, b in table.index:
        alone = paired_difference(*match_counts(outcomes[a], outcomes[b], labels).to_numpy().T)
        row = table.loc[(a, b)]
        assert (row.estimate, row.low, row.p_value) == pytest.approx((alone.estimate, alone.low, alone.p_value))
        assert row.pairs == alone.pairs == (outcomes[a].notna() & outcomes[b].notna()).sum()
    assert all_pairs(outcomes[["w"]], labels).empty


# Ties


def test_holm_is_the_known_correction():
    # Holm's steps by hand: 4 x 0.01, 3 x 0.012 raised to the one before, 2 x 0.02 likewise, 0.3.
    p_values = dict(zip([("a", "b"), ("a", "c"), ("a", "d"), ("b", "c")], [0.3, 0.012, 0.01, 0.02], strict=True))
    assert list(holm(p_values)) == list(p_values)
    assert list(holm(p_values).values()) == pytest.approx([0.3, 0.04, 0.04, 0.04])


def test_being_tied_is_not_transitive_and_letters_show_it():
    p_values = {("A", "B"): 0.5, ("B", "C"): 0.4, ("C", "A"): 0.001}
    found = tied_groups({"C": 0.1, "B": 0.2, "A": 0.3}, p_values)
    assert (found.ranking, found.best, found.tied_with_best) == (("A", "B", "C"), "A", ("B",))
    assert found.letters == {"A": "a", "B": "ab", "C": "b"}


def test_a_significant_pair_may_be_tied_when_all_are_compared():
    p_values = {pair: 0.04 for pair in combinations("ABC", 2)}
    assert tied_groups({"A": 0.3, "B": 0.2, "C": 0.1}, p_values).letters == {"A": "a", "B": "a", "C": "a"}
    assert tied_groups({"A": 0.3, "B": 0.2}, {("B", "A"): 0.04}).letters == {"A": "a", "B": "b"}
    for p_value, alpha, letters in ((0.051, 0.05, "aa"), (0.049, 0.05, "ab"), (0.051, 0.1, "ab"), (0.049, 0.01, "aa")):
        found = tied_groups({"A": 0.3, "B": 0.2}, {("A", "B"): p_value}, alpha)
        assert "".join(found.letters.values()) == letters


def test_models_that_cannot_be_tested_are_tied():
    found = tied_groups({"A": 0.9, "B": 0.1}, {("A", "B"): math.nan})
    assert found.tied_with_best == ("B",)
    assert found.adjusted == {("A", "B"): 1}


@pytest.mark.parametrize("seed", range(25))
def test_two_models_share_a_letter_just_when_they_are_tied(seed):
    rng = RNG(seed)
    names = [f"m{i}" for i in range(8)]
    p_values = {pair: float(p) for pair, p in zip(combinations(names, 2), rng.choice([0.0001, 0.9], 28), strict=True)}
    found = tied_groups(dict(zip(names, rng.random(8), strict=True)), p_values)
    for a, b in combinations(names, 2):
        assert bool(set(found.letters[a]) & set(found.letters[b])) == (found.adjusted[a, b] >= 0.05)
    assert "a" in found.letters[found.best]
    groups = [
        {name for name in names if letter in found.letters[name]} for letter in set("".join(found.letters.values()))
    ]
    assert not any(one < other for one in groups for other in groups)


def test_a_pair_without_p_value_is_named():
    with pytest.raises(InputError, match="A and C"):
        tied_groups({"A": 0.9, "B": 0.1, "C": 0.2}, {("A", "B"): 0.1, ("B", "C"): 0.1})
    with pytest.raises(InputError, match="no models"):
        tied_groups({}, {})


def test_one_model_is_tied_with_nobody():
    found = tied_groups({"A": 0.9}, {})
    assert (found.letters, found.tied_with_best) == ({"A": "a"}, ())


# The planner


def test_variances_are_the_anova_ones():
    # Two actions of two pairs: differences 1, 0 and 0, -1. Within: (0.5 + 0.5) / 2; among: 2 (0.5² + 0.5²) / 1 = 1.
    between, within = variance_components(np.array([2.0, 2]), np.array([1.0, -1]), np.array([1.0, 1]))
    assert (between, within) == pytest.approx(((1 - 0.5) / 2, 0.5))
    # Less variance among actions than their pairs would give by chance: not negative.
    between, within = variance_components(np.array([4.0, 4]), np.array([0.0, 0]), np.array([4.0, 4]))
    assert (between, within) == pytest.approx((0, 8 / 6))


def test_variances_of_a_known_process_are_found_with_unequal_actions():
    rng = RNG(10)
    size = rng.integers(5, 36, 4000).astype(float)
    chance = rng.beta(3, 7, 4000)  # variance 0.3 * 0.7 / 11
    a = rng.binomial(size.astype(int), chance).astype(float)
    between, within = variance_components(size, a, a)  # B never hits, so a pair differs when A hits
    assert between == pytest.approx(0.21 / 11, rel=0.1)
    assert within == pytest.approx(0.21 - 0.21 / 11, rel=0.03)


def test_the_plan_is_the_noncentral_t_with_the_variance_left():
    counts = pairs_of(12, 30, 20, spread=0.2)
    plan = prompts_needed(*counts, difference=0.18)
    assert plan.prompts_needed is not None
    whole = plan.between + plan.within
    between = max(plan.between, CORRELATION_FLOOR * whole)

    def power(actions, prompts, difference):
        shift = difference / math.sqrt((between + (whole - between) / prompts) / actions)
        return stats.nct.sf(stats.t.ppf(0.975, actions - 1), actions - 1, shift)

    assert power(30, plan.prompts_needed, 0.18) >= 0.8 > power(30, plan.prompts_needed - 1, 0.18)
    assert power(plan.actions_needed, 20, 0.18) >= 0.8 > power(plan.actions_needed - 1, 20, 0.18)
    assert power(30, 20, plan.smallest_now) == pytest.approx(0.8, abs=1e-4)
    assert power(30, 1e12, plan.smallest_ever) == pytest.approx(0.8, abs=1e-4)
    assert f"it takes {plan.prompts_needed} prompt" in plan.in_words
    assert "difference of 18.0 percentage points" in plan.in_words


def test_too_small_a_difference_needs_actions_not_prompts():
    counts = pairs_of(12, 30, 20)
    least = prompts_needed(*counts).smallest_ever
    below, above = (prompts_needed(*counts, difference=least * factor) for factor in (0.98, 1.02))
    assert below.prompts_needed is None
    assert below.actions_needed > 30
    assert "no number of prompts" in below.in_words
    assert f"{below.actions_needed} actions" in below.in_words
    assert above.prompts_needed > 20


def test_without_a_difference_the_one_seen_is_planned_for():
    counts = pairs_of(12, 30, 20)
    plan = prompts_needed(*counts)
    assert plan.difference == pytest.approx(abs(paired_difference(*counts).estimate))
    assert (plan.actions, plan.prompts) == (30, 20)
    asked = prompts_needed(*counts, actions=60, prompts=5)
    assert (asked.actions, asked.prompts) == (60, 5)
    assert asked.actions_needed > plan.actions_needed


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        (([20], [3], [5], [4]), "1 action"),
        (([], [], [], []), "0 actions"),
        (([20, 20], [3, 3], [3, 3], [0, 0]), "same difference"),
        (([20, 20], [3, 3], [3, 3], [6, 2]), "difference is 0"),
        (([1, 1], [1, 0], [0, 0], [1, 0]), "one prompt"),
    ],
)
def test_what_cannot_be_planned_is_said(counts, told):
    plan = prompts_needed(*counts)
    assert told in plan.reason
    assert plan.reason in plan.in_words
    assert plan.prompts_needed is None
    assert plan.actions_needed is None


@pytest.mark.parametrize(
    "wrong", [{"difference": 5}, {"difference": 0}, {"power": 80}, {"actions": 1}, {"prompts": 0}, {"alpha": 0}]
)
def test_plans_of_impossible_numbers_are_refused(wrong):
    with pytest.raises(InputError):
        prompts_needed(*pairs_of(1), **wrong)


def test_planned_prompts_and_actions_have_the_power_promised():
    # An action's prompts are hits of A alone or of B alone with chances of its own, which are known.
    rng = RNG(13)
    gain, loss = 0.6 * rng.beta(0.5, 1, 400), 0.4 * rng.beta(0.5, 2, 400)
    known = 1e6
    counts = (np.full(400, known), known * gain, known * loss, known * (gain + loss))
    difference = float((gain - loss).mean())
    plan = prompts_needed(*counts, difference=difference, actions=40, prompts=20)
    assert plan.between > CORRELATION_FLOOR * (plan.between + plan.within)  # else the plan would be generous
    for actions, prompts in ((40, plan.prompts_needed), (plan.actions_needed, 20)):
        drawn = rng.integers(0, 400, (3000, actions))
        split = np.stack([gain[drawn], loss[drawn], 1 - gain[drawn] - loss[drawn]], axis=-1)
        outcome = rng.multinomial(prompts, split)
        a, b = outcome[..., 0], outcome[..., 1]
        found = paired_differences(np.full(a.shape, prompts), a, b, a + b)
        assert 0.77 < (found.p_value < 0.05).mean() < 0.88
