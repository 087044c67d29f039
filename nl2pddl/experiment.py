"""What an experiment asks for and what its models answered: the records of runs, prompts and completions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from nl2pddl.records import DescriptionClass, EvaluationSettings, Protocol, ValidatorChoice

WHOLE_DOMAIN = "*"  # the action of an item that stands for all actions of its domain together


class RunStatus(StrEnum):
    """Where a run stands. ``INTERRUPTED``: it was running when its process ended, and can be resumed."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    PAUSED = "paused"
    CANCELLED = "cancelled"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    IMPORTED = "imported"


class RunKind(StrEnum):
    """What a run generates. ``ACTIONS``: each action on its own (the paper's task). ``DOMAIN``: all actions of a domain
    one after another, each prompt holding those generated so far, and then judged together. ``IMPORTED``: nothing; its
    verdicts were reached elsewhere, and its prompts and outputs are not in the store."""

    ACTIONS = "actions"
    DOMAIN = "domain"
    IMPORTED = "imported"


class ChatMode(StrEnum):
    """How a prompt reaches a model: as it is (the paper's way), or as a message in the model's chat template."""

    RAW = "raw"
    TEMPLATE = "template"


class Precision(StrEnum):
    """The numbers a local model computes with. ``FULL``: bfloat16 on a GPU, float32 on the CPU. ``FOUR_BIT``: NF4
    weights by bitsandbytes. ``AUTO``: full where it fits into the memory, else 4-bit."""

    AUTO = "auto"
    FULL = "full"
    FOUR_BIT = "4-bit"


@dataclass(frozen=True)
class Turn:
    """One message of a dialogue. ``role``: "user" or "assistant"."""

    role: str
    content: str


@dataclass(frozen=True)
class RunItem:
    """One cell of an experiment: one prompt for one model. Identified by its run and its index from 0.

    ``sample`` counts the prompts of one action and description class (they differ in their context examples), ``draw``
    the answers asked for to one prompt. ``grammar`` tells whether decoding is constrained to valid actions. ``round`` 0
    is the first answer; an item of round r corrects that of round r - 1 whose index is lower by the run's total.
    ``dialogue`` holds the turns where there is more to the prompt than one message; ``prompt`` is then all of it as one
    text.
    """

    index: int
    model: str
    domain: str
    action: str
    description_class: DescriptionClass
    sample: int
    prompt: str
    context: tuple[str, ...] = ()  # the context examples as "domain/action"
    domain_sha: str = ""
    draw: int = 0
    grammar: bool = False
    round: int = 0
    dialogue: tuple[Turn, ...] = ()


@dataclass(frozen=True)
class Completion:
    """What a model answered to one prompt. ``stop_reason``: "stop string", "end of text" or "length".

    ``text`` excludes the prompt, the stop string and the ``thinking`` of a reasoning model, which is kept apart.
    ``new_tokens`` counts all that was generated (0 where it is not known), ``seconds`` is the wall time of the batch
    over its size. ``reused`` marks an answer that was not generated again, because it would have been the same.
    ``prompt`` is what was answered, where an answer made elsewhere is replayed and its own prompt is on record.
    """

    text: str
    stop_reason: str
    new_tokens: int
    seconds: float
    prompt_tokens: int = 0
    thinking: str = ""
    reused: bool = False
    prompt: str | None = None


@dataclass(frozen=True)
class Fault:
    """Why there is no answer to one prompt, where the model is not to blame: network, server, memory.

    ``kind`` is one word or two ("rate limit", "connection", "server", "invalid answer", "memory"); ``attempts`` counts
    the tries.
    """

    kind: str
    message: str
    attempts: int = 1


@dataclass(frozen=True)
class ModelInfo:
    """What actually ran, stored with every output: enough to ask for the same thing again.

    ``estimate_bytes`` is the memory it was expected to take, ``footprint_bytes`` what its weights took (0: not known),
    ``batch_size`` the largest batch that was expected to fit (0: whatever was asked for).
    """

    name: str
    revision: str = ""
    dtype: str = ""
    quantisation: str = ""
    device: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    attention: str = ""
    estimate_bytes: int = 0
    footprint_bytes: int = 0
    batch_size: int = 0


