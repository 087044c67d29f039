"""What steers transformers' ``generate``: sampling that no batch can change, stops, and cancelling; imported lazily."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from transformers import LogitsProcessor, StoppingCriteria, StopStringCriteria, TopPLogitsWarper

_TOP_P: Any = TopPLogitsWarper
_STOPS: Any = StopStringCriteria


class SampledTokens(LogitsProcessor):
    """Makes greedy decoding sample: adds to each row Gumbel noise from a generator of the row's own.

    The largest of logits plus Gumbel noise is a draw from their softmax (the Gumbel-max trick), so this samples
    exactly; and a row's answer depends on its seed alone, not on which other rows share its batch.
    """

    def __init__(self, seeds: Sequence[int], temperature: float, top_p: float, device: str) -> None:
        self._generators = [torch.Generator(device).manual_seed(seed) for seed in seeds]
        self._temperature = temperature
        self._top_p = _TOP_P(top_p) if top_p < 1 else None

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Scores whose largest entry is the token drawn."""
        scores = scores.float() / self._temperature
        if self._top_p is not None:
            scores = self._top_p(input_ids, scores)
        for row, generator in zip(scores, self._generators, strict=True):
            noise = torch.empty_like(row).exponential_(generator=generator)
            row -= noise.log()
        return scores


class Asked(StoppingCriteria):
    """Ends the whole batch at the next token once ``should_stop`` says so."""

    def __init__(self, should_stop: Callable[[], bool]) -> None:
        self._should_stop = should_stop

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor, **_: Any) -> torch.Tensor:
        """One boolean a row of the batch."""
        return torch.full((input_ids.shape[0],), self._should_stop(), device=input_ids.device)


class StopsInAnswer(StoppingCriteria):
    """Stop strings of a reasoning model: they count once the block of thoughts is closed.

    ``think`` holds the tokens that open and close a block. The prompt is looked at too: a template may open it there.
    """

    def __init__(self, tokenizer: Any, stop_strings: Sequence[str], think: tuple[int, int]) -> None:
        self._found = _STOPS(tokenizer, list(stop_strings))
        self._opens, self._closes = think

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor, **more: Any) -> torch.Tensor:
        """One boolean a row of the batch."""
        found: torch.Tensor = self._found(input_ids, scores, **more)
        opened = (input_ids == self._opens).sum(dim=1)
        closed = (input_ids == self._closes).sum(dim=1)
        return found & (opened <= closed)
