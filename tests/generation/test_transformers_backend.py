"""Generation by real models: tiny random ones for the details, the embedded one for the real thing."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nl2pddl.errors import ModelError
from nl2pddl.experiment import Completion, Decoding, Fault
from nl2pddl.generation import EMBEDDED, open_backend
from nl2pddl.generation.base import GenerationRequest
from nl2pddl.generation.content import file_id, folder_id
from nl2pddl.generation.models import embedded_gguf

MakeModel = Callable[..., Path]
MakeRequest = Callable[..., GenerationRequest]

EXAMPLE = """Allowed Predicates:
(on ?x - block ?y - block)
(ontable ?x - block)
(clear ?x - block)
(handempty)
(holding ?x - block)

Input:
The action "pick-up" lifts the block ?x from the table. The block must be clear and the hand must be empty.

PDDL Action:
(:action pick-up
    :parameters (?x - block)
    :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))

Allowed Predicates:
(at ?t - truck ?l - location)
(road ?from - location ?to - location)

Input:
The action "drive" moves the truck ?t from ?from to ?to along a road.

PDDL Action:
(:action drive
    :parameters (?t - truck ?from - location ?to - location)
    :precondition (and (at ?t ?from) (road ?from ?to))
    :effect (and (not (at ?t ?from)) (at ?t ?to)))

"""
QUESTION = """Allowed Predicates:
(at-robby ?r - room)
(at ?b - ball ?r - room)
(free ?g - gripper)
(carry ?o - ball ?g - gripper)

Input:
The action "drop" puts down the ball ?obj, which the gripper ?g carries, in the room ?room.

PDDL Action:
"""
PROMPT = "Write the described action in PDDL with the allowed predicates only.\n\n" + EXAMPLE + QUESTION


def _generate(
    model: Path | str, requests: list[GenerationRequest], data_dir: Path, **decoding: Any
) -> list[Completion]:
    backend = open_backend(str(model), Decoding(**decoding), data_dir)
    answers = backend.generate(requests)
    backend.close()
    return answers


def _greedy_tokens(folder: Path, prompt: str, count: int) -> list[int]:
    """The most likely token again and again: what greedy means, without ``generate``."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    tokens = tokenizer(prompt)["input_ids"]
    start = len(tokens)
    with torch.inference_mode():
        for _ in range(count):
            tokens.append(int(model(torch.tensor([tokens])).logits[0, -1].argmax()))
    return tokens[start:]


def _set_pad_token(folder: Path, pad: str | None) -> None:
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "pad_token": pad}))


def _decode(folder: Path, tokens: list[int]) -> str:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder).decode(tokens)


def test_a_local_folder(tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path) -> None:
    folder = tiny_model()
    backend = open_backend(str(folder), Decoding(max_new_tokens=8), tmp_path / "data")
    assert backend.info.name == str(folder)
    assert backend.info.revision == folder_id(folder)
    assert backend.info.quantisation == ""
    assert set(backend.info.versions) == {"torch", "transformers", "tokenizers"}
    (answer,) = backend.generate([request_for("The robot moves")])
    assert answer.text == _decode(folder, _greedy_tokens(folder, "The robot moves", 8))
    assert (answer.stop_reason, answer.new_tokens) == ("length", 8)
    assert answer.seconds > 0
    assert backend.generate([]) == []
    assert not (tmp_path / "data").exists()


def test_greedy_whatever_the_models_own_settings(
    tiny_model: MakeModel,
    request_for: MakeRequest,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    recwarn: pytest.WarningsRecorder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tiny_model()
    (plain,) = _generate(folder, [request_for("x")], tmp_path, max_new_tokens=12)
    settings = {
        "do_sample": True,
        "temperature": 5.0,
        "top_p": 0.5,
        "top_k": 3,
        "num_beams": 3,
        "repetition_penalty": 9.0,
        "no_repeat_ngram_size": 1,
        "min_new_tokens": 2,
        "max_length": 30,
        "suppress_tokens": _greedy_tokens(folder, "x", 1),
        "eos_token_id": 2,
    }
    (folder / "generation_config.json").write_text(json.dumps(settings))
    capfd.readouterr()
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)
    (answer,) = _generate(folder, [request_for("x")], tmp_path, max_new_tokens=12)
    assert answer.text == plain.text
    assert caplog.records == []
    assert capfd.readouterr().err == ""
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize(("pad", "several_ends"), [("<|im_end|>", True), ("<|endoftext|>", False), (None, True)])
def test_the_end_of_a_text_in_a_batch(
    tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path, pad: str | None, several_ends: bool
) -> None:
    folder = tiny_model()
    _set_pad_token(folder, pad)
    prompts = ["A robot", "The robot carries the ball from here to there", "x"]
    tokens = [_greedy_tokens(folder, prompt, 10) for prompt in prompts]
    end = tokens[1][4]  # what the second row writes fifth now ends a text; the others never write it
    assert end not in tokens[0] + tokens[1][:4] + tokens[2]
    ends = {"eos_token_id": [2, end] if several_ends else end}
    (folder / "generation_config.json").write_text(json.dumps(ends))
    answers = _generate(folder, [request_for(prompt) for prompt in prompts], tmp_path, max_new_tokens=10)
    assert [answer.stop_reason for answer in answers] == ["length", "end of text", "length"]
    assert [answer.new_tokens for answer in answers] == [10, 4, 10]
    expected = [tokens[0], tokens[1][:4], tokens[2]]
    assert [answer.text for answer in answers] == [_decode(folder, row) for row in expected]


