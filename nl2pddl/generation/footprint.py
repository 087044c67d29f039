"""How much memory a local model will take, told from its shape before any weight is loaded, and what fits.

Importing this loads neither torch nor transformers; the functions that need them import them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nl2pddl.experiment import Decoding, Precision
from nl2pddl.generation.shapes import Shape, shape_of, shape_of_model

__all__ = [
    "Choice",
    "Estimate",
    "Shape",
    "choose",
    "device_kind",
    "estimate",
    "footprint",
    "free_memory",
    "loading",
    "shape_of",
    "shape_of_model",
    "weights_in_words",
]

# Bytes of one quantised weight. NF4 takes half a byte. Its scales are one number for 64 weights: a byte each with a
# float32 for 256 of them where they are quantised again (on CUDA). On the CPU bitsandbytes undoes that at the first
# forward pass where the processor multiplies bfloat16, and keeps the scales in bfloat16.
_NF4 = {"cuda": 0.5 + 1 / 64 + 4 / (64 * 256), "cpu": 0.5 + 2 / 64}
_COMPUTE = {"cuda": 2, "cpu": 4}  # bfloat16, float32
# The CUDA context, cuBLAS's workspace and the kernels loaded on the way, which no tensor shows; on the CPU what the
# libraries' threads allocate when they first compute.
_RUNTIME = {"cuda": 512 << 20, "cpu": 16 << 20}
_HEAP_BLOCK = 32 << 20  # glibc gives larger blocks back to the system when they are freed, smaller ones it may keep
# What stays free: the allocator rounds up and fragments, and other processes go on living.
_MARGIN = 0.1
PROMPT_TOKENS = 1200
_PLACE = {"cuda": "on the GPU", "cpu": "in this machine's memory"}


@dataclass(frozen=True)
class Estimate:
    """Bytes at the peak of generating one batch. ``working`` is what comes on top of weights and the full cache."""

    weights: int
    kv_cache: int
    working: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.weights + self.kv_cache + self.working


@dataclass(frozen=True)
class Choice:
    """How a model is to be loaded. ``precision`` is None where it cannot be loaded, else never ``AUTO``.

    ``batch`` is the largest that fits, at most the one asked for; ``estimate`` belongs to both. ``reason`` is for the
    user.
    """

    precision: Precision | None
    batch: int
    estimate: Estimate
    free: int
    reason: str


def estimate(
    shape: Shape, precision: Precision, device_kind: str, batch: int, prompt_tokens: int, new_tokens: int
) -> Estimate:
    """The memory for generating ``new_tokens`` after ``batch`` prompts of ``prompt_tokens``, each a full row.

    ``device_kind``: "cuda" (bfloat16) or "cpu" (float32). ``precision``: FULL or FOUR_BIT. The cache is an upper bound
    for models whose layers look back over a window only. Attention is taken to be sdpa or flash: "eager" holds
    all scores of a layer besides, which grow with the square of the prompt.
    """
    number = _COMPUTE[device_kind]
    cache = _cache(shape, number, batch, prompt_tokens + new_tokens)
    # The widest moment of the prefill is behind us when the last token is generated: its cache is then still shorter.
    prefill = _prefill(shape, number, batch, prompt_tokens) - _cache(shape, number, batch, new_tokens)
    # The last position's scores, as the model gives them and as the float32 copy from which the next token is chosen.
    scores = batch * shape.vocabulary * (number + 4)
    working = max(prefill, _decode(shape, number, batch, prompt_tokens + new_tokens)) + scores + _RUNTIME[device_kind]
    if precision is Precision.FOUR_BIT:
        working += _unpacked(shape, device_kind, batch * prompt_tokens)
    if device_kind == "cpu":
        working += _kept(shape, precision, batch * prompt_tokens, cache)
    return Estimate(_weights(shape, precision, device_kind), cache, working)


def _weights(shape: Shape, precision: Precision, device_kind: str) -> int:
    number = _COMPUTE[device_kind]
    if precision is not Precision.FOUR_BIT:
        return shape.parameters * number + shape.buffers
    rest = (shape.parameters - shape.linear_parameters) * number + shape.buffers
    return rest + round(shape.linear_parameters * _NF4[device_kind])


def _cache(shape: Shape, number: int, batch: int, length: int) -> int:
    """Keys and values of every layer, for every token that was read or written."""
    return 2 * shape.layers * shape.kv_heads * shape.head_dim * length * batch * number


def _prefill(shape: Shape, number: int, batch: int, length: int) -> int:
    """All prompts go through one layer at a time, and its intermediate results are freed before the next layer's."""
    # In the feed-forward block the gate, the other half and their product lie side by side; the residual stream and its
    # normalised copy wait. The attention's own results (queries, keys, values, rotated copies) are narrower than that.
    activations = batch * length * (3 * shape.intermediate + 2 * shape.hidden) * number
    # Prompts of unequal length need a mask: as truth values, and as the numbers that attention adds to its scores.
    mask = batch * length * length * (1 + number)
    return activations + mask


