"""Reports for people who were not there: one page of HTML or a PDF, whole in itself, that needs no network."""

from nl2pddl.reports.content import SECTIONS, TITLE, Report, build_report
from nl2pddl.reports.html import as_html

__all__ = ["SECTIONS", "TITLE", "Report", "as_html", "build_report"]
