"""Results files in the layout of the published study, for the stores of these tests."""

from __future__ import annotations

import csv
import io

from nl2pddl import study

VERDICTS = (
    "EqDomain,,0,200",
    "EqDomain,,2,200",
    "DifDomain,NoPlan,3,0",
    "SemanticError,BadPDDL,4,0",
    "SyntaxError,ParseError,nan,0",
)


def study_file(rows: list[tuple[str, str, str, str]]) -> bytes:
    """A results file of (domain, action, class, model), with verdicts in turn."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(study.COLUMNS)
    for number, row in enumerate(rows):
        writer.writerow([*row, *VERDICTS[number % len(VERDICTS)].split(",")])
    return text.getvalue().encode()


def plain_rows() -> list[tuple[str, str, str, str]]:
    return [
        ("BLOCKS", action, described, model)
        for prompt in range(3)
        for action in ("stack", "unstack", "pick-up", "put-down")
        for described in ("Base", "Flipped")
        for model in ("org/first-7b", "org/second-13b-chat", "third-70b")
    ]
