"""Two people with a browser each, on one server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from tests.browser.conftest import Dashboard, Tab, wait_for
from tests.pages.conftest import PICK_UP, PUT_DOWN, blocksworld_script

# A browser on a loaded machine may lose a click or a key; a fault of ours fails the second time as well.
pytestmark = [pytest.mark.browser, pytest.mark.flaky(reruns=1)]
ACTIONS = ("pick-up", "put-down", "stack", "unstack")


def test_both_launch_both_see_both_and_each_has_its_own_results(
    tmp_path: Path, open_browser: Callable[..., WebDriver], serve: Callable[..., Dashboard]
) -> None:
    dashboard = serve()
    tabs = {name: Tab(open_browser(), dashboard) for name in ("one", "other")}
    # All of the one is of class semantic (a wrong name) but for pick-up, all of the other syntax.
    answers = {"one": {key: [PICK_UP] for key in ACTIONS}, "other": {action: ["I cannot."] for action in ACTIONS}}
    for name, tab in tabs.items():
        # The first still runs when the second is launched.
        tab.launch(blocksworld_script(tmp_path / f"{name}.jsonl", answers[name], seconds=1))
    runs = {}
    for name, tab in tabs.items():
        # Where each was when it launched: nobody's page has gone over to the other's run.
        tab.sees("4 of 4 items judged")
        tab.sees("finished")
        assert f"models: scripted:{tmp_path / name}.jsonl" in tab.text
        runs[name] = parse_qs(urlsplit(tab.driver.current_url).query)["run"][0]
    assert len(set(runs.values())) == 2
    for tab in tabs.values():
        tab.open("runs")
        tab.field("Run").click()
        for name in tabs:
            tab.sees(f"{name}.jsonl")
    for name, told in (("one", "3 of 4"), ("other", "4 of 4")):
        for tab in tabs.values():
            tab.open(f"results?run={runs[name]}")
            tab.sees("Result classes by model and description class")
            tab.sees(told)
            tab.settle()
            foreign = next(other for other in tabs if other != name)
            assert f"{foreign}.jsonl" not in tab.text


def test_what_one_chooses_leaves_the_other_where_they_are(
    tmp_path: Path, open_browser: Callable[..., WebDriver], serve: Callable[..., Dashboard]
) -> None:
    dashboard = serve()
    one, other = Tab(open_browser(), dashboard), Tab(open_browser(), dashboard)
    one.launch(blocksworld_script(tmp_path / "script.jsonl"))
    one.sees("4 of 4 items judged")
    for tab in (one, other):
        tab.open("failures")
        tab.sees("blocksworld / put-down")
        tab.sees("How it was made")
    one.click("Next")
    one.sees("blocksworld / stack")
    wait_for(lambda: "item=" in one.driver.current_url, "the item in the address")
    assert "blocksworld / put-down" in other.text
    other.driver.refresh()
    other.sees("blocksworld / put-down")
    other.sees(PUT_DOWN.splitlines()[-1].strip())