def _decode(shape: Shape, number: int, batch: int, length: int) -> int:
    """One token a row: what counts is the layer whose cache is extended, which exists twice meanwhile, or spread over
    all heads for the attention."""
    copied = _cache(shape, number, batch, length) // shape.layers
    spread = 2 * shape.hidden * length * batch * number
    return max(copied, spread)


def _unpacked(shape: Shape, device_kind: str, rows: int) -> int:
    """4-bit weights are unpacked one layer at a time: on CUDA to bfloat16 to multiply with, on the CPU once, to be
    packed in another order (as 32-bit integers, bytes, halves), and there each product is in bfloat16 first."""
    largest = shape.hidden * shape.intermediate
    return largest * 7 + rows * 2 * shape.intermediate * 2 if device_kind == "cpu" else largest * 2


def _kept(shape: Shape, precision: Precision, rows: int, cache: int) -> int:
    """What the C library keeps of freed blocks between others in use; as measured (benchmarks/gpu.py) four fifths of
    the small blocks. Large ones, as those of models that fill a machine, go back at once."""
    widths = [(shape.intermediate, 3), (shape.hidden, 2)]
    blocks = sum(rows * width * 4 * count for width, count in widths if rows * width * 4 <= _HEAP_BLOCK)
    grown = cache if rows * shape.kv_heads * shape.head_dim * 4 <= _HEAP_BLOCK else 0  # every step copies the cache
    largest = shape.hidden * shape.intermediate
    # Quantising leaves about ten float32 copies of a layer behind.
    left = 40 * largest if precision is Precision.FOUR_BIT and 4 * largest <= _HEAP_BLOCK else 0
    return (blocks + grown) * 4 // 5 + left


