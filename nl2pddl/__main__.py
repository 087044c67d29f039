"""``python -m nl2pddl``: the command line."""

import sys

from nl2pddl.cli import main

if __name__ == "__main__":
    sys.exit(main())
