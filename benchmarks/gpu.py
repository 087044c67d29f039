"""Speed and memory of local generation: batches, attention, 4-bit, caches, continuous batching, and the estimate.

`python -m benchmarks.gpu [--tiny] [--out FILE.json]`. Models are Llama-shaped with random weights, so nothing is
downloaded. Without a GPU, and with --tiny, they are small. Every model lives in a process of its own, which reports
each measurement when it is done: what runs out of memory takes nothing else along. On the CPU memory is the resident
set, which holds what the C library does not give back.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil

from benchmarks.random_models import SIZES, Size, build, config_of, continuous, generate, prompts
from nl2pddl.experiment import Precision
from nl2pddl.generation.footprint import Shape, estimate, free_memory, shape_of

ROOT = Path(__file__).resolve().parent.parent
BUDGET = 570.0  # seconds for everything
PACKAGES = ("torch", "transformers", "bitsandbytes", "accelerate", "flash-attn")
CLOSE = 0.15  # an estimate this near to what was measured is good


@dataclass(frozen=True)
class Measure:
    """One measurement. ``kind``: "batch" (one batch, all rows of full length), or, over the same requests with answers
    of unequal length, "static" (batch by batch) and "continuous"; "even" before those: answers of equal length."""

    model: str
    precision: Precision
    attention: str
    batch: int
    kind: str = "batch"
    cache: str = "default"


# ---- the plan -------------------------------------------------------------------------------------------------------


def plan(models: Sequence[str], cuda: bool) -> list[list[Measure]]:
    """Groups of measurements, each for one process. On the CPU a process measures once: its peak cannot be reset."""
    groups: list[list[Measure]] = []
    for model in models:
        size = SIZES[model]
        flash = ["flash_attention_2"] if cuda and find_spec("flash_attn") else []
        for attention in ("sdpa", "eager", *flash):
            groups.append([Measure(model, Precision.FULL, attention, batch) for batch in size.batches])
        groups.append([Measure(model, Precision.FOUR_BIT, "sdpa", batch) for batch in size.batches])
        groups[-4 if flash else -3] += list(_others(model, size, cuda))
    return groups if cuda else [[measure] for group in groups for measure in group]


def _others(model: str, size: Size, cuda: bool) -> Iterator[Measure]:
    middle = size.batches[-2]
    for kind in ("even static", "even continuous", "static", "continuous"):
        yield Measure(model, Precision.FULL, "sdpa", size.slots, kind)
    yield Measure(model, Precision.FULL, "sdpa", middle, cache="static")
    if cuda:  # on CUDA transformers compiles the forward pass for a static cache, which takes its time first
        yield Measure(model, Precision.FULL, "sdpa", middle, cache="static, compiled")


# ---- in the process of one model ------------------------------------------------------------------------------------


def timed(model: Any, measure: Measure, device: str) -> tuple[int, float]:
    """(tokens generated that were asked for, seconds)."""
    size = SIZES[measure.model]
    if measure.kind == "batch":
        rows = prompts(size, measure.batch)
        if measure.cache == "static, compiled":
            generate(model, rows, size.new, device, measure.cache)
        started = time.perf_counter()
        generate(model, rows, size.new, device, measure.cache)
        return measure.batch * size.new, time.perf_counter() - started
    rows = prompts(size, 4 * size.slots)
    rng = random.Random(1)
    even = measure.kind.startswith("even")
    lengths = [size.new if even else rng.randint(size.new // 8, size.new) for _ in rows]
    started = time.perf_counter()
    if measure.kind.endswith("continuous"):
        if (tokens := continuous(model, rows, lengths, size.slots)) != sum(lengths):
            raise RuntimeError(f"continuous batching gave {tokens} tokens where {sum(lengths)} were asked for")
    else:
        for start in range(0, len(rows), size.slots):
            part = slice(start, start + size.slots)
            generate(model, rows[part], max(lengths[part]), device)
    return sum(lengths), time.perf_counter() - started


class Memory:
    """The peak in bytes: of the GPU's allocator, or of this process beyond what it had when this was made."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.before = psutil.Process().memory_info().rss
        if device == "cpu" and Path("/proc/self/clear_refs").exists():
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts anew

    def reset(self) -> None:
        if self.device == "cuda":
            import torch

            gc.collect()
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()

    def peaks(self) -> dict[str, int]:
        if self.device == "cuda":
            import torch

            free, total = torch.cuda.mem_get_info()
            beside = total - free - torch.cuda.memory_reserved()  # the context, and other processes
            reserved = torch.cuda.max_memory_reserved()
            return {"allocated": torch.cuda.max_memory_allocated(), "reserved": reserved, "peak": reserved + beside}
        status = Path("/proc/self/status").read_text(encoding="ascii")
        high = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) * 1024
        return {"peak": max(high - self.before, 1)}