def device_kind() -> str:
    """Where models run on this machine: "cuda", or "cpu" without a GPU."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def weights_in_words(billions: float) -> str:
    """What the weights of so many billion parameters take on this machine, where nothing else is known of a model."""
    kind = device_kind()
    number, name = (2, "bfloat16") if kind == "cuda" else (4, "float32")
    full, small = number * billions, 0.6 * billions
    return (
        f"its configuration cannot be reached; by its {billions:g} billion parameters the weights take about "
        f"{full:.0f} GB in {name} and {small:.0f} GB in 4-bit, and {free_memory(kind) / 1e9:.1f} GB are free"
    )


def free_memory(device_kind: str) -> int:
    """Bytes that can be allocated now on the current GPU ("cuda") or, without swapping, in main memory ("cpu")."""
    if device_kind == "cuda":
        import torch

        return torch.cuda.mem_get_info()[0]
    import psutil

    return psutil.virtual_memory().available


def choose(
    shape: Shape,
    wanted: Precision,
    device_kind: str,
    batch: int,
    prompt_tokens: int,
    new_tokens: int,
    free: int,
) -> Choice:
    """Precision and batch size for ``free`` bytes, of which a tenth is left alone.

    ``AUTO`` takes full precision where a batch of one fits, however small the batch becomes, since 4-bit weights change
    the answers; else 4-bit; else nothing. What is asked for by name is obeyed, with a warning where it will not fit.
    4-bit without bitsandbytes is no choice.
    """
    question = _Question(shape, device_kind, batch, prompt_tokens, new_tokens, free)
    has_bitsandbytes = find_spec("bitsandbytes") is not None
    if wanted is Precision.FULL:
        return question.forced(Precision.FULL)
    if wanted is Precision.FOUR_BIT:
        return question.forced(Precision.FOUR_BIT) if has_bitsandbytes else question.lacks_bitsandbytes("")
    if question.largest(Precision.FULL):
        return question.fitting(Precision.FULL, "")
    full = question.sized(Precision.FULL, 1).total
    why_not = f"full precision would take {_gb(full)} even at batch size 1"
    if not question.largest(Precision.FOUR_BIT):
        return question.nothing(why_not)
    if not has_bitsandbytes:
        return question.lacks_bitsandbytes(f"{why_not}, with {_gb(free)} free; ")
    return question.fitting(Precision.FOUR_BIT, f"; {why_not}")


def loading(name: str, decoding: Decoding, data_dir: Path) -> Choice | None:
    """What will be chosen when this model is loaded now; None where its shape cannot be told, or it does not run here.

    Takes a prompt to be of ``PROMPT_TOKENS`` tokens: with three context examples those of the nine domains have at most
    1,000.
    """
    shape = shape_of_model(name, data_dir)
    if shape is None:
        return None
    device = device_kind()
    batch, new_tokens, free = decoding.batch_size, decoding.max_new_tokens, free_memory(device)
    return choose(shape, decoding.precision, device, batch, PROMPT_TOKENS, new_tokens, free)


@dataclass(frozen=True)
class _Question:
    """What ``choose`` was asked, and the answers it can give."""

    shape: Shape
    device_kind: str
    batch: int
    prompt_tokens: int
    new_tokens: int
    free: int

    @property
    def usable(self) -> int:
        return int(self.free * (1 - _MARGIN))

    def sized(self, precision: Precision, batch: int) -> Estimate:
        return estimate(self.shape, precision, self.device_kind, batch, self.prompt_tokens, self.new_tokens)

    def largest(self, precision: Precision) -> int:
        """The largest batch that fits: the one asked for, or a power of two below it; 0 where none does."""
        powers = [1 << bit for bit in reversed(range(self.batch.bit_length())) if 1 << bit < self.batch]
        return next((n for n in (self.batch, *powers) if self.sized(precision, n).total <= self.usable), 0)

    def fitting(self, precision: Precision, why: str) -> Choice:
        batch = self.largest(precision)
        size = self.sized(precision, batch)
        smaller = ""
        if batch < self.batch:
            asked = self.sized(precision, self.batch).total
            smaller = f"; the {self.batch} asked for would take {_gb(asked)}"
        reason = (
            f"{_words(precision)} at batch size {batch}: about {_gb(size.total)} of the {_gb(self.free)} that are free "
            f"{_PLACE[self.device_kind]}{smaller}{why}"
        )
        return Choice(precision, batch, size, self.free, reason)

    def forced(self, precision: Precision) -> Choice:
        if self.largest(precision):
            return self.fitting(precision, ", as asked for")
        size = self.sized(precision, 1)
        reason = (
            f"{_words(precision)} at batch size 1, as asked for, but it will hardly fit: it takes about "
            f"{_gb(size.total)}, and {_gb(self.free)} are free {_PLACE[self.device_kind]}, of which a tenth should stay"
        )
        return Choice(precision, 1, size, self.free, reason)

    def lacks_bitsandbytes(self, before: str) -> Choice:
        reason = f"{before}4-bit weights need bitsandbytes, which is not installed: `pip install bitsandbytes`"
        return Choice(None, 0, self.sized(Precision.FOUR_BIT, 1), self.free, reason)

    def nothing(self, why_not: str) -> Choice:
        size = self.sized(Precision.FOUR_BIT, 1)
        lacking = size.total - self.usable
        reason = (
            f"the model of {self.shape.parameters / 1e9:.1f} billion parameters does not fit: {why_not} and 4-bit "
            f"{_gb(size.total)}, {_gb(lacking)} more than can be used of the {_gb(self.free)} that are free "
            f"{_PLACE[self.device_kind]}; {self._what_would_fit()}"
        )
        return Choice(None, 0, size, self.free, reason)

    def _what_would_fit(self) -> str:
        """Sizes of models like this one, taking all but the runtime's share to grow with the parameters."""
        fixed = _RUNTIME[self.device_kind]
        sizes = {}
        for precision in (Precision.FULL, Precision.FOUR_BIT):
            grows = self.sized(precision, 1).total - fixed
            sizes[precision] = max(self.usable - fixed, 0) / grows * self.shape.parameters / 1e9
        return (
            f"a model of about {sizes[Precision.FULL]:.1f} billion parameters would fit in full precision, one of "
            f"{sizes[Precision.FOUR_BIT]:.1f} billion in 4-bit"
        )


def _words(precision: Precision) -> str:
    return "4-bit weights" if precision is Precision.FOUR_BIT else "full precision"


def _gb(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def footprint(model: Any) -> int:
    """Bytes that a loaded model's parameters and buffers take, and the scales and tables of its 4-bit weights.

    Memory shared by several of them (tied weights) counts once.
    """
    tensors = [*model.parameters(), *model.buffers()]
    for parameter in model.parameters():
        state = getattr(parameter, "quant_state", None)
        while state is not None:  # a second one where the scales are quantised themselves
            tensors += [state.absmax, state.code, *([] if state.offset is None else [state.offset])]
            state = state.state2 if state.nested else None
    storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors}
    return sum(storages.values())
