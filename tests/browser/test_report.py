"""The report as its reader gets it: downloaded, and opened from disk without a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver

from nl2pddl import study
from nl2pddl.reports import SECTIONS
from nl2pddl.runs import import_results
from nl2pddl.store import Store
from tests.browser.conftest import Dashboard, Tab, wait_for
from tests.browser.files import plain_rows, study_file

# A browser on a loaded machine may lose a click or a key; a fault of ours fails the second time as well.
pytestmark = [pytest.mark.browser, pytest.mark.flaky(reruns=1)]
CHARTS = 6  # of the seven sections; Table 1 is a table
# Width and height of what is drawn in each chart, in pixels.
DRAWN = """
    return [...document.querySelectorAll(".js-plotly-plot")].map(chart => {
        const box = chart.querySelector("svg.main-svg")?.getBoundingClientRect();
        const marks = chart.querySelectorAll(".point, .hm image, .heatmaplayer image, .trace").length;
        return box && marks ? [box.width, box.height] : [0, 0];
    });
"""


@pytest.mark.parametrize("width", [1280, 390])
def test_the_downloaded_page_shows_its_charts_without_a_network(
    tmp_path: Path, open_browser: Callable[..., WebDriver], serve: Callable[..., Dashboard], width: int
) -> None:
    with Store(tmp_path / "store.duckdb") as store:
        import_results(store, study.read_results(study_file(plain_rows()), "plain.csv"))
    page = downloaded(Tab(open_browser(), serve()), tmp_path / "downloads", width)
    assert page.stat().st_size > 1_000_000  # the library that draws is in it
    reader = open_browser("--host-resolver-rules=MAP * ~NOTFOUND")
    metrics = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    reader.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    reader.get(page.as_uri())
    wait_for(lambda: len(reader.execute_script(DRAWN)) == CHARTS, "the charts")
    drawn = wait_for(lambda: all(min(size) > 100 for size in reader.execute_script(DRAWN)), "marks in all charts")
    assert drawn, reader.execute_script(DRAWN)
    headings = [found.text for found in reader.find_elements(By.TAG_NAME, "h2")]
    assert set(SECTIONS.values()) <= set(headings)
    assert reader.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    asked = reader.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert [name for name in asked if not name.startswith(("data:", "blob:", "file:"))] == []
    assert [entry for entry in reader.get_log("browser") if entry["level"] in ("SEVERE", "ERROR")] == []


def downloaded(tab: Tab, folder: Path, width: int) -> Path:
    """The report's HTML page, by its button."""
    folder.mkdir()
    tab.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder.resolve())}
    )
    tab.resize(width)
    tab.open("results?view=Report")
    tab.sees("HTML page")
    tab.fits()
    tab.click("HTML page")
    # Chromium writes under another name until all is there.
    return wait_for(lambda: next(iter(folder.glob("*.html")), None), "the downloaded page") or folder
