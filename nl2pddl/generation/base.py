"""The protocol of all backends, and the cut at a stop string that all of them make alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from nl2pddl.experiment import Completion, ModelInfo


def never() -> bool:
    """Do not stop before the answer is complete."""
    return False


@dataclass(frozen=True)
class GenerationRequest:
    """One prompt for a backend. Replaying backends answer by what it asks for, real models only read ``prompt``."""

    index: int
    domain: str
    action: str
    sample: int
    prompt: str


class Backend(Protocol):
    """A loaded model. ``info`` says what exactly runs: the caller stores it with every output."""

    info: ModelInfo

    def generate(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[], bool] = never
    ) -> list[Completion]:
        """Answer one batch: as many completions as requests, in the same order.

        ``should_stop`` is asked now and then; when it says yes the answers come back cut short, and the caller, who
        knows that, drops them. The caller chooses the batch; a backend neither splits nor merges it. Raises
        ``ModelError`` where this model cannot answer a prompt at all (too long, not in the script).
        """
        ...

    def close(self) -> None:
        """Free the memory. The backend cannot be used afterwards."""
        ...


def cut_at_stop(text: str, stop_strings: Sequence[str]) -> tuple[str, bool]:
    """The text before the earliest stop string, and whether there was one. Empty stop strings are ignored."""
    positions = [text.find(stop) for stop in stop_strings if stop and stop in text]
    return (text[: min(positions)], True) if positions else (text, False)
