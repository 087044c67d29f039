"""Greedy generation with transformers: a hub id, a local folder, or a GGUF file converted first."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from transformers import GenerationConfig, StoppingCriteria, StoppingCriteriaList

from nl2pddl.errors import ModelError, NL2PDDLError
from nl2pddl.experiment import Completion, Decoding, ModelInfo
from nl2pddl.generation import hf
from nl2pddl.generation.base import GenerationRequest, cut_at_stop, never
from nl2pddl.generation.content import folder_id
from nl2pddl.generation.convert import converted_folder
from nl2pddl.generation.models import EMBEDDED, ModelKind, embedded_gguf, parse_model


class _Asked(StoppingCriteria):
    """Ends the whole batch at the next token once ``should_stop`` says so."""

    def __init__(self, should_stop: Callable[[], bool]) -> None:
        self._should_stop = should_stop

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor, **_: Any) -> torch.Tensor:
        """One boolean a row of the batch."""
        return torch.full((input_ids.shape[0],), self._should_stop(), device=input_ids.device)


class TransformersBackend:
    """A model on the GPU in bfloat16, or without one on the CPU in float32.

    The prompt is given as it is, without a chat template (the paper's way). Decoding is greedy whatever the model's own
    generation settings say. In float32 the batch size does not change an answer.
    """

    def __init__(self, name: str, decoding: Decoding, data_dir: Path) -> None:
        """Load the model; errors as in ``open_backend``."""
        self._decoding = decoding
        self._stop_strings = [stop for stop in decoding.stop_strings if stop]
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        dtype = torch.bfloat16 if self._device == "cuda" else torch.float32
        model, self._tokenizer, revision = _load(name, dtype, data_dir)
        try:
            self._model: Any = model.to(self._device)
        except torch.OutOfMemoryError as error:
            raise hf.load_error(name, error) from error
        self._tokenizer.padding_side = "left"  # so that the new tokens of every row follow its prompt
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token or self._tokenizer.convert_ids_to_tokens(0)
        self._eos = _end_tokens(self._model, self._tokenizer)
        self._use_greedy_settings()
        self.info = ModelInfo(
            name=name,
            revision=revision,
            dtype=str(dtype).removeprefix("torch."),
            device=torch.cuda.get_device_name() if self._device == "cuda" else self._device,
            versions={package: version(package) for package in ("torch", "transformers", "tokenizers")},
        )

    def generate(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[], bool] = never
    ) -> list[Completion]:
        """Answer a batch; ``ModelError`` where prompt and new tokens together exceed the model's context length."""
        if not requests:
            return []
        started = time.perf_counter()
        batch = self._tokenizer([request.prompt for request in requests], return_tensors="pt", padding=True)
        width = batch["input_ids"].shape[1]
        self._check_length(width)
        try:
            with torch.inference_mode():
                output = self._model.generate(
                    input_ids=batch["input_ids"].to(self._device),
                    attention_mask=batch["attention_mask"].to(self._device),
                    generation_config=self._model.generation_config,
                    tokenizer=self._tokenizer,  # finds the stop strings among the tokens
                    stopping_criteria=StoppingCriteriaList([_Asked(should_stop)]),
                )
        except torch.OutOfMemoryError as error:
            raise NL2PDDLError(
                f"{self.info.name}: the GPU's memory does not suffice for a batch of {len(requests)} prompts of up to "
                f"{width} tokens; choose a smaller batch size"
            ) from error
        rows = output[:, width:].tolist()
        seconds = (time.perf_counter() - started) / len(requests)
        return [self._completion(row, seconds) for row in rows]

    def close(self) -> None:
        """Drop the model and hand the GPU's memory back."""
        del self._model, self._tokenizer
        gc.collect()
        if self._device == "cuda":
            torch.cuda.empty_cache()

    def _use_greedy_settings(self) -> None:
        # Set on the model, because generate() fills what a passed configuration leaves open from the model's own:
        # a temperature or a repetition penalty in it would come back that way.
        self._model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
            max_new_tokens=self._decoding.max_new_tokens,
            do_sample=False,
            num_beams=1,
            stop_strings=self._stop_strings or None,
            pad_token_id=self._tokenizer.pad_token_id,
            eos_token_id=self._eos or None,
            bos_token_id=self._tokenizer.bos_token_id,
        )

    def _check_length(self, prompt_tokens: int) -> None:
        context = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        needed = prompt_tokens + self._decoding.max_new_tokens
        if context is not None and needed > context:
            raise ModelError(
                f"{self.info.name}: the prompt of {prompt_tokens} tokens and {self._decoding.max_new_tokens} new ones "
                f"make {needed}, but the model's context length is {context}; use fewer context examples or new tokens"
            )

    def _completion(self, tokens: list[int], seconds: float) -> Completion:
        ended = next((index for index, token in enumerate(tokens) if token in self._eos), None)
        tokens = tokens[:ended]
        while tokens and tokens[-1] == self._tokenizer.pad_token_id:  # the row ended before others of its batch
            tokens.pop()
        decoded = self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        text, stopped = cut_at_stop(decoded, self._stop_strings)
        if stopped:
            reason = "stop string"
        elif ended is None and len(tokens) >= self._decoding.max_new_tokens:
            reason = "length"
        else:
            reason = "end of text"
        return Completion(text, reason, len(tokens), seconds)


def _load(name: str, dtype: torch.dtype, data_dir: Path) -> tuple[Any, Any, str]:
    """(model, tokenizer, revision) for a name that ``check_model`` accepts."""
    ref = parse_model(name)
    if ref.kind is ModelKind.HUB:
        return hf.load_hub(name, ref.target, ref.revision, dtype)
    if ref.kind is ModelKind.FOLDER:
        return *hf.load_folder(name, ref.target, dtype), folder_id(Path(ref.target))
    if ref.kind is ModelKind.EMBEDDED:
        folder, content = converted_folder(embedded_gguf(), data_dir, EMBEDDED)
    else:
        folder, content = converted_folder(Path(ref.target), data_dir)
    label = f"{name} (converted in {folder}; delete that folder to convert it again)"
    return *hf.load_folder(label, str(folder), dtype), content


def _end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """The tokens that end a text: the model's own list (one number, several or none), else the tokenizer's."""
    ends = model.generation_config.eos_token_id
    if ends is None:
        ends = tokenizer.eos_token_id
    if ends is None:
        return []
    return list(ends) if isinstance(ends, list) else [ends]
