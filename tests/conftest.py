"""Shared fixtures: every test has a data folder of its own, and the domains of the project."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from nl2pddl.domains import DomainLibrary, load_library
from nl2pddl.generation import EMBEDDED, embedded_gguf
from nl2pddl.pipeline import Evaluator
from nl2pddl.runs import RunManager
from nl2pddl.settings import Settings
from nl2pddl.store import Store

ROOT = Path(__file__).resolve().parent.parent
DOMAINS = ROOT / "domains"
SHARED = Path(os.environ.get("NL2PDDL_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def library() -> DomainLibrary:
    return load_library(DOMAINS)


@pytest.fixture(scope="session")
def evaluator() -> Iterator[Evaluator]:
    with Evaluator() as shared:
        yield shared


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "data", DOMAINS, tmp_path / "data" / "store.duckdb", workers=1)


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    with Store(settings.store) as opened:
        yield opened


@pytest.fixture
def manager(store: Store, settings: Settings) -> Iterator[RunManager]:
    running = RunManager(store, settings)
    yield running
    running.close()


@pytest.fixture
def published() -> Path:
    """The study's data files; a test that needs them skips in a clone that has none."""
    folder = SHARED / "published"
    if not folder.is_dir():
        pytest.skip("the study's published files are not here")
    return folder


@pytest.fixture
def cases() -> Path:
    folder = SHARED / "cases"
    if not folder.is_dir():
        pytest.skip("the cases with known verdicts are not here")
    return folder


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """A data folder that outlives the test run, so that the embedded model is converted once a machine."""
    return Path(os.environ.get("NL2PDDL_TEST_MODELS") or ROOT / "data" / "test-models")


@pytest.fixture(scope="session")
def embedded_folder(models_dir: Path) -> Path:
    """The embedded model, converted."""
    from nl2pddl.generation.convert import converted_folder

    return converted_folder(embedded_gguf(), models_dir, EMBEDDED)[0]


def write_script(path: Path, lines: list[dict[str, object]]) -> str:
    """A scripted model that answers with ``lines``; gives its name."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return f"scripted:{path}"
