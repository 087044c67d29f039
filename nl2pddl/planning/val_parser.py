"""VAL's parser, where VAL is installed: what it finds wrong in a domain, as short messages in words.

``Parser DOMAIN`` writes what it read as a tree, then "Errors: 1, warnings: 0" and a line for each such as "domain.pddl:
line: 18: Error: Syntax error in predicate declaration."; its exit status is 0 whatever it found. No name may be a word
that VAL knows from any part of PDDL ("name", "after", "number"). Unknown types and arguments in a wrong number or of a
wrong type pass in silence. ``Validate`` tells these, but to it nothing is of the type object, so it is not asked.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nl2pddl.planning.val import find_val, run_limited

MOST_FAULTS = 5
_NAMES = ("Parser", "parser")
_FILE = "domain.pddl"
_SUMMARY = re.compile(r"^Errors: \d+, warnings: \d+$", re.MULTILINE)
_FOUND = re.compile(rf"^{re.escape(_FILE)}: line: (\d+): (Error|Warning): (.+)$", re.MULTILINE)
_MAX_QUOTED = 100
_MAX_DESCRIPTION = 100


@dataclass(frozen=True)
class ValParser:
    """An installed parser of VAL. ``seconds`` and ``memory_mb`` bound each process that it starts."""

    binary: Path
    seconds: float = 10.0
    memory_mb: int = 1024

    def faults(self, domain: str) -> tuple[str, ...]:
        """What it finds wrong in a domain, given as PDDL text; each message quotes the line that it is about.

        At most ``MOST_FAULTS`` of them; none where it finds nothing, crashes, or is stopped.
        """
        with tempfile.TemporaryDirectory(prefix="nl2pddl-val-") as name:
            folder = Path(name)
            (folder / _FILE).write_text(domain, encoding="utf-8", errors="replace")
            deadline = time.monotonic() + self.seconds
            output = run_limited([str(self.binary), _FILE], folder, deadline, self.memory_mb)
        messages = dict.fromkeys(_messages(output.text, domain.split("\n")))
        return tuple(messages)[:MOST_FAULTS]


def find_parser() -> ValParser | None:
    """The parser that lies beside the Validate of ``find_val``, or None. Raises InputError as that does."""
    val = find_val()
    if val is None:
        return None
    beside = (shutil.which(val.binary.with_name(name)) for name in _NAMES)
    return next((ValParser(Path(found)) for found in beside if found is not None), None)


def _messages(text: str, lines: list[str]) -> Iterator[str]:
    """What it wrote as messages. After the first error only its like count: the rest mostly follows from it."""
    _, *reports = _SUMMARY.split(text)
    first: str | None = None
    for number, severity, description in _FOUND.findall(reports[-1] if reports else ""):
        kind = description.partition(":")[0]
        if first is not None and kind != first:
            continue
        if severity == "Error":
            first = kind
        yield _in_words(description.strip(), lines[int(number) - 1] if 0 < int(number) <= len(lines) else "")


def _in_words(description: str, line: str) -> str:
    code = " ".join(line.partition(";")[0].split())
    if len(code) > _MAX_QUOTED:
        code = f"{code[: _MAX_QUOTED - 3]}..."
    quoted = f"'{code}'" if code else "the domain"
    if description.startswith("Syntax error"):
        return (
            f"VAL cannot read {quoted}; perhaps a part is missing, or a name in it is a word that PDDL keeps for itself"
        )
    return f"VAL says of {quoted}: {description[:1].lower()}{description[1:_MAX_DESCRIPTION]}"
