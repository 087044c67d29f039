"""A run belongs to the server: it outlives the tab that launched it, and leaves nothing behind when the server dies."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from tests.browser.conftest import Dashboard, Tab, wait_for
from tests.pages.conftest import blocksworld_script

# A browser on a loaded machine may lose a click or a key; a fault of ours fails the second time as well.
pytestmark = [pytest.mark.browser, pytest.mark.flaky(reruns=1)]


def helpers(dashboard: Dashboard) -> list[psutil.Process]:
    """The workers, planners and searches under a server."""
    return psutil.Process(dashboard.process.pid).children(recursive=True)


def running(dashboard: Dashboard, name: str) -> bool:
    try:
        return any(name in " ".join(process.cmdline()) for process in helpers(dashboard))
    except psutil.NoSuchProcess:
        return False


def test_a_run_goes_on_after_its_tab_is_closed(
    tmp_path: Path, open_browser: Callable[[], WebDriver], serve: Callable[[], Dashboard]
) -> None:
    dashboard = serve()
    tab = Tab(open_browser(), dashboard)
    tab.launch(blocksworld_script(tmp_path / "slow.jsonl", seconds=0.6), prompts=2)
    wait_for(lambda: running(dashboard, "nl2pddl.judge_process"), "a worker")
    assert "8 of 8 items judged" not in tab.text
    tab.driver.quit()
    wait_for(lambda: not running(dashboard, "nl2pddl.judge_process"), "the end of the run, seen by its worker's")
    again = Tab(open_browser(), dashboard)
    again.open("runs")
    again.sees("8 of 8 items judged")
    again.sees("finished")


def test_a_killed_server_leaves_no_process_and_its_run_resumes(
    tmp_path: Path, open_browser: Callable[[], WebDriver], serve: Callable[[], Dashboard]
) -> None:
    dashboard = serve()
    tab = Tab(open_browser(), dashboard)
    tab.launch(blocksworld_script(tmp_path / "slow.jsonl", seconds=0.6), prompts=3)
    for name in ("nl2pddl.judge_process", "planner_process.py"):
        wait_for(lambda name=name: running(dashboard, name), name)
    left = helpers(dashboard)
    os.kill(dashboard.process.pid, signal.SIGKILL)
    dashboard.process.wait()
    _, alive = psutil.wait_procs(left, timeout=30)
    assert [process.cmdline() for process in alive] == []

    tab.dashboard = serve()
    tab.open("runs")
    tab.sees("interrupted")
    tab.click("Resume")
    tab.sees("12 of 12 items judged")
    tab.sees("finished")
