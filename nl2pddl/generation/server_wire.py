"""What is sent to an OpenAI-compatible server and what it sends back: bodies, answers, errors; no network here."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

from nl2pddl.errors import ModelError
from nl2pddl.experiment import ChatMode, Decoding
from nl2pddl.generation.base import GenerationRequest, cut_at_stop, split_thinking
from nl2pddl.generation.listed import Server

_MOST_STOPS = 4  # more are an error at most servers
_SEEDS = 2**31 - 1  # llama.cpp takes 32 bits, and the largest of them means "choose one"
_LONGEST_MESSAGE = 300
_NO_ANSWER = ("content_filter", "error", "abort")  # finish reasons of a text that the model did not end
_TOO_LONG = re.compile(
    r"context.{0,20}(length|size|window)|too long|too large|max_new_tokens|maximum.{0,20}tokens", re.I
)


class TransientError(Exception):
    """A try without an answer that may do better later. ``kind`` and ``message`` are those of a ``Fault``.

    ``retry_after`` is the seconds that the server asks to wait. ``attempts`` counts the tries so far.
    """

    def __init__(self, kind: str, message: str, retry_after: float = 0.0) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.retry_after = retry_after
        self.attempts = 1


_SHORTEST_SECRET = 12


class Secret:
    """An API key, which shows in no repr; ``hide`` takes it out of other texts."""

    def __init__(self, value: str) -> None:
        self._value = value
        escaped = {value, repr(value)[1:-1], json.dumps(value)[1:-1], value.replace("/", "\\/"), quote(value, safe="")}
        self._spellings = sorted(escaped - {""}, key=len, reverse=True)

    def __repr__(self) -> str:
        return "[key]"

    def hide(self, text: str) -> str:
        """The text with ``[key]`` where the key stood."""
        for spelling in self._spellings:
            text = text.replace(spelling, "[key]")
        return text

    def hide_in_answer(self, text: str) -> str:
        """As ``hide``, for a model's answer, in which a short key, a dummy such as "ollama", may stand as a word."""
        return self.hide(text) if len(self._value) >= _SHORTEST_SECRET else text

    def headers(self) -> dict[str, str]:
        """What sends the key; nothing where there is none."""
        return {"Authorization": f"Bearer {self._value}"} if self._value else {}


def read_key(variable: str) -> Secret:
    """The key in an environment variable, perhaps none. ``ModelError`` where no header can hold it."""
    value = os.environ.get(variable, "").strip()
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ModelError(f"the key in ${variable} holds spaces or other characters that cannot be sent; set it again")
    return Secret(value)


def request_body(request: GenerationRequest, server: Server, decoding: Decoding) -> dict[str, Any]:
    """The JSON of one request. ``ModelError`` where it asks for a grammar that the server cannot take.

    As a chat message no stop strings are sent: servers look for them in the thoughts as well, and do not always say
    where those end. The answer is cut here all the same.
    """
    body: dict[str, Any] = {"model": server.model, "max_tokens": decoding.max_new_tokens, "stream": False}
    if decoding.chat is ChatMode.TEMPLATE:
        body["messages"] = [{"role": turn.role, "content": turn.content} for turn in request.turns]
    else:
        body["prompt"] = request.prompt
        if stops := [stop for stop in decoding.stop_strings if stop][:_MOST_STOPS]:
            body["stop"] = stops
    body["temperature"] = decoding.temperature
    if not decoding.greedy:
        body["top_p"] = decoding.top_p
        body["seed"] = request.seed % _SEEDS
    if request.grammar is not None:
        body |= _grammar(request.grammar.gbnf, server)
    return body


def _grammar(text: str, server: Server) -> dict[str, Any]:
    match server.guided:
        case "vllm":
            # Up to vLLM 0.11 the second name, since 0.10.2 the first; either is ignored where it is not known
            # (docs.vllm.ai, "Structured Outputs").
            return {"structured_outputs": {"grammar": text}, "guided_grammar": text}
        case "llama.cpp":
            return {"grammar": text}
    raise ModelError(
        f"{server.model} at {server.url}: the run asks for a grammar, but nothing says how this server takes one; "
        'set `guided` to "vllm" or "llama.cpp", or run without a grammar'
    )


@dataclass(frozen=True)
class Answer:
    """An answer as in ``Completion``. ``served`` is what the server says it runs.

    ``cut_thought`` tells that the text ended while the model still thought, which a stop string may have caused.
    """

    text: str
    thinking: str
    stop_reason: str
    new_tokens: int
    prompt_tokens: int
    served: str
    cut_thought: bool


