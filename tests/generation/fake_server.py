"""A small HTTP server that answers like an OpenAI-compatible one, or fails in the ways such servers fail."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE = 60.0  # seconds until a reply that is held is given up, so that no test can hang


@dataclass(frozen=True)
class Seen:
    """A request as it came in; ``number`` counts from 0."""

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return self.body["prompt"] if "prompt" in self.body else self.body["messages"][-1]["content"]


@dataclass(frozen=True)
class Reply:
    """What to send back. ``cut``: announce more than is sent, then reset the connection.

    ``until_gone`` waits until the client has closed the connection, and sends nothing. ``drip``: the body comes after
    a hundred spaces, of which each takes a while.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    reason: str | None = None
    cut: bool = False
    until_gone: bool = False
    drip: bool = False


def as_json(data: object, **options: Any) -> Reply:
    return Reply(json.dumps(data).encode(), **options)


def text(answer: str | None, finish: str | None = "stop", usage: object = None, **choice: Any) -> Reply:
    """An answer of /completions."""
    return as_json(
        {"model": "served", "choices": [{"text": answer, "finish_reason": finish, **choice}], "usage": usage}
    )


def chat(answer: str | None, finish: str | None = "stop", **message: Any) -> Reply:
    """An answer of /chat/completions."""
    return as_json({"choices": [{"message": {"content": answer, **message}, "finish_reason": finish}]})


def error(status: int, message: str = "busy", **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return as_json({"error": {"message": message}}, status=status, headers=named)


def in_turn(*replies: Reply) -> Callable[[Seen], Reply]:
    """One reply after another, then the last for ever."""
    return lambda seen: replies[min(seen.number, len(replies) - 1)]


class FakeServer:
    """Listens on a free port of this machine. ``script`` chooses the reply to each request; ``seen`` keeps them all."""

    def __init__(self) -> None:
        self.script: Callable[[Seen], Reply] = lambda seen: text(f"answer to {seen.prompt}")
        self.seen: list[Seen] = []
        self.came = threading.Event()  # there was a request
        self.gone = threading.Event()  # a client closed its connection before it was answered
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._http.block_on_close = False
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def record(self, path: str, headers: dict[str, str], body: bytes) -> Seen:
        with self._lock:
            seen = Seen(len(self.seen), path, headers, json.loads(body))
            self.seen.append(seen)
        self.came.set()
        return seen

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def _handler(fake: FakeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            reply = fake.script(fake.record(self.path, dict(self.headers), content))
            if reply.until_gone:
                self._wait_for_the_end()
                return
            self.send_response(reply.status, reply.reason)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body) + 100 * (reply.cut + reply.drip)))
            self.end_headers()
            for _ in range(100 * reply.drip):
                self.wfile.write(b" ")
                time.sleep(0.02)
            self.wfile.write(reply.body)
            if reply.cut:
                self._reset()

        def _wait_for_the_end(self) -> None:
            self.close_connection = True
            self.connection.settimeout(PATIENCE)
            try:
                left = self.connection.recv(1)
            except ConnectionError:
                left = b""
            if not left:
                fake.gone.set()

        def _reset(self) -> None:
            self.close_connection = True
            self.wfile.flush()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        def handle(self) -> None:
            with suppress(ConnectionError):  # the client had enough
                super().handle()

        def log_message(self, *_: object) -> None:
            pass

    return Handler