@dataclass(frozen=True)
class Decoding:
    """How tokens are chosen. The defaults are the paper's (its appendix "Hyperparameters"): greedy, 300 new tokens.

    ``temperature`` 0 is greedy. ``batch_size`` is the most prompts generated at once (for a server: requests under
    way). Stop strings count in the answer only, not in what a reasoning model thinks before it.
    """

    max_new_tokens: int = 300
    stop_strings: tuple[str, ...] = ("Input:", "Allowed Predicates:")
    batch_size: int = 4
    temperature: float = 0.0
    top_p: float = 1.0
    chat: ChatMode = ChatMode.RAW
    precision: Precision = Precision.AUTO

    @property
    def greedy(self) -> bool:
        """Whether the most likely token is always taken."""
        return self.temperature == 0


@dataclass(frozen=True)
class RunConfig:
    """Everything a launch asks for. ``prompts`` counts prompts for one action in one description class.

    ``draws`` answers are sampled for each prompt. ``grammars`` lists whether decoding is constrained: (False,), (True,)
    or both, side by side. ``rounds`` is how often a failed answer is corrected at most. ``items`` restricts the run to
    some indices of what it would otherwise have (empty: all), for a dry run or to run chosen cells again.
    """

    models: tuple[str, ...]
    domains: tuple[str, ...]
    descriptions: tuple[DescriptionClass, ...] = (DescriptionClass.BASE,)
    prompts: int = 1
    seed: int = 0
    context_examples: int = 3
    name: str = ""
    decoding: Decoding = field(default_factory=Decoding)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    kind: RunKind = RunKind.ACTIONS
    draws: int = 1
    grammars: tuple[bool, ...] = (False,)
    rounds: int = 0
    items: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, for JSON; ``run_config_from_dict`` reads it back."""
        return asdict(self)


def decoding_from_dict(data: Mapping[str, Any]) -> Decoding:
    """Read back what ``asdict`` gave of a ``Decoding`` (after a trip through JSON); what it lacks is the default."""
    decoding = {**data, "stop_strings": tuple(data["stop_strings"])}
    kinds = {"chat": ChatMode, "precision": Precision}
    decoding.update({name: kind(decoding[name]) for name, kind in kinds.items() if name in decoding})
    return Decoding(**decoding)


def run_config_from_dict(data: dict[str, Any]) -> RunConfig:
    """Read back what ``RunConfig.to_dict`` gave (after a trip through JSON).

    What an older version's runs lack is the default.
    """
    evaluation = dict(data["evaluation"])
    evaluation["protocol"] = Protocol(evaluation["protocol"])
    if "validator" in evaluation:
        evaluation["validator"] = ValidatorChoice(evaluation["validator"])
    return RunConfig(
        models=tuple(data["models"]),
        domains=tuple(data["domains"]),
        descriptions=tuple(DescriptionClass(name) for name in data["descriptions"]),
        prompts=data["prompts"],
        seed=data["seed"],
        context_examples=data["context_examples"],
        name=data["name"],
        decoding=decoding_from_dict(data["decoding"]),
        evaluation=EvaluationSettings(**evaluation),
        kind=RunKind(data.get("kind", RunKind.ACTIONS)),
        draws=data.get("draws", 1),
        grammars=tuple(data.get("grammars", (False,))),
        rounds=data.get("rounds", 0),
        items=tuple(data.get("items", ())),
    )


@dataclass(frozen=True)
class RunProgress:
    """Where a run stands now. ``rate`` is finished items a minute over this session of the run, ``seconds_left`` an
    estimate from it; both are None before the first item is done. ``faults`` counts the items without an output whose
    last try failed for a reason that was not the model's."""

    run_id: str
    status: RunStatus
    total: int
    generated: int
    judged: int
    rate: float | None = None
    seconds_left: float | None = None
    message: str = ""
    faults: int = 0
