"""A program that writes what VAL's Parser writes of a few faults, and of each file that it was asked about a line.

``python fake_val_parser.py DOMAIN``: names that are "name" or "maximize" and an empty "(or)" cannot be read; at
"(crash" it crashes, at "(hang" it does not end. Appends a line to ``asked`` beside itself.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

UNREADABLE = ("(name", "?name", "(maximize", "(or)")


def errors(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The line and the words of each error, as VAL's parser goes on after one."""
    inside = False
    for number, line in enumerate(lines, 1):
        code = line.partition(";")[0]
        if code.strip().startswith("name - "):
            yield number, "Syntax error in domain"
            return
        inside = inside or "(:action" in code
        if any(part in code for part in UNREADABLE):
            if not inside:
                yield number, "Syntax error in predicate declaration."
                continue
            yield number, "Syntax error in action declaration."
            yield number, "Unreadable structure"
            yield number + 1, "Syntax error in domain"
            return


def main() -> None:
    name = sys.argv[1]
    text = Path(name).read_text()
    with Path(__file__).with_name("asked").open("a") as asked:
        asked.write(f"{name}\n")
    print(f"File: {name}\n")
    if "(crash" in text:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "(hang" in text:
        time.sleep(600)
    found = list(errors(text.split("\n")))
    print("(domain)\n   name: a")
    print(f"\nErrors: {len(found)}, warnings: 0")
    for number, words in found:
        print(f"{name}: line: {number}: Error: {words}")


if __name__ == "__main__":
    main()
