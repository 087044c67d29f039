"""The sizes of a local model that decide on its memory, told from its configuration before any weight is loaded.

Importing this loads neither torch nor transformers; the functions that need them import them.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nl2pddl.generation.models import ModelKind, ModelRef, embedded_gguf, parse_model


@dataclass(frozen=True)
class Shape:
    """The sizes of a model that decide on its memory.

    ``parameters`` counts all of them, tied ones once; ``linear_parameters`` those that bitsandbytes quantises (no
    embeddings, no output layer, no experts, no biases). ``kv_heads`` and ``head_dim`` are those of the cache;
    ``context`` is the longest prompt and answer together in tokens (0: unbounded); ``buffers`` are the bytes of tables
    beside the parameters.
    """

    parameters: int
    linear_parameters: int
    layers: int
    kv_heads: int
    head_dim: int
    hidden: int
    intermediate: int
    vocabulary: int
    context: int
    buffers: int = 0


def shape_of(config: Any) -> Shape:
    """The shape of the causal language model that a transformers configuration describes.

    The model is built without memory (on the meta device), so the counts are exact for any architecture transformers
    knows. Code that comes with a model is never run: such a model raises transformers' ValueError.
    """
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.pytorch_utils import Conv1D
    from transformers.quantizers.base import HfQuantizer
    from transformers.quantizers.quantizers_utils import should_convert_module

    from nl2pddl.generation import hf

    build: Any = AutoModelForCausalLM.from_config
    with hf.quiet(), torch.device("meta"):  # eager: what else the configuration asks for may not be installed
        model = build(deepcopy(config), trust_remote_code=False, attn_implementation="eager")
        # transformers' own rule, so that what it leaves out (tied and output layers) is left out here as well.
        left_out = HfQuantizer.get_modules_to_not_convert(model, None, model._keep_in_fp32_modules)
    quantised = [
        module.weight.numel()
        for name, module in model.named_modules()
        if (type(module) is torch.nn.Linear or isinstance(module, Conv1D)) and should_convert_module(name, left_out)
    ]
    text = config.get_text_config()
    heads = text.num_attention_heads
    return Shape(
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        linear_parameters=sum(quantised),
        layers=text.num_hidden_layers,
        kv_heads=_first(text, ("num_key_value_heads", "num_kv_heads"), heads),
        head_dim=_first(text, ("head_dim",), text.hidden_size // heads),
        hidden=text.hidden_size,
        intermediate=_first(text, ("intermediate_size", "n_inner", "ffn_dim"), 4 * text.hidden_size),
        vocabulary=text.vocab_size,
        context=_first(text, ("max_position_embeddings",), 0),
        buffers=sum(buffer.nbytes for buffer in model.buffers()),
    )


def _first(config: Any, names: tuple[str, ...], otherwise: int) -> int:
    """The first of these settings that is there; families name them differently, and some leave them out or None."""
    return int(next((value for name in names if (value := getattr(config, name, None)) is not None), otherwise))


def shape_of_model(name: str, data_dir: Path) -> Shape | None:
    """The shape of a model by its name (the forms of ``parse_model``), or None where it cannot be told beforehand.

    That is: one that does not run here, the hub out of reach and nothing in its cache, a file or a configuration that
    transformers cannot read (loading the model will say what is wrong). A hub model costs one request and its
    config.json. A GGUF file not converted yet takes seconds: its header holds the whole vocabulary.
    """
    ref = parse_model(name)
    if ref.kind in (ModelKind.SCRIPTED, ModelKind.REPLAY, ModelKind.SERVER):
        return None
    try:
        return shape_of(_config(ref, data_dir))
    except Exception:  # a broken or foreign file can raise anything in here, as it will when it is loaded
        return None


def _config(ref: ModelRef, data_dir: Path) -> Any:
    from transformers import AutoConfig

    from nl2pddl.generation import hf

    read: Any = AutoConfig.from_pretrained
    with hf.quiet():
        if ref.kind is ModelKind.FOLDER:
            return read(ref.target, trust_remote_code=False, local_files_only=True)
        if ref.kind is ModelKind.HUB:
            return _hub_config(ref, read)
        gguf = embedded_gguf() if ref.kind is ModelKind.EMBEDDED else Path(ref.target)
        if folder := _converted(gguf, data_dir / "models"):
            return read(folder, local_files_only=True)
        return read(gguf.parent, gguf_file=gguf.name, local_files_only=True)


def _hub_config(ref: ModelRef, read: Any) -> Any:
    from huggingface_hub import HfApi

    options = {"revision": ref.revision or "main", "trust_remote_code": False}
    try:
        return read(ref.target, local_files_only=True, **options)
    except OSError:  # not in the cache
        # Asked first, because from_pretrained would try again for half a minute where there is no network.
        HfApi().model_info(ref.target, revision=ref.revision or None, timeout=5)
        return read(ref.target, **options)


def _converted(gguf: Path, models: Path) -> Path | None:
    """The folder that ``convert`` made from this file, if it did; the file is only read where there are folders."""
    from nl2pddl.generation.content import file_id

    made = {source.read_text(encoding="ascii"): source.parent for source in models.glob("*/source.sha256")}
    return made.get(file_id(gguf)) if made else None
