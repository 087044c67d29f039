"""The embedded model on all 32 actions: loading, batches against single prompts, and whether answers change by them."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.material import ROOT
from nl2pddl.domains import load_library
from nl2pddl.experiment import Completion, Decoding, RunConfig
from nl2pddl.generation import EMBEDDED, Backend, GenerationRequest, open_backend
from nl2pddl.runs import RunManager, items_of
from nl2pddl.settings import Settings
from nl2pddl.store import Store, queries

NEW_TOKENS = 40
BATCHES = (1, 4, 16)
DATA = ROOT / "data" / "test-models"


def requests() -> list[GenerationRequest]:
    """The base prompt of each action, longest first, as a run takes them."""
    library = load_library(ROOT / "domains")
    items = items_of(RunConfig((EMBEDDED,), tuple(library.domains)), library)
    made = [GenerationRequest(item.index, item.domain, item.action, item.sample, item.prompt) for item in items]
    return sorted(made, key=lambda request: -len(request.prompt))


def opened(decoding: Decoding) -> tuple[Backend, float]:
    started = time.perf_counter()
    backend = open_backend(EMBEDDED, decoding, DATA)
    return backend, time.perf_counter() - started


def generated(backend: Backend, asked: list[GenerationRequest], size: int) -> tuple[dict[int, str], float]:
    texts: dict[int, str] = {}
    started = time.perf_counter()
    for start in range(0, len(asked), size):
        batch = asked[start : start + size]
        for request, answer in zip(batch, backend.generate(batch), strict=True):
            assert isinstance(answer, Completion)
            texts[request.index] = answer.text
    return texts, time.perf_counter() - started


def resumed(decoding: Decoding, count: int) -> dict[int, str]:
    """The answers of a run that was cancelled after its first batch and resumed."""
    library = load_library(ROOT / "domains")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(DATA, ROOT / "domains", Path(folder) / "store.duckdb", workers=1)
        with Store(settings.store) as store:
            manager = RunManager(store, settings)
            run_id = manager.launch(RunConfig((EMBEDDED,), tuple(library.domains), decoding=decoding))
            while not manager.progress(run_id).generated:
                time.sleep(0.2)
            manager.cancel(run_id)
            manager.wait(run_id)
            before = manager.progress(run_id).generated
            assert 0 < before < count, "the run was over before it could be cancelled"
            manager.resume(run_id)
            manager.wait(run_id)
            manager.close()
            return queries.outputs(store, run_id)


def main() -> None:
    decoding = Decoding(max_new_tokens=NEW_TOKENS)
    opened(decoding)[0].close()  # converts the model on first use, which is not what is measured
    backend, seconds = opened(decoding)
    asked = requests()
    print(f"the model loads in {seconds:.1f} s after its first use")
    print(f"{len(asked)} prompts, {NEW_TOKENS} new tokens each, float32 on the CPU")
    results = {size: generated(backend, asked, size) for size in BATCHES}
    first, slowest = results[1]
    for size, (texts, took) in results.items():
        same = sum(texts[index] == first[index] for index in first)
        ratio = f"{slowest / took:.2f} times as fast"
        print(f"  batch {size:2}: {took:6.1f} s, {ratio}, {same} of {len(first)} answers the same")
    backend.close()
    again = resumed(decoding, len(asked))
    print(f"  resumed: {sum(again[index] == first[index] for index in first)} of {len(first)} answers the same")
