"""Shows text as text: names, outputs and messages come from outside and must never be read as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable

import streamlit as st

from nl2pddl.experiment import Decoding, Turn

LONGEST_SHOWN = 20_000
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# Addresses become links even where every mark is escaped, unless a letter or the like stands before them.
_ADDRESS = re.compile(r"(?i)(?=(?:https?://|www\.))|(?=@)")
_NO_LINK = "\u2060"  # word joiner: nothing to see


def plain(text: object) -> str:
    """Text for a Streamlit label or message, which reads Markdown: every mark escaped, no links, on one line."""
    return _PUNCTUATION.sub(r"\\\1", _ADDRESS.sub(_NO_LINK, " ".join(str(text).split())))


def as_typed(text: str) -> str:
    """A name that a person typed, or copied from a page, where ``plain`` keeps addresses from being links."""
    return text.replace(_NO_LINK, "").strip()


def show_fault(title: str, *reasons: str) -> None:
    """An error box with its reasons as a list."""
    st.error("\n".join([title, "", *(f"- {plain(reason)}" for reason in reasons)]), icon=":material/error:")


def show_text(text: str, *, height: int | None = None) -> None:
    """A block of untrusted text with a copy button; at most ``height`` pixels high, then it scrolls.

    Of a very long text the beginning is shown, with a line that says so: a browser draws a megabyte for minutes.
    """
    st.code(text[:LONGEST_SHOWN], language=None, wrap_lines=True, height=height or "content")
    if len(text) > LONGEST_SHOWN:
        st.caption(f"The first {LONGEST_SHOWN:,} of {len(text):,} characters; the store holds all of them.")


def show_dialogue(title: str, turns: Iterable[Turn]) -> None:
    """What was asked and what the model answered, one after another, behind a title."""
    with st.expander(title, icon=":material/forum:"):
        for turn in turns:
            st.markdown(f"**{'The model' if turn.role == 'assistant' else 'Asked'}**")
            show_text(turn.content, height=320 if len(turn.content) > 1500 else None)


def reasons_of(error: Exception) -> tuple[str, ...]:
    """Everything an error lists, one line each; the message itself where it lists nothing."""
    listed: Iterable[str] = getattr(error, "problems", ())
    return tuple(listed) or (str(error),)


def decoding_in_words(decoding: Decoding) -> str:
    """How tokens were chosen: "greedy, at most 300 new tokens, stop at 'Input:'"."""
    how = "greedy" if decoding.greedy else f"sampled, temperature {decoding.temperature:g}, top-p {decoding.top_p:g}"
    stops = ", ".join(repr(stop) for stop in decoding.stop_strings)
    return f"{how}, at most {decoding.max_new_tokens} new tokens, stop at {stops}"
