"""What an experiment asks for and what its models answered: the records of runs, prompts and completions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from nl2pddl.records import DescriptionClass, EvaluationSettings, Protocol, ValidatorChoice


class RunStatus(StrEnum):
    """Where a run stands. ``INTERRUPTED``: it was running when its process ended, and can be resumed."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class RunItem:
    """One cell of an experiment: one prompt for one model. Identified by its run and its index from 0."""

    index: int
    model: str
    domain: str
    action: str
    description_class: DescriptionClass
    sample: int
    prompt: str
    context: tuple[str, ...] = ()  # the context examples as "domain/action"
    domain_sha: str = ""


@dataclass(frozen=True)
class Completion:
    """What a model answered to one prompt. ``stop_reason``: "stop string", "end of text" or "length".

    ``text`` excludes the prompt and the stop string. ``seconds`` is the wall time of the batch over its size.
    """

    text: str
    stop_reason: str
    new_tokens: int
    seconds: float


@dataclass(frozen=True)
class ModelInfo:
    """What actually ran, stored with every output: enough to ask for the same thing again."""

    name: str
    revision: str = ""
    dtype: str = ""
    quantisation: str = ""
    device: str = ""
    versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Decoding:
    """How tokens are chosen. The defaults are the paper's (its appendix "Hyperparameters"): greedy, 300 new tokens."""

    max_new_tokens: int = 300
    stop_strings: tuple[str, ...] = ("Input:", "Allowed Predicates:")
    batch_size: int = 4


@dataclass(frozen=True)
class RunConfig:
    """Everything a launch asks for. ``prompts`` counts prompts for one action in one description class."""

    models: tuple[str, ...]
    domains: tuple[str, ...]
    descriptions: tuple[DescriptionClass, ...] = (DescriptionClass.BASE,)
    prompts: int = 1
    seed: int = 0
    context_examples: int = 3
    name: str = ""
    decoding: Decoding = field(default_factory=Decoding)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, for JSON; ``run_config_from_dict`` reads it back."""
        return asdict(self)


def run_config_from_dict(data: dict[str, Any]) -> RunConfig:
    """Read back what ``RunConfig.to_dict`` gave (after a trip through JSON)."""
    decoding, evaluation = dict(data["decoding"]), dict(data["evaluation"])
    decoding["stop_strings"] = tuple(decoding["stop_strings"])
    evaluation["protocol"] = Protocol(evaluation["protocol"])
    if "validator" in evaluation:  # absent in runs of before there was a choice
        evaluation["validator"] = ValidatorChoice(evaluation["validator"])
    return RunConfig(
        models=tuple(data["models"]),
        domains=tuple(data["domains"]),
        descriptions=tuple(DescriptionClass(name) for name in data["descriptions"]),
        prompts=data["prompts"],
        seed=data["seed"],
        context_examples=data["context_examples"],
        name=data["name"],
        decoding=Decoding(**decoding),
        evaluation=EvaluationSettings(**evaluation),
    )


@dataclass(frozen=True)
class RunProgress:
    """Where a run stands now. ``rate`` is finished items a minute over this session of the run, ``seconds_left`` an
    estimate from it; both are None before the first item is done."""

    run_id: str
    status: RunStatus
    total: int
    generated: int
    judged: int
    rate: float | None = None
    seconds_left: float | None = None
    message: str = ""
