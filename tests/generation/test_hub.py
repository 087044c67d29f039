"""Hub ids against a small server that speaks the hub's protocol on this machine."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"

# The hub's address is read when its library is imported, so every try is a process of its own.
CLIENT = """
import sys
from pathlib import Path
from nl2pddl.generation.base import GenerationRequest
from nl2pddl.errors import ModelError
from nl2pddl.generation import open_backend
from nl2pddl.experiment import Decoding
for name in sys.argv[2:]:
    try:
        backend = open_backend(name, Decoding(max_new_tokens=5), Path(sys.argv[1]))
        answer = backend.generate([GenerationRequest(0, "d", "a", 0, "The robot")])[0]
        print(backend.info.revision, answer.new_tokens)
    except ModelError as error:
        print(error)
"""


class _Hub(BaseHTTPRequestHandler):
    """Serves one model as org/tiny; other repositories are unknown, gated or broken by their names."""

    folder: Path

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if "/org/tiny" not in path and "/org/gated" not in path:
            self._reply(404, {"X-Error-Code": "RepoNotFound"})
        elif path.endswith("/revision/absent"):
            self._reply(404, {"X-Error-Code": "RevisionNotFound"})
        elif "/tree/" in path:
            files = [{"type": "file", "path": file.name, "size": 1, "oid": COMMIT} for file in self.folder.iterdir()]
            self._reply(200, {}, json.dumps(files).encode())
        elif path.startswith("/api/"):
            self._reply(200, {}, json.dumps({"id": "org/tiny", "sha": COMMIT, "siblings": []}).encode())
        elif "gated" in path:
            self._reply(403, {"X-Error-Code": "GatedRepo"})
        else:
            self._send_file(self.folder / path.rsplit("/", 1)[1])

    do_HEAD = do_GET

    def _send_file(self, file: Path) -> None:
        if not file.is_file():
            self._reply(404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT})
            return
        body = file.read_bytes()
        self._reply(200, {"ETag": f'"{hashlib.sha256(body).hexdigest()}"', "X-Repo-Commit": COMMIT}, body)

    def _reply(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), "Content-Type": "application/json", **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Keep the tests' output clean."""


@contextmanager
def _hub(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Hub", (_Hub,), {"folder": folder}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _open(endpoint: str, tmp_path: Path, *names: str) -> subprocess.CompletedProcess[str]:
    own = ("HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN", "TRANSFORMERS_OFFLINE")
    environment = {key: value for key, value in os.environ.items() if key not in own}
    environment |= {"HF_ENDPOINT": endpoint, "HF_HOME": str(tmp_path / "cache"), "NO_PROXY": "127.0.0.1"}
    command = [sys.executable, "-c", CLIENT, str(tmp_path / "data"), *names]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=240)


def test_a_hub_model_is_downloaded_once_and_then_needs_no_network(
    tiny_model: Callable[..., Path], tmp_path: Path
) -> None:
    with _hub(tiny_model(hidden_size=8, intermediate_size=16)) as endpoint:
        names = ("org/tiny", "org/tiny@main", "org/unknown", "org/gated", "org/tiny@absent")
        online = _open(endpoint, tmp_path, *names).stdout.splitlines()
    assert online[:2] == [f"{COMMIT} 5"] * 2
    assert "org/unknown: unknown to the Hugging Face hub, or private" in online[2]
    assert "org/gated: gated on the Hugging Face hub" in online[3]
    assert "org/tiny@absent: no such revision" in online[4]
    without_hub = _open(endpoint, tmp_path, "org/tiny", f"org/tiny@{COMMIT}", "org/other")
    assert "Retrying" not in without_hub.stderr  # each of the library's retries would take half a minute
    offline = without_hub.stdout.splitlines()
    assert offline[:2] == [f"{COMMIT} 5"] * 2
    assert "org/other: the Hugging Face hub cannot be reached and the model is not in the local cache" in offline[2]
