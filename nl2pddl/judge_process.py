"""The worker process of the judge pool: tasks come in over a connection, messages go out.

A message is a tuple: the name of a method of ``memory.Memory`` with its arguments, to which those in ``ASKING`` get a
reply, or ``ANSWER`` with the verdict or an exception.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from typing import Any

from nl2pddl.equivalence import CrossCheckResult
from nl2pddl.errors import InputError, NL2PDDLError, ValidatorsDifferError
from nl2pddl.memory import PlansKey
from nl2pddl.pipeline import EvaluationTask, Evaluator
from nl2pddl.planning.kstar import PlannerAnswer
from nl2pddl.records import Verdict

ANSWER = "answer"
ASKING = ("plans", "comparison")


class _RemoteMemory:
    """The memory of the process that started this one."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def plans(self, key: PlansKey) -> PlannerAnswer | None:
        known: PlannerAnswer | None = self._ask("plans", key)
        return known

    def remember_plans(self, key: PlansKey, answer: PlannerAnswer) -> None:
        self._connection.send(("remember_plans", key, answer))

    def comparison(self, key: str) -> CrossCheckResult | None:
        known: CrossCheckResult | None = self._ask("comparison", key)
        return known

    def remember_comparison(self, key: str, result: CrossCheckResult) -> None:
        self._connection.send(("remember_comparison", key, result))

    def _ask(self, *message: object) -> Any:
        self._connection.send(message)
        return self._connection.recv()


def _exit_with_parent(watched: int) -> None:
    """Block until the parent is gone, then end at once; the planner process sees this process end, and ends too."""
    while os.read(watched, 1):
        pass
    os._exit(1)


def judged(evaluator: Evaluator, task: EvaluationTask) -> Verdict | Exception:
    """The verdict, or the error that stands for it.

    An NL2PDDLError is for the user: the task is wrong, or two validators differ. Any other one is recorded as an
    undecided verdict with its text: a fault of ours never becomes a class.
    """
    try:
        return evaluator.evaluate(task)
    except (InputError, ValidatorsDifferError) as error:
        return error
    except (NL2PDDLError, ArithmeticError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        return RuntimeError(f"{type(error).__name__}: {error}")


def main() -> None:
    """Judge tasks until the connection closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that started us
    threading.Thread(target=_exit_with_parent, args=(int(sys.argv[1]),), daemon=True).start()
    connection = Connection(int(sys.argv[2]))
    os.dup2(2, 1)  # what a library prints is no output of the program
    with Evaluator(memory=_RemoteMemory(connection)) as evaluator:
        while True:
            try:
                task = connection.recv()
            except EOFError:
                return
            connection.send((ANSWER, judged(evaluator, task)))


if __name__ == "__main__":
    main()
