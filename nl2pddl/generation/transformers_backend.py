"""Generation with transformers: a hub id, a local folder, or a GGUF file converted first."""

from __future__ import annotations

import gc
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteriaList

from nl2pddl import __version__
from nl2pddl.errors import ModelError, OutOfMemoryError
from nl2pddl.experiment import ChatMode, Completion, Decoding, Fault, ModelInfo, Precision
from nl2pddl.generation import hf
from nl2pddl.generation.base import GenerationRequest, cut_at_stop, never, split_thinking
from nl2pddl.generation.content import folder_id
from nl2pddl.generation.convert import converted_folder
from nl2pddl.generation.footprint import footprint, loading
from nl2pddl.generation.models import EMBEDDED, ModelKind, embedded_gguf, parse_model
from nl2pddl.generation.steering import Asked, SampledTokens, StopsInAnswer

_THINK = ("<think>", "</think>")


class TransformersBackend:
    """A model on the GPU in bfloat16, or without one on the CPU in float32; either with 4-bit weights.

    Decoding does what is asked whatever the model's own generation settings say. In float32 neither the batch nor what
    else is in it changes an answer, sampled ones included.
    """

    def __init__(self, name: str, decoding: Decoding, data_dir: Path) -> None:
        """Load the model; errors as in ``open_backend``."""
        self._decoding = decoding
        self._stop_strings = [stop for stop in decoding.stop_strings if stop]
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        choice = loading(name, decoding, data_dir)
        if choice is not None and choice.precision is None:
            raise ModelError(f"{name}: {choice.reason}")
        four_bit = (choice.precision if choice is not None else decoding.precision) is Precision.FOUR_BIT
        options = hf.weights_options(four_bit=four_bit, device=self._device)
        model, self._tokenizer, revision = _load(name, options, data_dir)
        self._model: Any = model
        if four_bit:
            hf.avoid_packing(model)
        self._tokenizer.padding_side = "left"  # so that the new tokens of every row follow its prompt
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token or self._tokenizer.convert_ids_to_tokens(0)
        if decoding.chat is ChatMode.TEMPLATE and not getattr(self._tokenizer, "chat_template", None):
            raise ModelError(f"{name}: this model has no chat template; give it the raw prompt, or take its chat model")
        self._eos = _end_tokens(self._model, self._tokenizer)
        self._think = _think_tokens(self._tokenizer)
        self._grammar_tokens: Any = None
        self._use_own_settings()
        packages = ("torch", "transformers", "tokenizers", *(("bitsandbytes",) if four_bit else ()))
        self.trouble = ""
        self.info = ModelInfo(
            name=name,
            revision=revision,
            dtype=str(options["dtype"]).removeprefix("torch."),
            quantisation="NF4, double quantisation" if four_bit else "",
            device=torch.cuda.get_device_name() if self._device == "cuda" else self._device,
            versions={package: version(package) for package in packages},
            attention=str(getattr(model.config, "_attn_implementation", "") or ""),
            estimate_bytes=choice.estimate.total if choice is not None else 0,
            footprint_bytes=footprint(model),
            batch_size=choice.batch if choice is not None else 0,
        )

    def key(self, request: GenerationRequest) -> str | None:
        """See ``Backend.key``. In bfloat16 a near tie may still fall the other way in another batch."""
        decoding, info = self._decoding, self.info
        drawn = [] if decoding.greedy else [decoding.temperature, decoding.top_p, request.seed]
        held = [__version__, request.grammar.gbnf] if request.grammar else []
        parts = [
            info.revision, info.dtype, info.quantisation, info.device, info.attention, sorted(info.versions.items()),
            decoding.max_new_tokens, self._stop_strings, drawn, held, self._text(request),
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def generate(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[], bool] = never
    ) -> list[Completion | Fault]:
        """Answer a batch; a ``Fault`` where prompt and new tokens together exceed the model's context length."""
        started = time.perf_counter()
        texts = [self._text(request) for request in requests]
        special = self._decoding.chat is ChatMode.RAW  # a template writes the special tokens itself
        lengths = [len(ids) for ids in self._tokenizer(texts, add_special_tokens=special)["input_ids"]] if texts else []
        answers: list[Completion | Fault | None] = [self._fault(length) for length in lengths]
        fitting = [index for index, fault in enumerate(answers) if fault is None]
        if fitting:
            batch = self._tokenizer(
                [texts[index] for index in fitting], add_special_tokens=special, return_tensors="pt", padding=True
            )
            rows = self._rows(batch, [requests[index] for index in fitting], should_stop)
            seconds = (time.perf_counter() - started) / len(fitting)
            for index, row in zip(fitting, rows, strict=True):
                opened = texts[index].rstrip().endswith(_THINK[0])
                answers[index] = self._completion(row, seconds, lengths[index], opened=opened)
        return [answer for answer in answers if answer is not None]

    def close(self) -> None:
        """Drop the model and hand the GPU's memory back."""
        del self._model, self._tokenizer
        gc.collect()
        if self._device == "cuda":
            torch.cuda.empty_cache()

    def _text(self, request: GenerationRequest) -> str:
        """What the model reads."""
        if self._decoding.chat is ChatMode.RAW:
            return request.prompt
        turns = [{"role": turn.role, "content": turn.content} for turn in request.turns]
        try:
            return str(self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))
        except Exception as error:  # a template is a program of the model's maker
            raise ModelError(f"{self.info.name}: its chat template fails ({error}); give it the raw prompt") from error

    def _rows(
        self, batch: Any, requests: Sequence[GenerationRequest], should_stop: Callable[[], bool]
    ) -> list[list[int]]:
        """The new tokens of each row."""
        width = batch["input_ids"].shape[1]
        stops = [Asked(should_stop)]
        if self._think and self._stop_strings:
            stops.append(StopsInAnswer(self._tokenizer, self._stop_strings, self._think))  # type: ignore[arg-type]
        try:
            with torch.inference_mode():
                output = self._model.generate(
                    input_ids=batch["input_ids"].to(self._device),
                    attention_mask=batch["attention_mask"].to(self._device),
                    generation_config=self._model.generation_config,
                    tokenizer=self._tokenizer,  # finds the stop strings among the tokens
                    stopping_criteria=StoppingCriteriaList(stops),
                    logits_processor=self._processors(requests, width),
                )
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
            if not _out_of_memory(error):
                raise
            raise OutOfMemoryError(
                f"{self.info.name}: the memory does not suffice for a batch of {len(requests)} prompts of up to "
                f"{width} tokens; choose a smaller batch size, 4-bit weights or a smaller model"
            ) from error
        rows: list[list[int]] = output[:, width:].tolist()
        return rows

    def _processors(self, requests: Sequence[GenerationRequest], width: int) -> LogitsProcessorList:
        processors = LogitsProcessorList()
        if any(request.grammar for request in requests):
            from nl2pddl.generation.constrained import GrammarProcessor, GrammarTokens

            if self._grammar_tokens is None:
                self._grammar_tokens = GrammarTokens(self.info.name, self._tokenizer, self._eos)
            grammars, most = [request.grammar for request in requests], self._decoding.max_new_tokens
            processors.append(GrammarProcessor(self._grammar_tokens, grammars, width, most))
        if not self._decoding.greedy:
            seeds = [request.seed for request in requests]
            temperature, top_p = self._decoding.temperature, self._decoding.top_p
            processors.append(SampledTokens(seeds, temperature, top_p, self._device))
        return processors

    def _use_own_settings(self) -> None:
        # Set on the model, because generate() fills what a passed configuration leaves open from the model's own:
        # a temperature or a repetition penalty in it would come back that way. Sampling is ours (see SampledTokens).
        self._model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
            max_new_tokens=self._decoding.max_new_tokens,
            do_sample=False,
            num_beams=1,
            stop_strings=None if self._think else self._stop_strings or None,
            pad_token_id=self._tokenizer.pad_token_id,
            eos_token_id=self._eos or None,
            bos_token_id=self._tokenizer.bos_token_id,
        )

    def _fault(self, prompt_tokens: int) -> Fault | None:
        context = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        needed = prompt_tokens + self._decoding.max_new_tokens
        if context is None or needed <= context:
            return None
        return Fault(
            "context length",
            f"the prompt of {prompt_tokens} tokens and {self._decoding.max_new_tokens} new ones make {needed}, but the "
            f"model's context length is {context}; use fewer context examples, new tokens or correction rounds",
        )

    def _completion(self, tokens: list[int], seconds: float, prompt_tokens: int, *, opened: bool) -> Completion:
        ended = next((index for index, token in enumerate(tokens) if token in self._eos), None)
        tokens = tokens[:ended]
        while tokens and tokens[-1] == self._tokenizer.pad_token_id:  # the row ended before others of its batch
            tokens.pop()
        decoded = self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        thinking, answer = split_thinking(decoded, opened=opened)
        text, stopped = cut_at_stop(answer, self._stop_strings)
        if stopped:
            reason = "stop string"
        elif ended is None and len(tokens) >= self._decoding.max_new_tokens:
            reason = "length"
        else:
            reason = "end of text"
        return Completion(text, reason, len(tokens), seconds, prompt_tokens, thinking)


