"""GGUF files become model folders once, whatever interrupts it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nl2pddl.errors import ModelError, NL2PDDLError
from nl2pddl.generation import hf
from nl2pddl.generation.content import file_id
from nl2pddl.generation.convert import converted_folder

# Each process counts its conversions; STEP is run where the model is about to be saved.
WORKER = """
import sys
from pathlib import Path
from transformers import PreTrainedModel
from nl2pddl.errors import NL2PDDLError
from nl2pddl.generation.convert import converted_folder

save, saved = PreTrainedModel.save_pretrained, []

def save_pretrained(model, folder, **options):
    saved.append(folder)
    STEP
    save(model, folder, **options)

PreTrainedModel.save_pretrained = save_pretrained
try:
    print("folder", converted_folder(Path(sys.argv[1]), Path(sys.argv[2]))[0])
except NL2PDDLError as error:
    print("error", error)
print("conversions", len(saved))
"""


def _start(gguf: Path, data_dir: Path, step: str = "pass") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER.replace("STEP", step), str(gguf), str(data_dir)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def _visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def test_the_folder_holds_the_same_weights(tiny_gguf: Path, tmp_path: Path) -> None:
    import gguf
    import numpy as np
    from safetensors.numpy import load_file

    folder, content = converted_folder(tiny_gguf, tmp_path / "data")
    assert content == file_id(tiny_gguf)
    assert folder == tmp_path / "data" / "models" / f"Tiny-{content.removeprefix('sha256:')[:12]}"
    assert _visible(folder.parent) == [folder.name]
    stored = load_file(folder / "model.safetensors")
    source = {tensor.name: tensor.data for tensor in gguf.GGUFReader(tiny_gguf).tensors}
    assert len(stored) == len(source)
    np.testing.assert_array_equal(stored["model.embed_tokens.weight"], source["token_embd.weight"])
    np.testing.assert_array_equal(stored["model.layers.0.mlp.down_proj.weight"], source["blk.0.ffn_down.weight"])


def test_the_second_time_nothing_is_converted(tiny_gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = converted_folder(tiny_gguf, tmp_path)
    monkeypatch.setattr(hf, "load_gguf", lambda *_: pytest.fail("converted again"))
    assert converted_folder(tiny_gguf, tmp_path) == first


def test_a_folder_made_from_another_file_is_replaced(tiny_gguf: Path, tmp_path: Path) -> None:
    folder, content = converted_folder(tiny_gguf, tmp_path, "embedded")
    assert folder.name == "embedded"
    (folder / "source.sha256").write_text("sha256:of an older release")
    (folder / "left over").write_text("")
    assert converted_folder(tiny_gguf, tmp_path, "embedded") == (folder, content)
    assert (folder / "source.sha256").read_text() == content
    assert not (folder / "left over").exists()


def test_a_killed_conversion_leaves_nothing_that_looks_finished(tiny_gguf: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    step = "save(model, folder); print('saved', flush=True); import time; time.sleep(600)"
    with _start(tiny_gguf, data, step) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "saved\n"
        process.send_signal(signal.SIGKILL)
    left = _visible(data / "models")
    assert left
    assert all(name.startswith(".") for name in left)
    folder, _ = converted_folder(tiny_gguf, data)
    assert _visible(data / "models") == [folder.name]
    assert (folder / "model.safetensors").is_file()


def test_two_processes_at_once_convert_once(tiny_gguf: Path, tmp_path: Path) -> None:
    processes = [_start(tiny_gguf, tmp_path / "data", "import time; time.sleep(1)") for _ in range(2)]
    outputs = [process.communicate(timeout=120)[0].splitlines() for process in processes]
    assert outputs[0][0] == outputs[1][0]
    assert outputs[0][0].startswith("folder ")
    assert sorted(output[1] for output in outputs) == ["conversions 0", "conversions 1"]


def test_a_full_disk_is_said_in_words_and_leaves_nothing(tiny_gguf: Path, tmp_path: Path) -> None:
    step = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))"
    with _start(tiny_gguf, tmp_path / "data", step) as process:
        output, _ = process.communicate(timeout=120)
    assert output.startswith("error ")
    assert "the disk is full; free some space" in output
    assert _visible(tmp_path / "data" / "models") == []


def test_a_data_folder_that_is_a_file(tiny_gguf: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(NL2PDDLError, match="cannot store the converted model"):
        converted_folder(tiny_gguf, tmp_path / "data")


def test_a_damaged_gguf_is_refused_and_leaves_nothing(tiny_gguf: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    shutil.copy(tiny_gguf, damaged)
    os.truncate(damaged, tiny_gguf.stat().st_size // 2)
    with pytest.raises(ModelError, match=r"damaged\.gguf: transformers cannot load this model"):
        converted_folder(damaged, tmp_path / "data")
    assert _visible(tmp_path / "data" / "models") == []
