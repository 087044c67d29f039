"""The GPU benchmark's own machinery, on the CPU: what it plans, builds and reports, and what a failure leaves."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
import torch

from benchmarks import gpu, random_models
from benchmarks.gpu import Measure
from benchmarks.random_models import Size
from nl2pddl.experiment import Precision
from nl2pddl.generation.footprint import estimate, footprint, shape_of

MICRO = Size(64, 128, 2, 4, 2, 256, prompt=24, new=4, batches=(1, 2), slots=2)


@pytest.fixture(autouse=True)
def micro(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(gpu.SIZES, "micro", MICRO)


def test_the_plan_measures_each_thing_once_and_on_the_cpu_in_a_process_of_its_own() -> None:
    for cuda in (False, True):
        groups = gpu.plan(["tiny", "small"], cuda)
        measures = [measure for group in groups for measure in group]
        assert len(set(measures)) == len(measures)
        assert {m.kind for m in measures} == {"batch", "static", "continuous", "even static", "even continuous"}
        for group in groups:
            assert len({(m.model, m.precision, m.attention) for m in group}) == 1
            assert cuda or len(group) == 1


@pytest.mark.parametrize("precision", [Precision.FULL, Precision.FOUR_BIT])
def test_the_models_are_what_they_are_said_to_be(precision: Precision) -> None:
    model = random_models.build(MICRO, precision, "sdpa", "cpu")
    packed = [module for module in model.modules() if type(module).__name__ == "Linear4bit"]
    assert len(packed) == (14 if precision is Precision.FOUR_BIT else 0)
    assert all(module.weight.quant_state.nested for module in packed)
    shape = shape_of(random_models.config_of(MICRO))
    assert (
        sum(p.numel() * (2 if type(p).__name__ == "Params4bit" else 1) for p in model.parameters()) == shape.parameters
    )
    if precision is Precision.FULL:
        assert footprint(model) == estimate(shape, precision, "cpu", 1, 1, 1).weights
    answer = random_models.generate(model, random_models.prompts(MICRO, 3), MICRO.new, "cpu")
    assert answer.shape == (3, MICRO.prompt + MICRO.new)
    assert torch.get_default_dtype() is torch.float32


@pytest.mark.parametrize("kind", ["batch", "static", "continuous"])
def test_every_kind_counts_the_tokens_that_were_asked_for(kind: str) -> None:
    model = random_models.build(MICRO, Precision.FULL, "sdpa", "cpu")
    tokens, seconds = gpu.timed(model, Measure("micro", Precision.FULL, "sdpa", 2, kind), "cpu")
    assert seconds > 0
    if kind == "batch":
        assert tokens == 2 * MICRO.new
    else:
        assert 4 * MICRO.slots <= tokens <= 4 * MICRO.slots * MICRO.new


def test_a_measurement_that_fails_leaves_the_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = gpu.timed

    def timed(model: object, measure: Measure, device: str) -> tuple[int, float]:
        if measure.batch == 2:
            raise torch.OutOfMemoryError("no room")
        return real(model, measure, device)

    monkeypatch.setattr(gpu, "timed", timed)
    gpu.child([Measure("micro", Precision.FULL, "sdpa", batch) for batch in (2, 1)], "cpu")
    first, second = (json.loads(line.removeprefix("RESULT ")) for line in capsys.readouterr().out.splitlines())
    assert first == {"error": "OutOfMemoryError: no room"}
    assert second["tokens_per_second"] > 0
    assert second["estimate"] > 0


def test_a_process_that_dies_owes_an_error_for_each_measurement() -> None:
    group = [Measure("no such model", Precision.FULL, "sdpa", batch) for batch in (1, 4)]
    results = gpu.run_group(group, "cpu", time.monotonic() + 120)
    assert [result["batch"] for result in results] == [1, 4]
    assert all("KeyError" in result["error"] for result in results)
    assert gpu.run_group(group, "cpu", time.monotonic())[0]["error"] == "out of time"


def test_the_results_are_printed_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answered(group: list[Measure], device: str, deadline: float) -> list[dict[str, object]]:
        speed = {"tokens_per_second": 10.0 * group[0].batch, "seconds": 1.0, "peak": 10**9}
        if group[0].kind == "continuous":
            return [{**gpu.asdict(group[0]), "error": "MemoryError: none left"}]
        return [{**gpu.asdict(group[0]), **speed, "estimate": 13 * 10**8, "ratio": 1.3, "close": False}]

    monkeypatch.setattr(gpu, "run_group", answered)
    gpu.main(["--device", "cpu", "--models", "tiny", "--out", str(tmp_path / "out.json")])
    printed = capsys.readouterr().out
    assert "MemoryError: none left" in printed
    assert any("160.0   16.00    1.000    1.300   1.30 NO" in line for line in printed.splitlines())
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert written["versions"]["torch"] == torch.__version__
    assert len(written["results"]) == len(gpu.plan(["tiny"], False))
