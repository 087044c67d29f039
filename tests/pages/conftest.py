"""Every page test has a data folder of its own; most start from one judged run, made once for all of them."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from nl2pddl.experiment import RunConfig
from nl2pddl.records import DescriptionClass
from nl2pddl.runs import RunManager
from nl2pddl.settings import load_settings
from nl2pddl.store import Store, queries
from tests.conftest import ROOT, write_script

HOSTILE = '<script>alert(1)</script> <img src=x onerror="alert(2)"> **bold** $x^2$ :material/home: [a](javascript:b)'

PICK_UP = """Here it is:
```
(:action pick-up
  :parameters (?b - block)
  :precondition (and (handempty) (clear ?b) (ontable ?b))
  :effect (and (holding ?b) (not (clear ?b)) (not (ontable ?b)) (not (handempty))))
```"""
PUT_DOWN = """(:action put-down
  :parameters (?b - block)
  :precondition (holding ?b)
  :effect (and (clear ?b) (handempty) (ontable ?b)))"""
STACK = """(:action stack
  :parameters (?top - block ?under - brick)
  :precondition (and (holding ?top) (clean ?under))
  :effect (and (on ?top ?under) (clear ?top) (handempty) (not (holding ?top)) (not (clear ?under))))"""
UNSTACK = """(:action unstack
  :parameters (?x - block ?y - block)
  :precondition (and (on ?x ?y) (clear ?x) (handempty)
  :effect (and (holding ?x) (clear ?y)))"""
ANSWERS = {"pick-up": [PICK_UP], "put-down": [PUT_DOWN], "stack": [STACK], "unstack": [UNSTACK, HOSTILE]}


def blocksworld_script(path: Path, answers: dict[str, list[str]] = ANSWERS, seconds: float = 0) -> str:
    """A scripted model for blocksworld; gives its name."""
    lines: list[dict[str, object]] = [
        {"domain": "blocksworld", "action": action, "output": output, "seconds": seconds}
        for action, outputs in answers.items()
        for output in outputs
    ]
    return write_script(path, lines)


@pytest.fixture(scope="session")
def judged_store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store with one finished run of 16 items (base and flipped, two prompts an action), and the run's id."""
    folder = tmp_path_factory.mktemp("judged")
    model = blocksworld_script(folder / "mixture.jsonl")
    with Store(folder / "store.duckdb") as store:
        manager = RunManager(store, load_settings())
        config = RunConfig(
            (model,), ("blocksworld",), (DescriptionClass.BASE, DescriptionClass.FLIPPED), prompts=2, name="first *run*"
        )
        run_id = manager.launch(config)
        assert manager.wait(run_id, 120)
        assert queries.counts(store, run_id) == (16, 16, 16)
        manager.close()
    return folder / "store.duckdb", run_id


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The data folder of one test; what the pages opened is closed afterwards."""
    for name in ("NL2PDDL_STORE", "NL2PDDL_DOMAINS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NL2PDDL_DATA", str(tmp_path))
    monkeypatch.setenv("NL2PDDL_WORKERS", "1")
    yield tmp_path
    st.cache_resource.clear()


@pytest.fixture
def judged(data: Path, judged_store: tuple[Path, str]) -> str:
    """The run's id; its store lies in the data folder."""
    shutil.copy(judged_store[0], data / "store.duckdb")
    return judged_store[1]


@pytest.fixture
def visit() -> Callable[..., AppTest]:
    """Opens the app and goes to a page, such as "results", with a query such as ``run="…"``."""

    def open_page(page: str, **query: str | list[str]) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30).run()
        app.switch_page(f"pages/{page}.py")
        for name, value in query.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception
        return app

    return open_page
