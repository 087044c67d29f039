"""Every page at two widths, and by the rules of accessibility."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from nl2pddl import study
from nl2pddl.experiment import RunConfig
from nl2pddl.generation import open_backend
from nl2pddl.runs import RunManager, import_results
from nl2pddl.settings import Settings
from nl2pddl.store import Store
from nl2pddl.worldmodel import person, session
from nl2pddl.worldmodel.brief import load_example
from nl2pddl.worldmodel.building import Ask, Setup
from nl2pddl.worldmodel.using import TaskChoice, assessed, keep_assessment, run_tasks
from tests.browser.conftest import Dashboard, Tab
from tests.browser.files import plain_rows, study_file
from tests.conftest import DOMAINS
from tests.pages.conftest import blocksworld_script
from tests.worldmodel.conftest import scripted

pytestmark = [pytest.mark.browser, pytest.mark.flaky(reruns=1)]
WIDTHS = (1280, 390)
PAGES = {
    "launch": "Prompt preview",
    "runs": "Import results",
    "results": "Result classes by model and description class",
    "results?view=Table+1": "as printed in the paper",
    "results?view=Subclasses": "Within",
    "results?view=Domains+and+actions": "Equivalents by domain",
    "results?view=ARE": "Action reconstruction error",
    "results?view=Compare": "Paired differences",
    "results?view=Equivalents": "Behind",
    "results?view=Protocols": "Strict and published",
    "results?view=Report": "PDF",
    "failures": "The same prompt across models",
    "workbench": "Judge an action",
    "domains": "Add a domain",
    "build": "Fill in the example",
    "build?construction=c&part=Actions": "Edit by hand",
    "build?construction=c&part=Predicates": "Change a predicate",
    "build?construction=c&part=Domain": "(define (domain logistics)",
    "build?construction=c&part=Tasks": "the goal is reached",
    "build?construction=c&part=Errors": "Which predicate stands for which",
}


# Looked at for accessibility only: they are made of what the pages above have.
PARTS = {
    "workbench?bench=Compare+two+domains": "Decides exactly",
    "domains?part=Language": "Descriptions that are not written here",
    "domains?part=Actions": "Ground truth",
    "domains?part=Twin": "blocksworld~neutral~0",
    "domains?part=State+space": "A state is the set of facts",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def launched(data: Path) -> str:
    """A run of answers of many kinds, older than the imported one."""
    with Store(data / "store.duckdb") as store:
        manager = RunManager(store, Settings(data, DOMAINS, data / "store.duckdb", 1))
        run = manager.launch(RunConfig((blocksworld_script(data / "script.jsonl"),), ("blocksworld",)))
        assert manager.wait(run, 120)
        manager.close()
        built(store, data)
    return run


def built(store: Store, data: Path) -> None:
    """A construction c with tasks planned and errors counted, and a note on its first action."""
    example = load_example("logistics")
    setup = Setup(example.brief, passes=1)
    session.begin(store, "c", setup, scripted(data / "build.jsonl", example, setup, _forgetful))
    work = session.work_on(store, "c", open_backend, data)
    session.add(store, work, person.remarked(work.construction, "load-truck", "Where is the truck?"))
    assert list(run_tasks(store, "c", TaskChoice("logistics"), open_backend, data))
    found = assessed(lambda at: None, work.construction, "logistics", weigh=False)
    assert found.errors
    keep_assessment(store, session.load(store, "c"), "logistics", found)


def _forgetful(ask: Ask, text: str) -> str:
    return text.replace("    (airport ?to)\n", "") if ask.action == "fly-airplane" else text


@pytest.fixture(scope="module")
def dashboard(data: Path, launched: str) -> Iterator[Dashboard]:
    with Store(data / "store.duckdb") as store:
        import_results(store, study.read_results(study_file(plain_rows()), "plain.csv"))
    running = Dashboard(data)
    yield running
    running.stop()


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_is_drawn_and_none_is_wider_than_the_window(
    dashboard: Dashboard, open_browser: Callable[..., WebDriver], width: int
) -> None:
    tab = Tab(open_browser(), dashboard)
    tab.resize(width)
    for page, text in PAGES.items():
        tab.open(page)
        tab.sees(text)
        tab.fits()


# What is Streamlit's own and not ours to mend: rule and the part of a selector that tells it.
_THEIRS: dict[str, tuple[str, ...]] = {
    # st.code with a height scrolls, and cannot be reached by the keyboard.
    "scrollable-region-focusable": ("<pre class=",),
}


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core (npm), from the package's archive that NL2PDDL_AXE names."""
    archive = os.environ.get("NL2PDDL_AXE")
    if not archive:
        if os.environ.get("NL2PDDL_REQUIRE_BROWSER") == "1":
            pytest.fail("NL2PDDL_AXE names no archive of axe-core (`npm pack axe-core@4.14.1` makes one)")
        pytest.skip("NL2PDDL_AXE names no archive of axe-core (`npm pack axe-core@4.14.1` makes one)")
    with tarfile.open(archive) as package:
        member = package.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_fault_of_accessibility_is_ours(
    dashboard: Dashboard, launched: str, open_browser: Callable[..., WebDriver], axe: str, scheme: str
) -> None:
    driver = open_browser()
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    tab = Tab(driver, dashboard)
    tab.resize(1280)
    found = []
    for page, text in {**PAGES, **PARTS, f"failures?run={launched}": "How it was made"}.items():
        tab.open(page)
        tab.sees(text)
        tab.settle()
        driver.execute_script(axe)
        result = driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; axe.run(document, {resultTypes: ['violations']}).then(done)"
        )
        for violation in result["violations"]:
            if violation["impact"] not in ("serious", "critical"):
                continue
            for node in violation["nodes"]:
                where = f"{' '.join(map(str, node['target']))} {node['html']}"
                if not any(part in where for part in _THEIRS.get(violation["id"], ())):
                    found.append(f"{page}: {violation['id']}: {where[:300]}")
    assert found == []