def _load(name: str, options: dict[str, Any], data_dir: Path) -> tuple[Any, Any, str]:
    """(model, tokenizer, revision) for a name that ``check_model`` accepts."""
    ref = parse_model(name)
    if ref.kind is ModelKind.HUB:
        return hf.load_hub(name, ref.target, ref.revision, options)
    if ref.kind is ModelKind.FOLDER:
        return *hf.load_folder(name, ref.target, options), folder_id(Path(ref.target))
    if ref.kind is ModelKind.EMBEDDED:
        folder, content = converted_folder(embedded_gguf(), data_dir, EMBEDDED)
    else:
        folder, content = converted_folder(Path(ref.target), data_dir)
    label = f"{name} (converted in {folder}; delete that folder to convert it again)"
    return *hf.load_folder(label, str(folder), options), content


def _end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """The tokens that end a text: the model's own list (one number, several or none), else the tokenizer's."""
    ends = model.generation_config.eos_token_id
    if ends is None:
        ends = tokenizer.eos_token_id
    if ends is None:
        return []
    return list(ends) if isinstance(ends, list) else [ends]


def _think_tokens(tokenizer: Any) -> tuple[int, int] | None:
    """The tokens that open and close a block of thoughts; None for a model that does not reason in such blocks."""
    vocabulary = tokenizer.get_vocab()
    return (vocabulary[_THINK[0]], vocabulary[_THINK[1]]) if all(mark in vocabulary for mark in _THINK) else None


def _out_of_memory(error: BaseException) -> bool:
    # On the CPU the allocator raises a plain RuntimeError, told only by its text.
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or "DefaultCPUAllocator" in str(error)
