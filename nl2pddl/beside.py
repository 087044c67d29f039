"""Runs a function of ours in a fresh process within limits: for texts from outside, and for what takes long.

Parsers hold locks and long loops hold the interpreter, so that in this process one session would keep all others
waiting. As for the judge pool the process is never a fork, and it ends when its parent does.
"""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from multiprocessing.connection import Connection, Pipe
from typing import Any

from nl2pddl.errors import NL2PDDLError

Report = Callable[[object], None]

MEMORY_MB = 4096  # what the function may take beside what Python and the libraries take already
_LOOK_SECONDS = 0.1
_REPORT, _ANSWER, _MEMORY, _FAULT = "report", "answer", "memory", "fault"


class BesideError(NL2PDDLError):
    """The function gave no answer: a limit ended it, its process died, or it failed in a way not foreseen."""


def run_beside(
    function: Callable[..., Any], *arguments: object, seconds: float, stopped: threading.Event, report: Report
) -> Any:
    """``function(report, *arguments)``, run in a process of its own; what it reports meanwhile goes to ``report``.

    The function must be one of a module, and everything that goes to and fro must be picklable. Raises CancelledError
    once ``stopped`` is set, BesideError after ``seconds`` or where there is no answer for another reason.
    """
    watched, lifeline = os.pipe()
    mine, theirs = Pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "nl2pddl.beside", str(watched), str(theirs.fileno())],
        stdin=subprocess.DEVNULL,
        pass_fds=(watched, theirs.fileno()),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    os.close(watched)
    theirs.close()
    try:
        mine.send((function, arguments))
        return _answer(mine, seconds, stopped, report)
    except (EOFError, OSError, pickle.UnpicklingError) as error:
        raise BesideError("its process ended before it had an answer; try again, or with a smaller text") from error
    finally:
        process.kill()
        process.wait()
        mine.close()
        os.close(lifeline)


def _answer(connection: Connection, seconds: float, stopped: threading.Event, report: Report) -> Any:
    ends = time.monotonic() + seconds
    while True:
        if connection.poll(_LOOK_SECONDS):
            kind, value = connection.recv()
            if kind == _ANSWER:
                return value
            if kind == _MEMORY:
                raise BesideError(f"it took more than {MEMORY_MB:,} MB of memory; try a smaller text")
            if kind == _FAULT:
                raise BesideError(str(value))
            report(value)
        if stopped.is_set():
            raise CancelledError
        if time.monotonic() > ends:
            raise BesideError(f"it took more than {seconds:g} s; try a smaller text")


def _exit_with_parent(watched: int) -> None:
    """Block until the parent is gone, then end at once."""
    while os.read(watched, 1):
        pass
    os._exit(1)


def _limit_memory() -> None:
    """Bound the memory from here on; the libraries are loaded, and what they take is not counted."""
    with open("/proc/self/statm", encoding="ascii") as sizes:
        taken = int(sizes.read().split()[0]) * resource.getpagesize()
    most = taken + MEMORY_MB * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Run the one function that is sent, and send its answer."""
    threading.Thread(target=_exit_with_parent, args=(int(sys.argv[1]),), daemon=True).start()
    connection = Connection(int(sys.argv[2]))
    os.dup2(2, 1)  # what a library prints is no answer
    function, arguments = connection.recv()
    if os.path.exists("/proc/self/statm"):
        _limit_memory()
    try:
        answer = (_ANSWER, function(lambda value: connection.send((_REPORT, value)), *arguments))
    except MemoryError:
        answer = (_MEMORY, None)
    except Exception as error:
        # Whatever it is must reach the user as a fault; a traceback on the server's terminal would not.
        answer = (_FAULT, f"{type(error).__name__}: {error}")
    connection.send(answer)


if __name__ == "__main__":
    main()
