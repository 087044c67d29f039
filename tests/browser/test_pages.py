"""Each page's main path at two widths, hostile names everywhere, and what a click on a chart leads to."""

from __future__ import annotations

import csv
import io
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from nl2pddl import study
from nl2pddl.experiment import RunConfig
from nl2pddl.runs import RunManager, import_results
from nl2pddl.settings import Settings
from nl2pddl.store import Store, notes
from tests.browser.conftest import Dashboard, Tab, wait_for
from tests.browser.hostile import TEXTS
from tests.conftest import DOMAINS, write_script

pytestmark = [pytest.mark.browser, pytest.mark.flaky(reruns=1)]
WIDTHS = (1280, 390)
PAGES = {
    "launch": "Prompt preview",
    "live_runs": "Import results",
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
}
VERDICTS = (
    "EqDomain,,0,200",
    "EqDomain,,2,200",
    "DifDomain,NoPlan,3,0",
    "SemanticError,BadPDDL,4,0",
    "SyntaxError,ParseError,nan,0",
)


def study_file(rows: list[tuple[str, str, str, str]]) -> bytes:
    """A results file of (domain, action, class, model), with verdicts in turn."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(study.COLUMNS)
    for number, row in enumerate(rows):
        writer.writerow([*row, *VERDICTS[number % len(VERDICTS)].split(",")])
    return text.getvalue().encode()


def plain_rows() -> list[tuple[str, str, str, str]]:
    return [
        ("BLOCKS", action, described, model)
        for prompt in range(3)
        for action in ("stack", "unstack", "pick-up", "put-down")
        for described in ("Base", "Flipped")
        for model in ("org/first-7b", "org/second-13b-chat", "third-70b")
    ]


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    data = tmp_path_factory.mktemp("pages")
    with Store(data / "store.duckdb") as store:
        import_results(store, study.read_results(study_file(plain_rows()), "plain.csv"))
    running = Dashboard(data)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Dashboard, dict[str, str]]]:
    """A store with every text as output, note and tag, run name, file name, domain and model; and its runs."""
    data = tmp_path_factory.mktemp("hostile")
    model = write_script(data / "s.jsonl", [{"output": text} for text in TEXTS])
    with Store(data / "store.duckdb") as store:
        manager = RunManager(store, Settings(data, DOMAINS, data / "store.duckdb", 1))
        outputs = manager.launch(RunConfig((model,), ("blocksworld",), prompts=15, name=TEXTS[0]))
        assert manager.wait(outputs, 120)
        manager.close()
        for index, text in enumerate(TEXTS):
            notes.add_note(store, outputs, index, notes.Note(text, text[: notes.LONGEST_TAG]))
        rows = [(text, "stack", "Base", text) for text in TEXTS] * 2
        names = import_results(store, study.read_results(study_file(rows), TEXTS[10]))
        for number, text in enumerate(TEXTS):
            one = study_file([("BLOCKS", "stack", "Base", f"m{number}")])
            import_results(store, study.read_results(one, text))
    running = Dashboard(data)
    yield running, {"outputs": outputs, "names": names}
    running.stop()


def at_width(driver: webdriver.Chrome, width: int) -> None:
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600},
    )


def nothing_ran(tab: Tab) -> None:
    assert tab.driver.execute_script("return window.__pwned") is None
    assert tab.driver.execute_script("return document.querySelectorAll('[data-pwn]').length") == 0
    links = tab.driver.execute_script(
        "return [...document.querySelectorAll('a[href], img[src]')].map(e => e.href || e.src)"
    )
    assert not [link for link in links if "evil.example" in link or link.startswith("javascript:")]


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_is_drawn_and_none_is_wider_than_the_window(
    dashboard: Dashboard,
    open_browser,
    width: int,  # type: ignore[no-untyped-def]
) -> None:
    driver = open_browser()
    at_width(driver, width)
    tab = Tab(driver, dashboard)
    for page, text in PAGES.items():
        tab.open(page)
        tab.sees(text)
        assert not driver.find_elements(By.CSS_SELECTOR, '[data-testid="stException"]'), page
        wide = driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{page} is {wide} pixels wider than the window"


def test_a_click_on_a_bar_leads_to_its_outputs(dashboard: Dashboard, open_browser) -> None:  # type: ignore[no-untyped-def]
    driver = open_browser()
    tab = Tab(driver, dashboard)
    tab.open("results")
    bars = wait_for(lambda: driver.find_elements(By.CSS_SELECTOR, ".js-plotly-plot .bars .point path"), "bars")

    def led() -> bool:
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", bars[0])
        webdriver.ActionChains(driver).move_to_element(bars[0]).click().perform()
        return "failures" in driver.current_url

    wait_for(led, "the failures page")
    tab.sees("The same prompt across models")
    assert "result_class=equivalent" in driver.current_url
    assert "description_class=base" in driver.current_url
    assert "model=first-7b" in driver.current_url
    tab.sees("first-7b")


def test_a_file_is_imported_in_the_browser(tmp_path: Path, tab: Tab) -> None:
    (tmp_path / "mine.csv").write_bytes(study_file(plain_rows()))
    tab.open("live_runs")
    tab.sees("Import results")
    box = wait_for(lambda: tab.driver.find_elements(By.CSS_SELECTOR, 'input[type="file"]'), "a place for the file")
    box[0].send_keys(str(tmp_path / "mine.csv"))
    tab.sees("mine.csv")
    tab.click("Import")
    tab.sees("Result classes by model and description class")
    tab.sees("72")
    tab.open("live_runs")
    tab.sees("⇩ imported")


def test_the_workbench_judges_the_ground_truth(dashboard: Dashboard, open_browser) -> None:  # type: ignore[no-untyped-def]
    tab = Tab(open_browser(), dashboard)
    tab.open("workbench?domain=gripper&action=move")
    tab.sees("Judge an action")
    tab.click("Start from the ground truth")
    area = tab.driver.find_element(By.CSS_SELECTOR, "textarea")
    wait_for(lambda: "(:action move" in (area.get_attribute("value") or ""), "the ground truth")
    tab.click("Judge")
    tab.sees("equivalent")


def test_outputs_and_notes_are_text(hostile: tuple[Dashboard, dict[str, str]], open_browser) -> None:  # type: ignore[no-untyped-def]
    dashboard, runs = hostile
    tab = Tab(open_browser(), dashboard)
    tab.open(f"failures?run={runs['outputs']}&item={runs['outputs']}.0")
    for index, text in enumerate(TEXTS):
        tab.sees(f"of {len(TEXTS)}")
        wait_for(lambda: f"item={runs['outputs']}.{index}" in tab.driver.current_url, f"item {index}")  # noqa: B023
        wait_for(lambda: " ".join(text.split()) in " ".join(tab.text.split()), f"the text {text}")  # noqa: B023
        nothing_ran(tab)
        if index + 1 < len(TEXTS):
            tab.driver.find_element(By.TAG_NAME, "body").send_keys("n")


def test_names_of_models_domains_runs_and_files_are_text(
    hostile: tuple[Dashboard, dict[str, str]],
    open_browser,  # type: ignore[no-untyped-def]
) -> None:
    dashboard, runs = hostile
    tab = Tab(open_browser(), dashboard)
    for page, text in PAGES.items():
        tab.open(f"{page}{'&' if '?' in page else '?'}run={runs['names']}")
        tab.sees(text)
        wait_for(lambda: not tab.driver.find_elements(By.CSS_SELECTOR, '[data-testid="stStatusWidget"]'), "the end")
        nothing_ran(tab)
    tab.open("live_runs")
    tab.field("Run").click()
    for text in TEXTS[:5]:
        tab.sees(text)
    tab.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    nothing_ran(tab)


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
def test_no_serious_fault_of_accessibility_is_ours(dashboard: Dashboard, open_browser, axe: str, scheme: str) -> None:  # type: ignore[no-untyped-def]
    driver = open_browser()
    at_width(driver, 1280)
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    tab = Tab(driver, dashboard)
    found = []
    for page, text in PAGES.items():
        tab.open(page)
        tab.sees(text)
        wait_for(lambda: not driver.find_elements(By.CSS_SELECTOR, '[data-testid="stStatusWidget"]'), "the end")
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
