"""The protocol of all backends, and what all of them do alike to an answer: thoughts apart, cut at a stop string."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from nl2pddl.experiment import Completion, Fault, ModelInfo, Turn
from nl2pddl.grammar import ActionGrammar

_THINK, _THOUGHT = "<think>", "</think>"


def never() -> bool:
    """Do not stop before the answer is complete."""
    return False


@dataclass(frozen=True)
class GenerationRequest:
    """One prompt for a backend. Replaying backends answer by what it asks for, real models only read the prompt.

    ``dialogue`` holds the prompt as turns where it has several; a backend that takes no turns reads ``prompt``.
    ``seed`` is what sampling starts from, ``grammar`` what the answer is held to.
    """

    index: int
    domain: str
    action: str
    sample: int
    prompt: str
    dialogue: tuple[Turn, ...] = ()
    draw: int = 0
    round: int = 0
    seed: int = 0
    grammar: ActionGrammar | None = None
    description_class: str = ""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The prompt as messages."""
        return self.dialogue or (Turn("user", self.prompt),)


class Backend(Protocol):
    """A loaded model. ``info`` says what exactly runs: the caller stores it with every output.

    ``trouble`` is what keeps answers from coming right now, for a person to read; other threads may ask for it.
    """

    info: ModelInfo

    @property
    def trouble(self) -> str:
        """Empty where all goes well."""
        ...

    def key(self, request: GenerationRequest) -> str | None:
        """A hash of everything that the answer depends on; None where that cannot be known (a server's weights)."""
        ...

    def generate(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[], bool] = never
    ) -> list[Completion | Fault]:
        """Answer one batch: as many answers as requests, in the same order.

        A ``Fault`` stands where there is no answer for a reason that is not the model's. ``should_stop`` is asked now
        and then; when it says yes the answers come back cut short, and the caller, who knows that, drops them. The
        caller chooses the batch; a backend neither splits nor merges it. Raises ``ModelError`` where this model cannot
        answer a prompt at all (too long, not in the script), ``OutOfMemoryError`` where the batch is too large.
        """
        ...

    def close(self) -> None:
        """Free the memory. The backend cannot be used afterwards."""
        ...


def cut_at_stop(text: str, stop_strings: Sequence[str]) -> tuple[str, bool]:
    """The text before the earliest stop string, and whether there was one. Empty stop strings are ignored."""
    positions = [text.find(stop) for stop in stop_strings if stop and stop in text]
    return (text[: min(positions)], True) if positions else (text, False)


def split_thinking(text: str, *, opened: bool = False) -> tuple[str, str]:
    """What a reasoning model thought, and its answer.

    A block that is not closed is all thought. Some chat templates open the block in the prompt: ``opened`` says so, and
    a closing mark alone counts too, for a server that does not tell.
    """
    before, mark, after = text.partition(_THOUGHT)
    if mark:
        return before.strip().removeprefix(_THINK).strip(), after.lstrip("\n")
    if opened or text.lstrip().startswith(_THINK):
        return text.strip().removeprefix(_THINK).strip(), ""
    return "", text
