"""The worker process of the judge pool: pickled tasks in on standard input, pickled verdicts out on standard output."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading

from nl2pddl.errors import InputError, NL2PDDLError
from nl2pddl.pipeline import Evaluator


def _exit_with_parent(watched: int) -> None:
    """Block until the parent is gone, then end at once; the planner process sees this process end, and ends too."""
    while os.read(watched, 1):
        pass
    os._exit(1)


def main() -> None:
    """Judge tasks until standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that started us
    threading.Thread(target=_exit_with_parent, args=(int(sys.argv[1]),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the answers
    with Evaluator() as evaluator:
        while True:
            try:
                task = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            try:
                answer: object = evaluator.evaluate(task)
            except InputError as error:
                answer = error
            except (NL2PDDLError, ArithmeticError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
                # The pool records such an item as undecided, with this text: a fault of ours never becomes a class.
                answer = RuntimeError(f"{type(error).__name__}: {error}")
            pickle.dump(answer, answers)
            answers.flush()


if __name__ == "__main__":
    main()