def measured(model: Any, shape: Shape, measure: Measure, memory: Memory) -> dict[str, Any]:
    size = SIZES[measure.model]
    memory.reset()
    tokens, seconds = timed(model, measure, memory.device)
    found: dict[str, Any] = {"tokens_per_second": tokens / seconds, "seconds": seconds, **memory.peaks()}
    if measure.kind == "batch" and measure.cache == "default":
        expected = estimate(shape, measure.precision, memory.device, measure.batch, size.prompt, size.new)
        ratio = expected.total / found["peak"]
        found |= {"estimate": expected.total, "ratio": ratio, "close": abs(ratio - 1) <= CLOSE}
    return found


def child(group: Sequence[Measure], device: str) -> None:
    """Measure one model; one line of JSON for each measurement."""
    import torch
    from transformers.utils import logging

    logging.set_verbosity_error()
    first = group[0]
    size = SIZES[first.model]
    shape = shape_of(config_of(size))
    torch.ones(8, 8, device=device) @ torch.ones(8, 8, device=device)  # the libraries' own memory is there now
    memory = Memory(device)
    model = build(size, first.precision, first.attention, device)
    if device == "cuda":
        generate(model, [[5] * 8], 4, device)
    for measure in group:
        try:
            found = measured(model, shape, measure, memory)
        except Exception as error:  # whatever it is, it is this measurement's result
            found = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"}
        print("RESULT " + json.dumps(found), flush=True)


# ---- the parent -----------------------------------------------------------------------------------------------------


def run_group(group: Sequence[Measure], device: str, deadline: float) -> list[dict[str, Any]]:
    """The results of a group, each with its measurement; those that a dead process owes say how it ended."""
    left = deadline - time.monotonic()
    ended = "out of time"
    lines: list[str] = []
    if left > 20:
        command = [sys.executable, "-m", "benchmarks.gpu", "--child", json.dumps([asdict(one) for one in group])]
        try:
            done = subprocess.run(
                [*command, "--device", device], cwd=ROOT, capture_output=True, text=True, timeout=left, check=False
            )
            lines, errors = done.stdout.splitlines(), done.stderr.strip().splitlines()
            ended = f"process ended with {done.returncode}: {errors[-1][:200] if errors else ''}"
        except subprocess.TimeoutExpired as error:
            lines = (error.stdout or b"").decode().splitlines()
    found = [json.loads(line.removeprefix("RESULT ")) for line in lines if line.startswith("RESULT ")]
    found += [{"error": ended}] * (len(group) - len(found))
    return [{**asdict(measure), **result} for measure, result in zip(group, found, strict=True)]


def row(result: dict[str, Any], one: float | None) -> str:
    name = f"{result['model']:5} {result['precision']:5} {result['attention']:17} {result['kind']:15}"
    name += f" {result['cache']:16} {result['batch']:3}"
    if "error" in result:
        return f"{name}  {result['error']}"
    speed = result["tokens_per_second"]
    text = f"{name} {speed:9.1f} {speed / one if one else float('nan'):7.2f} {result['peak'] / 1e9:8.3f}"
    if "estimate" in result:
        text += f" {result['estimate'] / 1e9:8.3f} {result['ratio']:6.2f} {'yes' if result['close'] else 'NO'}"
    return text


def one_by_one(results: Sequence[dict[str, Any]], result: dict[str, Any]) -> float | None:
    """The speed of the same model with one row at a time, where it was measured."""
    same = ("model", "precision", "attention")
    speeds = (r.get("tokens_per_second") for r in results if r["batch"] == 1 and all(r[k] == result[k] for k in same))
    return next(speeds, None)


def machine(device: str) -> dict[str, Any]:
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = ""
    name = f"{platform.processor() or platform.machine()}, {os.cpu_count()} CPUs"
    if device == "cuda":
        import torch

        name = torch.cuda.get_device_name()
    return {"host": platform.node(), "device": name, "free_bytes": free_memory(device), "versions": versions}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="small models, also on a GPU")
    parser.add_argument("--out", type=Path, help="write the results to this JSON file")
    parser.add_argument("--models", nargs="+", choices=SIZES, help="these sizes instead")
    parser.add_argument("--device", choices=("cuda", "cpu"), help="instead of the GPU where there is one")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        group = [Measure(**{**one, "precision": Precision(one["precision"])}) for one in json.loads(options.child)]
        child(group, options.device)
        return
    import torch

    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    models = options.models or (("tiny", "small") if options.tiny or device == "cpu" else ("1B", "7B"))
    about = machine(device)
    print(f"{about['device']}; " + ", ".join(f"{name} {number or '-'}" for name, number in about["versions"].items()))
    titles = f"{'model':5} {'prec.':5} {'attention':17} {'kind':15} {'cache':16} {'row':>3} {'tokens/s':>9} {'to 1':>7}"
    print(f"{titles} {'peak GB':>8} {'est. GB':>8} {'ratio':>6} within 15%")
    deadline, results = time.monotonic() + BUDGET, []
    for group in plan(models, device == "cuda"):
        results += run_group(group, device, deadline)
        for result in results[-len(group) :]:
            print(row(result, one_by_one(results, result)), flush=True)
        if options.out:
            options.out.write_text(json.dumps({**about, "results": results}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
