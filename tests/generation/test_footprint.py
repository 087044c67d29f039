"""Sizes told from a configuration, held against models that are really there; and what is chosen from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    BitsAndBytesConfig,
    DynamicCache,
    GPT2Config,
    GPTBigCodeConfig,
    LlamaConfig,
    Qwen2Config,
)

from nl2pddl.experiment import Precision
from nl2pddl.generation import EMBEDDED, embedded_gguf, shapes
from nl2pddl.generation import footprint as module
from nl2pddl.generation.footprint import (
    Choice,
    Shape,
    choose,
    estimate,
    footprint,
    free_memory,
    shape_of,
    shape_of_model,
)

# hidden size, inner size, layers and heads large enough that the weights, not the tables beside them, decide
SMALL = {
    "vocab_size": 2048,
    "hidden_size": 512,
    "intermediate_size": 1408,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "max_position_embeddings": 512,
}
BIG_CODE = {"vocab_size": 512, "n_positions": 256, "n_embd": 128, "n_layer": 2, "n_head": 4, "n_inner": 512}
LLAMA_7B = LlamaConfig(
    vocab_size=32000,
    hidden_size=4096,
    intermediate_size=11008,
    num_hidden_layers=32,
    num_attention_heads=32,
    num_key_value_heads=32,
    max_position_embeddings=4096,
)
CONFIGS = [
    LlamaConfig(**SMALL),
    LlamaConfig(**SMALL, tie_word_embeddings=True),
    Qwen2Config(**SMALL, tie_word_embeddings=True),
    GPTBigCodeConfig(**BIG_CODE),
    GPT2Config(vocab_size=512, n_positions=128, n_embd=64, n_layer=2, n_head=4),
]
NAMES = ["llama", "llama, tied", "qwen2, tied", "big code", "gpt2"]


def load_4bit(config: Any, folder: Path) -> Any:
    """A random model of this configuration, stored, and loaded again in NF4 on the CPU as a user's would be."""
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    options = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True)
    return AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, quantization_config=options, device_map="cpu"
    )


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_the_shape_counts_every_parameter_once(config: Any) -> None:
    model = AutoModelForCausalLM.from_config(config)
    assert shape_of(config).parameters == sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_the_shape_counts_what_bitsandbytes_quantises(config: Any, tmp_path: Path) -> None:
    model = load_4bit(config, tmp_path)
    packed = [parameter for parameter in model.parameters() if type(parameter).__name__ == "Params4bit"]
    assert packed
    assert shape_of(config).linear_parameters == sum(2 * parameter.numel() for parameter in packed)


def test_tied_embeddings_are_not_quantised() -> None:
    tied, untied = shape_of(CONFIGS[1]), shape_of(CONFIGS[0])
    assert untied.parameters - tied.parameters == SMALL["vocab_size"] * SMALL["hidden_size"]
    assert untied.linear_parameters == tied.linear_parameters


def test_published_sizes() -> None:
    assert shape_of(LLAMA_7B).parameters == 6_738_415_616
    star_coder = GPTBigCodeConfig(
        vocab_size=49152, n_positions=8192, n_embd=6144, n_layer=40, n_head=48, n_inner=24576, multi_query=True
    )
    shape = shape_of(star_coder)
    assert round(shape.parameters / 1e9, 1) == 15.5
    assert (shape.kv_heads, shape.head_dim, shape.context) == (1, 128, 8192)
    # Its 7 billion weights take 13.5 GB in bfloat16, and a bit over half a byte each in 4-bit.
    assert estimate(shape_of(LLAMA_7B), Precision.FULL, "cuda", 1, 1, 1).weights / 1e9 == pytest.approx(13.48, abs=0.01)
    assert estimate(shape_of(LLAMA_7B), Precision.FOUR_BIT, "cuda", 1, 1, 1).weights / 1e9 == pytest.approx(
        3.87, abs=0.01
    )


def test_a_configuration_is_left_as_it_was() -> None:
    config = LlamaConfig(**SMALL, attn_implementation="flash_attention_2")
    shape_of(config)
    assert config._attn_implementation == "flash_attention_2"


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_weights_are_estimated_within_2_percent_in_float32(config: Any) -> None:
    model = AutoModelForCausalLM.from_config(config)
    expected = estimate(shape_of(config), Precision.FULL, "cpu", 1, 1, 1).weights
    assert expected == pytest.approx(footprint(model), rel=0.02)


