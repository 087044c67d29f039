"""The backend for OpenAI-compatible servers, against a small server that misbehaves on request."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from nl2pddl.errors import ModelError
from nl2pddl.experiment import ChatMode, Completion, Decoding, Fault, Turn
from nl2pddl.generation.base import GenerationRequest
from nl2pddl.generation.listed import Server
from nl2pddl.generation.server_backend import ServerBackend, check_server
from nl2pddl.generation.server_client import Gate, Patience
from nl2pddl.generation.server_wire import Secret, error_text, retry_after
from tests.conftest import ROOT
from tests.generation.fake_server import FakeServer, Reply, Seen, as_json, chat, error, in_turn, text

KEY = "sk-Geheim/17+x"
QUICK = Patience(first_wait=0.001, longest_wait=0.01, ask=0.02)
TALK = Decoding(chat=ChatMode.TEMPLATE)


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    server = FakeServer()
    yield server
    server.close()


@pytest.fixture
def open_server(fake: FakeServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ServerBackend]]:
    """Opens backends on the fake server; options change its settings."""
    opened = []
    monkeypatch.setenv("NL2PDDL_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def make(decoding: Decoding | None = None, patience: Patience = QUICK, **options: Any) -> ServerBackend:
        server = Server(**{"url": fake.url, "model": "tiny", **options})
        opened.append(ServerBackend("server:tiny", server, decoding or Decoding(), patience))
        return opened[-1]

    yield make
    for backend in opened:
        backend.close()


def ask(*prompts: str, **options: Any) -> list[GenerationRequest]:
    return [GenerationRequest(index, "gripper", "move", 0, prompt, **options) for index, prompt in enumerate(prompts)]


Open = Callable[..., ServerBackend]


class TestWhatIsSent:
    def test_a_raw_prompt(self, fake: FakeServer, open_server: Open) -> None:
        open_server(Decoding(max_new_tokens=7, stop_strings=("a", "", "b", "c", "d", "e"))).generate(ask("Input: move"))
        (seen,) = fake.seen
        assert (seen.path, seen.headers["Authorization"]) == ("/v1/completions", f"Bearer {KEY}")
        assert seen.body == {
            "model": "tiny",
            "prompt": "Input: move",
            "max_tokens": 7,
            "temperature": 0,
            "stop": ["a", "b", "c", "d"],
            "stream": False,
        }

    def test_turns_as_messages(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = in_turn(chat("yes"))
        turns = (Turn("user", "one"), Turn("assistant", "two"), Turn("user", "three"))
        (answer,) = open_server(TALK).generate(ask("all of it", dialogue=turns))
        assert answer.text == "yes"
        (seen,) = fake.seen
        assert seen.path == "/v1/chat/completions"
        assert seen.body["messages"] == [{"role": turn.role, "content": turn.content} for turn in turns]
        assert "prompt" not in seen.body
        assert "stop" not in seen.body

    def test_sampling(self, fake: FakeServer, open_server: Open) -> None:
        open_server(Decoding(temperature=0.7, top_p=0.9)).generate(ask("x", seed=2**63 + 5))
        body = fake.seen[0].body
        assert (body["temperature"], body["top_p"]) == (0.7, 0.9)
        assert 0 <= body["seed"] < 2**31
        fake.seen.clear()
        open_server(Decoding(temperature=0.7)).generate(ask("x", seed=41) + ask("y", seed=42))
        assert {seen.prompt: seen.body["seed"] for seen in fake.seen} == {"x": 41, "y": 42}

    @pytest.mark.parametrize(
        ("guided", "fields"),
        [
            ("vllm", {"structured_outputs": {"grammar": "root ::= x"}, "guided_grammar": "root ::= x"}),
            ("llama.cpp", {"grammar": "root ::= x"}),
        ],
    )
    def test_a_grammar(self, fake: FakeServer, open_server: Open, guided: str, fields: dict[str, Any]) -> None:
        open_server(guided=guided).generate(ask("x", grammar=_Grammar()))
        assert fields.items() <= fake.seen[0].body.items()

    def test_a_grammar_that_the_server_cannot_take(self, fake: FakeServer, open_server: Open) -> None:
        with pytest.raises(ModelError, match=r'set `guided` to "vllm" or "llama\.cpp"'):
            open_server().generate(ask("x") + ask("y", grammar=_Grammar()))
        assert fake.seen == []

    def test_no_key(self, fake: FakeServer, open_server: Open, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NL2PDDL_API_KEY", "")
        open_server().generate(ask("x"))
        assert "Authorization" not in fake.seen[0].headers

    def test_half_a_surrogate_pair_in_a_prompt(self, fake: FakeServer, open_server: Open) -> None:
        open_server().generate(ask("a\ud800b ü"))
        assert fake.seen[0].prompt == "a\ud800b ü"


class _Grammar:
    @property
    def gbnf(self) -> str:
        return "root ::= x"


class TestAnswers:
    def test_in_the_order_of_the_batch_and_all_at_once(self, fake: FakeServer, open_server: Open) -> None:
        together = threading.Barrier(5)
        turns = [threading.Event() for _ in range(5)]

        def script(seen: Seen) -> Reply:
            together.wait(30)  # breaks unless all five requests are under way together
            place = int(seen.prompt)
            if place < 4:
                turns[place + 1].wait(30)  # the last is answered first
            turns[place].set()
            return text(f"answer {place}", usage={"completion_tokens": place, "prompt_tokens": 10 + place})

        fake.script = script
        answers = open_server().generate(ask(*"01234"))
        assert [answer.text for answer in answers] == [f"answer {place}" for place in range(5)]
        assert [(answer.new_tokens, answer.prompt_tokens) for answer in answers] == [(n, 10 + n) for n in range(5)]
        assert len({answer.seconds for answer in answers}) == 1

    @pytest.mark.parametrize(
        ("reply", "expected", "reason"),
        [
            (text("(:action a)\n\nInput: more"), "(:action a)\n\n", "stop string"),
            (text("x Allowed Predicates: y Input: z", "length"), "x ", "stop string"),
            (text("x", "stop", stop_reason="Input:"), "x", "stop string"),
            (text("x", "stop_sequence"), "x", "stop string"),
            (text("x", "stop", stop_reason=None), "x", "end of text"),
            (text("x", "stop", stop_reason=151643), "x", "end of text"),
            (text("x", None), "x", "end of text"),
            (text("x", "length"), "x", "length"),
            (text(""), "", "end of text"),
        ],
    )
    def test_stop_reasons(self, fake: FakeServer, open_server: Open, reply: Reply, expected: str, reason: str) -> None:
        fake.script = in_turn(reply)
        (answer,) = open_server().generate(ask("x"))
        assert (answer.text, answer.stop_reason) == (expected, reason)

    @pytest.mark.parametrize(
        ("reply", "thinking", "answer"),
        [
            (chat("<think>Input: a?</think>\n(:action a) Input: b"), "Input: a?", "(:action a) "),
            (chat("(:action a) Input: b", reasoning_content="Input: a?"), "Input: a?", "(:action a) "),
            (chat("(:action a)", reasoning="Input: a?"), "Input: a?", "(:action a)"),
            (chat(None, "length", reasoning_content="Input: a?"), "Input: a?", ""),
            (chat("<think>Input: a?", "length"), "Input: a?", ""),
            (chat("(:action a)", reasoning_content=None), "", "(:action a)"),
        ],
    )
    def test_thoughts(self, fake: FakeServer, open_server: Open, reply: Reply, thinking: str, answer: str) -> None:
        fake.script = in_turn(reply)
        (completion,) = open_server(TALK).generate(ask("x"))
        assert (completion.thinking, completion.text) == (thinking, answer)
        assert len(fake.seen) == 1

    def test_a_stop_string_in_the_thoughts_does_not_end_a_raw_answer(self, fake: FakeServer, open_server: Open) -> None:
        whole = "<think>Input: a?</think>(:action a)Input: b"
        fake.script = lambda seen: text("<think>" if "stop" in seen.body else whole)
        backend = open_server()
        for _ in range(2):
            (answer,) = backend.generate(ask("x"))
            assert (answer.thinking, answer.text) == ("Input: a?", "(:action a)")
        assert ["stop" in seen.body for seen in fake.seen] == [True, False, False]

    @pytest.mark.parametrize(
        ("sent", "kept"),
        [("Grüße 🦊 \u2028", "Grüße 🦊 \u2028"), ("a\0b", "a\0b"), ("a\ud83dz\udc00", "a\ufffdz\ufffd")],
    )
    def test_unusual_characters(self, fake: FakeServer, open_server: Open, sent: str, kept: str) -> None:
        fake.script = in_turn(text(sent), chat(sent, reasoning_content=sent))
        (raw,) = open_server().generate(ask("x"))
        (talked,) = open_server(TALK).generate(ask("x"))
        assert (raw.text, talked.text, talked.thinking) == (kept, kept, kept)

    @pytest.mark.parametrize("usage", [None, [], {"completion_tokens": "7"}, {"completion_tokens": -1}])
    def test_useless_counts(self, fake: FakeServer, open_server: Open, usage: object) -> None:
        fake.script = in_turn(text("x", usage=usage))
        (answer,) = open_server().generate(ask("x"))
        assert (answer.text, answer.new_tokens, answer.prompt_tokens) == ("x", 0, 0)

    def test_info_says_what_the_server_runs(self, fake: FakeServer, open_server: Open) -> None:
        choices = [{"text": "x"}]
        fake.script = in_turn(as_json({"model": "tiny-2", "system_fingerprint": "fp_1", "choices": choices}))
        backend = open_server()
        assert (backend.info.name, backend.info.revision, backend.info.device) == ("server:tiny", "", "server")
        backend.generate(ask("x"))
        assert backend.info.revision == "tiny-2 fp_1"

    def test_an_empty_batch_and_no_key_of_the_answers(self, open_server: Open) -> None:
        backend = open_server()
        assert backend.generate([]) == []
        assert backend.key(ask("x")[0]) is None


INVALID = {
    "no JSON": Reply(b"<html>busy"),
    "half a JSON": Reply(b'{"choices": [{"te'),
    "no UTF-8": Reply(b'{"choices": "\xff"}'),
    "too deep": Reply(b"[" * 100_000),
    "no object": as_json([1]),
    "no choices": as_json({"error": {"message": "overloaded"}}),
    "empty choices": as_json({"choices": []}),
    "odd choice": as_json({"choices": ["x"]}),
    "no text": text(None),
    "filtered": text("half", "content_filter"),
    "bad gzip": Reply(b"{}", headers={"Content-Encoding": "gzip"}),
}


class TestRetries:
    @pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
    def test_a_passing_failure_leaves_no_trace(self, fake: FakeServer, open_server: Open, status: int) -> None:
        fake.script = in_turn(error(status), error(status), text("good"))
        assert [answer.text for answer in open_server().generate(ask("x"))] == ["good"]
        assert len(fake.seen) == 3

    @pytest.mark.parametrize(("status", "kind"), [(500, "server"), (429, "rate limit"), (408, "timeout")])
    def test_a_lasting_failure_is_a_fault_of_its_prompt(
        self, fake: FakeServer, open_server: Open, status: int, kind: str
    ) -> None:
        fake.script = lambda seen: error(status, "out of\n order") if seen.prompt == "bad" else text("good")
        first, fault, last = open_server().generate(ask("a", "bad", "b"))
        assert (first.text, last.text) == ("good", "good")
        assert fault == Fault(kind, f"HTTP {status}: out of order", 6)
        assert [seen.prompt for seen in fake.seen].count("bad") == 6

    @pytest.mark.parametrize("name", INVALID)
    def test_an_answer_that_is_none(self, fake: FakeServer, open_server: Open, name: str) -> None:
        fake.script = in_turn(INVALID[name], text("good"))
        (answer,) = open_server().generate(ask("x"))
        assert isinstance(answer, Completion)
        assert (answer.text, len(fake.seen)) == ("good", 2)
        fake.script = in_turn(INVALID[name])
        (fault,) = open_server().generate(ask("x"))
        assert isinstance(fault, Fault)
        assert (fault.kind, fault.attempts, len(fake.seen)) == ("invalid answer", 6, 8)
        assert len(fault.message) < 400

    def test_a_connection_cut_in_the_middle(self, fake: FakeServer, open_server: Open) -> None:
        cut = replace(text("never whole"), cut=True)
        fake.script = in_turn(cut, text("good"))
        assert [answer.text for answer in open_server().generate(ask("x"))] == ["good"]
        fake.script = in_turn(cut)
        (fault,) = open_server().generate(ask("x"))
        assert (fault.kind, fault.attempts) == ("connection", 6)

    def test_a_refused_connection(self, open_server: Open) -> None:
        with socket.socket() as taken:  # bound, but not listening
            taken.bind(("127.0.0.1", 0))
            (fault,) = open_server(url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1").generate(ask("x"))
        assert (fault.kind, fault.attempts) == ("connection", 6)

    def test_a_slow_answer(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = lambda seen: Reply(until_gone=True) if seen.number == 0 else text("good")
        assert [answer.text for answer in open_server(timeout=0.3).generate(ask("x"))] == ["good"]
        fake.script = in_turn(Reply(until_gone=True))
        patience = replace(QUICK, tries=2)
        (fault,) = open_server(timeout=0.05, patience=patience).generate(ask("x"))
        assert fault == Fault("timeout", "no whole answer within the time limit of 0.05 s", 2)

    def test_an_answer_that_comes_byte_by_byte(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = in_turn(replace(text("too late"), drip=True))
        (fault,) = open_server(timeout=0.3, patience=replace(QUICK, tries=1)).generate(ask("x"))
        assert (fault.kind, fault.attempts) == ("timeout", 1)

    def test_no_further_try_after_the_total_time(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = in_turn(error(503))
        (fault,) = open_server(patience=replace(QUICK, total=0)).generate(ask("x"))
        assert (fault.attempts, len(fake.seen)) == (1, 1)

    def test_the_wait_doubles_under_full_jitter(
        self, fake: FakeServer, open_server: Open, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("random.uniform", lambda low, high: high if low == 0 else pytest.fail("no full jitter"))
        fake.script = in_turn(error(500))
        time = _Time()
        patience = Patience(longest_wait=5, sleep=time.sleep, clock=time.clock)
        open_server(patience=patience).generate(ask("x"))
        assert time.slept == [1, 2, 4, 5, 5]

    @pytest.mark.parametrize(
        ("status", "body", "message"),
        [
            (401, "bad key", r"tiny at .* refuses the key \(HTTP 401\).*environment variable NL2PDDL_API_KEY"),
            (403, "bad key", "environment variable NL2PDDL_API_KEY"),
            (404, "no tiny here", "no tiny here.*may only chat: give the prompt by the chat template"),
            (400, "This model's maximum context length is 9 tokens", "300 new tokens exceed the context length"),
            (422, "inputs tokens + max_new_tokens must be <= 9", "exceed the context length"),
            (413, "payload", "exceed the context length"),
            (400, "temperature must be odd", r"refuses the request \(HTTP 400\): temperature must be odd"),
            (418, "tea", r"HTTP 418\): tea"),
            (307, "moved", "redirects to another address"),
        ],
    )
    def test_a_refusal_is_not_tried_again(
        self, fake: FakeServer, open_server: Open, status: int, body: str, message: str
    ) -> None:
        fake.script = in_turn(error(status, body, Location=f"{fake.url}/elsewhere"))
        with pytest.raises(ModelError, match=message):
            open_server().generate(ask("x"))
        assert len(fake.seen) == 1

    def test_no_advice_to_chat_where_it_is_done(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = in_turn(error(404))
        with pytest.raises(ModelError, match="check the model's name") as raised:
            open_server(TALK).generate(ask("x"))
        assert "template" not in str(raised.value)


class _Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class TestPacing:
    def test_so_many_requests_a_minute(self) -> None:
        time = _Time()
        gate = Gate(30, Patience(sleep=time.sleep, clock=time.clock))
        starts: list[float] = []

        async def start() -> None:
            await gate.enter()
            starts.append(time.now)

        async def run() -> None:
            await asyncio.gather(start(), start(), start())
            gate.pause(60)
            await asyncio.gather(start(), start())

        asyncio.run(run())
        assert starts == [100, 102, 104, 164, 166]

    def test_the_backend_keeps_to_it(self, fake: FakeServer, open_server: Open) -> None:
        time = _Time()
        backend = open_server(patience=Patience(sleep=time.sleep, clock=time.clock), requests_per_minute=6)
        assert [answer.text for answer in backend.generate(ask("a", "b", "c"))] == [f"answer to {p}" for p in "abc"]
        assert time.slept == [10, 10]

    def test_a_further_try_counts_as_a_request(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = in_turn(error(500), error(500), text("good"))
        time = _Time()
        patience = replace(QUICK, sleep=time.sleep, clock=time.clock)
        open_server(patience=patience, requests_per_minute=6).generate(ask("x"))
        assert time.now == pytest.approx(120)

    def test_a_pause_that_the_server_asks_for_holds_for_all(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = in_turn(error(429, Retry_After="30"), text("good"))
        time = _Time()
        began: list[float] = []
        patience = replace(QUICK, sleep=time.sleep, clock=time.clock)
        backend = open_server(patience=patience)
        backend.generate(ask("x"))
        assert time.now >= 130
        fake.script = lambda seen: began.append(time.now) or text("good")
        backend.generate(ask("y"))
        assert began[0] >= 130

    def test_others_wait_for_the_end_of_a_pause(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = in_turn(error(429, Retry_After="1000"), text("good"))
        waits: list[float] = []
        release = asyncio.Event()

        async def sleep(seconds: float) -> None:
            waits.append(seconds)
            await release.wait()

        backend = open_server(patience=replace(QUICK, sleep=sleep))
        # The first is refused and waits; the second comes to the gate and waits too, until both are given up.
        first = backend.generate(ask("x"), lambda: len(waits) >= 1)
        second = backend.generate(ask("y"), lambda: len(waits) >= 2)
        assert [fault.kind for fault in first + second] == ["stopped", "stopped"]
        assert [seen.prompt for seen in fake.seen] == ["x"]
        assert all(100 < wait < 121 for wait in waits)  # capped at two minutes

    @pytest.mark.parametrize(
        ("value", "seconds"),
        [("7", 7), ("0.5", 0.5), ("99999", 120), ("-3", 0), ("nan", 0), ("soon", 0), ("", 0), (None, 0)],
    )
    def test_the_header_in_seconds(self, value: str | None, seconds: float) -> None:
        assert retry_after(value, 120) == seconds

    @pytest.mark.parametrize(("ahead", "least", "most"), [(60, 1, 60), (-60, 0, 0), (9999, 120, 120)])
    def test_the_header_as_a_date(self, ahead: int, least: float, most: float) -> None:
        date = datetime.now(UTC) + timedelta(seconds=ahead)
        assert least <= retry_after(format_datetime(date, usegmt=True), 120) <= most
        assert least <= retry_after(format_datetime(date.replace(tzinfo=None)), 120) <= most


class TestStopping:
    def test_while_waiting_for_the_next_try(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = lambda seen: text("good") if seen.prompt == "a" else error(429, Retry_After="100")
        answered = open_server()
        answered.generate(ask("a"))
        (fault,) = answered.generate(ask("b"), lambda: len(fake.seen) == 2)
        assert fault.kind == "stopped"
        assert len(fake.seen) == 2

    def test_in_flight_what_is_there_is_kept(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = lambda seen: text("good") if seen.prompt == "fast" else Reply(until_gone=True)
        backend = open_server()
        backend.generate(ask("fast"))
        asked: list[bool] = []

        def stop() -> bool:
            asked.append(len(fake.seen) == 3)
            return asked[-20:] == [True] * 20  # time for the fast one to be answered

        slow, fast = backend.generate(ask("slow", "fast"), stop)
        assert (slow.kind, fast.text) == ("stopped", "good")
        assert fake.gone.wait(30)  # the server is told, and need not finish
        backend.close()

    def test_at_once(self, open_server: Open) -> None:
        assert [fault.kind for fault in open_server().generate(ask("a", "b"), lambda: True)] == ["stopped"] * 2

    def test_closing_does_not_wait_for_the_server(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = in_turn(Reply(until_gone=True))
        backend = open_server()
        results: list[Completion | Fault] = []
        user = threading.Thread(target=lambda: results.extend(backend.generate(ask("x"))))
        user.start()
        assert fake.came.wait(30)
        backend.close()
        user.join(30)
        assert [fault.kind for fault in results] == ["stopped"]
        assert fake.gone.wait(30)

    def test_closing_twice_or_unused(self, open_server: Open) -> None:
        backend = open_server()
        backend.close()
        backend.close()

    def test_a_fault_in_asking_ends_the_batch(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = in_turn(Reply(until_gone=True))

        def stop() -> bool:
            if fake.seen:
                raise KeyError("store")
            return False

        with pytest.raises(KeyError):
            open_server().generate(ask("x"), stop)
        assert fake.gone.wait(30)


class TestTheKey:
    ECHO = f"you sent Bearer {KEY} to us"

    @pytest.mark.parametrize("status", [200, 307, 400, 401, 404, 422, 429, 500])
    @pytest.mark.parametrize("decoding", [Decoding(), TALK])
    def test_is_nowhere_when_the_server_echoes_it(
        self, fake: FakeServer, open_server: Open, caplog: pytest.LogCaptureFixture, status: int, decoding: Decoding
    ) -> None:
        caplog.set_level(logging.DEBUG)
        for name in list(logging.root.manager.loggerDict):
            caplog.set_level(logging.DEBUG, logger=name)
        echo = as_json(
            {"error": {"message": self.ECHO}}, status=status, headers={"X-Echo": self.ECHO}, reason=self.ECHO
        )
        fake.script = in_turn(echo)
        backend = open_server(decoding)
        try:
            shown = repr(backend.generate(ask("x")))
        except ModelError as refused:
            shown = str(refused)
        assert len(shown) > 30
        for record in caplog.records:
            shown += record.getMessage() + repr(vars(record))
        assert "receive_response_headers" in shown  # the library's records were there to be looked through
        assert KEY in fake.seen[0].headers["Authorization"]
        assert KEY not in shown
        assert KEY not in repr(backend) + repr(vars(backend)) + repr(vars(backend._client)) + repr(backend.info)

    def test_is_not_in_what_the_server_says_it_runs(self, fake: FakeServer, open_server: Open) -> None:
        fake.script = in_turn(as_json({"model": self.ECHO, "choices": [{"text": "x"}]}))
        backend = open_server()
        backend.generate(ask("x"))
        assert backend.info.revision == "you sent Bearer [key] to us"

    def test_is_hidden_before_a_long_message_is_cut(self) -> None:
        message = "x" * 290 + KEY
        for body in (json.dumps({"error": message}).encode(), message.encode(), json.dumps([message]).encode()):
            shown = error_text(body, Secret(KEY))
            assert len(shown) <= 300
            assert KEY[:4] not in shown

    def test_does_not_follow_a_redirect(self, fake: FakeServer, open_server: Open) -> None:
        other = FakeServer()
        fake.script = in_turn(error(307, Location=f"{other.url}/completions"))
        with pytest.raises(ModelError, match="redirects"):
            open_server().generate(ask("x"))
        assert other.seen == []
        other.close()

    @pytest.mark.parametrize("value", ["zwei worte", "zeile\nzwei", "schlüssel", "nul\x01"])
    def test_that_cannot_be_sent(self, open_server: Open, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
        monkeypatch.setenv("OTHER_KEY", value)
        with pytest.raises(ModelError, match=r"\$OTHER_KEY") as raised:
            open_server(key_env="OTHER_KEY")
        assert value not in str(raised.value)

    def test_space_around_it_does_not_count(
        self, fake: FakeServer, open_server: Open, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OTHER_KEY", "other\n")
        open_server(key_env="OTHER_KEY").generate(ask("x"))
        assert fake.seen[0].headers["Authorization"] == "Bearer other"


def test_importing_the_backend_does_not_load_the_http_library() -> None:
    code = "import sys, nl2pddl.generation.server_backend; print({'httpx2', 'tenacity'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


GOOD = Server("https://host:8000/v1", "tiny")


@pytest.mark.parametrize("url", ["http://localhost", "https://[::1]:80/v1/", "http://10.0.0.1:11434/v1"])
def test_good_settings(url: str) -> None:
    check_server(replace(GOOD, url=url, guided="vllm", requests_per_minute=0.5))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"url": "localhost:8000/v1"}, "not the url of a server"),
        ({"url": "ftp://host/v1"}, "not the url of a server"),
        ({"url": "http:///v1"}, "not the url of a server"),
        ({"url": "http://host:99999/v1"}, "not the url of a server"),
        ({"url": "http://[::1/v1"}, "not the url of a server"),
        ({"url": "http://host/v1\n"}, "not the url of a server"),
        ({"url": ""}, "not the url of a server"),
        ({"url": "http://host/v1?key=1"}, "end it before any"),
        ({"model": " "}, "no model is named"),
        ({"guided": "yes"}, "guided is 'yes'"),
        ({"timeout": 0}, "timeout is 0"),
        ({"timeout": float("nan")}, "timeout is nan"),
        ({"requests_per_minute": 0}, "requests_per_minute is 0"),
    ],
)
def test_wrong_settings(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        check_server(replace(GOOD, **changes))


@pytest.mark.parametrize(
    "changes",
    [{"url": "https://user:geheim@host/v1"}, {"url": "user:geheim@host"}, {"key_env": "sk-geheim"}, {"key_env": ""}],
)
def test_secrets_in_the_settings_are_refused_unseen(changes: dict[str, str]) -> None:
    with pytest.raises(ModelError, match="environment variable") as raised:
        check_server(replace(GOOD, **changes))
    assert "geheim" not in str(raised.value)
