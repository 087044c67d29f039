"""The scripted backend."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nl2pddl.errors import ModelError
from nl2pddl.experiment import Completion, Decoding, Fault
from nl2pddl.generation import check_answers, open_backend
from nl2pddl.generation.base import Backend, GenerationRequest
from nl2pddl.generation.scripted import NOT_RECORDED, read_script

MakeRequest = Callable[..., GenerationRequest]


@pytest.fixture
def open_script(tmp_path: Path) -> Callable[..., Backend]:
    """Opens a scripted backend on the given lines."""

    def make(*lines: dict[str, Any], decoding: Decoding | None = None) -> Backend:
        (tmp_path / "script.jsonl").write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
        return open_backend(f"scripted:{tmp_path / 'script.jsonl'}", decoding or Decoding(), tmp_path)

    return make


def test_answers_by_domain_and_action_in_the_order_of_the_batch(
    open_script: Callable[..., Backend], request_for: MakeRequest
) -> None:
    backend = open_script(
        {"domain": "Gripper", "action": "MOVE", "output": "first"},
        {"domain": "gripper", "action": "pick", "output": "other"},
        {"domain": "gripper", "action": "move", "output": "second"},
    )
    requests = [request_for(action="move", sample=sample) for sample in (0, 1, 2)] + [request_for(action="Pick")]
    assert [answer.text for answer in backend.generate(requests)] == ["first", "second", "first", "other"]
    backend.close()


def test_lines_for_anything_answer_the_rest_by_index(
    open_script: Callable[..., Backend], request_for: MakeRequest
) -> None:
    backend = open_script(
        {"domain": "gripper", "action": "move", "output": "keyed"}, {"output": "even"}, {"output": "odd"}
    )
    requests = [request_for(index=0), *(request_for(action="drop", index=index) for index in (1, 2, 3))]
    assert [answer.text for answer in backend.generate(requests)] == ["keyed", "odd", "even", "odd"]


def test_what_is_not_recorded_is_a_fault_of_that_item_only(
    open_script: Callable[..., Backend], request_for: MakeRequest
) -> None:
    backend = open_script({"domain": "gripper", "action": "move", "output": "x"})
    fault, answer = backend.generate([request_for(domain="depot", action="lift"), request_for(action="move")])
    assert isinstance(fault, Fault)
    assert fault.kind == NOT_RECORDED
    assert "script.jsonl: no answer for domain depot, action lift" in fault.message
    assert isinstance(answer, Completion)
    assert answer.text == "x"


def test_a_domain_of_which_nothing_is_recorded_is_said_before_the_run(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text('{"domain": "Gripper", "action": "move", "output": "x"}')
    check_answers(f"scripted:{path}", "gripper", ["move", "pick"])
    with pytest.raises(ModelError, match=r"no answer for any action of the domain 'depot'; it has some for gripper"):
        check_answers(f"replay:{path}", "depot", ["lift"])
    path.write_text('{"output": "x"}')
    check_answers(f"scripted:{path}", "depot", ["lift"])


def test_stop_strings_and_token_counts(open_script: Callable[..., Backend], request_for: MakeRequest) -> None:
    lines = ({"output": "(:action  move)\n\nInput: more"}, {"output": "(:action move)"})
    requests = [request_for(index=0), request_for(index=1)]
    cut, whole = open_script(*lines).generate(requests)
    assert (cut.text, cut.stop_reason, cut.new_tokens) == ("(:action  move)\n\n", "stop string", 2)
    assert (whole.text, whole.stop_reason, whole.new_tokens) == ("(:action move)", "end of text", 2)
    uncut, _ = open_script(*lines, decoding=Decoding(stop_strings=())).generate(requests)
    assert (uncut.text, uncut.stop_reason) == ("(:action  move)\n\nInput: more", "end of text")


def test_seconds_are_waited_and_shared_by_the_batch(
    open_script: Callable[..., Backend], request_for: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    backend = open_script({"output": "a", "seconds": 0.5}, {"output": "b"}, {"output": "c", "seconds": 2})
    answers = backend.generate([request_for(index=index) for index in range(3)])
    assert sum(waited) == pytest.approx(2.5)
    assert len({answer.seconds for answer in answers}) == 1


def test_info_names_the_script_by_its_content(open_script: Callable[..., Backend]) -> None:
    first, second = open_script({"output": "a"}).info, open_script({"output": "b"}).info
    assert first.name == second.name
    assert first.revision.startswith("sha256:")
    assert first.revision != second.revision


def test_an_empty_batch(open_script: Callable[..., Backend]) -> None:
    assert open_script({"output": "a"}).generate([]) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no scripted outputs"),
        ("\n \n", "no scripted outputs"),
        ('["output"]', "line 1: expected a JSON object"),
        ('{"output": "a"}\n{"text": "b"}', 'line 2: expected a JSON object with a text "output"'),
        ('{"output": null}', 'line 1: expected a JSON object with a text "output"'),
        ('{"output": "a", "domain": "d"}', "line 1: give .* both"),
        ('{"output": "a", "domain": "d", "action": 1}', "line 1: give .* both"),
        ('{"output": "a", "seconds": -1}', 'line 1: "seconds"'),
        ('{"output": "a", "seconds": "1"}', 'line 1: "seconds"'),
        ('{"output": "a", "seconds": NaN}', 'line 1: "seconds"'),
        ('{"output": "a", "seconds": true}', 'line 1: "seconds"'),
    ],
)
def test_broken_scripts(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "script.jsonl").write_text(text)
    with pytest.raises(ModelError, match=message):
        read_script(tmp_path / "script.jsonl")


def test_a_script_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "script.jsonl").write_bytes('{"output": "é"}'.encode("latin-1"))
    with pytest.raises(ModelError, match="not UTF-8"):
        read_script(tmp_path / "script.jsonl")


def test_line_separators_inside_a_text_do_not_end_a_line(tmp_path: Path) -> None:
    (tmp_path / "script.jsonl").write_text('{"output": "a\u2028b\x85c"}\n{"output": "d"}\n', encoding="utf-8")
    assert [line.output for line in read_script(tmp_path / "script.jsonl")] == ["a\u2028b\x85c", "d"]


def test_a_request_to_stop_ends_the_waiting(open_script: Callable[..., Backend], request_for: MakeRequest) -> None:
    backend = open_script({"output": "slow", "seconds": 3600})
    asked = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > 1

    assert [answer.text for answer in backend.generate([request_for(index=0)], stop)] == ["slow"]
    assert len(asked) == 2
