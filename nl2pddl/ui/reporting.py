"""The view that makes a report: what it shall hold, and its download."""

from __future__ import annotations

import streamlit as st

from nl2pddl.errors import InputError
from nl2pddl.generation.listed import listed_sizes
from nl2pddl.reports import SECTIONS, Report, as_html, build_report
from nl2pddl.store import Store
from nl2pddl.ui.cutting import Cut
from nl2pddl.ui.text import plain, reasons_of, show_fault


def offer_report(store: Store, chosen: Cut) -> None:
    """The report's title and figures, its key sentences as they stand, and the files."""
    st.subheader("Report for people who were not there")
    title = st.text_input(
        "Title", placeholder="Planning actions written by language models", max_chars=200, key="title"
    )
    keys = st.pills(
        "Figures", list(SECTIONS), format_func=SECTIONS.__getitem__, selection_mode="multi", default=list(SECTIONS),
        key="figures",
    )  # fmt: skip
    try:
        with st.spinner("Collecting the numbers"):
            report = build_report(
                store,
                chosen.runs,
                chosen.cube,
                chosen.wanted,
                listed_sizes(),
                title.strip(),
                keys or (),
                chosen.originals,
            )
    except InputError as error:
        show_fault("There is nothing to report on.", *reasons_of(error))
        return
    with st.container(border=True):
        for sentence in report.sentences:
            st.markdown(plain(sentence))
    html, pdf, _ = st.columns([1, 1, 2])
    name = "nl2pddl-report"
    html.download_button(
        "HTML page", lambda: as_html(report), f"{name}.html", "text/html", icon=":material/web:", width="stretch",
        type="primary", help="One file; its figures answer to the mouse, and no network is needed to view it.",
    )  # fmt: skip
    pdf.download_button(
        "PDF", lambda: _pdf(report), f"{name}.pdf", "application/pdf", icon=":material/picture_as_pdf:",
        width="stretch", help="A4 pages, to print or send",
    )  # fmt: skip
    st.caption(
        "It holds the runs and filters chosen above, the method and its limits, the runs' configuration and versions. "
        "Table 1 as CSV or LaTeX is in the view Table 1; each chart can be saved as a picture by its camera."
    )


def _pdf(report: Report) -> bytes:
    from nl2pddl.reports.pdf import as_pdf  # matplotlib takes a second to load

    return as_pdf(report)
