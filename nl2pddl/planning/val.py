"""VAL, the plan validator of KCL-Planning, where a user has installed it: finds it and checks many plans a process.

Only its text is read: its exit status is 0 for "Bad plan description!" too. ``Validate -v DOMAIN PROBLEM PLAN…`` writes
"Type-checking NAME" for each action that it could read, then for each plan "Checking plan: FILE" and one of "Plan
valid", "Goal not satisfied", "Plan failed to execute" (both followed by advice) or "Bad plan description!".
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nl2pddl.errors import InputError

VAL_VARIABLE = "NL2PDDL_VAL"
_NAMES = ("Validate", "validate")
_BANNER = re.compile(r"VAL: The PDDL\+ plan validation tool(?:\s+Version ([\d.]+))?")
_MAX_OUTPUT_BLOCKS = 2**18  # 128 MiB where the shell counts in blocks of 512 bytes
# Limits set by the shell: a function run between fork and exec is not safe in a process with threads.
_LIMITED = 'ulimit -c 0; ulimit -t "$1"; ulimit -v "$2"; ulimit -f "$3"; shift 3; exec "$@"'
_CHECKING = re.compile(r"^Checking plan: (\d+)\n", re.MULTILINE)
_TYPE_CHECKED = re.compile(r"^Type-checking (\S+)$", re.MULTILINE)
_SUMMARY = re.compile(r"^(?:Successful plans:|Failed plans:|Queries \()", re.MULTILINE)
_UNMET = re.compile(r"^(\(.*\)) has an unsatisfied precondition at time (\d+)$", re.MULTILINE)
_WORDS = re.compile(r"\(\s*[a-z][\w-]*(\s+[a-z][\w-]*)*\s*\)", re.IGNORECASE | re.ASCII)
_MAX_ADVICE = 300


@dataclass(frozen=True)
class ValAnswer:
    """VAL on one plan. ``valid`` is None where it gave no answer: it refused the domain, crashed, or was stopped.

    ``step`` is the step that VAL found not applicable, counted from 1 (one more than the plan's length: the goal), or 0
    where it names none; ``reason`` is its advice, or why there is no answer.
    """

    valid: bool | None
    step: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Output:
    """What one process wrote; ``code`` is None where it was stopped at the time limit."""

    text: str
    errors: str
    code: int | None


class Val:
    """An installed VAL. ``seconds`` bounds one call of ``check``, ``memory_mb`` each process that it starts."""

    def __init__(self, binary: Path, seconds: float = 30.0, memory_mb: int = 4096) -> None:
        self.binary = binary
        self.version = _version(binary)
        self.seconds = seconds
        self._memory_mb = memory_mb

    def check(self, domain: str, problem: str, plans: Sequence[Sequence[str]]) -> list[ValAnswer]:
        """VAL's answer to each plan, a sequence of steps such as "(stack a b)", for a task given as two PDDL texts."""
        answers = {
            number: ValAnswer(None, reason="a step that is no ground action is not put to VAL")
            for number, plan in enumerate(plans)
            if not all(_WORDS.fullmatch(step) for step in plan)  # VAL crashes, or reads an empty plan
        }
        with tempfile.TemporaryDirectory(prefix="nl2pddl-val-") as name:
            call = _Call(self, Path(name), time.monotonic() + self.seconds, domain, problem, plans)
            answers |= call.answers([number for number in range(len(plans)) if number not in answers])
        return [answers[number] for number in range(len(plans))]

    def run(self, folder: Path, deadline: float, files: Sequence[str]) -> Output:
        """One process of VAL in ``folder``, ended at ``deadline`` (of the monotonic clock)."""
        return run_limited([str(self.binary), "-v", *files], folder, deadline, self._memory_mb)


def run_limited(command: Sequence[str], folder: Path, deadline: float, memory_mb: int) -> Output:
    """One process in ``folder``, killed with its group at ``deadline`` (of the monotonic clock)."""
    left = max(0.0, deadline - time.monotonic())
    limits = (str(int(left) + 2), str(memory_mb * 1024), str(_MAX_OUTPUT_BLOCKS))
    limited = ["/bin/sh", "-c", _LIMITED, "sh", *limits, *command]
    with (folder / "output").open("wb") as output, (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            limited, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
        )
        code: int | None = None
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(left)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return Output(_text(folder / "output"), _text(folder / "errors"), code)


@dataclass(frozen=True)
class _Call:
    """One call of ``Val.check``: plan number i is the file "i" in ``folder``."""

    val: Val
    folder: Path
    deadline: float
    domain: str
    problem: str
    plans: Sequence[Sequence[str]]

    def answers(self, numbers: Sequence[int]) -> dict[int, ValAnswer]:
        """The answers to the plans of these numbers."""
        if not numbers:
            return {}
        (self.folder / "domain.pddl").write_text(self.domain, encoding="utf-8")
        (self.folder / "problem.pddl").write_text(self.problem, encoding="utf-8")
        for number in numbers:
            (self.folder / str(number)).write_text("\n".join((*self.plans[number], "")), encoding="utf-8")
        return self._ask(numbers)

    def _ask(self, numbers: Sequence[int]) -> dict[int, ValAnswer]:
        """Asks about the plans at once; where VAL does not get through them all, about each half of the rest."""
        output = self.val.run(self.folder, self.deadline, ["domain.pddl", "problem.pddl", *map(str, numbers)])
        head, *pieces = _CHECKING.split(output.text)
        understood = set(_TYPE_CHECKED.findall(head))
        found = {
            number: answer
            for number, text in zip(map(int, pieces[::2]), pieces[1::2], strict=True)
            if (answer := self._answer(number, text, understood)) is not None
        }
        rest = [number for number in numbers if number not in found]
        if not rest:
            return found
        if output.code is None:
            nothing = ValAnswer(None, reason=f"VAL was stopped after {self.val.seconds:g} s")
        elif output.code >= 0 and not pieces:
            nothing = ValAnswer(None, reason=f"VAL refused the domain or the problem: {_refusal(head, output.errors)}")
        elif len(rest) == 1:
            why = f"signal {-output.code}" if output.code < 0 else _refusal(pieces[-1], output.errors)
            nothing = ValAnswer(None, reason=f"VAL crashed on this plan ({why})")
        else:
            middle = len(rest) // 2
            return found | self._ask(rest[:middle]) | self._ask(rest[middle:])
        return found | dict.fromkeys(rest, nothing)

    def _answer(self, number: int, text: str, understood: set[str]) -> ValAnswer | None:
        """What VAL says of one plan in its part of the output, or None where that part breaks off before it says."""
        text = _SUMMARY.split(text)[0]  # it follows the last plan
        lines = set(text.splitlines())
        plan = self.plans[number]
        if "Plan valid" in lines:
            return ValAnswer(True)
        if "Goal not satisfied" in lines:
            return ValAnswer(False, len(plan) + 1, _advice(text))
        if "Plan failed to execute" in lines:
            unmet = _UNMET.search(text)
            return ValAnswer(False, int(unmet[2]) if unmet else 0, _advice(text))
        if "Bad plan description!" in lines:
            dropped = next((name for name in map(_name, plan) if self._dropped(name, understood)), None)
            if dropped is not None:
                return ValAnswer(None, reason=f"VAL could not read the action '{dropped}' of the domain")
            return ValAnswer(False, reason="Bad plan description!")
        if "Error occurred in validation attempt:" in lines:
            return ValAnswer(None, reason="VAL met an error: " + _squeezed(text.split("attempt:", 1)[1]))
        return None

    def _dropped(self, name: str, understood: set[str]) -> bool:
        """Whether the domain has the action but VAL, which passes over what it cannot parse, does not know it."""
        defined = re.compile(rf"\(\s*:action\s+{re.escape(name)}[\s()]", re.IGNORECASE)
        return name not in understood and defined.search(self.domain) is not None


def find_val(seconds: float = 30.0, memory_mb: int = 4096) -> Val | None:
    """VAL as NL2PDDL_VAL names it, else from PATH, else None. Raises InputError where NL2PDDL_VAL names no VAL."""
    wanted = os.environ.get(VAL_VARIABLE, "").strip()
    for name in (wanted,) if wanted else _NAMES:
        found = shutil.which(Path(name).expanduser())
        # PATH may hold another program called validate.
        if found is not None and _BANNER.search(_help(found)):
            return Val(Path(found).resolve(), seconds, memory_mb)
    if wanted:
        raise InputError(
            f"{VAL_VARIABLE} is '{wanted}'; it must name the program Validate of VAL (https://github.com/KCL-Planning/VAL)"
        )
    return None


def _help(program: str) -> str:
    try:
        done = subprocess.run(
            [program, "-h"], stdin=subprocess.DEVNULL, capture_output=True, timeout=10, start_new_session=True
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace")


def _version(binary: Path) -> str:
    """VAL's own "Version", which has long stood still, with a hash of the program and of the library beside it."""
    banner = _BANNER.search(_help(str(binary)))
    number = f" {banner[1]}" if banner and banner[1] else ""
    digest = hashlib.sha256()
    for path in (binary, *sorted(binary.parent.glob("libVAL.*"))):
        digest.update(path.read_bytes())
    return f"VAL{number} (sha256 {digest.hexdigest()[:12]})"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _name(step: str) -> str:
    return step.strip("() \t").split()[0].lower()


def _squeezed(text: str) -> str:
    return " ".join(text.split())[:_MAX_ADVICE]


def _advice(text: str) -> str:
    return _squeezed(text.partition("Plan Repair Advice:")[2])


def _refusal(text: str, errors: str) -> str:
    """VAL's words on what it does not take, without the actions that pass."""
    lines = [line for line in text.splitlines() if "ype-checking" not in line and "passes type checking" not in line]
    return _squeezed(" ".join((errors, *lines))) or "no message"
