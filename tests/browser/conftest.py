"""Starts the dashboard as its users do and drives a real Chromium."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.conftest import ROOT

PATIENCE = 90.0
SETTLED = """
    const app = document.querySelector('[data-testid="stApp"]');
    return app?.dataset.testScriptState === "notRunning" && !document.querySelector('[data-stale="true"]')
        && !document.querySelector('[data-testid="stSkeleton"]') && !!document.querySelector("h1");
"""
# What makes a page scroll sideways. The document never does: Streamlit's main part scrolls inside it.
TOO_WIDE = """
    const main = document.querySelector('[data-testid="stMain"]'), root = document.documentElement;
    if (root.scrollWidth <= innerWidth && main.scrollWidth <= main.clientWidth) return [];
    return ["page " + Math.max(root.scrollWidth, main.scrollWidth), ...[...main.querySelectorAll("*")].filter(
        element => element.getBoundingClientRect().right > main.clientWidth + 1).slice(0, 5).map(
        element => element.outerHTML.slice(0, 120))];
"""
Result = TypeVar("Result")


def wait_for(condition: Callable[[], Result], what: str) -> Result:
    """What ``condition`` gives once it is true."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if result := condition():
            return result
        time.sleep(0.1)
    pytest.fail(f"waited in vain for: {what}")


class Dashboard:
    """One server with a data folder and a process group of its own."""

    def __init__(self, data: Path, domains: Path | None = None) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://localhost:{port}"
        self.log = data / "server.log"
        options = ["--server.headless", "true", "--server.port", str(port)]
        environment = {**os.environ, "NL2PDDL_DATA": str(data), "NL2PDDL_WORKERS": "1"}
        for name in ("NL2PDDL_STORE", "NL2PDDL_DOMAINS"):
            environment.pop(name, None)
        if domains is not None:
            environment["NL2PDDL_DOMAINS"] = str(domains)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", "app.py", *options],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_for(self._answers, "the server")

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def stop(self) -> None:
        """Kill the server and all it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Tab:
    """A browser with the few things that these tests do in it."""

    def __init__(self, driver: WebDriver, dashboard: Dashboard) -> None:
        self.driver = driver
        self.dashboard = dashboard

    def open(self, page: str = "") -> None:
        self.driver.get(f"{self.dashboard.url}/{page}")

    def resize(self, width: int) -> None:
        """The window's inner width in pixels; a headless window itself cannot be as narrow as a telephone."""
        metrics = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def settle(self) -> None:
        """Wait until the page is drawn to its end and nothing runs behind it."""
        wait_for(lambda: self.driver.execute_script(SETTLED), f"the end of {self.driver.current_url}")

    def fits(self) -> None:
        """The page, drawn to its end without an error, is no wider than the window."""
        self.settle()
        assert self.driver.execute_script(TOO_WIDE) == [], self.driver.current_url
        assert not self.driver.find_elements(By.CSS_SELECTOR, '[data-testid="stException"]'), self.text

    @property
    def text(self) -> str:
        # Streamlit replaces elements while they are read.
        with suppress(WebDriverException):
            return str(self.driver.find_element(By.TAG_NAME, "body").text)
        return ""

    def sees(self, text: str) -> None:
        try:
            wait_for(lambda: text in self.text, "")
        except pytest.fail.Exception:
            pytest.fail(f"waited in vain for {text!r} on the page; it shows: {self.text}")

    def click(self, label: str, kind: str = "button") -> None:
        """Click the last button (or link, kind "a") with this label."""

        def clicked() -> bool:
            with suppress(WebDriverException, IndexError):
                path = f"//{kind}[not(@disabled)][.//p[text()='{label}'] or .//span[text()='{label}']]"
                shown = [one for one in self.driver.find_elements(By.XPATH, path) if one.is_displayed()]
                # In the middle: at the edge the page's head may lie over it.
                self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", shown[-1])
                shown[-1].click()
                return True
            return False

        wait_for(clicked, f"a {kind} '{label}'")

    def field(self, label: str) -> WebElement:
        """The input of a multiselect, which comes a moment after its label."""
        path = (By.CSS_SELECTOR, f'input[aria-label*="{label}"]')
        return WebDriverWait(self.driver, PATIENCE).until(lambda driver: driver.find_element(*path))

    def launch(self, model: str, prompts: int = 1) -> None:
        """Launch blocksworld with base descriptions on a model, through the form; ends on the runs page."""
        self.open("launch")
        self.sees("Prompt preview")
        self.field("Models").send_keys(Keys.BACKSPACE)
        self.sees("0 models ×")
        self.field("Models").send_keys(model, Keys.ENTER)
        self.sees("1 model ×")
        self.field("Models").send_keys(Keys.ESCAPE)
        for number in range(2, prompts + 1):
            self.driver.find_element(
                By.XPATH, "//*[@data-testid='stNumberInput'][.//p[text()='Prompts an action']]//button[2]"
            ).click()
            self.sees(f"{number} prompts")
        self.click("Launch")
        self.sees("items judged")


@pytest.fixture(scope="session")
def chromium() -> tuple[str, str]:
    """The paths of browser and driver. Without them the tests are skipped, or fail where they are obligatory."""
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    driver = os.environ.get("CHROMEDRIVER") or shutil.which("chromedriver")
    if browser is None or driver is None:
        missing = "no Chromium with its chromedriver is installed"
        if os.environ.get("NL2PDDL_REQUIRE_BROWSER") == "1":
            pytest.fail(f"{missing}, and NL2PDDL_REQUIRE_BROWSER=1 asks for one")
        pytest.skip(missing)
    return browser, driver


@pytest.fixture
def open_browser(chromium: tuple[str, str]) -> Iterator[Callable[..., WebDriver]]:
    """Opens browsers, each with a profile of its own; takes further command-line arguments of Chromium."""
    drivers: list[WebDriver] = []
    # Not pytest's own folder: a socket in its profile takes a path of at most 107 bytes.
    home = tempfile.mkdtemp(prefix="nl2pddl-browser-")
    folders = ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
    environment = {**os.environ, **dict.fromkeys(folders, home)}

    def start(*more: str) -> WebDriver:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium[0]
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-background-networking", "--window-size=1400,1000", *more,
        ):  # fmt: skip
            options.add_argument(argument)
        drivers.append(webdriver.Chrome(options=options, service=webdriver.ChromeService(chromium[1], env=environment)))
        return drivers[-1]

    yield start
    for driver in drivers:
        driver.quit()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[], Dashboard]]:
    """Starts a dashboard on the test's data folder; all are killed afterwards."""
    started: list[Dashboard] = []

    def start() -> Dashboard:
        started.append(Dashboard(tmp_path))
        return started[-1]

    yield start
    for dashboard in started:
        dashboard.stop()


@pytest.fixture
def tab(open_browser: Callable[[], WebDriver], serve: Callable[[], Dashboard]) -> Tab:
    return Tab(open_browser(), serve())
