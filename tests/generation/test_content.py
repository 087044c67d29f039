"""Content ids of model files."""

from __future__ import annotations

from pathlib import Path

from nl2pddl.generation.content import file_id, folder_id


def test_file_id_is_the_sha256_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    assert file_id(tmp_path / "file") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def _write_model(folder: Path, weights: bytes = b"\0" * 3_000_000, config: str = "{}") -> Path:
    folder.mkdir()
    (folder / "config.json").write_text(config)
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def test_folder_id_is_the_same_wherever_the_folder_lies(tmp_path: Path) -> None:
    first, second = _write_model(tmp_path / "a"), _write_model(tmp_path / "b")
    (second / "README.md").write_text("not part of the model")
    assert folder_id(first) == folder_id(second)


def test_folder_id_tells_weights_and_settings_apart(tmp_path: Path) -> None:
    folders = [
        _write_model(tmp_path / "plain"),
        _write_model(tmp_path / "other first bytes", b"\1" + b"\0" * 2_999_999),
        _write_model(tmp_path / "other last bytes", b"\0" * 2_999_999 + b"\1"),
        _write_model(tmp_path / "other size", b"\0" * 3_000_001),
        _write_model(tmp_path / "other config", config='{"vocab_size": 1}'),
    ]
    assert len({folder_id(folder) for folder in folders}) == len(folders)
