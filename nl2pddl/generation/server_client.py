"""The connection to one OpenAI-compatible server: when requests start, how often they are tried, what ends them."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from nl2pddl.errors import ModelError
from nl2pddl.experiment import Decoding
from nl2pddl.generation.listed import Server
from nl2pddl.generation.server_wire import Secret, TransientError, error_text, one_line, refusal, retry_after

_CONNECT_SECONDS = 30.0
_CLOSE_SECONDS = 2.0
_RETRIED = {408: "timeout", 409: "server", 425: "server", 429: "rate limit"}
_LOGGERS = ("httpx2", *(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")))

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Patience:
    """How long and how often a server is tried; all in seconds but ``tries``. ``sleep`` and ``clock`` are for tests.

    Before try n + 1 there is a wait drawn uniformly from 0 to ``first_wait`` * 2 ** (n - 1), at most ``longest_wait``,
    on top of what the server asks for (at most ``longest_retry_after``). After ``total`` no further try starts.
    ``ask`` is how long it may take until somebody who wants to stop is heard.
    """

    tries: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    longest_retry_after: float = 120.0
    total: float = 600.0
    ask: float = 0.1
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic


class Gate:
    """Lets requests start one after another: so many a minute at most, and none during a pause."""

    def __init__(self, per_minute: float | None, patience: Patience) -> None:
        self._interval = 60 / per_minute if per_minute else 0.0
        self._patience = patience
        self._free = -math.inf
        self._queue = asyncio.Lock()

    def pause(self, seconds: float) -> None:
        """Let nothing start in the next ``seconds``."""
        self._free = max(self._free, self._patience.clock() + seconds)

    async def enter(self) -> None:
        """Return when it is one's turn to start."""
        async with self._queue:
            while (wait := self._free - self._patience.clock()) > 0:
                await self._patience.sleep(wait)
            self._free = self._patience.clock() + self._interval


class _HideKey(logging.Filter):
    """Takes the key out of the HTTP library's records: at DEBUG they hold the headers that a server sends."""

    def __init__(self, secret: Secret) -> None:
        super().__init__()
        self._secret = secret

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, without the key."""
        text = record.getMessage()
        if (hidden := self._secret.hide(text)) != text:
            record.msg, record.args = hidden, ()
        return True


class ServerClient:
    """Sends requests from one event loop in a thread of its own, where each can be given up at any moment.

    A request given up closes its connection, so that the server need not finish it. ``trouble`` says what the last try
    without an answer met with, until the next answer comes.
    """

    def __init__(self, server: Server, decoding: Decoding, secret: Secret, patience: Patience) -> None:
        self._server = server
        self._decoding = decoding
        self._secret = secret
        self._patience = patience
        self._gate = Gate(server.requests_per_minute, patience)
        self.trouble = ""
        self._thread: threading.Thread | None = None
        self._loop = asyncio.new_event_loop()
        self._filter = _HideKey(secret)
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self._filter)
        try:
            self._http = self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> httpx2.AsyncClient:
        try:
            httpx2.URL(self._server.url)
            return httpx2.AsyncClient(
                headers={**self._secret.headers(), "Content-Type": "application/json"},
                timeout=httpx2.Timeout(self._server.timeout, connect=min(_CONNECT_SECONDS, self._server.timeout)),
                limits=httpx2.Limits(),  # none: the batch is the limit
                follow_redirects=False,  # the key is for this host only
            )
        except (httpx2.InvalidURL, ValueError, OSError) as error:
            # Not its text: it may hold a proxy's password.
            raise ModelError(
                f"{self._server.url}: cannot prepare a connection ({type(error).__name__}); check the url, and the "
                "environment variables HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE"
            ) from None

    def start(self, work: Coroutine[Any, Any, _Result]) -> Future[_Result]:
        """Begin ``work`` in the loop; cancelling what is returned gives it up."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop.run_forever, name="model server", daemon=True)
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def ask(self, path: str, body: bytes, read: Callable[[bytes], _Result]) -> _Result:
        """Post ``body`` and ``read`` the answer, again and again while there is hope (in the loop only).

        Raises ``TransientError`` after the last try, ``ModelError`` where another try would change nothing.
        """
        await self._gate.enter()  # before the clock of the tries starts: waiting for one's turn is no failure
        first = True

        async def once() -> _Result:
            nonlocal first
            if not first:
                await self._gate.enter()
            first = False
            result = read(await self._post(path, body))
            self.trouble = ""
            return result

        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._patience.tries) | stop_before_delay(self._patience.total),
            wait=self._wait,
            retry=retry_if_exception_type(TransientError),
            sleep=self._patience.sleep,
            reraise=True,
        )
        try:
            result: _Result = await retrying(once)
        except TransientError as error:
            error.attempts = retrying.statistics["attempt_number"]
            raise
        return result

    def _wait(self, state: RetryCallState) -> float:
        jitter = wait_random_exponential(self._patience.first_wait, self._patience.longest_wait)(state)
        error = state.outcome.exception() if state.outcome else None
        if not isinstance(error, TransientError):
            return jitter
        self.trouble = f"try {state.attempt_number} of {self._patience.tries} got no answer ({error.message})"
        return jitter + error.retry_after

    async def _post(self, path: str, body: bytes) -> bytes:
        try:
            # httpx2's own timeout starts again with every byte that comes.
            async with asyncio.timeout(self._server.timeout):
                response = await self._http.post(self._server.url.rstrip("/") + path, content=body)
        except (TimeoutError, httpx2.TimeoutException) as error:
            what = "no connection" if isinstance(error, httpx2.ConnectTimeout) else "no whole answer"
            raise TransientError("timeout", f"{what} within the time limit of {self._server.timeout:g} s") from None
        except httpx2.DecodingError as error:
            raise TransientError("invalid answer", one_line(str(error), self._secret)) from None
        except httpx2.TransportError as error:
            what = one_line(str(error), self._secret)
            advice = "; is the server running there?" if isinstance(error, httpx2.ConnectError) else ""
            host = urlsplit(self._server.url).netloc
            raise TransientError("connection", f"{host}: {what} ({type(error).__name__}){advice}") from None
        self._check(response)
        return response.content

    def _check(self, response: httpx2.Response) -> None:
        status = response.status_code
        if response.is_success:
            return
        message = error_text(response.content, self._secret)
        if status not in _RETRIED and status < 500:
            raise refusal(status, message, self._server, self._decoding)
        seconds = retry_after(response.headers.get("Retry-After"), self._patience.longest_retry_after)
        self._gate.pause(seconds)
        raise TransientError(_RETRIED.get(status, "server"), f"HTTP {status}: {message}", seconds)

    def close(self) -> None:
        """Give up what is under way and close the connections; returns within seconds whatever the server does."""
        if self._thread is not None and self._thread.is_alive():
            with suppress(TimeoutError):
                asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result(_CLOSE_SECONDS)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_CLOSE_SECONDS)
        if self._thread is None or not self._thread.is_alive():
            self._loop.close()
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self._filter)

    async def _shut(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSE_SECONDS / 2)
        await self._http.aclose()
