"""A program that writes what VAL writes; the first action of a plan says what VAL does with it.

``python fake_val.py -v DOMAIN PROBLEM PLAN…``. Appends the number of plans of each call to ``calls`` beside itself.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

BANNER = """VAL: The PDDL+ plan validation tool
Version 4: Validates continuous effects, events and processes.

Usage: validate [options] domainFile problemFile planFile1 ...
"""
EXECUTED = "Plan executed successfully - checking goal\n"
ANSWERS = {
    "good": EXECUTED + "Plan valid\nFinal value: 2 \n",
    "goal": EXECUTED
    + "Goal not satisfied\nPlan invalid\n\nPlan Repair Advice:\n\nThe goal is not satisfied\n(Follow each of:\n"
    "    (Set (done) to true)\n    and (Set (q n) to true)\n)\n",
    "unmet": "Plan failed because of unsatisfied precondition in:\n(two m n)\n\nPlan failed to execute\n\n"
    "Plan Repair Advice:\n\n(two m n) has an unsatisfied precondition at time 2\n(Set (p m) to true)\n",
    "bad": "Type problem in action \nstart_time: 4.6e-310\nBad plan description!\n",
    "dropped": "Bad plan description!\n",
    "error": "Error occurred in validation attempt:\n  Unrecognised goal\n",
}


def main() -> None:
    if sys.argv[1] == "-h":
        print(BANNER)
        return
    domain, problem, *plans = sys.argv[2:]
    with Path(__file__).with_name("calls").open("a") as calls:
        calls.write(f"{len(plans)}\n")
    definitions = Path(domain).read_text()
    if "(mistyped)" in definitions:
        print("Type-checking two\nType problem with proposition (p y) - parameter 1 is incorrectly typed")
        print("Type problem in domain description!", file=sys.stderr)
        sys.exit(255)
    assert Path(problem).read_text()
    read = [name for name in re.findall(r"\(:action (\S+)", definitions) if name != "dropped"]
    text = "".join(f"Type-checking {name}\n...action passes type checking.\n" for name in read)
    failed = []
    for name in plans:
        steps = Path(name).read_text().splitlines()
        kind = steps[0].strip("()").split()[0].lower() if steps else "goal"
        text += f"Checking plan: {name}\n"
        if kind == "crash":  # what was written is lost with the buffer
            os.kill(os.getpid(), signal.SIGSEGV)
        if kind == "abort":
            print(f"{text}Object with unknown type: zz\n\nErrors: 0, warnings: 1")
            print("Error: Error in type-checking!", file=sys.stderr)
            sys.exit(255)
        if kind == "hang":
            child = subprocess.Popen(["sleep", "600"])
            Path(__file__).with_name("child").write_text(str(child.pid))
            time.sleep(600)
        text += "Plan to validate:\n\nPlan size: 1\n1:\n(one m)\n \n\nPlan Validation details\n\n" + ANSWERS[kind]
        failed += [] if kind == "good" else [name]
    print(f"{text}\nSuccessful plans:\nValue: 2\n 0 2 \n\n\nFailed plans:\n {' '.join(failed)} ")
    sys.exit(len(failed))


if __name__ == "__main__":
    main()
