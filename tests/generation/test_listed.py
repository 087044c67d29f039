from __future__ import annotations

import json
from pathlib import Path

import pytest

from nl2pddl.errors import ModelError
from nl2pddl.experiment import Decoding
from nl2pddl.generation import EMBEDDED, check_grammar, check_model, open_backend
from nl2pddl.generation.listed import Server, read_models
from nl2pddl.generation.models import ModelKind, parse_model
from nl2pddl.generation.replay import read_recording
from tests.conftest import ROOT

LISTED = """
[[model]]
name = "mine"
id = "org/name@v2"
parameters = 7
[[model]]
name = "served"
url = "http://localhost:8000/v1"
model = "big"
key_env = "MY_KEY"
guided = "vllm"
requests_per_minute = 30
price_input = 0.5
price_output = 2.0
"""


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "models.toml"
    path.write_text(LISTED)
    monkeypatch.setenv("NL2PDDL_MODELS", str(path))
    return path


def test_the_list_that_ships_holds_the_paper_s_seven() -> None:
    listed = read_models(ROOT / "data" / "models.toml")
    ids = [model.id for model in listed.values()]
    assert ids[0] == "bigcode/starcoder"
    assert sum(identity.startswith("meta-llama/Llama-2-") for identity in ids) == 6
    for name in listed:
        assert parse_model(name).kind is ModelKind.HUB, name


def test_names_of_the_list_stand_for_what_it_says(models: Path) -> None:
    ref = parse_model("mine")
    assert (ref.name, ref.kind, ref.target, ref.revision) == ("mine", ModelKind.HUB, "org/name", "v2")
    served = parse_model("served")
    assert served.server == Server("http://localhost:8000/v1", "big", "MY_KEY", "vllm", 30)
    assert read_models()["served"].cost(2_000_000, 500_000) == pytest.approx(2.0)
    check_model("served")


def test_what_can_be_held_to_a_grammar(models: Path, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"output": "x"}')
    for name in (EMBEDDED, "mine", "served"):
        check_grammar(name)
    for name, words in (
        (f"scripted:{tmp_path / 's.jsonl'}", "recorded answers"),
        (f"replay:{tmp_path / 's.jsonl'}", "recorded answers"),
        ("http://localhost:1/v1#m", "guided ="),
    ):
        with pytest.raises(ModelError, match=words):
            check_grammar(name)


def test_a_server_typed_in() -> None:
    ref = parse_model("http://localhost:11434/v1#qwen3:8b")
    assert ref.server == Server("http://localhost:11434/v1", "qwen3:8b")
    with pytest.raises(ModelError, match="model"):
        check_model("http://localhost:11434/v1")
    with pytest.raises(ModelError):
        check_model("https://user:secret@host/v1#m")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model = 3", r"\[\[model\]\]"),
        ("[[models]]\nname = 'x'", "nothing else"),
        ("[[model", "cannot be read"),
        ("[[model]]\nname = 'x'", "either an id or the url"),
        ("[[model]]\nid = 'a/b'", "give a name"),
        ("[[model]]\nname = 'x'\nid = 'a/b'\nurl = 'http://h/v1'", "either an id or the url"),
        ("[[model]]\nname = 'x'\nid = 'a/b'\nkey = 'secret'", "unknown field 'key'"),
        ("[[model]]\nname = 'x'\nid = 'a/b'\nparameters = 'many'", "must be a number"),
        ("[[model]]\nname = 'x'\nid = 'a/b'\nparameters = -1", "number from 0"),
        ("[[model]]\nname = 'x'\nid = 'a/b'\nprice_input = nan", "number from 0"),
        ("[[model]]\nname = 'x'\nid = 'a/b'\nguided = 'vllm'", "for servers only"),
        ("[[model]]\nname = 'x'\nid = 'a/b'\n[[model]]\nname = 'x'\nid = 'a/b'", "in the list already"),
    ],
)
def test_what_is_wrong_in_the_list_is_said_and_costs_no_other_model(models: Path, text: str, words: str) -> None:
    models.write_text(text)
    with pytest.raises(ModelError, match=words) as caught:
        read_models()
    assert "secret" not in str(caught.value)
    assert parse_model(EMBEDDED).kind is ModelKind.EMBEDDED


TASKS = [
    {
        "domain": "BLOCKS",
        "action": "stack",
        "class": kind,
        "prompt": f"their prompt {number}",
        "results": [{"model": "a/x", "output": f"x {kind} {number}"}, {"model": "b/y", "output": f"y {kind} {number}"}],
    }
    for kind in ("Base", "Rand")
    for number in range(2)
]


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "study.json"
    path.write_text(json.dumps(TASKS))
    return path


def test_the_study_s_layout_is_replayed_by_class_and_model(recording: Path, request_for, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    from dataclasses import replace

    backend = open_backend(f"replay:{recording}#b/y", Decoding(), tmp_path)
    asked = [
        replace(request_for("ours", "blocksworld", "stack", sample=sample), description_class=kind)
        for kind in ("base", "random")
        for sample in range(2)
    ]
    answers = backend.generate(asked)
    assert [(answer.text, answer.prompt) for answer in answers] == [  # type: ignore[union-attr]
        ("y Base 0", "their prompt 0"), ("y Base 1", "their prompt 1"),
        ("y Rand 0", "their prompt 0"), ("y Rand 1", "their prompt 1"),
    ]  # fmt: skip
    (fault,) = backend.generate([replace(asked[0], description_class="flipped")])
    assert "no answer for domain blocksworld, action stack, description class flipped" in fault.message  # type: ignore[union-attr]


def test_a_recording_of_several_models_asks_which(recording: Path) -> None:
    for name in ("", "nobody"):
        with pytest.raises(ModelError, match="a/x, b/y"):
            read_recording(recording, name)
    with pytest.raises(ModelError, match="a/x, b/y"):
        check_model(f"replay:{recording}")
    check_model(f"replay:{recording}#a/x")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[", "not JSON"),
        ("[]", "nothing was recorded"),
        ('[{"domain": "a"}]', 'task 1: expected an object with texts "domain" and "action"'),
        ('[{"domain": "a", "action": "b", "class": "Long"}]', "none of Base, Flipped, Rand"),
        ('[{"domain": "a", "action": "b", "results": [{"model": "m"}]}]', '"model" and "output"'),
        ('[{"domain": "a", "action": "b", "results": 3}]', "must be a list"),
    ],
)
def test_a_recording_that_is_none(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(ModelError, match=words):
        read_recording(tmp_path / "r.json")


def test_jsonl_is_replayed_too(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"output": "x"}\n')
    assert [line.output for line in read_recording(tmp_path / "r.jsonl")] == ["x"]
