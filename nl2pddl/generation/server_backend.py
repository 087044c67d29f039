"""A backend for models behind an OpenAI-compatible server: vLLM, TGI, llama.cpp, Ollama, or a hosted one."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from nl2pddl.errors import ModelError
from nl2pddl.experiment import ChatMode, Completion, Decoding, Fault, ModelInfo
from nl2pddl.generation.base import GenerationRequest, never
from nl2pddl.generation.listed import Server
from nl2pddl.generation.server_wire import Answer, Secret, TransientError, read_answer, read_key, request_body

if TYPE_CHECKING:
    from nl2pddl.generation.server_client import Patience

GUIDED = ("", "vllm", "llama.cpp")


def check_server(server: Server) -> None:
    """Raise ``ModelError`` where a server's settings cannot be right, as far as can be told without asking it."""
    if "@" in server.url:
        raise ModelError(
            "the server's url holds a user name or a password (an @), which is refused; put the key into the "
            "environment variable that key_env names, and leave it out of the url"
        )
    try:
        parts = urlsplit(server.url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not server.url.isprintable() or " " in server.url:
        raise ModelError(f"{server.url!r}: not the url of a server; give one such as http://localhost:8000/v1")
    if parts.query or parts.fragment:
        raise ModelError(f"{server.url!r}: the url goes on after its path; end it before any ? or #")
    if not server.model.strip():
        raise ModelError(f"{server.url}: no model is named; give the name that the server lists under /models")
    if server.guided not in GUIDED:
        raise ModelError(f'{server.url}: guided is {server.guided!r}; give "vllm", "llama.cpp" or "" (no grammars)')
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", server.key_env):
        # Without showing it: it is perhaps the key.
        raise ModelError(f"{server.url}: key_env is not the name of an environment variable; put the key into one")
    if not server.timeout > 0:
        raise ModelError(f"{server.url}: the timeout is {server.timeout}; give seconds above 0")
    if server.requests_per_minute is not None and not server.requests_per_minute > 0:
        raise ModelError(f"{server.url}: requests_per_minute is {server.requests_per_minute}; give a number above 0")


class ServerBackend:
    """A model that a server runs. The requests of a batch are under way together.

    The key is read from the environment once, is sent to the server's own host only, and shows in no message, log
    record or result. Thoughts are kept apart, whether the server does that or leaves them in the text.
    """

    def __init__(self, name: str, server: Server, decoding: Decoding, patience: Patience | None = None) -> None:
        """Nothing is sent yet. ``ModelError`` where the settings or the key cannot be right."""
        from nl2pddl.generation import server_client

        check_server(server)
        self._server = server
        self._decoding = decoding
        self._path = "/chat/completions" if decoding.chat is ChatMode.TEMPLATE else "/completions"
        self._secret = read_key(server.key_env)
        self._patience = patience or server_client.Patience()
        self._client = server_client.ServerClient(server, decoding, self._secret, self._patience)
        self._send_stops = True
        self.info = ModelInfo(name=name, device="server")

    def key(self, request: GenerationRequest) -> str | None:
        """None: a server's weights cannot be known, and may change under the same name."""
        return None

    def generate(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[], bool] = never
    ) -> list[Completion | Fault]:
        """Answer a batch, each request on its own: one that fails to the last try gives a ``Fault``.

        When ``should_stop`` says yes, what is missing is given up and comes back as faults. ``ModelError`` where the
        server refuses (key, model, endpoint, length), or where a grammar is asked for that it cannot take.
        """
        started = time.perf_counter()
        bodies = [request_body(request, self._server, self._decoding) for request in requests]
        futures = [self._client.start(self._answer(body)) for body in bodies]
        try:
            self._await(futures, should_stop)
        finally:
            for future in futures:
                future.cancel()
        seconds = (time.perf_counter() - started) / max(len(requests), 1)
        answers = [_outcome(future) for future in futures]
        served = next((answer.served for answer in answers if isinstance(answer, Answer) and answer.served), "")
        self.info = replace(self.info, revision=served or self.info.revision)
        return [
            _completion(answer, seconds, self._secret) if isinstance(answer, Answer) else answer for answer in answers
        ]

    @property
    def trouble(self) -> str:
        """What the last try without an answer met with, until the next answer comes."""
        return self._client.trouble

    def close(self) -> None:
        """Give up what is under way and close the connections; takes seconds at most."""
        self._client.close()

    async def _answer(self, body: dict[str, Any]) -> Answer:
        if not self._send_stops:
            body.pop("stop", None)
        answer = await self._ask(body)
        if answer.cut_thought and "stop" in body:
            # Stop strings count in the answer only, but servers look for them in the thoughts too.
            self._send_stops = False
            del body["stop"]
            answer = await self._ask(body)
        return answer

    async def _ask(self, body: dict[str, Any]) -> Answer:
        # ASCII: a prompt may hold half of a surrogate pair, which UTF-8 cannot express and a JSON escape can.
        content = json.dumps(body).encode("ascii")
        return await self._client.ask(self._path, content, self._read)

    def _read(self, content: bytes) -> Answer:
        return read_answer(content, self._decoding, self._secret)

    def _await(self, futures: Sequence[Future[Answer]], should_stop: Callable[[], bool]) -> None:
        """Return when all have ended or somebody wants to stop; raise what ends the whole batch."""
        pending = set(futures)
        while pending and not should_stop():
            done, pending = wait(pending, self._patience.ask, FIRST_COMPLETED)
            for future in done:
                _outcome(future)


def _outcome(future: Future[Answer]) -> Answer | Fault:
    """How one request ended; raises what is no fault of this request alone."""
    try:
        return future.result(timeout=0)
    except CancelledError:
        return Fault("stopped", "given up before the answer came, because the run was to stop")
    except TransientError as error:
        return Fault(error.kind, error.message, error.attempts)


def _completion(answer: Answer, seconds: float, secret: Secret) -> Completion:
    return Completion(
        text=secret.hide_in_answer(answer.text),
        stop_reason=answer.stop_reason,
        new_tokens=answer.new_tokens,
        seconds=seconds,
        prompt_tokens=answer.prompt_tokens,
        thinking=secret.hide_in_answer(answer.thinking),
    )