@pytest.mark.parametrize("config", CONFIGS[:3], ids=NAMES[:3])
def test_weights_are_estimated_within_2_percent_in_4_bit(config: Any, tmp_path: Path) -> None:
    model = load_4bit(config, tmp_path)
    expected = estimate(shape_of(config), Precision.FOUR_BIT, "cpu", 1, 1, 1).weights
    assert expected == pytest.approx(footprint(model), rel=0.02)
    with torch.inference_mode():
        model(torch.ones(1, 2, dtype=torch.long))  # some processors pack the weights again here
    assert expected == pytest.approx(footprint(model), rel=0.02)


def test_the_footprint_counts_shared_memory_once_and_the_scales_of_4_bit_weights(tmp_path: Path) -> None:
    class Tied(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = torch.nn.Linear(8, 8, bias=False)
            self.b = torch.nn.Linear(8, 8, bias=False)
            self.b.weight = torch.nn.Parameter(self.a.weight.detach())  # another parameter over the same numbers

    assert footprint(Tied()) == 8 * 8 * 4
    model = load_4bit(CONFIGS[0], tmp_path)
    bare = sum(parameter.nbytes for parameter in model.parameters()) + sum(buffer.nbytes for buffer in model.buffers())
    blocks = shape_of(CONFIGS[0]).linear_parameters // 64
    assert footprint(model) - bare > blocks  # a byte a block at least


@pytest.mark.parametrize("config", [CONFIGS[0], CONFIGS[3], CONFIGS[4]], ids=["llama", "big code", "gpt2"])
def test_the_cache_is_as_large_as_estimated(config: Any) -> None:
    model = AutoModelForCausalLM.from_config(config).eval()
    cache = DynamicCache(config=config)
    with torch.inference_mode():
        model(torch.ones(3, 20, dtype=torch.long), past_key_values=cache)
    held = sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
    assert estimate(shape_of(config), Precision.FULL, "cpu", 3, 15, 5).kv_cache == held


def test_working_memory_grows_with_the_batch_and_the_prompt() -> None:
    shape = shape_of(LLAMA_7B)
    small, wide, long = (
        estimate(shape, Precision.FULL, "cuda", *sizes, 64).working for sizes in ((1, 500), (8, 500), (1, 4000))
    )
    assert small < wide
    assert small < long


# ---- shapes by name -------------------------------------------------------------------------------------------------


def test_the_shape_of_a_folder(tiny_model: Callable[..., Path], tmp_path: Path) -> None:
    folder = tiny_model()
    shape = shape_of_model(str(folder), tmp_path)
    assert shape == shape_of(LlamaConfig.from_pretrained(folder))
    assert shape is not None
    assert (shape.layers, shape.kv_heads, shape.head_dim, shape.hidden, shape.intermediate) == (2, 2, 16, 64, 128)
    assert (shape.vocabulary, shape.context) == (49152, 256)


def test_the_shape_of_a_gguf_file_by_its_header_and_when_converted(tiny_gguf: Path, tmp_path: Path) -> None:
    from nl2pddl.generation.convert import converted_folder

    by_header = shape_of_model(str(tiny_gguf), tmp_path / "data")
    assert by_header is not None
    assert by_header.parameters == 2 * 258 * 32 + 4 * 32 * 32 + 3 * 32 * 64 + 3 * 32
    converted_folder(tiny_gguf, tmp_path / "data")
    assert shape_of_model(str(tiny_gguf), tmp_path / "data") == by_header


def test_the_shape_of_the_embedded_model(models_dir: Path, embedded_folder: Path) -> None:
    shape = shape_of_model(EMBEDDED, models_dir)
    assert shape is not None
    assert shape.parameters == 134_515_008
    assert shapes._converted(embedded_gguf(), models_dir / "models") == embedded_folder


def test_a_shape_that_cannot_be_told_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nobody listens there
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{", encoding="utf-8")
    (tmp_path / "foreign").mkdir()
    code = '{"model_type": "unheard-of", "auto_map": {"AutoConfig": "evil.Config"}}'
    (tmp_path / "foreign" / "config.json").write_text(code, encoding="utf-8")
    (tmp_path / "foreign" / "evil.py").write_text("raise SystemExit('ran foreign code')", encoding="utf-8")
    (tmp_path / "no.gguf").write_bytes(b"GGUF")
    for name in (
        "scripted:answers.jsonl",
        "org/nowhere",
        *(str(tmp_path / n) for n in ("broken", "foreign", "no.gguf")),
    ):
        assert shape_of_model(name, tmp_path) is None, name


# ---- what is chosen -------------------------------------------------------------------------------------------------

SEVEN = Shape(6_738_415_616, 6_476_005_376, 32, 32, 128, 4096, 11008, 32000, 4096)


def decide(free: float, wanted: Precision = Precision.AUTO, batch: int = 8, kind: str = "cuda") -> Choice:
    return choose(SEVEN, wanted, kind, batch, 1500, 300, int(free))


def needed(precision: Precision, batch: int) -> int:
    return estimate(SEVEN, precision, "cuda", batch, 1500, 300).total


@pytest.fixture(autouse=True)
def bitsandbytes_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: object())


def test_full_precision_is_chosen_wherever_one_row_fits() -> None:
    border = needed(Precision.FULL, 1) / 0.9
    enough, short = decide(border * 1.0001), decide(border * 0.9999)
    assert (enough.precision, enough.batch) == (Precision.FULL, 1)
    assert enough.estimate.total == needed(Precision.FULL, 1)
    assert (short.precision, short.batch) == (Precision.FOUR_BIT, 8)
    assert "full precision would take" in short.reason


def test_the_batch_is_the_one_asked_for_or_the_largest_power_of_two_that_fits() -> None:
    for batch, asked, taken in ((6, 6, 6), (6, 7, 4), (4, 6, 4), (3, 6, 2), (6, 5, 5)):
        found = decide(needed(Precision.FULL, batch) / 0.9 * 1.0001, batch=asked)
        assert (found.precision, found.batch) == (Precision.FULL, taken)
        assert ("asked for" in found.reason) == (taken < asked)


def test_what_does_not_fit_says_what_lacks_and_what_would_fit() -> None:
    found = decide(needed(Precision.FOUR_BIT, 1) / 0.9 * 0.9999)
    assert found.precision is None
    assert found.batch == 0
    found = decide(3e9)
    lacking = (needed(Precision.FOUR_BIT, 1) - 2.7e9) / 1e9
    for part in ("6.7 billion", f"{lacking:.1f} GB more", "3.0 GB that are free on the GPU"):
        assert part in found.reason
    # What it names does fit, and a good deal more would not.
    share = (0.9 * 3e9 - module._RUNTIME["cuda"]) / (needed(Precision.FULL, 1) - module._RUNTIME["cuda"])
    assert f"about {share * SEVEN.parameters / 1e9:.1f} billion parameters would fit in full precision" in found.reason
    assert "in 4-bit" in found.reason


def test_what_is_asked_for_by_name_is_obeyed_with_a_warning() -> None:
    full = decide(8e9, Precision.FULL)
    assert (full.precision, full.batch) == (Precision.FULL, 1)
    assert "hardly fit" in full.reason
    packed = decide(80e9, Precision.FOUR_BIT)
    assert (packed.precision, packed.batch) == (Precision.FOUR_BIT, 8)
    assert "hardly" not in packed.reason
    assert decide(1e9, Precision.FOUR_BIT).precision is Precision.FOUR_BIT


def test_without_bitsandbytes_there_is_no_4_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    for wanted in (Precision.AUTO, Precision.FOUR_BIT):
        found = decide(10e9, wanted)
        assert found.precision is None
        assert "pip install bitsandbytes" in found.reason
    assert "bitsandbytes" not in decide(2e9).reason  # it would not help
    assert decide(80e9).precision is Precision.FULL


def test_the_cpu_computes_with_four_bytes() -> None:
    cpu, cuda = (estimate(SEVEN, Precision.FULL, kind, 1, 100, 10) for kind in ("cpu", "cuda"))
    assert cpu.weights == 2 * cuda.weights
    assert cpu.kv_cache == 2 * cuda.kv_cache
    assert "in this machine's memory" in decide(200e9, kind="cpu").reason


def test_free_memory_is_what_the_machine_has() -> None:
    import psutil

    assert 0 < free_memory("cpu") <= psutil.virtual_memory().total


def test_buffers_count() -> None:
    bare, with_tables = (replace(SEVEN, buffers=size) for size in (0, 1000))
    weights = [estimate(shape, Precision.FOUR_BIT, "cuda", 1, 1, 1).weights for shape in (bare, with_tables)]
    assert weights[1] - weights[0] == 1000
