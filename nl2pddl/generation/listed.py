"""The model list: a TOML file that a user edits, with names, prices and servers."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nl2pddl.errors import ModelError
from nl2pddl.settings import models_file

_KNOWN: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "id": str,
    "parameters": (int, float),
    "price_input": (int, float),
    "price_output": (int, float),
    "url": str,
    "model": str,
    "key_env": str,
    "guided": str,
    "requests_per_minute": (int, float),
    "timeout": (int, float),
}
_SERVER_ONLY = ("model", "key_env", "guided", "requests_per_minute", "timeout")


@dataclass(frozen=True)
class Server:
    """An OpenAI-compatible server and the model asked for there.

    ``url`` ends before /completions and /chat/completions (usually in /v1). ``key_env`` names the environment variable
    that holds the key; unset or empty: no key is sent. ``guided`` says how the server takes a grammar: "" (not at all),
    "vllm" or "llama.cpp". ``timeout`` is in seconds, for a whole answer.
    """

    url: str
    model: str
    key_env: str = "NL2PDDL_API_KEY"
    guided: str = ""
    requests_per_minute: float | None = None
    timeout: float = 300.0


@dataclass(frozen=True)
class ListedModel:
    """An entry of the list: either ``id`` or ``server`` is set. Prices are dollars for a million tokens.

    ``parameters`` is in billions, where it is known.
    """

    name: str
    id: str = ""
    server: Server | None = None
    parameters: float | None = None
    price_input: float = 0.0
    price_output: float = 0.0

    def cost(self, prompt_tokens: float, new_tokens: float) -> float:
        """Dollars for that many tokens."""
        return (prompt_tokens * self.price_input + new_tokens * self.price_output) / 1_000_000


def read_models(path: Path | None = None) -> dict[str, ListedModel]:
    """The list by name, in the file's order; empty where there is no file. ``ModelError`` names what is wrong in it."""
    named = path is None and os.environ.get("NL2PDDL_MODELS")
    path = path or models_file()
    if named and not path.is_file():
        raise ModelError(f"{path}: NL2PDDL_MODELS names this as the model list, and there is no such file")
    if not path.exists():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelError(f"{path}: the model list cannot be read: {error}") from error
    entries = data.get("model", [])
    if not isinstance(entries, list) or set(data) - {"model"}:
        raise ModelError(f"{path}: the model list holds entries [[model]] and nothing else")
    models: dict[str, ListedModel] = {}
    for number, entry in enumerate(entries, start=1):
        model = _entry(f"{path}, model {number}", entry)
        if model.name in models:
            raise ModelError(f"{path}, model {number}: '{model.name}' is in the list already")
        models[model.name] = model
    return models


def listed_sizes() -> dict[str, float]:
    """The parameters in billions that the list gives, by name; none where it cannot be read, which launching tells."""
    try:
        return {name: one.parameters for name, one in read_models().items() if one.parameters}
    except ModelError:
        return {}


def _entry(where: str, entry: Any) -> ListedModel:
    if not isinstance(entry, dict):
        raise ModelError(f"{where}: an entry is a table with name and id")
    for key, value in entry.items():
        if key not in _KNOWN:
            raise ModelError(f"{where}: unknown field '{key}'; known are {', '.join(_KNOWN)}")
        if not isinstance(value, _KNOWN[key]) or isinstance(value, bool):
            raise ModelError(f"{where}: '{key}' must be a {'text' if _KNOWN[key] is str else 'number'}")
        if isinstance(value, int | float) and not 0 <= value < math.inf:
            raise ModelError(f"{where}: '{key}' must be a number from 0")
    name = entry.get("name", "").strip()
    if not name or ("id" in entry) == ("url" in entry):
        raise ModelError(f"{where}: give a name, and either an id or the url and model of a server")
    common = {key: entry[key] for key in ("parameters", "price_input", "price_output") if key in entry}
    if "id" in entry:
        if misplaced := [key for key in _SERVER_ONLY if key in entry]:
            raise ModelError(f"{where}: '{misplaced[0]}' is for servers only, which have a url in place of the id")
        return ListedModel(name, id=entry["id"], **common)
    fields = {key: entry[key] for key in ("url", *_SERVER_ONLY) if key in entry}
    return ListedModel(name, server=Server(**{"model": "", **fields}), **common)
