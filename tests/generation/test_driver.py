from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from nl2pddl.errors import ModelError, OutOfMemoryError
from nl2pddl.experiment import Completion, Decoding, Fault, ModelInfo, Precision
from nl2pddl.generation.base import GenerationRequest, never
from nl2pddl.generation.driver import Answer, Driver

MakeRequest = Callable[..., GenerationRequest]


class Fake:
    """Answers with the prompt in capitals; a batch whose prompts together are longer than ``room`` does not fit."""

    opened: list[Fake]

    def __init__(
        self, name: str, decoding: Decoding, data_dir: Path, room: float = 10**6, dtype: str = "float32"
    ) -> None:
        four_bit = decoding.precision is Precision.FOUR_BIT
        self.info = ModelInfo(name, dtype=dtype, quantisation="NF4" if four_bit else "")
        self.room = room * (4 if four_bit else 1)
        self.batches: list[list[str]] = []
        self.closed = False

    def key(self, request: GenerationRequest) -> str | None:
        return f"{self.info.quantisation}{request.prompt}" if self.info.dtype else None

    def generate(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[], bool] = never
    ) -> list[Completion | Fault]:
        prompts = [request.prompt for request in requests]
        if sum(map(len, prompts)) > self.room:
            raise OutOfMemoryError("it does not fit")
        self.batches.append(prompts)
        return [Completion(prompt.upper(), "end of text", 1, 0.0) for prompt in prompts]

    def close(self) -> None:
        self.closed = True

    trouble = "none"


def driver(
    decoding: Decoding, known: dict[str, Completion] | None = None, **options: object
) -> tuple[Driver, list[Fake]]:
    opened: list[Fake] = []

    def open_fake(name: str, asked: Decoding, data_dir: Path) -> Fake:
        opened.append(Fake(name, asked, data_dir, **options))  # type: ignore[arg-type]
        return opened[-1]

    return Driver(
        open_fake, "fake", decoding, Path(), lambda keys: {k: v for k, v in (known or {}).items() if k in keys}
    ), opened


def texts(answers: list[Answer]) -> dict[int, str]:
    return {a.request.index: a.result.text if isinstance(a.result, Completion) else a.result.kind for a in answers}


def ask(made: Driver, requests: list[GenerationRequest]) -> list[Answer]:
    return [answer for batch in made.answers(requests) for answer in batch]


@pytest.fixture
def requests(request_for: MakeRequest) -> list[GenerationRequest]:
    return [request_for(prompt, index=index) for index, prompt in enumerate(["a", "bbb", "cc", "dddd", "bbb"])]


def test_longest_first_and_each_prompt_once(requests: list[GenerationRequest]) -> None:
    made, (fake,) = driver(Decoding(batch_size=2))
    answers = ask(made, requests)
    assert fake.batches == [["dddd", "bbb"], ["cc", "a"]]
    assert texts(answers) == {0: "A", 1: "BBB", 2: "CC", 3: "DDDD", 4: "BBB"}
    assert [a.request.index for a in answers if isinstance(a.result, Completion) and a.result.reused] == [4]


def test_what_was_answered_before_is_not_generated(requests: list[GenerationRequest]) -> None:
    made, (fake,) = driver(Decoding(), {"bbb": Completion("before", "length", 7, 1.0), "x": Completion("x", "", 1, 1)})
    answers = ask(made, requests)
    assert fake.batches == [["dddd", "cc", "a"]]
    assert {a.request.index: a.result for a in answers}[4] == Completion("before", "length", 7, 1.0, reused=True)
    assert len(answers) == 5


def test_an_answer_without_a_key_is_never_shared(requests: list[GenerationRequest]) -> None:
    made, (fake,) = driver(Decoding(batch_size=9), dtype="")
    answers = ask(made, requests)
    assert sorted(fake.batches[0]) == ["a", "bbb", "bbb", "cc", "dddd"]
    assert {answer.key for answer in answers} == {None}


def test_a_batch_that_does_not_fit_is_halved_and_nothing_lost(requests: list[GenerationRequest]) -> None:
    made, opened = driver(Decoding(batch_size=4), room=5)
    answers = ask(made, requests)
    assert texts(answers) == {0: "A", 1: "BBB", 2: "CC", 3: "DDDD", 4: "BBB"}
    assert len(opened) == 1
    assert opened[0].batches == [["dddd"], ["bbb"], ["cc"], ["a"]]


def test_a_prompt_that_does_not_fit_is_tried_in_four_bit(requests: list[GenerationRequest]) -> None:
    made, opened = driver(Decoding(batch_size=2), room=1)
    answers = ask(made, requests)
    assert texts(answers) == {0: "A", 1: "BBB", 2: "CC", 3: "DDDD", 4: "BBB"}
    assert [fake.info.quantisation for fake in opened] == ["", "NF4"]
    assert opened[0].closed
    assert {answer.info.quantisation for answer in answers} == {"NF4"}
    assert {answer.key for answer in answers} == {"NF4a", "NF4bbb", "NF4cc", "NF4dddd"}


@pytest.mark.parametrize("precision", list(Precision))
def test_a_model_that_does_not_fit_is_opened_in_four_bit(
    requests: list[GenerationRequest], precision: Precision
) -> None:
    opened: list[Precision] = []

    def open_fake(name: str, asked: Decoding, data_dir: Path) -> Fake:
        opened.append(asked.precision)
        if asked.precision is not Precision.FOUR_BIT:
            raise OutOfMemoryError("not enough memory to load it")
        return Fake(name, asked, data_dir)

    if precision is Precision.FULL:
        with pytest.raises(OutOfMemoryError):
            Driver(open_fake, "fake", Decoding(precision=precision), Path())
        return
    made = Driver(open_fake, "fake", Decoding(precision=precision), Path())
    assert len(ask(made, requests)) == 5
    assert opened == [Precision.AUTO, Precision.FOUR_BIT][precision is Precision.FOUR_BIT :]


@pytest.mark.parametrize("precision", [Precision.FULL, Precision.FOUR_BIT])
def test_a_forced_precision_is_kept_and_the_fault_recorded(
    requests: list[GenerationRequest], precision: Precision
) -> None:
    made, opened = driver(Decoding(precision=precision, batch_size=2), room=3 if precision is Precision.FULL else 0.75)
    answers = ask(made, requests)
    assert len(opened) == 1
    assert texts(answers) == {0: "A", 1: "BBB", 2: "CC", 3: "memory", 4: "BBB"}


def test_a_model_that_no_longer_answers_is_given_up(requests: list[GenerationRequest]) -> None:
    made, opened = driver(Decoding(batch_size=1, precision=Precision.FULL), room=0)
    with pytest.raises(
        ModelError, match=r"last 3 batches got no answer at all \(memory: it does not fit\), so 1 further"
    ):
        ask(made, requests)
    made, opened = driver(Decoding(batch_size=1, precision=Precision.FULL), room=2)
    assert texts(ask(made, requests)) == {0: "A", 1: "memory", 2: "CC", 3: "memory", 4: "memory"}
    assert len(opened) == 1


def test_stopped_between_batches_and_within_one(requests: list[GenerationRequest]) -> None:
    made, (fake,) = driver(Decoding(batch_size=1))
    stop = iter([False, False, False, True])
    answers = [answer for batch in made.answers(requests, lambda: next(stop)) for answer in batch]
    assert texts(answers) == {3: "DDDD"}
    assert len(fake.batches) == 2