@pytest.mark.parametrize("pad", ["<|im_end|>", "<|endoftext|>"])  # the token that ends a text, and another
def test_a_stop_string_in_a_batch(tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path, pad: str) -> None:
    folder = tiny_model()
    _set_pad_token(folder, pad)
    prompts = ["A robot", "The robot carries the ball from here to there"]
    rows = [_greedy_tokens(folder, prompt, 10) for prompt in prompts]
    stop = _decode(folder, rows[0][3:5])
    answers = _generate(
        folder, [request_for(prompt) for prompt in prompts], tmp_path, max_new_tokens=10, stop_strings=("", stop)
    )
    assert (answers[0].text, answers[0].stop_reason) == (_decode(folder, rows[0][:3]), "stop string")
    assert answers[0].new_tokens == 5
    assert (answers[1].text, answers[1].stop_reason) == (_decode(folder, rows[1]), "length")


def test_a_prompt_beyond_the_context_length(tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path) -> None:
    folder = tiny_model(max_position_embeddings=32)
    fits = request_for("x" + " x" * 26)  # 27 tokens
    (answer,) = _generate(folder, [fits], tmp_path, max_new_tokens=5, stop_strings=())
    assert answer.new_tokens == 5
    again, fault = _generate(folder, [fits, request_for("x" + " x" * 99)], tmp_path, max_new_tokens=5, stop_strings=())
    assert again.text == answer.text
    assert isinstance(fault, Fault)
    assert fault.kind == "context length"
    assert "100 tokens and 5 new ones make 105, but the model's context length is 32" in fault.message


def test_weights_that_lack_a_parameter(
    tiny_model: MakeModel, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from safetensors.torch import load_file, save_file

    folder = tiny_model()
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)
    with pytest.raises(ModelError, match=r"lack 1 parameters of the model, such as model\.layers\.1\.mlp\.up_proj"):
        open_backend(str(folder), Decoding(), tmp_path)
    assert caplog.records == []  # transformers' own report of it is many lines long


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("model.safetensors", b"version https://git-lfs.github.com/spec/v1\n"),
        ("config.json", b'{"model_type": "no such architecture"}'),
        ("config.json", b"{"),
        ("tokenizer.json", b"{"),
    ],
)
def test_a_broken_folder(tiny_model: MakeModel, tmp_path: Path, file: str, content: bytes) -> None:
    folder = tiny_model()
    (folder / file).write_bytes(content)
    with pytest.raises(ModelError, match="transformers cannot load this model") as caught:
        open_backend(str(folder), Decoding(), tmp_path)
    assert str(caught.value).startswith(str(folder))
    assert "\n" not in str(caught.value)


def test_a_gguf_file_given_by_the_user(tiny_gguf: Path, request_for: MakeRequest, tmp_path: Path) -> None:
    backend = open_backend(str(tiny_gguf), Decoding(max_new_tokens=6), tmp_path / "data")
    assert backend.info.revision == file_id(tiny_gguf)
    (answer,) = backend.generate([request_for("pick")])
    (folder,) = (path for path in (tmp_path / "data" / "models").iterdir() if path.is_dir())
    assert answer.text == _decode(folder, _greedy_tokens(folder, "pick", 6))


@pytest.fixture(scope="module")
def embedded_answers(embedded_folder: Path, models_dir: Path) -> dict[str, list[Completion]]:
    """The embedded model's answers to three prompts of very different lengths, one by one and in one batch."""
    assert embedded_folder.parent == models_dir / "models"
    prompts = [PROMPT, QUESTION, "The capital of France is"]
    requests = [GenerationRequest(index, "gripper", "drop", 0, prompt) for index, prompt in enumerate(prompts)]
    backend = open_backend(EMBEDDED, Decoding(max_new_tokens=40, stop_strings=()), models_dir)
    assert backend.info.revision == file_id(embedded_gguf())
    answers = {"single": [backend.generate([request])[0] for request in requests], "batch": backend.generate(requests)}
    backend.close()
    return answers


@pytest.mark.model
def test_the_embedded_model_writes_what_it_should(embedded_answers: dict[str, list[Completion]]) -> None:
    action, _, capital = embedded_answers["single"]
    assert action.text.startswith("(:action drop")
    assert (action.stop_reason, action.new_tokens) == ("length", 40)
    assert "Paris" in capital.text


@pytest.mark.model
def test_the_batch_size_does_not_change_an_answer(embedded_answers: dict[str, list[Completion]]) -> None:
    single, batch = (
        [(answer.text, answer.stop_reason, answer.new_tokens) for answer in embedded_answers[size]]
        for size in ("single", "batch")
    )
    assert batch == single


@pytest.mark.model
def test_a_stop_string_cuts_the_embedded_models_own_output(
    embedded_answers: dict[str, list[Completion]], request_for: MakeRequest, models_dir: Path
) -> None:
    free = embedded_answers["single"][0]
    middle = len(free.text) // 2
    stop = free.text[middle : middle + 4]
    assert stop.strip()
    (cut,) = _generate(
        EMBEDDED, [request_for(PROMPT)], models_dir, max_new_tokens=40, stop_strings=("never written", stop)
    )
    assert (cut.text, cut.stop_reason) == (free.text[: free.text.index(stop)], "stop string")
    assert cut.new_tokens < free.new_tokens


def test_a_request_to_stop_ends_the_batch(tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path) -> None:
    backend = open_backend(str(tiny_model()), Decoding(max_new_tokens=30, stop_strings=()), tmp_path)
    requests = [request_for("x"), request_for("x y z")]
    whole = backend.generate(requests)
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) >= 5

    cut = backend.generate(requests, stop)
    backend.close()
    assert all(answer.new_tokens <= 5 for answer in cut)
    assert max(answer.new_tokens for answer in whole) > 5
