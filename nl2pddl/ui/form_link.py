"""Keeps the launch form in the page's address, so that a reload or a link opens it as it was."""

from __future__ import annotations

import base64
import binascii
import json
import zlib

import streamlit as st

from nl2pddl.experiment import RunConfig, RunKind, run_config_from_dict
from nl2pddl.runs import LARGEST_SEED, MOST_ROUNDS
from nl2pddl.ui.details import GRAMMARS
from nl2pddl.ui.launching import take_over

_PARAMETER = "form"
_KEPT, _MOST_KEPT = "forms_kept", 100
_LONGEST = 20_000  # characters of an address, unpacked: no form is that long


def reopen() -> None:
    """Fill the form with what the address holds, if this visit did not put it there; what cannot be read is passed
    over."""
    packed = st.query_params.get(_PARAMETER)
    # All of them, not the last: a browser that is a step behind must not undo what was just chosen.
    if not packed or packed in st.session_state.get(_KEPT, ()):
        return
    _remember(packed)
    config = unpacked(packed)
    if config is not None and _fits_the_form(config):
        take_over(config)


def _fits_the_form(config: RunConfig) -> bool:
    """Whether the widgets take it: an address can say anything. What cannot be run is said when it is launched."""
    decoding, evaluation = config.decoding, config.evaluation
    numbers = (
        (config.prompts, 1, 1000), (config.seed, 0, LARGEST_SEED), (config.context_examples, 0, 20),
        (config.draws, 1, 100), (config.rounds, 0, MOST_ROUNDS), (decoding.max_new_tokens, 1, 8192),
        (decoding.batch_size, 1, 512), (decoding.temperature, 0, 5), (decoding.top_p, 0.01, 1),
        (evaluation.k, 1, 10_000), (evaluation.seconds, 1, 3600), (evaluation.memory_mb, 256, 1 << 24),
    )  # fmt: skip
    in_range = all(type(value) in (int, float) and low <= value <= high for value, low, high in numbers)
    return in_range and config.kind is not RunKind.IMPORTED and config.grammars in GRAMMARS.values()


def keep(config: RunConfig) -> None:
    """Put the form as it stands into the address."""
    text = packed(config)
    _remember(text)
    st.query_params[_PARAMETER] = text


def _remember(text: str) -> None:
    st.session_state[_KEPT] = [*st.session_state.get(_KEPT, ()), text][-_MOST_KEPT:]


def packed(config: RunConfig) -> str:
    """A configuration as text for an address."""
    text = json.dumps(config.to_dict(), separators=(",", ":"))
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpacked(text: str) -> RunConfig | None:
    """The configuration that ``packed`` made a text of; None for any other text."""
    try:
        content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        plain = zlib.decompressobj().decompress(content, _LONGEST)
        return run_config_from_dict(json.loads(plain))
    except (binascii.Error, zlib.error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
