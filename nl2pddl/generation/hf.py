"""The only place that loads models with Hugging Face's libraries and translates their errors; imported lazily."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from huggingface_hub import HfApi, errors
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig, GgufConfig
from transformers.utils import logging as transformers_logging

from nl2pddl.errors import ModelError, NL2PDDLError, OutOfMemoryError

# transformers types these partly and partly wrongly.
_LOGGING: Any = transformers_logging
_MODELS: Any = AutoModelForCausalLM
_TOKENIZERS: Any = AutoTokenizer
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def quiet() -> Iterator[None]:
    """No advisory warnings and progress bars from transformers inside; its settings are restored afterwards."""
    verbosity, bars = _LOGGING.get_verbosity(), _LOGGING.is_progress_bar_enabled()
    _LOGGING.set_verbosity_error()
    _LOGGING.disable_progress_bar()
    try:
        yield
    finally:
        _LOGGING.set_verbosity(verbosity)
        if bars:
            _LOGGING.enable_progress_bar()


def weights_options(*, four_bit: bool, device: str) -> dict[str, Any]:
    """How weights are loaded onto a device ("cuda" or "cpu"): in its own number type, or as NF4 by bitsandbytes.

    bfloat16 on a GPU; float32 on the CPU, where the batch then changes no answer and bfloat16 is no faster.
    """
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    options: dict[str, Any] = {"dtype": dtype, "device_map": {"": 0 if device == "cuda" else "cpu"}}
    if four_bit:
        options["quantization_config"] = BitsAndBytesConfig(  # type: ignore[no-untyped-call]
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=dtype,
        )
    return options


def avoid_packing(model: Any) -> None:
    """Have bitsandbytes compute on the CPU as it is stored where its packed form for AVX512-BF16 cannot hold a layer.

    Packed, it takes widths in blocks of 64 and heights in blocks of 32 only, and raises at others.
    """
    for module in model.modules():
        if getattr(module, "support_avx512bf16_for_cpu", False) and (
            module.in_features % 64 or module.out_features % 32
        ):
            module.support_avx512bf16_for_cpu = False


def load_hub(name: str, repo: str, revision: str, options: dict[str, Any]) -> tuple[Any, Any, str]:
    """Load (model, tokenizer, commit hash) of a hub repository, downloading what the local cache lacks.

    ``revision`` is a branch, tag or commit, or empty for the main branch. Where the hub is out of reach, the commit of
    the last download is loaded from the cache, without the half minute of retries that loading would otherwise begin
    with.
    """
    try:
        reachable = _is_reachable(repo, revision or None)
        commit = HfApi().resolve_revision(repo, revision=revision or None, local_files_only=not reachable).resolved
    except Exception as error:  # whatever it is, the user asked for a model and cannot have it
        raise load_error(name, error) from error
    return *_load(name, repo, {"revision": commit, "local_files_only": not reachable}, options), commit


def _is_reachable(repo: str, revision: str | None) -> bool:
    try:
        HfApi().model_info(repo, revision=revision)
    except errors.HfHubHTTPError as error:
        if error.response.status_code < 500:
            raise  # the hub did answer: no such model or revision, or not for this user
        return False
    except Exception:  # no network, offline mode, a proxy: the HTTP library behind the hub's has its own types
        return False
    return True


def load_folder(name: str, folder: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """Load (model, tokenizer) from a local folder. ``name`` is for error messages."""
    return _load(name, folder, {}, options)


def load_gguf(name: str, folder: str, file: str) -> tuple[Any, Any]:
    """Load (model, tokenizer) from a GGUF file as an ordinary float32 model that can be saved."""
    # Without dequantize=True the model keeps its blocks or the quantizer's marks, and save_pretrained refuses it.
    options = {"dtype": torch.float32, "quantization_config": GgufConfig(dequantize=True)}
    return _load(name, folder, {"gguf_file": file}, options)


def _load(name: str, source: str, where: dict[str, Any], options: dict[str, Any]) -> tuple[Any, Any]:
    try:
        with quiet():
            tokenizer = _TOKENIZERS.from_pretrained(source, **where)
            model, report = _MODELS.from_pretrained(source, output_loading_info=True, **where, **options)
    except Exception as error:  # a broken file can raise anything at all in here
        raise load_error(name, error) from error
    # transformers fills what it does not find with random numbers, and only warns.
    if lacking := sorted(report["missing_keys"]) + sorted(str(key) for key in report["mismatched_keys"]):
        raise ModelError(f"{name}: the weights lack {len(lacking)} parameters of the model, such as {lacking[0]}")
    return model, tokenizer


def load_error(name: str, error: BaseException) -> NL2PDDLError:
    """What kept a model from loading, in words, told by the exceptions behind ``error`` rather than by their texts."""
    causes = list(_chain(error))
    if no_room(error):
        return NL2PDDLError(f"{name}: the disk is full; free some space and start again")
    if any(isinstance(cause, MemoryError | torch.OutOfMemoryError) for cause in causes):
        return OutOfMemoryError(f"{name}: not enough memory to load it; close other programs or take a smaller model")
    for types, message in _HUB_MESSAGES:
        if any(isinstance(cause, types) for cause in causes):
            return ModelError(f"{name}: {message}")
    return ModelError(f"{name}: transformers cannot load this model: {type(error).__name__}: {_one_line(error)}")


# In this order: GatedRepoError is a RepositoryNotFoundError as well, and most of these are HfHubHTTPErrors.
_HUB_MESSAGES: list[tuple[tuple[type[BaseException], ...], str]] = [
    (
        (errors.GatedRepoError,),
        "gated on the Hugging Face hub; accept its terms on the model's page there, then log in with `hf auth login`",
    ),
    (
        (errors.RepositoryNotFoundError,),
        "unknown to the Hugging Face hub, or private; check the spelling, or log in with `hf auth login`",
    ),
    ((errors.RevisionNotFoundError,), "no such revision on the Hugging Face hub; check what follows the @"),
    ((errors.DisabledRepoError,), "disabled on the Hugging Face hub; choose another model"),
    (
        (errors.RevisionResolutionError, errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled),
        "the Hugging Face hub cannot be reached and the model is not in the local cache; check the network, "
        "or give a folder or a .gguf file",
    ),
    ((errors.HfHubHTTPError,), "the Hugging Face hub answered with an error; try again later"),
]


def no_room(error: BaseException) -> bool:
    """Whether a full disk, a quota or a limit on file sizes is behind the error."""
    return any(_error_number(cause) in _NO_ROOM for cause in _chain(error))


def _error_number(error: BaseException) -> int | None:
    if isinstance(error, OSError):
        return error.errno
    # safetensors reports what the system said only in its message: "... (os error 28)".
    found = re.search(r"\(os error (\d+)\)", str(error))
    return int(found[1]) if found else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 300 else text[:300] + "..."
