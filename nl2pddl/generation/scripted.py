"""A backend that answers from a JSONL file: for tests, demonstrations and outputs made elsewhere."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nl2pddl.errors import ModelError
from nl2pddl.experiment import Completion, Decoding, Fault, ModelInfo
from nl2pddl.generation.base import GenerationRequest, cut_at_stop, never
from nl2pddl.generation.content import file_id

NOT_RECORDED = "not recorded"  # the kind of the fault where a file holds no answer
_ASK_SECONDS = 0.1


@dataclass(frozen=True)
class ScriptLine:
    """One answer. ``key`` is (domain, action) in lower case, or None where it answers anything.

    ``description_class`` is the class it is for (empty: any), ``prompt`` what it answered where that is on record.
    """

    key: tuple[str, str] | None
    output: str
    seconds: float = 0.0
    description_class: str = ""
    prompt: str | None = None


def read_script(path: Path) -> list[ScriptLine]:
    """Read lines of {"output"} with optional "domain" and "action" (both or neither) and "seconds" to wait.

    Blank lines are skipped. Raises ``ModelError`` naming the file and the line that is wrong.
    """
    if path.is_dir():
        raise ModelError(f"{path}: this is a folder; name a file of recorded outputs")
    try:
        # Not splitlines: JSON texts may hold other characters that count as line ends for it.
        texts = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise ModelError(f"{path}: cannot read the scripted outputs: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: the scripted outputs are not UTF-8 text") from error
    lines = [_parse_line(path, number, text) for number, text in enumerate(texts, start=1) if text.strip()]
    if not lines:
        raise ModelError(f'{path}: no scripted outputs; give one JSON object a line, such as {{"output": "..."}}')
    return lines


def _parse_line(path: Path, number: int, text: str) -> ScriptLine:
    where = f"{path}, line {number}"
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ModelError(f"{where}: not JSON: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("output"), str):
        raise ModelError(f'{where}: expected a JSON object with a text "output"')
    domain, action, seconds = data.get("domain"), data.get("action"), data.get("seconds", 0)
    if type(seconds) not in (int, float) or not 0 <= seconds < math.inf:
        raise ModelError(f'{where}: "seconds" must be a number from 0')
    if domain is None and action is None:
        return ScriptLine(None, data["output"], seconds)
    if not isinstance(domain, str) or not isinstance(action, str):
        raise ModelError(f'{where}: give "domain" and "action" both, as texts, or neither')
    return ScriptLine((domain.lower(), action.lower()), data["output"], seconds)


def check_recorded(path: Path, lines: Sequence[ScriptLine], domain: str, actions: Iterable[str]) -> None:
    """Raise ``ModelError`` where no line answers any action of the domain; that some are missing is no reason."""
    recorded = {line.key for line in lines}
    if None in recorded or any((domain.lower(), action.lower()) in recorded for action in actions):
        return
    known = ", ".join(sorted({key[0] for key in recorded if key is not None}))
    raise ModelError(f"{path}: no answer for any action of the domain '{domain}'; it has some for {known}")


class ScriptedBackend:
    """Answers a request by its domain and action, else by its index; the prompt is not read.

    Of the lines for the request's domain and action (case ignored) it gives number ``sample``, of the lines for
    anything number ``index``, starting again where the lines run out. Stop strings cut as with a real model.
    """

    def __init__(self, name: str, path: Path, lines: Sequence[ScriptLine], decoding: Decoding) -> None:
        """Answer with ``lines``, which were read from ``path``."""
        self.info = ModelInfo(name=name, revision=file_id(path), device="none")
        self.trouble = ""
        self._stop_strings = decoding.stop_strings
        self._path = path
        self._lines: dict[tuple[str, str] | None, list[ScriptLine]] = {}
        for line in lines:
            self._lines.setdefault(line.key, []).append(line)

    def key(self, request: GenerationRequest) -> str | None:
        """None: which line answers depends on more than the prompt, and reading it again costs nothing."""
        return None

    def generate(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[], bool] = never
    ) -> list[Completion | Fault]:
        """One line a request, after waiting the "seconds" of all of them; a ``Fault`` where no line fits."""
        started = time.perf_counter()
        lines = [self._find(request) for request in requests]
        left = sum(line.seconds for line in lines if isinstance(line, ScriptLine))
        while left > 0 and not should_stop():
            time.sleep(min(left, _ASK_SECONDS))
            left -= _ASK_SECONDS
        seconds = (time.perf_counter() - started) / max(len(requests), 1)
        return [line if isinstance(line, Fault) else self._completion(line, seconds) for line in lines]

    def close(self) -> None:
        """Nothing to free."""

    def _completion(self, line: ScriptLine, seconds: float) -> Completion:
        text, stopped = cut_at_stop(line.output, self._stop_strings)
        reason = "stop string" if stopped else "end of text"
        return Completion(text, reason, len(text.split()), seconds, prompt=line.prompt)

    def _find(self, request: GenerationRequest) -> ScriptLine | Fault:
        keyed = [
            line
            for line in self._lines.get((request.domain.lower(), request.action.lower()), ())
            if line.description_class in ("", request.description_class)
        ]
        if keyed:
            return keyed[request.sample % len(keyed)]
        if free := self._lines.get(None):
            return free[request.index % len(free)]
        described = f", description class {request.description_class}" if request.description_class else ""
        return Fault(
            NOT_RECORDED,
            f"{self._path}: no answer for domain {request.domain}, action {request.action}{described}; add one and "
            "resume the run",
        )
