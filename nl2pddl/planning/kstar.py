"""Top-k plans from the K* planner, with one time and memory limit over translation and search."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any

from nl2pddl.errors import PlannerError


class Outcome(StrEnum):
    """How a planner call ended. Only ``SOLVED`` and ``UNSOLVABLE`` say something about the task."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    TIME = "time"
    MEMORY = "memory"
    ERROR = "error"


UNSUPPORTED_EXIT = 34
# Fast Downward's exit codes (its documentation, "Exit codes"). 1-3: plans found, then out of memory, time, or both: the
# plan set is incomplete and must not be used. What is not listed is an error, never a guess.
_OUTCOMES: dict[int, Outcome] = {
    0: Outcome.SOLVED,
    1: Outcome.MEMORY,
    2: Outcome.TIME,
    3: Outcome.TIME,
    10: Outcome.UNSOLVABLE,
    11: Outcome.UNSOLVABLE,
    12: Outcome.UNSOLVABLE,
    20: Outcome.MEMORY,
    21: Outcome.TIME,
    22: Outcome.MEMORY,
    23: Outcome.TIME,
    24: Outcome.TIME,
}
_INCOMPLETE = (1, 2, 3)
_GRACE_SECONDS = 5.0
HEURISTICS = ("lmcut()", "hmax()")


@dataclass(frozen=True)
class PlannerAnswer:
    """The plans, cheapest first, each a tuple of ground actions such as "(stack a b)"; empty unless SOLVED.

    ``translated`` is False where the time was up before the search began.
    """

    outcome: Outcome
    plans: tuple[tuple[str, ...], ...] = ()
    exit_code: int | None = None
    detail: str = ""
    heuristic: str = HEURISTICS[0]
    translated: bool = True


@cache
def kstar_folder() -> Path:
    """The folder of the installed planner's binaries. Raises PlannerError where the package is missing."""
    spec = importlib.util.find_spec("kstar_planner")
    if spec is None or spec.origin is None:
        raise PlannerError("the K* planner is not installed; install it with: pip install kstar-planner==1.6.0")
    return Path(spec.origin).parent / "builds" / "release" / "bin"


@cache
def planner_version() -> str:
    """Name and version of the planner, as stored with a verdict."""
    try:
        return f"kstar-planner {version('kstar-planner')}"
    except PackageNotFoundError:
        return "kstar-planner (not installed)"


class KStar:
    """A K* planner that stays warm between calls. Not for sharing between threads; close it, or use it with ``with``.

    ``search_binary`` replaces the installed one (a test of the planner path passes ``false``).
    """

    def __init__(self, search_binary: str | None = None) -> None:
        self._binary = search_binary or str(kstar_folder() / "downward")
        self._process: subprocess.Popen[str] | None = None
        self._scratch: Path | None = None

    def __enter__(self) -> KStar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the planner process; it removes its scratch folder."""
        process, self._process = self._process, None
        if process is not None:
            # It ends by itself when its standard input closes. Killed at once it could not tidy up.
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(BrokenPipeError):
                        stream.close()
            try:
                process.wait(_GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None

    def top_k(
        self,
        domain: str,
        problem: str,
        k: int,
        seconds: float,
        memory_mb: int,
        heuristics: Sequence[str] = HEURISTICS,
    ) -> PlannerAnswer:
        """The ``k`` cheapest plans of a task given as two PDDL texts.

        ``lmcut`` refuses some legal tasks (exit 34); those are searched again with the next of ``heuristics``. A full
        plan set or none at all: plans found before a limit struck are dropped.
        """
        with tempfile.TemporaryDirectory(dir=self._running()) as name:
            folder = Path(name)
            (folder / "domain.pddl").write_text(domain, encoding="utf-8")
            (folder / "problem.pddl").write_text(problem, encoding="utf-8")
            answer = PlannerAnswer(Outcome.ERROR)
            for number, heuristic in enumerate(heuristics):
                answer = self._search(folder, heuristic, k, seconds, memory_mb, translate=number == 0)
                if answer.exit_code != UNSUPPORTED_EXIT:
                    break
            return answer

    def _search(
        self, folder: Path, heuristic: str, k: int, seconds: float, memory_mb: int, *, translate: bool
    ) -> PlannerAnswer:
        search = f"kstar({heuristic},k={k},dump_plan_files=false,json_file_to_dump=plans.json)"
        reply = self._ask(
            {
                "folder": str(folder),
                "translate": translate,
                "search": [self._binary, "--search", search],
                "seconds": seconds,
                "memory_mb": memory_mb,
            }
        )
        if reply is None:
            return PlannerAnswer(Outcome.ERROR, detail="the planner process died", heuristic=heuristic)
        code = int(reply["exit"])
        if reply["timed_out"]:
            translated = (folder / "output.sas").exists()
            detail = f"stopped after {seconds:g} s of {'search' if translated else 'translation'}"
            return PlannerAnswer(Outcome.TIME, (), code, detail, heuristic, translated)
        outcome = _OUTCOMES.get(code, Outcome.ERROR)
        if code in _INCOMPLETE and not (folder / "plans.json").exists():
            outcome = Outcome.ERROR  # any program that fails exits with 1
        if outcome is Outcome.SOLVED:
            return _read_plans(folder / "plans.json", code, heuristic)
        detail = "" if outcome is Outcome.UNSOLVABLE else f"exit {code}: {_last_line(folder / 'planner.log')}"
        return PlannerAnswer(outcome, (), code, detail, heuristic)

    def _ask(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """One request to the planner process; None where it died."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            process.kill()
            return None
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _running(self) -> Path:
        """Start the planner process where none is running, and give its scratch folder."""
        if self._process is None or self._process.poll() is not None or self._scratch is None:
            self.close()
            self._process, self._scratch = _start()
        return self._scratch


def _start() -> tuple[subprocess.Popen[str], Path]:
    """A new planner process, ready for requests, and its scratch folder."""
    script = Path(__file__).with_name("planner_process.py")
    process = subprocess.Popen(
        [sys.executable, str(script), str(kstar_folder() / "translate")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Hash order decides ties in the translator; the same task must give the same plans in every process.
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    ready = process.stdout.readline()
    if not ready:
        reason = process.stderr.read().strip().splitlines() or ["no message"]
        raise PlannerError(f"the K* translator cannot be started: {reason[-1]}")
    process.stderr.close()
    return process, Path(json.loads(ready)["scratch"])


def _read_plans(path: Path, code: int, heuristic: str) -> PlannerAnswer:
    """The plans in K*'s JSON file; an ERROR where exit 0 comes without a plan, which K* never does."""
    try:
        plans = json.loads(path.read_text(encoding="utf-8"))["plans"]
        steps = tuple(tuple(f"({action.strip()})" for action in plan["actions"]) for plan in plans)
    except (OSError, ValueError, KeyError, TypeError) as error:
        return PlannerAnswer(Outcome.ERROR, (), code, f"exit 0 without readable plans ({error})", heuristic)
    if not steps:
        return PlannerAnswer(Outcome.ERROR, (), code, "exit 0 without a plan", heuristic)
    return PlannerAnswer(Outcome.SOLVED, steps, code, "", heuristic)


def _last_line(log: Path) -> str:
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][:300] if lines else "no message"
