"""Opens the backend that a model's name asks for; the heavy packages are imported only here, and only when needed."""

from __future__ import annotations

from pathlib import Path

from nl2pddl.experiment import Decoding
from nl2pddl.generation.base import Backend
from nl2pddl.generation.models import ModelKind, check_model, parse_model
from nl2pddl.generation.replay import read_recording
from nl2pddl.generation.scripted import ScriptedBackend, read_script
from nl2pddl.generation.server_backend import ServerBackend


def open_backend(name: str, decoding: Decoding, data_dir: Path) -> Backend:
    """Load the model and return its backend: in seconds, the first time a minute or more (conversion, download).

    ``data_dir`` is the user's data folder: converted GGUF models are kept in its ``models``. Raises ``ModelError``
    where the model cannot be loaded, ``NL2PDDLError`` where the disk or the memory does not suffice.
    """
    check_model(name)
    ref = parse_model(name)
    if ref.kind is ModelKind.SCRIPTED:
        return ScriptedBackend(name, Path(ref.target), read_script(Path(ref.target)), decoding)
    if ref.kind is ModelKind.REPLAY:
        return ScriptedBackend(name, Path(ref.target), read_recording(Path(ref.target), ref.revision), decoding)
    if ref.kind is ModelKind.SERVER:
        assert ref.server is not None
        return ServerBackend(name, ref.server, decoding)
    from nl2pddl.generation.transformers_backend import TransformersBackend

    return TransformersBackend(name, decoding, data_dir)
