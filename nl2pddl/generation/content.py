"""Content ids of model files, so that a result says which weights it came from, wherever they lie."""

from __future__ import annotations

import hashlib
from pathlib import Path

WEIGHTS = ("*.safetensors", "pytorch_model*.bin")  # the names transformers loads from a folder
_SAMPLE = 1 << 20


def file_id(path: Path) -> str:
    """``sha256:`` and the digest of a file."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def weight_files(folder: Path) -> list[Path]:
    """The weight files that transformers would load from the folder, sorted."""
    return sorted(path for pattern in WEIGHTS for path in folder.glob(pattern))


def folder_id(folder: Path) -> str:
    """``sha256:`` and a digest over a model folder: its JSON files, and name, size and ends of each weight file.

    Two fine-tunings of one model agree in names and sizes, so the first and last MiB of the weights are read; reading
    all of them would take minutes for a large model.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.json")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    for path in weight_files(folder):
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}".encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE))
            file.seek(max(size - _SAMPLE, 0))
            digest.update(file.read(_SAMPLE))
    return f"sha256:{digest.hexdigest()}"
