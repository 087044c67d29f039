"""The long-lived process behind K*: holds the loaded translator and forks one planner call after another.

Run as ``python planner_process.py TRANSLATE_DIR``; a JSON request a line on standard input, a JSON answer a
line on standard output. Each call is one forked child that translates and then becomes the search binary, so one time
limit and one memory limit cover both, and one kill ends both. It imports nothing of ours: it must start fast and stay
small. It has one thread and holds no torch, DuckDB or Streamlit, so forking is safe here.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from types import ModuleType
from typing import Any

TRANSLATE_OUT_OF_MEMORY, TRANSLATE_INPUT_ERROR, CANNOT_START = 20, 30, 127
_POLL_SECONDS = 0.001
_PR_SET_PDEATHSIG = 1


def _load_translator(folder: str) -> ModuleType:
    """Import Fast Downward's translator; its options module reads sys.argv when imported."""
    sys.path.insert(0, folder)
    sys.argv = ["translate.py", "domain.pddl", "problem.pddl"]
    import translate

    module: ModuleType = translate
    return module


def _die_with_parent() -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _child(translator: ModuleType, request: dict[str, Any]) -> None:
    """In the forked child: limits, translation, then exec of the search binary. Never returns."""
    code = CANNOT_START
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setpgid(0, 0)
        _die_with_parent()
        os.chdir(request["folder"])
        log = os.open("planner.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        memory = int(request["memory_mb"]) * 1024 * 1024
        seconds = int(request["seconds"]) + 2
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if request["translate"]:
            code = TRANSLATE_INPUT_ERROR
            options = sys.modules["options"]
            for name, value in (("domain", "domain.pddl"), ("task", "problem.pddl"), ("sas_file", "output.sas")):
                setattr(options, name, value)
            translator.main()
            sys.stdout.flush()
            code = CANNOT_START
        sas = os.open("output.sas", os.O_RDONLY)
        os.dup2(sas, 0)
        command = request["search"]
        os.execv(command[0], command)
    except MemoryError:
        code = TRANSLATE_OUT_OF_MEMORY
    except SystemExit as exit_request:
        code = exit_request.code if isinstance(exit_request.code, int) and exit_request.code else TRANSLATE_INPUT_ERROR
    except BaseException:
        # Whatever the translator raises means that it refused the input; the traceback is kept in planner.log.
        sys.stdout.flush()
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _kill(pid: int) -> None:
    """Kill the child's group; the child alone where it has not made its group yet."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(pid, signal.SIGKILL)


def _wait(pid: int, seconds: float, parent: int) -> dict[str, Any]:
    """Wait for the child; kill it at the limit, or when whoever asked is gone."""
    deadline = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return {"exit": os.waitstatus_to_exitcode(status), "timed_out": False}
        orphaned = os.getppid() != parent
        if orphaned or time.monotonic() > deadline:
            _kill(pid)
            os.waitpid(pid, 0)
            if orphaned:
                sys.exit(1)
            return {"exit": -signal.SIGKILL, "timed_out": True}
        time.sleep(_POLL_SECONDS)


def _end(*_: object) -> None:
    sys.exit(1)


def main() -> None:
    """Answer requests until standard input closes, which it does when the process that asks is gone.

    The scratch folder is made and removed here: whoever asked may have been killed and cannot tidy up.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that started us
    scratch = tempfile.mkdtemp(prefix="nl2pddl-kstar-")
    try:
        signal.signal(signal.SIGTERM, _end)
        _serve(sys.argv[1], scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _serve(translate_dir: str, scratch: str) -> None:
    parent = os.getppid()
    translator = _load_translator(translate_dir)
    print(json.dumps({"scratch": scratch}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            _child(translator, request)
        print(json.dumps(_wait(pid, float(request["seconds"]), parent)), flush=True)


if __name__ == "__main__":
    main()
