"""Runs the benchmarks named on the command line, or all of them."""

from __future__ import annotations

import sys

from benchmarks import evaluation, exact, generation, validation

ALL = {
    "evaluation": evaluation.main,
    "validation": validation.main,
    "exact": exact.main,
    "generation": generation.main,
}


def main() -> int:
    names = sys.argv[1:] or list(ALL)
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(ALL)}", file=sys.stderr)
        return 2
    for name in names:
        print(f"== {name}", flush=True)
        ALL[name]()
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
