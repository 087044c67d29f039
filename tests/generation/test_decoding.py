"""How tokens are chosen: sampling, chat templates, thoughts, grammars, 4-bit weights; and that no batch changes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nl2pddl.action_reader import read_action
from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import ModelError, OutOfMemoryError
from nl2pddl.experiment import ChatMode, Completion, Decoding, Precision, Turn
from nl2pddl.extraction import extract_action
from nl2pddl.generation import open_backend
from nl2pddl.generation.base import GenerationRequest, split_thinking
from nl2pddl.grammar import ActionGrammar
from nl2pddl.semantics import check_action

MakeModel = Callable[..., Path]
MakeRequest = Callable[..., GenerationRequest]


def answers(backend: Any, requests: list[GenerationRequest], size: int) -> list[str]:
    found = []
    for start in range(0, len(requests), size):
        for answer in backend.generate(requests[start : start + size]):
            assert isinstance(answer, Completion)
            found.append(answer.text)
    return found


def test_samples_depend_on_their_seed_and_on_nothing_beside(
    tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path
) -> None:
    folder = tiny_model(initializer_range=0.05)
    backend = open_backend(str(folder), Decoding(max_new_tokens=12, temperature=0.8, top_p=0.9), tmp_path)
    requests = [replace(request_for("x" + " y" * n, index=n), seed=n % 2) for n in range(4)]
    one = answers(backend, requests, 1)
    assert answers(backend, requests, 4) == answers(backend, list(reversed(requests)), 3)[::-1] == one
    other = answers(backend, [replace(request, seed=9) for request in requests], 4)
    assert all(first != second for first, second in zip(one, other, strict=True))
    backend.close()


def test_sampling_draws_from_the_model_s_distribution(
    tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path
) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = tiny_model(initializer_range=0.4)
    temperature = 0.4
    decoding = Decoding(max_new_tokens=1, temperature=temperature, stop_strings=())
    backend = open_backend(str(folder), decoding, tmp_path)
    drawn = answers(backend, [replace(request_for("hello"), seed=seed) for seed in range(600)], 100)
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        logits = model(**tokenizer("hello", return_tensors="pt")).logits[0, -1]
    expected = torch.softmax(logits / temperature, dim=-1)
    for token in expected.topk(3).indices.tolist():
        share = drawn.count(tokenizer.decode([token])) / len(drawn)
        assert share == pytest.approx(float(expected[token]), abs=0.08)  # four standard deviations


def test_top_p_cuts_the_tail(tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path) -> None:
    folder = tiny_model()
    greedy = open_backend(str(folder), Decoding(max_new_tokens=6), tmp_path)
    narrow = open_backend(str(folder), Decoding(max_new_tokens=6, temperature=1.0, top_p=1e-9), tmp_path)
    requests = [replace(request_for(text), seed=3) for text in ("a", "b c")]
    assert answers(narrow, requests, 2) == answers(greedy, requests, 2)


def test_the_key_holds_everything_that_determines_an_answer(
    tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path, library: DomainLibrary
) -> None:
    folder = str(tiny_model())
    greedy = open_backend(folder, Decoding(max_new_tokens=4), tmp_path)
    request = request_for("a prompt")
    key = greedy.key(request)
    assert key is not None
    assert greedy.key(replace(request, index=7, sample=3, seed=5)) == key
    assert open_backend(folder, Decoding(max_new_tokens=4, batch_size=9), tmp_path).key(request) == key
    domain = library.find("gripper").planning
    held = [replace(request, grammar=ActionGrammar(domain, name)) for name in ("move", "pick")]
    keys = {greedy.key(one) for one in (replace(request, prompt="other"), *held)}
    for decoding in (
        Decoding(max_new_tokens=5),
        Decoding(max_new_tokens=4, stop_strings=("x",)),
        Decoding(max_new_tokens=4, chat=ChatMode.TEMPLATE),
        Decoding(max_new_tokens=4, precision=Precision.FOUR_BIT),
    ):
        keys.add(open_backend(folder, decoding, tmp_path).key(request))
    sampled = open_backend(folder, Decoding(max_new_tokens=4, temperature=1.0), tmp_path)
    keys |= {sampled.key(replace(request, seed=seed)) for seed in (1, 2)}
    assert len(keys | {key}) == 10


def test_the_chat_template_and_the_raw_prompt(embedded_folder: Path, request_for: MakeRequest, tmp_path: Path) -> None:
    decoding = Decoding(max_new_tokens=3, chat=ChatMode.TEMPLATE)
    backend: Any = open_backend(str(embedded_folder), decoding, tmp_path)
    request = replace(
        request_for("flat"), dialogue=(Turn("user", "one"), Turn("assistant", "two"), Turn("user", "three"))
    )
    text = backend._text(request)
    assert [text.find(part) >= 0 for part in ("one", "two", "three", "flat")] == [True, True, True, False]
    assert text.rstrip().endswith("assistant")
    raw: Any = open_backend(str(embedded_folder), Decoding(max_new_tokens=3), tmp_path)
    assert raw._text(request) == "flat"
    (short,), (long,) = raw.generate([request]), backend.generate([request])
    assert short.prompt_tokens < long.prompt_tokens


def test_a_model_without_a_template_says_so(tiny_model: MakeModel, tmp_path: Path) -> None:
    folder = tiny_model()
    for path in (folder / "chat_template.jinja",):
        path.unlink(missing_ok=True)
    settings = folder / "tokenizer_config.json"
    settings.write_text(settings.read_text().replace('"chat_template"', '"no_template"'))
    with pytest.raises(ModelError, match="no chat template; give it the raw prompt"):
        open_backend(str(folder), Decoding(chat=ChatMode.TEMPLATE), tmp_path)


@pytest.mark.parametrize(
    ("text", "thinking", "answer"),
    [
        ("(:action a)", "", "(:action a)"),
        ("<think>\nhm\n</think>\n\n(:action a)", "hm", "(:action a)"),
        ("hm Input: (\n</think>(:action a)", "hm Input: (", "(:action a)"),
        ("<think> for ever", "for ever", ""),
        ("", "", ""),
    ],
)
def test_thoughts_are_kept_apart(text: str, thinking: str, answer: str) -> None:
    assert split_thinking(text) == (thinking, answer)


def test_thoughts_that_the_prompt_opened_and_nothing_closed_are_no_answer() -> None:
    assert split_thinking("first, (:action", opened=True) == ("first, (:action", "")
    assert split_thinking("first</think>(:action a)", opened=True) == ("first", "(:action a)")


def test_stop_strings_count_in_the_answer_only(
    tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from transformers import AutoTokenizer

    folder = tiny_model()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["<think>", "</think>"])
    tokenizer.save_pretrained(folder)
    ids = tokenizer("<think>a STOP b</think>c STOP d")["input_ids"]
    backend: Any = open_backend(str(folder), Decoding(max_new_tokens=40, stop_strings=("STOP",)), tmp_path)
    backend._model.resize_token_embeddings(len(tokenizer))
    forward = backend._model.forward

    def scripted(*args: Any, **options: Any) -> Any:
        output = forward(*args, **options)
        next_token = ids[min(len(written), len(ids) - 1)]
        written.append(next_token)
        output.logits = torch.full_like(output.logits, -100.0)
        output.logits[..., next_token] = 100.0
        return output

    written: list[int] = []
    monkeypatch.setattr(backend._model, "forward", scripted)
    (answer,) = backend.generate([request_for("go")])
    assert (answer.thinking, answer.text, answer.stop_reason) == ("a STOP b", "c ", "stop string")
    assert answer.new_tokens < len(ids)


def test_a_grammar_holds_its_rows_and_leaves_the_others_alone(
    tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path, library: DomainLibrary
) -> None:
    folder = tiny_model(max_position_embeddings=600)
    backend = open_backend(str(folder), Decoding(max_new_tokens=260, stop_strings=()), tmp_path)
    asked = [("blocksworld", "stack"), ("logistics", "drive-truck"), ("miconic", "up"), ("gripper", "drop")]
    held = [
        replace(request_for(f"{domain} {action}"), grammar=ActionGrammar(library.find(domain).planning, action))
        for domain, action in asked
    ]
    free = request_for("nothing holds me")
    texts = answers(backend, [held[0], free, *held[1:]], 5)
    for (domain, action), text in zip(asked, [texts[0], *texts[2:]], strict=True):
        group = extract_action(text).group
        assert group is not None, text
        read, problems = read_action(group)
        assert (problems, read and check_action(read, library.find(domain).planning, action)) == ((), ()), text
    assert texts[1] == answers(backend, [free], 1)[0]
    assert [texts[0], *texts[2:]] == answers(backend, held, 1)
    assert "(:action" not in texts[1]


@pytest.mark.parametrize("shape", [{"intermediate_size": 96}, {"hidden_size": 80, "num_attention_heads": 5}])
def test_four_bit_weights_of_any_width(
    tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path, shape: dict[str, int]
) -> None:
    """On CPUs with AVX512-BF16 bitsandbytes raises at some widths, if it is not told otherwise."""
    folder = tiny_model(**{**shape, "num_key_value_heads": shape.get("num_attention_heads", 4)})
    decoding = Decoding(max_new_tokens=4, stop_strings=(), precision=Precision.FOUR_BIT)
    backend: Any = open_backend(str(folder), decoding, tmp_path)
    (answer,) = backend.generate([request_for("go")])
    assert answer.new_tokens == 4
    packed = {name for name, one in backend._model.named_modules() if getattr(one, "support_avx512bf16_for_cpu", False)}
    assert not any("down_proj" in name for name in packed)


def test_four_bit_weights_on_the_cpu(embedded_folder: Path, request_for: MakeRequest, tmp_path: Path) -> None:
    from bitsandbytes.nn import Linear4bit

    full = open_backend(str(embedded_folder), Decoding(max_new_tokens=8), tmp_path)
    small: Any = open_backend(str(embedded_folder), Decoding(max_new_tokens=8, precision=Precision.FOUR_BIT), tmp_path)
    kinds = [type(module) for module in small._model.modules()]
    assert kinds.count(Linear4bit) == 30 * 7  # layers times q, k, v, o, gate, up, down
    assert "NF4" in small.info.quantisation
    assert "bitsandbytes" in small.info.versions
    assert small.info.footprint_bytes < 0.6 * full.info.footprint_bytes
    (text,) = answers(small, [request_for("The capital of France is")], 1)
    assert "Paris" in text


def test_a_lack_of_memory_is_told_apart_from_other_errors(
    tiny_model: MakeModel, request_for: MakeRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend: Any = open_backend(str(tiny_model()), Decoding(max_new_tokens=4), tmp_path)
    for error, expected in (
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), OutOfMemoryError),
        (MemoryError(), OutOfMemoryError),
        (RuntimeError("shapes differ"), RuntimeError),
    ):

        def fail(*args: Any, raised: BaseException = error, **options: Any) -> None:
            raise raised

        monkeypatch.setattr(backend._model, "generate", fail)
        with pytest.raises(expected):
            backend.generate([request_for("x")])
