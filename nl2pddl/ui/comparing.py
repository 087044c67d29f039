"""The view that compares: who is ahead, who is tied, by how much, and how many prompts would tell two apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from nl2pddl import breakdown, figures
from nl2pddl.sample_size import prompts_needed
from nl2pddl.statistics import TiedGroups, all_pairs, match_counts, tied_groups
from nl2pddl.store import Store, counts
from nl2pddl.ui import charts
from nl2pddl.ui.cutting import Cut
from nl2pddl.ui.text import plain

_SIDES = {"Models": "model", "Description classes": "description_class"}
_METHOD = (
    "Paired differences over the prompts that both answered, with the actions as clusters (Miller 2024, "
    "arXiv:2411.00640): an interval by the jackknife over actions, a t test that agrees with it, and Holm's correction "
    "for all pairs at once. docs/statistics.md says more."
)

_LUCK = (
    "These two are told apart already, and yet more is asked for: a difference of this size is found in some "
    "experiments as small as this one, and the plan is for four in five of them to find it."
)


def show_comparison(store: Store, chosen: Cut) -> None:
    """Ranking with intervals and ties, differences to one side, and the planner."""
    side = (
        st.segmented_control("Compare", list(_SIDES), default="Models", key="compare", bind="query-params") or "Models"
    )
    across = _SIDES[side]
    with st.spinner("Matching prompts"):
        judged = int(chosen.cube["count"].sum())
        outcomes = _outcomes(store, tuple(chosen.runs), _frozen(chosen.wanted), across, chosen.originals, judged)
    names = _names(chosen, across)
    outcomes = outcomes.rename(columns=names)
    ordered = [name for name in dict.fromkeys(names.values()) if name in outcomes.columns]
    if len(ordered) < 2:
        st.info(f"There is only one of the {side.lower()} here; choose runs or filters that leave at least two.")
        return
    pairs = all_pairs(outcomes[ordered], outcomes["cluster"])
    column = "label" if across == "model" else "description_class"
    table = breakdown.equivalent_shares(chosen.cube, [column]).rename(columns={column: "model"})
    table["model"] = table["model"].astype(str)
    table = table[table["model"].isin(ordered)]
    groups = tied_groups(
        dict(zip(table["model"], table["percent"], strict=True)), {pair: row.p_value for pair, row in _rows(pairs)}
    )
    _show_ranking(table, groups, chosen, across)
    _show_differences(pairs, groups)
    _show_planner(outcomes, groups)
    st.caption(_METHOD)


@st.cache_data(show_spinner=False, max_entries=10)
def _outcomes(
    _store: Store,
    runs: tuple[str, ...],
    wanted: tuple[tuple[str, tuple[str, ...]], ...],
    across: str,
    originals: Mapping[str, str],
    judged: int,
) -> Any:
    return counts.outcomes(_store, runs, dict(wanted), across, originals)


def _frozen(wanted: Mapping[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, tuple(values)) for name, values in wanted.items())


def _names(chosen: Cut, across: str) -> dict[str, str]:
    """The column of the outcomes and the name that people read, in the order of the charts."""
    if across != "model":
        return {name: name for name in ("base", "flipped", "random")}
    known = chosen.cube[["model", "variant", "label"]].drop_duplicates().sort_values("label")
    return {str(row.model) + str(row.variant): str(row.label) for row in known.itertuples()}


def _rows(pairs: pd.DataFrame) -> list[tuple[tuple[str, str], Any]]:
    names = [(str(a), str(b)) for a, b in pairs.index]
    return list(zip(names, pairs.itertuples(index=False), strict=True))


def _show_ranking(table: pd.DataFrame, groups: TiedGroups, chosen: Cut, across: str) -> None:
    st.subheader("Ranking")
    ranked = table.set_index("model").loc[list(groups.ranking)].reset_index()
    ranked["letters"] = [groups.letters[name] for name in ranked["model"]]
    tied = ", ".join(groups.tied_with_best)
    st.markdown(
        plain(f"{groups.best} has the largest share of equivalents")
        + (plain(f", and cannot be told apart from {tied}.") if tied else ", and is told apart from all others.")
    )
    shown = ranked.assign(series="equivalent")
    named = [f"{name} ({letters})" for name, letters in zip(ranked["model"], ranked["letters"], strict=True)]
    link = chosen.link if across == "model" else None
    figure = figures.share_dots(shown, "series", named)
    charts.show_figure(figure, ranked, "ranking", link)
    st.caption("In parentheses: those that share a letter cannot be told apart. Lines: 95% intervals.")


def _show_differences(pairs: pd.DataFrame, groups: TiedGroups) -> None:
    st.subheader("Paired differences")
    against = st.selectbox("Against", list(groups.ranking), key="against")
    rows = []
    for (a, b), row in _rows(pairs):
        if against not in (a, b):
            continue
        sign = 1 if b == against else -1
        low, high = sorted((sign * row.low, sign * row.high))
        rows.append(
            {
                "pair": f"{a if b == against else b} − {against}",
                "difference": 100 * sign * row.estimate,
                "low": 100 * low,
                "high": 100 * high,
                "p_value": row.p_value,
                "adjusted": groups.adjusted[a, b],
                "told_apart": groups.adjusted[a, b] < 0.05,
                "prompts": int(row.pairs),
                "actions": int(row.clusters),
                "note": row.reason,
            }
        )
    table = pd.DataFrame(rows).sort_values("difference", ascending=False, ignore_index=True)
    charts.show_figure(figures.difference_dots(table), table, "differences")


def _show_planner(outcomes: pd.DataFrame, groups: TiedGroups) -> None:
    st.subheader("How many prompts would tell two apart?")
    first, second, points = st.columns(3)
    a = first.selectbox("One", list(groups.ranking), key="plan-a")
    b = second.selectbox("Other", [name for name in groups.ranking if name != a], key="plan-b")
    wanted = points.number_input(
        "Difference to be seen, in percentage points", 0.0, 100.0, 0.0, 1.0, key="plan-difference",
        help="0: the difference that these outputs show",
    )  # fmt: skip
    counted = match_counts(outcomes[a], outcomes[b], outcomes["cluster"])
    plan = prompts_needed(
        counted["pairs"], counted["hits_a"], counted["hits_b"], counted["differing"], wanted / 100 if wanted else None
    )
    st.markdown(plain(plan.in_words))
    adjusted = groups.adjusted.get((a, b), groups.adjusted.get((b, a), 1.0))
    if not wanted and adjusted < 0.05 and not plan.suffices:
        st.caption(_LUCK)
