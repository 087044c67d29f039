"""The views of the results page; each draws only what it needs, so that a changed filter is answered at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from nl2pddl import breakdown, figures, tables, terms
from nl2pddl.generation.listed import listed_sizes
from nl2pddl.records import DescriptionClass
from nl2pddl.store import Store
from nl2pddl.store import counts as count
from nl2pddl.study import MODELS
from nl2pddl.ui import charts, shell
from nl2pddl.ui.comparing import show_comparison
from nl2pddl.ui.cutting import Cut
from nl2pddl.ui.flipping import show_protocols
from nl2pddl.ui.reporting import offer_report
from nl2pddl.ui.text import plain

_WITHOUT_CHARTS = ("Table 1", "Equivalents", "Report")
_BASE = DescriptionClass.BASE.value


def show_chosen(store: Store, chosen: Cut) -> None:
    """The switch between the views, and the view that is on."""
    views: Mapping[str, Callable[[Store, Cut], None]] = {
        "Overview": _overview,
        "Table 1": _table1,
        "Subclasses": _subclasses,
        "Domains and actions": _places,
        "ARE": _are,
        "Compare": show_comparison,
        "Equivalents": _equivalents,
        "Protocols": show_protocols,
        "Report": offer_report,
    }
    names = list(views)
    if (linked := st.query_params.get("view", names[0])) not in names:
        st.warning(f"The link asks for the view {plain(linked)}, which is not there.", icon=":material/link_off:")
    view = st.segmented_control("View", names, default=names[0], key="view", bind="query-params", required=True)
    views[view or names[0]](store, chosen)
    if view not in _WITHOUT_CHARTS:
        charts.choose_pictures()
    charts.show_full_names(chosen.names)


def show_other_items(store: Store, chosen: Cut) -> None:
    """What there is beside first answers to single actions, where there are none of those."""
    st.info("No first answer to a single action passes these filters.")
    charts.show_whole_domains(count.whole_domain_counts(store, chosen.runs, chosen.wanted))


def _overview(store: Store, chosen: Cut) -> None:
    counts = breakdown.counts_of(chosen.cube)
    charts.show_headline(counts, len(chosen.runs), _overall(chosen))
    st.page_link(
        shell.FAILURES, label="Look at the failures", icon=":material/troubleshoot:", query_params=chosen.link_all()
    )
    heading, choice = st.columns([4, 1], vertical_alignment="bottom")
    heading.subheader("Result classes by model and description class")
    with choice:
        pies = st.segmented_control("Draw as", ["Bars", "Pies"], default="Bars", key="as") == "Pies"
    classes = _with_intervals(figures.class_table(counts), chosen, ["label", "description_class"], "result_class")
    if pies:
        charts.show_figure(figures.class_pies(classes), classes, "classes")
    else:
        charts.show_figure(figures.class_bars(classes), classes, "classes", chosen.link)
    if figures.best_descriptions(classes):
        st.caption("★ the description class with the largest share of equivalents for this model")
    _sizes(chosen)
    charts.show_rounds(count.round_counts(store, chosen.runs, chosen.wanted))
    charts.show_whole_domains(count.whole_domain_counts(store, chosen.runs, chosen.wanted))


def _overall(chosen: Cut) -> Any:
    """The share of each class over all outputs, with its interval."""
    return breakdown.shares(chosen.cube.assign(all=""), ["all"], "result_class", figures.CLASSES)


def _with_intervals(table: Any, chosen: Cut, by: list[str], part: str) -> Any:
    """The table of shares with the interval of each, as columns low and high."""
    if table.empty:
        return table
    found = breakdown.shares(chosen.cube, by, part, list(table[part].unique())).rename(columns={"label": "model"})
    keys = ["model" if name == "label" else name for name in by] + [part]
    return table.merge(found[[*keys, "low", "high"]], how="left", on=keys)


def _sizes(chosen: Cut) -> None:
    """Shares against model size, where the sizes of at least two models are known."""
    table = breakdown.equivalent_shares(chosen.cube, ["label", "model"])
    sizes = listed_sizes()
    table["billions"] = [breakdown.size_of(str(model), sizes) for model in table["model"]]
    table["chat"] = [breakdown.is_chat(str(model)) for model in table["model"]]
    table = table.drop(columns="model").rename(columns={"label": "model"})
    if table["billions"].nunique() < 2:
        return
    st.subheader("Equivalents against model size")
    charts.show_figure(figures.size_scatter(table), table, "sizes", chosen.link)


def _table1(store: Store, chosen: Cut) -> None:
    base = chosen.cube[chosen.cube["description_class"] == _BASE]
    if base.empty:
        st.info("The paper's Table 1 is of the description class base, and none of these outputs has it.")
        return
    # By whole names, which tell the study's models from others.
    whole = base.assign(label=base["model"] + base["variant"])
    own = tables.table1(breakdown.counts_of(whole))
    st.subheader("Result classes and subclasses, description class base")
    st.dataframe(own.style.format("{:.2f}").apply(_bold_totals, axis=1), key="table1", height="content")
    st.caption(
        "In percent of a model's outputs with one of the four classes, as in Table 1 of Oswald et al., ICAPS 2024. "
        "Lower is better in all rows but Equiv."
    )
    csv, latex, _ = st.columns([1, 1, 3])
    csv.download_button(
        "CSV", tables.as_csv(own), "table1.csv", "text/csv", icon=":material/download:", width="stretch"
    )
    latex.download_button(
        "LaTeX", tables.as_latex(own, breakdown.outputs_of(base)), "table1.tex", "text/plain",
        icon=":material/download:", width="stretch",
    )  # fmt: skip
    with st.expander("What the names mean", icon=":material/help:"):
        st.markdown(terms.HELP["result_class"] + "\n" + terms.HELP["subclass"])
        heads = [f"{one.column}: {one.name}" for one in MODELS if one.column in own.columns]
        st.markdown(plain(", ".join(heads)))
    _paper_beside(own)


def _paper_beside(own: Any) -> None:
    """The paper's own table, and how far its models' figures are from those above."""
    paper = tables.paper_table1()
    st.subheader("Table 1 as printed in the paper")
    same = [name for name in own.columns if name in paper.columns]
    off = [(abs(own.at[row, name] - paper.at[row, name]), f"{row} of {name}") for name in same for row in paper.index]
    if off:
        far, where = max(off)
        told = f"The largest difference to the table above is {far:.2f} percentage points, in {where}."
        st.caption("Equal to the table above in every cell." if far < 0.005 else plain(told))
    st.dataframe(paper.style.format("{:.2f}").apply(_bold_totals, axis=1), key="paper", height="content")


def _bold_totals(row: object) -> list[str]:
    name = getattr(row, "name", "")
    return ["font-weight: bold" if name in tables.TOTALS else ""] * len(row)  # type: ignore[arg-type]


def _subclasses(store: Store, chosen: Cut) -> None:
    counts = breakdown.counts_of(chosen.cube)
    st.subheader("Subclasses")
    cube = chosen.cube.assign(subclass=chosen.cube["subclass"].fillna("equivalent"))
    subclasses = _with_intervals(figures.subclass_table(counts), replace(chosen, cube=cube), ["label"], "subclass")
    charts.show_panels(subclasses, "subclasses", figures.subclass_bars, chosen.link)
    different = figures.different_table(counts)
    if different.empty:
        return
    st.subheader("Within “different”")
    charts.show_figure(figures.different_bars(different), different, "different", chosen.link)
    st.caption(". ".join(f"{name}: {terms.SUBCLASSES[name]}" for name in ("NoPlan", "NPApp", "OPApp")) + ".")


def _places(store: Store, chosen: Cut) -> None:
    st.subheader("Equivalents by domain and by action")
    by_action = st.segmented_control("Lines", ["Domains", "Actions"], default="Actions", key="lines") == "Actions"
    columns = ["label", "domain", *(["action"] if by_action else [])]
    table = breakdown.equivalent_shares(chosen.cube, columns).rename(columns={"label": "model"})
    table["place"] = table["domain"] + ("/" + table["action"] if by_action else "")
    table = table.sort_values(["place", "model"], kind="stable", ignore_index=True)
    models = [name for name in chosen.cube["label"].cat.categories if name in set(table["model"])]
    charts.show_figure(figures.heat_map(table, "place", models, columns[1:]), table, "places", chosen.link)


def _are(store: Store, chosen: Cut) -> None:
    st.subheader("Action reconstruction error")
    errors = figures.are_table(breakdown.are_of(chosen.cube))
    charts.show_panels(errors, "are", figures.are_histogram, chosen.link)
    st.caption(
        "How many literals of precondition, add and delete effects differ from the ground truth; 0: the same action."
    )


def _equivalents(store: Store, chosen: Cut) -> None:
    charts.show_beyond(breakdown.beyond_of(chosen.cube))
    st.page_link(
        shell.FAILURES, label="All equivalents, highest ARE first", icon=":material/search:",
        query_params=chosen.link({"result_class": "equivalent", "are": "any"}),
        help="The further an equivalent action is from the original's text, the likelier it is a false positive of the "
        "comparison by top-k plans, as the paper proposes.",
    )  # fmt: skip
