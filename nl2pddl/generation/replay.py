"""Reads outputs that were recorded elsewhere: JSONL, or the JSON layout of the published study's code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nl2pddl.errors import ModelError
from nl2pddl.generation.scripted import ScriptLine, read_script
from nl2pddl.records import DescriptionClass

# The study's files call some domains and classes otherwise.
_DOMAINS = {
    "blocks": "blocksworld",
    "gripper-typed": "gripper",
    "heavy-pack": "heavy",
    "hiking": "forest",
    "track-building": "trackbuilding",
    "trapnewspapers": "delivery",
}
_CLASSES = {"base": DescriptionClass.BASE, "flipped": DescriptionClass.FLIPPED, "rand": DescriptionClass.RANDOM}


def read_recording(path: Path, model: str = "") -> list[ScriptLine]:
    """The recorded answers: of a JSONL file as ``read_script``, else of a JSON list of tasks.

    A task is {"domain", "action", "class", "prompt", "results": [{"model", "output"}, ...]}. ``model`` picks one where
    the file holds several. Raises ``ModelError`` naming what is wrong, or the models to choose from.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise ModelError(f"{path}: cannot read the recorded outputs: {reason}") from error
    if not text.lstrip().startswith("["):
        if model:
            raise ModelError(f"{path}: only a JSON list of tasks names models; leave out #{model}")
        return read_script(path)
    try:
        tasks = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: not JSON: {error}") from error
    answers = [
        answer for number, task in enumerate(tasks, start=1) for answer in _answers(f"{path}, task {number}", task)
    ]
    models = sorted({name for name, _ in answers})
    if not answers:
        raise ModelError(f'{path}: no task has "results", so nothing was recorded')
    if (not model and len(models) > 1) or (model and model not in models):
        raise ModelError(f"{path}: choose one of its models with #MODEL after the file's name: {', '.join(models)}")
    return [line for name, line in answers if not model or name == model]


def _answers(where: str, task: Any) -> list[tuple[str, ScriptLine]]:
    """(model, answer) for each result of a task."""
    if not isinstance(task, dict) or not all(isinstance(task.get(name), str) for name in ("domain", "action")):
        raise ModelError(f'{where}: expected an object with texts "domain" and "action"')
    results = task.get("results") or []
    described = str(task.get("class", "")).lower()
    if described and described not in _CLASSES:
        raise ModelError(f'{where}: the class "{task["class"]}" is none of Base, Flipped, Rand')
    if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
        raise ModelError(f'{where}: "results" must be a list of objects')
    domain = task["domain"].lower()
    prompt = task.get("prompt") if isinstance(task.get("prompt"), str) else None
    found = []
    for result in results:
        if not isinstance(result.get("model"), str) or not isinstance(result.get("output"), str):
            raise ModelError(f'{where}: each result needs texts "model" and "output"')
        key = (_DOMAINS.get(domain, domain), task["action"].lower())
        line = ScriptLine(
            key, result["output"], description_class=_CLASSES[described] if described else "", prompt=prompt
        )
        found.append((result["model"], line))
    return found
