"""HTML for what Streamlit has no element for: the diff, the marked action, the failing plan. Every text is escaped.

Colours are translucent and paired with words, so that they are readable on light and dark and to any colour vision.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from nl2pddl.diffing import ActionDiff, Change, DiffRow, MarkedLine
from nl2pddl.planning.stepping import Step
from nl2pddl.worldmodel.words import InWords

STYLE = """<style>
[data-testid="stMainBlockContainer"] {padding-top: 4.5rem; padding-bottom: 3rem}
/* Streamlit's grey on white, and its green on dark, are too faint for small text (WCAG asks for 4.5 to 1). */
[data-testid="stCaptionContainer"] {opacity: 1}
[data-testid="stCaptionContainer"] p {color: light-dark(#5a5c66, #c3c6ce)}
[data-selected="true"] [data-testid="stMarkdownContainer"] p {color: light-dark(#00533c, #8fe3c2)}
.nl-table {width: 100%; border-collapse: collapse; font-size: 0.875rem; margin: 0; table-layout: fixed}
.nl-table th, .nl-table td {
  text-align: left; padding: 0.15rem 0.6rem; border: 0; vertical-align: top; overflow-wrap: anywhere}
.nl-table thead th {border-bottom: 1px solid rgba(128, 128, 128, 0.5); font-weight: 600}
.nl-table tbody th {padding-top: 0.7rem; font-weight: 600; opacity: 0.8}
.nl-table .nl-word {width: 11rem; font-size: 0.8rem; opacity: 0.85}
.nl-table .nl-key {width: 11rem; opacity: 0.75}
.nl-code {font-family: "Source Code Pro", ui-monospace, monospace; white-space: pre-wrap; tab-size: 4}
.nl-number {width: 3rem; opacity: 0.55; user-select: none; text-align: right !important}
.nl-missing {background: rgba(213, 94, 0, 0.22)}
.nl-surplus {background: rgba(0, 114, 178, 0.22)}
.nl-changed {background: rgba(230, 159, 0, 0.25)}
.nl-fault {background: rgba(213, 94, 0, 0.22)}
.nl-code.nl-fault {font-weight: 600}
.nl-code mark {background: rgba(213, 94, 0, 0.35); color: inherit; border-bottom: 2px solid #D55E00}
[class*="st-key-pddl_"] textarea {font-family: monospace} /* PDDL is read by its columns */
.nl-words p {margin: 0.6rem 0 0.1rem; font-weight: 600}
.nl-words ul {margin: 0; padding-left: 1.3rem}
.nl-words li {overflow-wrap: anywhere}
.nl-verdict {border-left: 0.4rem solid; padding: 0.5rem 0.9rem; background: rgba(128, 128, 128, 0.1)}
.nl-verdict b {font-size: 1.1rem}
@media (max-width: 640px) {
  .nl-table .nl-word {width: 4.5rem}
  /* Small enough that a literal breaks between its names, not inside one. */
  .nl-table .nl-code {font-size: 0.75rem}
  .nl-table th, .nl-table td {padding: 0.15rem 0.3rem}
  .nl-table .nl-key {width: 6.5rem}
  /* A telephone has no room for three columns of atoms: what a step changes stands under it. */
  .nl-steps thead {display: none}
  .nl-steps tr {display: grid; grid-template-columns: 3rem 1fr; padding-bottom: 0.4rem}
  .nl-steps td + td {grid-column: 2}
  .nl-steps .nl-added:not(:empty)::before {content: "+ "}
  .nl-steps .nl-deleted:not(:empty)::before {content: "− "}
  /* The numbers at the head of a page two in a row, not one a screen. */
  [class*="st-key-headline"] [data-testid="stHorizontalBlock"] {gap: 0.6rem}
  [class*="st-key-headline"] [data-testid="stColumn"] {min-width: 40%; flex: 1 1 40%}
}
</style>"""


@dataclass(frozen=True)
class Sides:
    """What the two sides of a diff are called, and how a line of one side only is told."""

    left: str
    right: str
    missing: str
    surplus: str

    def word(self, change: Change) -> str:
        """A change in words, with a sign for those who see no colours."""
        return {Change.MISSING: self.missing, Change.SURPLUS: self.surplus, Change.CHANGED: "≠ changed"}.get(change, "")


GENERATED = Sides("Ground truth", "Generated", "− missing", "+ surplus")
VERSIONS = Sides("Before", "After", "− gone", "+ new")


def diff_html(diff: ActionDiff, sides: Sides = GENERATED) -> str:
    """Two actions side by side, section by section."""
    parts = []
    for section in diff.sections:
        parts.append(f'<tr><th colspan="3">{escape(section.title)}</th></tr>')
        rows = [_diff_row(row, sides) for row in section.rows]
        parts += rows or ['<tr><td colspan="3">none on either side</td></tr>']
    return _diff_table(parts, sides)


def text_diff_html(rows: Iterable[DiffRow], sides: Sides = GENERATED) -> str:
    """Two texts side by side, line by line."""
    return _diff_table([_diff_row(row, sides) for row in rows], sides)


def _diff_table(rows: Sequence[str], sides: Sides) -> str:
    head = f'<tr><th>{escape(sides.left)}</th><th>{escape(sides.right)}</th><th class="nl-word"></th></tr>'
    return f'<table class="nl-table"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'


def _diff_row(row: DiffRow, sides: Sides) -> str:
    left = f"nl-code nl-{row.change}" if row.change in (Change.MISSING, Change.CHANGED) else "nl-code"
    right = f"nl-code nl-{row.change}" if row.change in (Change.SURPLUS, Change.CHANGED) else "nl-code"
    words = ", ".join(part for part in (sides.word(row.change), row.note) if part)
    return f"<tr>{_cell(row.original or '', left)}{_cell(row.generated or '', right)}{_cell(words, 'nl-word')}</tr>"


def words_html(action: InWords) -> str:
    """An action in plain language: what it is about, what must hold, and what changes."""
    parts = []
    for head, lines in action.parts:
        listed = "".join(f"<li>{escape(line)}</li>" for line in lines) or "<li>nothing</li>"
        parts.append(f"<p>{escape(head)}</p><ul>{listed}</ul>")
    return f'<div class="nl-words">{"".join(parts)}</div>'


def marked_html(lines: Iterable[MarkedLine]) -> str:
    """A text with line numbers; what a problem points at is marked, and its message stands under the line."""
    rows = []
    for line in lines:
        text = "".join(f"<mark>{escape(part)}</mark>" if marked else escape(part) for part, marked in line.parts)
        rows.append(f'<tr>{_cell(line.number, "nl-number")}<td class="nl-code">{text}</td></tr>')
        rows += [f"<tr>{_cell('▲', 'nl-number')}{_cell(message, 'nl-fault')}</tr>" for message in line.messages]
    return f'<table class="nl-table"><tbody>{"".join(rows)}</tbody></table>'


def plan_html(failure: Mapping[str, Any]) -> str:
    """The steps of the first failing plan, the failing one marked with the literal that does not hold."""
    rows = []
    for number, step in enumerate(failure["plan"], start=1):
        failing = number == failure["step"]
        css = "nl-code nl-fault" if failing else "nl-code"
        why = _cell(_why(failure) if failing else "", css)
        rows.append(f"<tr>{_cell(number, 'nl-number')}{_cell(step, css)}{why}</tr>")
    if failure["step"] > len(failure["plan"]):
        why = _cell(_why(failure), "nl-code nl-fault")
        rows.append(f"<tr>{_cell('', 'nl-number')}{_cell('(goal)', 'nl-code nl-fault')}{why}</tr>")
    return f'<table class="nl-table"><tbody>{"".join(rows)}</tbody></table>'


def steps_html(steps: Iterable[Step]) -> str:
    """A plan step by step: what each makes true and false; the one that cannot be taken is marked with the reason."""
    head = "<tr><th class='nl-number'></th><th>Step</th><th>Becomes true</th><th>Becomes false</th></tr>"
    rows = []
    for step in steps:
        name = step.action or ("the goal is reached" if not step.fault else "(goal)")
        css = "nl-code nl-fault" if step.fault else "nl-code"
        number = _cell(step.number if step.action else "", "nl-number")
        if step.fault:
            rows.append(f'<tr>{number}{_cell(name, css)}<td class="{css}" colspan="2">✕ {escape(step.fault)}</td></tr>')
        else:
            rows.append(
                f"<tr>{number}{_cell(name, css)}{_cell(' '.join(step.added), 'nl-code nl-added')}"
                f"{_cell(' '.join(step.deleted), 'nl-code nl-deleted')}</tr>"
            )
    return f'<table class="nl-table nl-steps"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'


def _why(failure: Mapping[str, Any]) -> str:
    if failure["literal"]:
        return f"✕ {failure['literal']} does not hold"
    step = f"step {failure['step']}, {failure['action']}: "
    return f"✕ {failure['reason'].removeprefix(step)}"


def facts_html(facts: Mapping[str, object]) -> str:
    """Names and values, one pair a line; empty values are left out."""
    rows = [
        f"<tr>{_cell(name, 'nl-key')}{_cell(value, 'nl-code')}</tr>"
        for name, value in facts.items()
        if value not in ("", None)
    ]
    return f'<table class="nl-table"><tbody>{"".join(rows)}</tbody></table>'


def verdict_html(heading: str, reason: str, colour: str) -> str:
    """The verdict in large, with its reason."""
    text = f"<b>{escape(heading)}</b><br>{escape(reason)}"
    return f'<div class="nl-verdict" style="border-color: {escape(colour)}">{text}</div>'


def _cell(text: object, css: str) -> str:
    return f'<td class="{css}">{escape(str(text))}</td>'
