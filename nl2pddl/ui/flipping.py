"""The view of both protocols: what each share becomes under the other, and every verdict that flips, with reasons."""

from __future__ import annotations

from typing import Any

import streamlit as st

from nl2pddl import figures
from nl2pddl.errors import InputError, RunError
from nl2pddl.records import Protocol
from nl2pddl.store import Store, flips
from nl2pddl.ui import charts, shell
from nl2pddl.ui.cutting import Cut
from nl2pddl.ui.text import plain, show_fault

_ABOUT = (
    "Protocol strict follows the paper's definitions; published does what the study's own code does, where that "
    "differs (docs/protocols.md lists every check). Only outputs that were judged by both are counted here."
)


def show_protocols(store: Store, chosen: Cut) -> None:
    """Shares under both protocols, the flips between them, and a way to have runs judged by the other."""
    st.subheader("Strict and published")
    st.caption(_ABOUT)
    _offer_judging(store, chosen)
    pairs = flips.class_pairs(store, chosen.runs, chosen.wanted)
    if pairs.empty:
        st.info(
            "No output here has a verdict under both protocols. Imported verdicts come without their outputs, so they "
            "cannot be judged again; own runs can."
        )
        return
    differ = pairs[(pairs["strict"] != pairs["published"]) | _other_subclass(pairs)]
    total, changed = int(pairs["count"].sum()), int(differ["count"].sum())
    st.markdown(
        plain(f"{changed:,} of {total:,} outputs ({100 * changed / total:.1f}%) get another class or subclass.")
    )
    shares = _shares(pairs, chosen)
    charts.show_figure(figures.protocol_bars(shares), shares, "protocols")
    if differ.empty:
        return
    st.markdown("**What becomes what**")
    columns = ["strict", "strict_subclass", "published", "published_subclass"]
    moved = differ.groupby(columns, dropna=False)["count"].sum().reset_index().sort_values("count", ascending=False)
    st.dataframe(
        moved, hide_index=True, key="moved", column_config={
            "strict": "Strict", "strict_subclass": "Subclass", "published": "Published",
            "published_subclass": "Subclass there", "count": "Outputs",
        },
    )  # fmt: skip
    _show_flipped(flips.flipped(store, chosen.runs, chosen.wanted), changed)


def _other_subclass(pairs: Any) -> Any:
    return pairs["strict_subclass"].fillna("") != pairs["published_subclass"].fillna("")


def _shares(pairs: Any, chosen: Cut) -> Any:
    """The table of classes under each protocol: protocol, model, result_class, count, total, percent."""
    tables = []
    for protocol in Protocol:
        counts = pairs.groupby(["model", protocol.value])["count"].sum().reset_index()
        counts = counts.rename(columns={protocol.value: "result_class"})
        counts = counts.assign(model=counts["model"].map(chosen.names), description_class=protocol.value)
        tables.append(figures.class_table(counts).rename(columns={"description_class": "protocol"}))
    return figures.stacked(tables)


def _offer_judging(store: Store, chosen: Cut) -> None:
    """A button for the runs whose outputs lack a verdict under the other protocol."""
    lacking = flips.missing(store, chosen.runs)
    if not lacking:
        return
    handles = shell.open_handles()
    text = f"Judge {sum(lacking.values()):,} outputs by the other protocol too"
    busy = set(handles.manager.active()) & set(lacking)
    if st.button(
        plain(text), icon=":material/gavel:", key="judge-other", disabled=bool(busy),
        help="In the background, like a run; the verdicts that are there stay as they are.",
    ):  # fmt: skip
        try:
            for run in lacking:
                handles.manager.judge_by_other(run)
        except (InputError, RunError) as error:
            show_fault("They cannot be judged now.", str(error))
        else:
            st.switch_page(shell.RUNS, query_params={"run": next(iter(lacking))})
    if busy:
        st.caption("They are being judged now; Runs shows how far.")


def _show_flipped(rows: Any, changed: int) -> None:
    st.markdown("**Every verdict that flips**")
    if changed > len(rows):
        st.caption(f"The first {len(rows):,} of {changed:,}. Narrow the filters to see the others.")
    columns: dict[str, Any] = {
        "strict": "Strict", "published": "Published", "domain": "Domain", "action": "Action", "model": "Model",
        "strict_reason": st.column_config.TextColumn("Reason, strict", width="large"),
        "published_reason": st.column_config.TextColumn("Reason, published", width="large"),
    }  # fmt: skip
    event: Any = st.dataframe(
        rows, column_order=list(columns), column_config=columns, hide_index=True, on_select="rerun",
        selection_mode="single-row", key="flipped",
    )  # fmt: skip
    if event.selection.rows:
        row = rows.iloc[event.selection.rows[0]]
        query = {"run": str(row["run_id"]), "item": f"{row['run_id']}.{row['item_index']}", "equivalent": "true"}
        st.switch_page(shell.FAILURES, query_params=query)
    st.caption("Choose a line to see the output.")
