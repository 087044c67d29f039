"""Each page's main path at the width of a desk and of a telephone."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser.conftest import Tab, wait_for
from tests.browser.files import plain_rows, study_file
from tests.pages.conftest import PUT_DOWN, blocksworld_script

# A browser on a loaded machine may lose a click or a key; a fault of ours fails the second time as well.
pytestmark = [
    pytest.mark.browser,
    pytest.mark.flaky(reruns=1),
    pytest.mark.parametrize("width", [1280, 390]),
]
VIEWS = {
    "Table 1": "Table 1 as printed in the paper",
    "Subclasses": "Within “different”",
    "Domains and actions": "Equivalents by domain and by action",
    "ARE": "How many literals of precondition",
    "Compare": "How many prompts would tell two apart?",
    "Equivalents": "All equivalents, highest ARE first",
    "Protocols": "Strict and published",
    "Report": "Report for people who were not there",
    "Overview": "Result classes by model and description class",
}
# The bar of a series and of a described class: the marks of a chart know what they stand for.
BAR = """
    for (const bar of document.querySelectorAll(".js-plotly-plot g.trace.bars .point path")) {
        const trace = bar.closest(".trace").__data__[0].trace, point = bar.parentNode.__data__;
        const told = JSON.parse(trace.customdata[point.i][2]);
        if (told.result_class === "different" && told.description_class === "flipped"
            && bar.getBoundingClientRect().width > 5) {
            bar.scrollIntoView({block: "center"});
            return [bar, told.model];
        }
    }
"""


def query(tab: Tab) -> dict[str, list[str]]:
    return parse_qs(urlsplit(tab.driver.current_url).query)


def test_launch_a_run_and_watch_it(tmp_path: Path, tab: Tab, width: int) -> None:
    tab.resize(width)
    tab.open("runs")
    tab.sees("No run has been launched yet")
    tab.fits()
    tab.launch(blocksworld_script(tmp_path / "script.jsonl"))
    tab.sees("4 of 4 items judged")
    tab.sees("finished")
    tab.fits()
    tab.click("Copy to launch")
    tab.sees("4 items: 1 model × 4 actions × 1 description class × 1 prompt")
    tab.fits()


def test_from_a_file_through_all_views_to_the_outputs_behind_a_bar(tmp_path: Path, tab: Tab, width: int) -> None:
    tab.resize(width)
    tab.open("runs")
    tab.sees("Import results")
    (tmp_path / "mine.csv").write_bytes(study_file(plain_rows()))
    box = wait_for(lambda: tab.driver.find_elements(By.CSS_SELECTOR, 'input[type="file"]'), "a place for the file")
    box[0].send_keys(str(tmp_path / "mine.csv"))
    tab.sees("mine.csv")
    tab.click("Import")
    tab.sees("Result classes by model and description class")
    run = query(tab)["run"]
    for view, text in VIEWS.items():
        tab.click(view)
        tab.sees(text)
        tab.fits()
        assert query(tab).get("view", ["Overview"]) == [view]
    model = click_a_bar(tab)
    tab.sees("blocksworld / ")
    tab.sees("different · NoPlan")
    tab.fits()
    asked = query(tab)
    assert asked["run"] == run
    told = {name: asked[name] for name in ("model", "description_class", "result_class")}
    assert told == {"model": [model], "description_class": ["flipped"], "result_class": ["different"]}


def click_a_bar(tab: Tab) -> str:
    """Click a bar of the class different under flipped descriptions until it leads to the failures; gives its model."""
    models = []

    def opened() -> bool:
        # The chart is drawn anew while it is looked at.
        with suppress(WebDriverException):
            bar, model = tab.driver.execute_script(BAR) or (None, "")
            if bar is not None:
                models.append(model)
                ActionChains(tab.driver).move_to_element(bar).pause(0.3).click().perform()
                deadline = time.monotonic() + 10
                while time.monotonic() < deadline and "/failures" not in tab.driver.current_url:
                    time.sleep(0.1)
        return "/failures" in tab.driver.current_url

    wait_for(opened, "the failures behind a bar")
    return models[-1]


def test_step_through_failures(tmp_path: Path, tab: Tab, width: int) -> None:
    tab.resize(width)
    tab.launch(blocksworld_script(tmp_path / "script.jsonl"))
    tab.sees("4 of 4 items judged")
    tab.open("failures")
    tab.sees("blocksworld / put-down")
    tab.sees(PUT_DOWN.splitlines()[-1].strip())
    tab.sees("How it was made")
    tab.fits()
    tab.click("Next")
    tab.sees("blocksworld / stack")
    tab.sees("the type 'brick' is not in the domain")
    tab.fits()


def test_judge_the_ground_truth(tab: Tab, width: int) -> None:
    tab.resize(width)
    tab.open("workbench?domain=gripper&action=move")
    tab.sees("Start from the ground truth")
    tab.fits()
    tab.click("Start from the ground truth")
    # The form is drawn anew with the text.
    path = "return document.querySelector('textarea')?.value ?? ''"
    wait_for(lambda: "(:action move" in tab.driver.execute_script(path), "the ground truth")
    tab.settle()
    tab.click("Judge")
    tab.sees("gripper / move")
    tab.sees("equivalent")
    tab.sees("How it was judged")
    tab.fits()
    tab.click("Compare two domains", "*[@role='tab']")
    tab.sees("Decides exactly whether two domains have the same plans")
    tab.fits()


def test_choose_a_domain_and_look_at_its_parts(tab: Tab, width: int) -> None:
    tab.resize(width)
    tab.open("domains")
    tab.sees("(define (domain blocks")
    tab.fits()
    tab.field("Domain").send_keys("depot", Keys.ENTER)
    tab.sees("(define (domain depot")
    wait_for(lambda: query(tab)["domain"] == ["depot"], "the domain in the address")
    parts = {
        "Problems": "atoms hold at first",
        "Language": "Descriptions that are not written here",
        "Actions": "Ground truth",
        "Twin": "depot~neutral~0",
        "State space": "A state is the set of facts",
    }
    for part, text in parts.items():
        tab.click(part, "*[@role='tab']")
        tab.sees(text)
        tab.fits()
