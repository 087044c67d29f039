"""Converts a GGUF model once into a folder of safetensors, which then loads in a second."""

from __future__ import annotations

import shutil
from pathlib import Path

from filelock import FileLock

from nl2pddl.errors import NL2PDDLError
from nl2pddl.generation import hf
from nl2pddl.generation.content import file_id

_SOURCE = "source.sha256"  # in a converted folder: the content id of the GGUF file it was made from


def converted_folder(gguf: Path, data_dir: Path, folder_name: str = "") -> tuple[Path, str]:
    """The folder with the converted model, made now if need be, and the content id of the GGUF file.

    It is ``data_dir/models/FOLDER_NAME``, by default the file's stem and the first 12 digits of its SHA-256. A folder
    made from another file (the package was updated) is replaced. Of several processes one converts and the others wait;
    a conversion that is killed leaves nothing that looks finished. Raises ``ModelError`` where transformers cannot read
    the file and ``NL2PDDLError`` where the result cannot be stored.
    """
    content = file_id(gguf)
    models = data_dir / "models"
    target = models / (folder_name or f"{gguf.stem}-{content.removeprefix('sha256:')[:12]}")
    try:
        if not _is_made_from(target, content):
            models.mkdir(parents=True, exist_ok=True)
            with FileLock(str(models / ".lock")):
                if not _is_made_from(target, content):
                    _convert(gguf, content, target)
    except NL2PDDLError:
        raise
    except Exception as error:  # for a full disk safetensors and tokenizers raise types of their own
        reason = "the disk is full; free some space" if hf.no_room(error) else f"{error}; check the folder"
        raise NL2PDDLError(f"{target}: cannot store the converted model: {reason} and start again") from error
    return target, content


def _is_made_from(target: Path, content: str) -> bool:
    source = target / _SOURCE
    return source.is_file() and source.read_text(encoding="ascii") == content


def _convert(gguf: Path, content: str, target: Path) -> None:
    # Called under the lock, so any unfinished folder here was left by a process that was killed.
    for stale in target.parent.glob(".*.tmp"):
        shutil.rmtree(stale)
    unfinished = target.parent / f".{target.name}.tmp"
    unfinished.mkdir()
    try:
        model, tokenizer = hf.load_gguf(str(gguf), str(gguf.parent), gguf.name)
        with hf.quiet():
            model.save_pretrained(unfinished)
            tokenizer.save_pretrained(unfinished)
        (unfinished / _SOURCE).write_text(content, encoding="ascii")
        if target.exists():
            shutil.rmtree(target)
        unfinished.rename(target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