def read_answer(content: bytes, decoding: Decoding, secret: Secret) -> Answer:
    """Read the body of an answer; ``TransientError`` where it is none.

    Where a server removes the stop string and does not name it, the stop reason is "end of text".
    """
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise TransientError("invalid answer", f"no JSON: {error_text(content, secret)}") from None
    choices = data.get("choices") if isinstance(data, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise TransientError("invalid answer", f"JSON without choices: {error_text(content, secret)}")
    finish = choice.get("finish_reason")
    if finish in _NO_ANSWER:
        raise TransientError("invalid answer", f"the server ended the text itself ({finish})")
    thinking, whole, empty = _thinking_and_text(choice)
    text, cut = cut_at_stop(whole, decoding.stop_strings)
    reason = "stop string" if cut else _stop_reason(choice, decoding)
    usage = data.get("usage")
    return Answer(
        text=_unicode(text),
        thinking=_unicode(thinking),
        stop_reason=reason,
        new_tokens=_count(usage, "completion_tokens"),
        prompt_tokens=_count(usage, "prompt_tokens"),
        served=_served(data, secret),
        cut_thought=not empty and not whole and reason != "length",
    )


def _thinking_and_text(choice: dict[str, Any]) -> tuple[str, str, bool]:
    """What was thought, what was answered, and whether there is nothing of either, not even a mark."""
    message = choice.get("message")
    if not isinstance(message, dict):
        message = {"content": choice.get("text")}
    apart = next((text for name in ("reasoning_content", "reasoning") if (text := message.get(name))), None)
    text = message.get("content")
    if isinstance(apart, str):
        return apart, text if isinstance(text, str) else "", False
    if not isinstance(text, str):
        raise TransientError("invalid answer", "JSON without a text")
    return *split_thinking(text), not text.strip()


def _stop_reason(choice: dict[str, Any], decoding: Decoding) -> str:
    finish = choice.get("finish_reason")
    if finish == "length":
        return "length"
    named = choice.get("stop_reason")  # vLLM's
    return "stop string" if finish == "stop_sequence" or named in decoding.stop_strings else "end of text"


def _count(usage: object, name: str) -> int:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if type(value) is int and value >= 0 else 0


def _served(data: dict[str, Any], secret: Secret) -> str:
    names = [name for name in (data.get("model"), data.get("system_fingerprint")) if isinstance(name, str) and name]
    return one_line(" ".join(names), secret)


def _unicode(text: str) -> str:
    """The text with halves of surrogate pairs replaced: they are no Unicode text and cannot be stored."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def one_line(text: str, secret: Secret) -> str:
    """What a server says, fit for a message: without the key, on one line, at most 300 characters."""
    # The key goes first: cut in two it would not be found.
    line = " ".join(secret.hide(_unicode(text)).split())
    line = "".join(character for character in line if character.isprintable())
    return line if len(line) <= _LONGEST_MESSAGE else line[: _LONGEST_MESSAGE - 1] + "…"


def error_text(content: bytes, secret: Secret) -> str:
    """The message in an error's body: OpenAI's error.message, TGI's error, vLLM's message, FastAPI's detail, or all."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and found.get(name):
            found = found[name]
    text = found if isinstance(found, str) else content.decode("utf-8", "replace")
    return one_line(text, secret) or "no message"


def refusal(status: int, message: str, server: Server, decoding: Decoding) -> ModelError:
    """Why a server will never answer a request, by its HTTP status and its message, and what to do about it."""
    who = f"{server.model} at {server.url}"
    if status in (401, 403):
        return ModelError(
            f"{who}: the server refuses the key (HTTP {status}); put a valid one into the environment variable "
            f"{server.key_env}"
        )
    if 300 <= status < 400:
        return ModelError(f"{who}: the server redirects to another address (HTTP {status}); give that one as the url")
    if status == 404:
        advice = "check the model's name and that the url ends before /completions (usually in /v1)"
        if decoding.chat is ChatMode.RAW:
            advice += "; the server may only chat: give the prompt by the chat template then"
        return ModelError(f"{who}: no such model or endpoint (HTTP 404: {message}); {advice}")
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(message)):
        return ModelError(
            f"{who}: the prompt and {decoding.max_new_tokens} new tokens exceed the context length "
            f"(HTTP {status}: {message}); use fewer context examples or new tokens"
        )
    return ModelError(f"{who}: the server refuses the request (HTTP {status}): {message}")


def retry_after(value: str | None, longest: float) -> float:
    """The seconds of a Retry-After header (a number or an HTTP date), at most ``longest``; 0 where it says nothing."""
    text = (value or "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", text):
        return min(float(text), longest)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return min(max((date - datetime.now(UTC)).total_seconds(), 0.0), longest)
