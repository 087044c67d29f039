"""Llama-shaped models with random weights, made where they are to run, and generation with them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nl2pddl.experiment import Precision


@dataclass(frozen=True)
class Size:
    """A Llama-shaped model and what is asked of it: tokens of the longest prompt and of each answer, batch sizes."""

    hidden: int
    intermediate: int
    layers: int
    heads: int
    kv_heads: int
    vocabulary: int
    prompt: int
    new: int
    batches: tuple[int, ...]
    slots: int  # rows at once where continuous batching is compared; four times as many requests


SIZES = {
    "1B": Size(2048, 5632, 22, 32, 4, 32000, 1024, 128, (1, 4, 16, 64), 16),
    "7B": Size(4096, 11008, 32, 32, 32, 32000, 1024, 128, (1, 4, 16, 64), 16),
    "tiny": Size(512, 1408, 4, 8, 8, 8192, 128, 24, (1, 4, 16, 64), 4),
    "small": Size(1024, 2816, 8, 16, 4, 32000, 256, 16, (1, 4, 16), 4),
}


def config_of(size: Size) -> Any:
    from transformers import LlamaConfig

    return LlamaConfig(
        vocab_size=size.vocabulary,
        hidden_size=size.hidden,
        intermediate_size=size.intermediate,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.kv_heads,
        max_position_embeddings=4096,
        bos_token_id=1,
        eos_token_id=2,
    )


def build(size: Size, precision: Precision, attention: str, device: str) -> Any:
    """The model with random weights, made where it is to run; 4-bit weights are quantised one by one on the way."""
    import torch
    from transformers import LlamaForCausalLM

    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    config = config_of(size)
    config._attn_implementation = attention
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with torch.device("meta"):
            model = LlamaForCausalLM(config)
        if precision is Precision.FOUR_BIT:
            _replace_linear(model, dtype)
        _fill(model, device, dtype)
    finally:
        torch.set_default_dtype(before)
    return model.eval()


def _replace_linear(model: Any, dtype: Any) -> None:
    from transformers import BitsAndBytesConfig
    from transformers.integrations.bitsandbytes import replace_with_bnb_linear

    options = BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=dtype
    )
    replace_with_bnb_linear(model, modules_to_not_convert=["lm_head"], quantization_config=options)


def _fill(model: Any, device: str, dtype: Any) -> None:
    import torch
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    torch.manual_seed(0)
    for name, parameter in list(model.named_parameters()):
        module, _, leaf = name.rpartition(".")
        owner = model.get_submodule(module)
        shape = (owner.out_features, owner.in_features) if hasattr(owner, "in_features") else parameter.shape
        if len(shape) == 1:
            value = torch.ones(shape, device=device, dtype=dtype)
        else:
            value = torch.empty(shape, device=device, dtype=dtype).normal_(0.0, 0.02)
        if type(parameter).__name__ == "Params4bit":
            import bitsandbytes as bnb

            packed = bnb.nn.Params4bit(value.cpu(), requires_grad=False, compress_statistics=True, quant_type="nf4")
            owner._parameters[leaf] = packed.to(device)
            owner.weight.module = owner
        else:
            owner._parameters[leaf] = torch.nn.Parameter(value, requires_grad=False)
    model.model.rotary_emb = LlamaRotaryEmbedding(model.config).to(device)


def prompts(size: Size, count: int) -> list[list[int]]:
    """Random tokens; the first prompt has the full length, the others at least three quarters of it."""
    rng = random.Random(0)
    lengths = [size.prompt, *(rng.randint(size.prompt * 3 // 4, size.prompt) for _ in range(count - 1))]
    return [[rng.randrange(3, size.vocabulary) for _ in range(length)] for length in lengths]


def padded(rows: Sequence[list[int]], device: str) -> dict[str, Any]:
    import torch

    width = max(map(len, rows))
    ids = torch.tensor([[0] * (width - len(row)) + row for row in rows], device=device)
    return {"input_ids": ids, "attention_mask": (ids != 0).long()}


def generate(model: Any, rows: Sequence[list[int]], new: int, device: str, cache: str = "default") -> Any:
    import torch
    from transformers import GenerationConfig

    options: dict[str, Any] = {} if cache == "default" else {"cache_implementation": "static"}
    if cache == "static":
        options["disable_compile"] = True
    settings = GenerationConfig(max_new_tokens=new, do_sample=False, pad_token_id=0, **options)
    model.generation_config = settings
    with torch.inference_mode():
        return model.generate(**padded(rows, device), generation_config=settings)


def continuous(model: Any, rows: Sequence[list[int]], lengths: Sequence[int], slots: int) -> int:
    """The tokens that transformers' continuous batching gave; ``slots`` requests at once."""
    from transformers import ContinuousBatchingConfig, GenerationConfig

    page = 256 if model.device.type == "cuda" else 32
    blocks = slots * ((max(map(len, rows)) + max(lengths)) // page + 2)
    # By itself it takes nine tenths of the free memory for its cache.
    options = ContinuousBatchingConfig(
        page_size=page, num_blocks=blocks, max_batch_tokens=max(map(len, rows)) + slots, max_requests_per_batch=slots
    )
    settings = GenerationConfig(max_new_tokens=max(lengths), do_sample=False, pad_token_id=0, eos_token_id=-1)
    total = 0
    with model.continuous_batching_context_manager(settings, continuous_batching_config=options) as manager:
        for row, length in zip(rows, lengths, strict=True):
            manager.add_request(row, max_new_tokens=length)
        waiting = len(rows)
        while waiting:
            result = manager.get_result(timeout=1)
            if result is None:
                if not manager.is_running():
                    raise RuntimeError("continuous batching ended before all requests were answered")
            elif result.is_finished():
                if result.error:
                    raise RuntimeError(result.error)
                total += len(result.generated_tokens)
                waiting -= 1
    return total
