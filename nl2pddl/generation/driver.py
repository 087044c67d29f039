"""Takes all prompts of a model through its backend: each different one once, in batches that fit into the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from nl2pddl.errors import ModelError, OutOfMemoryError
from nl2pddl.experiment import Completion, Decoding, Fault, ModelInfo, Precision
from nl2pddl.generation.base import Backend, GenerationRequest, never
from nl2pddl.generation.scripted import NOT_RECORDED

MOST_UNANSWERED = 3  # batches in a row: a server that is gone should not cost an hour of tries

OpenBackend = Callable[[str, Decoding, Path], Backend]
Recall = Callable[[Sequence[str]], Mapping[str, Completion]]


@dataclass(frozen=True)
class Answer:
    """What became of one request. ``key`` is the backend's (see ``Backend.key``), ``info`` what ran."""

    request: GenerationRequest
    result: Completion | Fault
    key: str | None
    info: ModelInfo


@dataclass(frozen=True)
class _Group:
    """Requests that one answer serves; without a key, one request."""

    key: str | None
    requests: list[GenerationRequest] = field(default_factory=list)


def _is_trouble(result: Completion | Fault) -> bool:
    """Whether there is no answer for a reason that may well hold for the next prompts too."""
    return isinstance(result, Fault) and result.kind != NOT_RECORDED


def nothing_known(keys: Sequence[str]) -> Mapping[str, Completion]:
    """No answers from before."""
    return {}


class Driver:
    """One model, opened, and how it is fed.

    Prompts go longest first, so that a batch holds prompts of like length and a lack of memory shows at once. A batch
    that does not fit is halved, and stays so; where the model itself or a single prompt does not fit, it is opened
    again with 4-bit weights, if the precision was left to us; what then does not fit is a ``Fault``. ``recall`` looks
    up answers from before by key.
    """

    def __init__(
        self, open_model: OpenBackend, name: str, decoding: Decoding, data_dir: Path, recall: Recall = nothing_known
    ) -> None:
        """Open the model; errors as in ``open_backend``."""
        self._open = open_model
        self._name = name
        self._decoding = decoding
        self._data_dir = data_dir
        self._recall = recall
        try:
            self.backend = open_model(name, decoding, data_dir)
        except OutOfMemoryError:
            if decoding.precision is not Precision.AUTO:
                raise
            self._decoding = replace(decoding, precision=Precision.FOUR_BIT)
            self.backend = open_model(name, self._decoding, data_dir)
        self.batch_size = min(decoding.batch_size, self.backend.info.batch_size or decoding.batch_size)

    def trouble(self) -> str:
        """What keeps answers from coming right now, such as a server's errors; empty where nothing does."""
        return self.backend.trouble

    def close(self) -> None:
        """Free the model's memory."""
        self.backend.close()

    def answer(self, request: GenerationRequest, should_stop: Callable[[], bool] = never) -> tuple[Answer, str] | None:
        """The answer to one request, and its text; None where it was stopped. ``ModelError`` where there is none."""
        for answer in (one for batch in self.answers([request], should_stop) for one in batch):
            if isinstance(answer.result, Fault):
                raise ModelError(
                    f"no answer about '{request.action}': {answer.result.message}; go on when it is mended"
                )
            return answer, answer.result.text
        return None

    def answers(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[], bool] = never
    ) -> Iterator[list[Answer]]:
        """Answers as they come, a batch at a time; every request gets one unless ``should_stop`` says so.

        Requests with the same key get the same answer, generated once; all but the first are marked as reused.
        ``ModelError`` where ``MOST_UNANSWERED`` batches in a row got none.
        """
        groups = self._groups(requests)
        known = self._recall([group.key for group in groups if group.key is not None])
        waiting: list[_Group] = []
        recalled: list[Answer] = []
        for group in groups:
            if group.key is not None and group.key in known:
                recalled += self._answers(group, replace(known[group.key], reused=True))
            else:
                waiting.append(group)
        if recalled:
            yield recalled
        unanswered = 0
        while waiting and not should_stop():
            batch = waiting[: self.batch_size]
            try:
                results = self.backend.generate([group.requests[0] for group in batch], should_stop)
            except OutOfMemoryError as error:
                if len(batch) > 1:
                    self.batch_size = (len(batch) + 1) // 2
                    continue
                if self._opened_in_four_bit():
                    waiting = self._groups([request for group in waiting for request in group.requests])
                    continue
                results = [Fault("memory", str(error))]
            if should_stop():
                return  # a batch cut short is no answer of the model
            waiting = waiting[len(batch) :]
            unanswered = unanswered + 1 if all(_is_trouble(result) for result in results) else 0
            yield [
                answer for group, result in zip(batch, results, strict=True) for answer in self._answers(group, result)
            ]
            if unanswered >= MOST_UNANSWERED and waiting:
                last = results[-1]
                assert isinstance(last, Fault)
                raise ModelError(
                    f"the last {unanswered} batches got no answer at all ({last.kind}: {last.message}), so "
                    f"{len(waiting)} further prompts were not tried; mend that and resume the run"
                )

    def _groups(self, requests: Sequence[GenerationRequest]) -> list[_Group]:
        """The requests by what their answers depend on, the longest prompts first; one without a key is alone."""
        groups: dict[object, _Group] = {}
        for request in requests:
            key = self.backend.key(request)
            groups.setdefault(key or object(), _Group(key)).requests.append(request)
        return sorted(groups.values(), key=lambda group: -len(group.requests[0].prompt))

    def _answers(self, group: _Group, result: Completion | Fault) -> Iterator[Answer]:
        for number, request in enumerate(group.requests):
            own = replace(result, reused=True) if number and isinstance(result, Completion) else result
            yield Answer(request, own, group.key, self.backend.info)

    def _opened_in_four_bit(self) -> bool:
        """Open the model again with 4-bit weights where that was left to us; False where it cannot be tried."""
        local = bool(self.backend.info.dtype)
        if not local or self._decoding.precision is not Precision.AUTO or self.backend.info.quantisation:
            return False
        self.backend.close()
        self._decoding = replace(self._decoding, precision=Precision.FOUR_BIT)
        self.backend = self._open(self._name, self._decoding, self._data_dir)
        return True
