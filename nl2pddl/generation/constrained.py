"""Holds a transformers model to a grammar, token by token, each row of a batch to its own; imported lazily."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import llguidance
import llguidance.hf
import numpy as np
import torch
from transformers import LogitsProcessor

from nl2pddl.errors import ModelError, NL2PDDLError
from nl2pddl.grammar import ActionGrammar


class GrammarTokens:
    """A tokenizer prepared for grammars, once a model."""

    def __init__(self, name: str, tokenizer: Any, end_tokens: Sequence[int]) -> None:
        try:
            self.tokens = llguidance.hf.from_tokenizer(tokenizer)
        except Exception as error:  # it raises whatever the tokenizer's kind makes it stumble over
            raise ModelError(
                f"{name}: its tokenizer cannot be used with a grammar ({error}); switch the grammar off"
            ) from error
        self.end_tokens = list(end_tokens) or [int(self.tokens.eos_token)]


class _Row:
    """One answer as far as it has come, with the matcher of the stage it is in."""

    def __init__(self, tokens: GrammarTokens, grammar: ActionGrammar, most_tokens: int) -> None:
        self._tokens = tokens
        self._grammar = grammar
        self._most_tokens = most_tokens
        self._written: list[int] = []
        self._key: tuple[object, ...] | None = None
        self._matcher: Any = None
        self._advance()

    def accept(self, token: int) -> None:
        """Take the token that was chosen."""
        if self._matcher.is_stopped() or token in self._tokens.end_tokens:
            return
        self._written.append(token)
        self._consume([token])
        self._advance()

    def _advance(self) -> None:
        """Change to the next stage's grammar where the text has reached it."""
        text = self._tokens.tokens.decode_bytes(self._written).decode("utf-8", "replace")
        stage = self._grammar.stage(text, self._most_tokens - len(self._written))
        if stage.key != self._key:
            self._key = stage.key
            grammar = llguidance.LLMatcher.grammar_from_lark(stage.lark)
            self._matcher = llguidance.LLMatcher(self._tokens.tokens, grammar, log_level=0)
            self._consume(self._written)

    def _consume(self, tokens: Sequence[int]) -> None:
        self._matcher.consume_tokens(list(tokens))
        if self._matcher.is_error():
            raise NL2PDDLError(f"the grammar of '{self._grammar.action}' failed: {self._matcher.get_error()}")

    def allowed(self, vocabulary: int) -> torch.Tensor:
        """One boolean a token of the vocabulary."""
        allowed = torch.zeros(vocabulary, dtype=torch.bool)
        if self._matcher.is_stopped():
            allowed[self._tokens.end_tokens] = True
            return allowed
        bits = np.unpackbits(np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8), bitorder="little")
        known = min(vocabulary, self._tokens.tokens.vocab_size)
        allowed[:known] = torch.from_numpy(bits[:known].astype(bool))
        ends = self._matcher.is_accepting()
        allowed[self._tokens.end_tokens] = ends
        return allowed


class GrammarProcessor(LogitsProcessor):
    """Leaves each row of a batch only the tokens that its grammar allows next; rows without one are left alone.

    For one call of ``generate``. ``prompt_tokens`` is the width of the batch before generation.
    """

    def __init__(
        self,
        tokens: GrammarTokens,
        grammars: Sequence[ActionGrammar | None],
        prompt_tokens: int,
        max_new_tokens: int,
    ) -> None:
        self._rows = [_Row(tokens, grammar, max_new_tokens) if grammar else None for grammar in grammars]
        self._seen = prompt_tokens

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Scores with minus infinity where the grammar forbids a token."""
        new = input_ids[:, self._seen :].tolist()
        self._seen = input_ids.shape[1]
        for index, row in enumerate(self._rows):
            if row is None:
                continue
            for token in new[index]:
                row.accept(token)
            allowed = row.allowed(scores.shape[-1]).to(scores.device)
            scores[index].masked_fill_(~allowed, float("-inf"))
        return scores
