"""A run of a real model that breaks off and is resumed gives what an undisturbed one gives, whatever the batches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nl2pddl.experiment import Decoding, RunConfig, RunStatus
from nl2pddl.generation import Backend, open_backend
from nl2pddl.runs import RunManager
from nl2pddl.settings import Settings
from nl2pddl.store import Store, queries
from tests.conftest import DOMAINS


class BreaksOff:
    """Opens the real model; its ``fails``-th batch fails as a machine does."""

    def __init__(self, fails: int = 0) -> None:
        self.left = fails

    def __call__(self, name: str, decoding: Decoding, data_dir: Path) -> Backend:
        backend: Any = open_backend(name, decoding, data_dir)
        generate = backend.generate

        def counted(*args: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                raise RuntimeError("the power went")
            return generate(*args)

        backend.generate = counted
        return backend  # type: ignore[no-any-return]


@pytest.mark.parametrize(("batch", "temperature"), [(1, 0.0), (4, 0.0), (16, 0.0), (3, 0.9)])
def test_broken_off_and_resumed(
    tiny_model: Callable[..., Path], tmp_path: Path, batch: int, temperature: float
) -> None:
    folder = str(tiny_model(max_position_embeddings=2048))

    def answers(place: str, batch: int, opened: BreaksOff) -> dict[int, str]:
        settings = Settings(tmp_path, DOMAINS, tmp_path / place / "store.duckdb", workers=1)
        with Store(settings.store) as store:
            manager = RunManager(store, settings, opened)
            decoding = Decoding(max_new_tokens=16, batch_size=batch, temperature=temperature)
            run_id = manager.launch(RunConfig((folder,), ("blocksworld", "gripper"), decoding=decoding, seed=4))
            assert manager.wait(run_id, 120)
            if opened.left == 0:
                assert manager.progress(run_id).status is RunStatus.FAILED
                assert "the power went" in manager.progress(run_id).message
                manager.resume(run_id)
                assert manager.wait(run_id, 120)
            assert manager.progress(run_id).status is RunStatus.FINISHED
            manager.close()
            return queries.outputs(store, run_id)

    whole = answers("whole", 5, BreaksOff())
    assert len(set(whole.values())) > 1
    assert answers("broken", batch, BreaksOff(fails=2 if batch < 7 else 1)) == whole
