"""How soon pages answer with a million stored verdicts: ``python -m benchmarks.pages``, some two minutes.

Makes the store (``benchmarks.many``), starts the dashboard on it, and drives a real Chromium: the first content of each
page, and the answer to a changed filter. Needs chromium and chromedriver.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By

from benchmarks.many import fill

VERDICTS = 1_000_000
_VIEWS = (
    "Overview", "Table+1", "Subclasses", "Domains+and+actions", "ARE", "Compare", "Equivalents", "Protocols",
)  # fmt: skip
PAGES = (
    ("runs", "[data-testid=stDataFrame]"),
    *((f"results?view={view}", "[data-testid=stMetric], [data-testid=stHeading] h3") for view in _VIEWS),
    ("failures", "[data-testid=stDataFrame]"),
    ("failures?sort=ARE%2C+highest+first&equivalent=true", "[data-testid=stDataFrame]"),
    ("workbench", "textarea"),
    ("domains", "[data-testid=stDataFrame]"),
)
_PATIENCE = 60.0
_SETTLED = "return document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"


def main(verdicts: int = VERDICTS) -> None:
    """Print a line a page and one a filter, and the server's memory at the end."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        print(f"{fill(data / 'store.duckdb', verdicts):,} verdicts")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "streamlit",
                "run",
                "app.py",
                "--server.headless",
                "true",
                "--server.port",
                str(port),
            ],
            env={**os.environ, "NL2PDDL_DATA": folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        driver = _browser()
        try:
            _measure(driver, f"http://localhost:{port}")
            print(f"memory of the server: {psutil.Process(server.pid).memory_info().rss / 1e9:.2f} GB")
        finally:
            driver.quit()
            server.terminate()
            server.wait()


def _browser() -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"):
        options.add_argument(argument)
    options.add_argument("--window-size=1280,1400")
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def _measure(driver: webdriver.Chrome, url: str) -> None:
    runs = "&".join(f"run=20260101-00000{number}-beef" for number in range(5))
    deadline = time.monotonic() + _PATIENCE
    while not driver.find_elements(By.CSS_SELECTOR, "h1") and time.monotonic() < deadline:
        with suppress(WebDriverException):  # the server is not up yet
            driver.get(f"{url}/launch")
        time.sleep(2)
    for page, content in PAGES:
        started = time.perf_counter()
        driver.get(f"{url}/{page}{'&' if '?' in page else '?'}{runs}")
        _until(lambda: bool(driver.find_elements(By.CSS_SELECTOR, content)))  # noqa: B023
        print(f"first content of {page}: {time.perf_counter() - started:.2f} s", flush=True)
        # A page that breaks below its first content was not measured.
        _until(lambda: driver.execute_script(_SETTLED))
        if broken := _texts(driver, "stException"):
            raise RuntimeError(f"{page}: {broken[0]}")

    def outputs() -> str:
        return next(iter(_texts(driver, "stMetricValue")), "")

    def passing() -> str:
        return next((text for text in _texts(driver, "stMarkdownContainer") if re.fullmatch(r"of [\d,]+", text)), "")

    driver.get(f"{url}/results?{runs}&cut_model=up-1b")
    _until(lambda: bool(outputs()))
    _filter(driver, "results", "Domains", "depot", outputs)
    driver.get(f"{url}/failures?{runs}")
    _until(lambda: bool(passing()))
    _filter(driver, "failures", "Subclass", "NoPlan", passing)


def _texts(driver: webdriver.Chrome, kind: str) -> list[str]:
    """What elements of a kind say, read at once: one by one they may be gone before they are read."""
    read = "return [...document.querySelectorAll(`[data-testid=${arguments[0]}]`)].map(one => one.innerText.trim())"
    return list(driver.execute_script(read, kind))


def _filter(driver: webdriver.Chrome, page: str, label: str, value: str, shown: Callable[[], str]) -> None:
    time.sleep(3)
    boxes = driver.find_elements(By.CSS_SELECTOR, "[data-testid=stMultiSelect]")
    box = next(one for one in boxes if one.text.strip().startswith(label))
    box.find_element(By.CSS_SELECTOR, "input").click()
    time.sleep(1)
    option = next(one for one in driver.find_elements(By.CSS_SELECTOR, "[role=option]") if value in one.text)
    before, started = shown(), time.perf_counter()
    option.click()
    _until(lambda: shown() not in ("", before))
    print(f"changed filter of {page}, {label} {value}: {time.perf_counter() - started:.2f} s")


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError("the page does not come")
        time.sleep(0.02)


if __name__ == "__main__":
    main()
