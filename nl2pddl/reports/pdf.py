"""A report as a PDF of A4 pages: text and tables by fpdf2, figures by matplotlib; neither needs a browser."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib
from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.fonts import FontFace
from matplotlib.figure import Figure

from nl2pddl.reports import drawings
from nl2pddl.reports.content import Report, Section

_FONT = "DejaVu"  # ships with matplotlib, and has the letters of most names
_LINE = 5.0  # millimetres, as all lengths here
_GREY = (89, 89, 89)
_WIDTH = 180.0
_RUN = 45.0  # about what a run takes

_DRAWN: Mapping[str, Callable[[Section], Figure]] = {
    "ranking": lambda section: drawings.ranking(section.table),
    "classes": lambda section: drawings.classes(section.table),
    "sizes": lambda section: drawings.sizes(section.table),
    "places": lambda section: drawings.places(section.table),
    "subclasses": lambda section: drawings.subclasses(section.table),
    "are": lambda section: drawings.are(section.table),
}


class _Pages(FPDF):
    """Numbered pages with the report's title in the foot."""

    def __init__(self, report: Report) -> None:
        super().__init__(format="A4")
        fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
        for style, file in (("", "DejaVuSans.ttf"), ("B", "DejaVuSans-Bold.ttf")):
            self.add_font(_FONT, style, fonts / file)
        self._foot = f"{report.title} · {report.program} · {report.made_at}"
        self.set_title(report.title)
        self.set_creator(report.program)
        self.set_lang("en")
        self.set_margins(15, 15, 15)
        self.set_auto_page_break(auto=True, margin=18)

    def footer(self) -> None:
        """Called by the library at the end of each page."""
        self.set_y(-12)
        self.set_font(_FONT, size=7)
        self.set_text_color(*_GREY)
        self.cell(_WIDTH - 20, 4, _fitting(self, self._foot, _WIDTH - 22))
        self.cell(20, 4, f"{self.page_no()}/{{nb}}", align="R")
        self.set_text_color(0)

    def text_block(
        self, text: str, size: float = 9.5, style: str = "", colour: tuple[int, int, int] = (0, 0, 0)
    ) -> None:
        """A paragraph over the whole width."""
        self.set_font(_FONT, style, size)
        self.set_text_color(*colour)
        self.multi_cell(_WIDTH, _LINE * size / 9.5, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.set_text_color(0)
        self.ln(1.5)

    def heading(self, text: str, room: float = 30) -> None:
        """A heading, on a new page where there is not ``room`` for what follows."""
        if self.will_page_break(room):
            self.add_page()
        self.ln(2)
        self.text_block(text, 13, "B")


def as_pdf(report: Report) -> bytes:
    """The whole document."""
    pages = _Pages(report)
    pages.add_page()
    pages.text_block(report.title, 19, "B")
    pages.text_block(f"{report.made_at} · {report.program}", 8.5, colour=_GREY)
    for sentence in report.sentences:
        pages.text_block(sentence, 11)
    _numbers(pages, report)
    for section in report.sections:
        if section.key in _DRAWN:
            _figure(pages, section)
        else:
            _table(pages, section)
    pages.heading("Method")
    for text in report.method:
        pages.text_block(text)
    pages.heading("Limits")
    for text in report.limits:
        pages.text_block(f"• {text}")
    pages.heading("Runs")
    for label, facts in report.runs:
        if pages.will_page_break(_RUN):  # no page for a run's last line alone
            pages.add_page()
        pages.text_block(label, 10, "B")
        for name, value in facts:
            pages.text_block(f"{name}: {value}", 8)
    return bytes(pages.output())


def _numbers(pages: _Pages, report: Report) -> None:
    pages.ln(2)
    pages.set_font(_FONT, size=9)
    with pages.table(
        width=_WIDTH, col_widths=(30, 20, 130), text_align=("LEFT", "RIGHT", "LEFT"), first_row_as_headings=False
    ) as table:
        for label, value, what in report.numbers:
            row = table.row()
            row.cell(label)
            row.cell(value, style=FontFace(emphasis="BOLD"))
            row.cell(what)
    pages.ln(2)


def _figure(pages: _Pages, section: Section) -> None:
    figure = _DRAWN[section.key](section)
    inches_wide, inches_high = figure.get_size_inches()
    height = min(_WIDTH * inches_high / inches_wide, 225)
    pages.heading(section.heading, room=height + 25)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=200)
    pages.image(buffer, w=height * inches_wide / inches_high, h=height, alt_text=f"{section.heading}. {section.note}")
    pages.ln(1)
    pages.text_block(section.note, 8.5, colour=_GREY)


def _table(pages: _Pages, section: Section) -> None:
    pages.heading(section.heading, room=110)
    names = [str(name) for name in section.table.columns]
    widths = (22, *([(_WIDTH - 22) / max(len(names), 1)] * len(names)))
    pages.set_font(_FONT, size=8 if len(names) < 9 else 6)
    with pages.table(width=_WIDTH, col_widths=widths, text_align=("LEFT", *(["RIGHT"] * len(names)))) as table:
        table.row(["", *names])
        for head, values in section.table.iterrows():
            table.row([str(head), *(f"{value:.2f}" for value in values)])
    pages.ln(2)
    pages.text_block(section.note, 8.5, colour=_GREY)


def _fitting(pages: FPDF, text: str, width: float) -> str:
    """The text, its end cut off where it is wider than that."""
    if pages.get_string_width(text) <= width:
        return text
    while text and pages.get_string_width(f"{text}…") > width:
        text = text[:-1]
    return f"{text}…"
