"""Models for the tests: the embedded one, converted once and kept, and tiny ones with random weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nl2pddl.generation.base import GenerationRequest


@pytest.fixture
def request_for() -> Callable[..., GenerationRequest]:
    """Makes a request from what a test cares about."""

    def make(
        prompt: str = "", domain: str = "gripper", action: str = "move", sample: int = 0, index: int = 0
    ) -> GenerationRequest:
        return GenerationRequest(index=index, domain=domain, action=action, sample=sample, prompt=prompt)

    return make


@pytest.fixture
def tiny_model(tmp_path: Path, embedded_folder: Path) -> Callable[..., Path]:
    """Makes a model folder: two random Llama layers with the embedded model's tokenizer; options change the config."""

    def make(**options: Any) -> Path:
        import torch
        from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

        shape = {
            "vocab_size": 49152,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 256,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "initializer_range": 0.2,  # large weights, so that the output is not one token for ever
        }
        torch.manual_seed(0)
        LlamaForCausalLM(LlamaConfig(**{**shape, **options})).save_pretrained(tmp_path / "tiny")
        AutoTokenizer.from_pretrained(embedded_folder).save_pretrained(tmp_path / "tiny")
        return tmp_path / "tiny"

    return make


@pytest.fixture
def tiny_gguf(tmp_path: Path) -> Path:
    """A GGUF file: one random Llama layer over the 256 bytes, which converts in a second."""
    import gguf
    import numpy as np
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    hidden, forward = 32, 64
    writer = gguf.GGUFWriter(tmp_path / "Tiny.gguf", "llama")
    writer.add_context_length(128)
    writer.add_embedding_length(hidden)
    writer.add_block_count(1)
    writer.add_feed_forward_length(forward)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(hidden // 2)
    writer.add_rope_freq_base(10000.0)
    tokens = ["<|endoftext|>", *bytes_to_unicode().values(), "ab"]
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([3] + [1] * 257)
    writer.add_token_merges(["a b"])
    writer.add_eos_token_id(0)
    shapes = {
        "token_embd.weight": (len(tokens), hidden),
        "output_norm.weight": (hidden,),
        "output.weight": (len(tokens), hidden),
        "blk.0.attn_norm.weight": (hidden,),
        "blk.0.ffn_norm.weight": (hidden,),
        "blk.0.ffn_gate.weight": (forward, hidden),
        "blk.0.ffn_up.weight": (forward, hidden),
        "blk.0.ffn_down.weight": (hidden, forward),
        **{f"blk.0.attn_{part}.weight": (hidden, hidden) for part in ("q", "k", "v", "output")},
    }
    generator = np.random.default_rng(0)
    for name, shape in shapes.items():
        writer.add_tensor(name, generator.normal(size=shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tmp_path / "Tiny.gguf"
