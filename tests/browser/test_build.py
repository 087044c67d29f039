"""A domain from its description to an executed plan, in a real browser: describe, build, read, say, compare, plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from nl2pddl.worldmodel.brief import Example, load_example
from nl2pddl.worldmodel.building import Ask, Setup
from nl2pddl.worldmodel.reference import reference_answer, reference_predicates
from tests.browser.conftest import Dashboard, Tab, wait_for
from tests.conftest import write_script
from tests.worldmodel.conftest import scripted

pytestmark = [pytest.mark.browser, pytest.mark.flaky(reruns=1), pytest.mark.parametrize("width", [1280, 390])]
MISSING = "(truck-at ?t ?l)"


def forgetful(path: Path, example: Example) -> str:
    """A model that forgets that the truck must be there, says so when it is told, and puts a goal into PDDL."""

    def change(ask: Ask, text: str) -> str:
        return text.replace(f"    {MISSING}\n", "") if ask.action == "load-truck" else text

    model = scripted(path, example, Setup(example.brief), change)
    whole = reference_answer(example, "load-truck", reference_predicates(example))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    told = {"domain": "logistics", "action": "load-truck", "output": whole}
    goal = {"domain": "logistics", "action": "goal", "output": "(and (package-at letter bastille))"}
    write_script(path, [*lines, told, goal])
    return model


def typed(tab: Tab, label: str, text: str) -> None:
    """Type into the text area of this label, once it has the cursor: single letters are shortcuts elsewhere."""
    css = f'textarea[aria-label="{label}"]'

    def in_field() -> bool:
        with suppress(WebDriverException):
            area = tab.driver.find_element(By.CSS_SELECTOR, css)
            tab.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", area)
            area.click()
            return bool(tab.driver.switch_to.active_element == area)
        return False

    wait_for(in_field, f"the cursor in {label}")
    tab.driver.switch_to.active_element.send_keys(text)


def choose(tab: Tab, label: str, text: str) -> None:
    """Choose or type an entry of the box with this label."""
    tab.settle()
    field = tab.driver.find_element(By.CSS_SELECTOR, f'input[aria-label$="{label}"]')
    field.send_keys(text, Keys.ENTER)
    tab.settle()


def test_describe_build_read_correct_and_plan(tmp_path: Path, tab: Tab, width: int) -> None:
    example = load_example("logistics")
    model = forgetful(tmp_path / "script.jsonl", example)
    tab.resize(width)
    tab.open("build")
    tab.sees("Fill in the example")
    tab.fits()
    choose(tab, "Example", "logistics")
    tab.click("Fill in the example")
    area = "return document.querySelector('textarea[aria-label=\"Actions\"]')?.value ?? ''"
    wait_for(lambda: "drive-truck: A truck drives" in tab.driver.execute_script(area), "the actions in words")
    choose(tab, "Model", model)
    tab.click("Build")
    tab.sees("Actions built")
    # In words beside the PDDL.
    tab.sees("package ?p is at location ?l")
    tab.sees("6 of 6")
    wait_for(lambda: "answers taken" not in tab.text and "Stopped" not in tab.text, "the end of building")
    tab.sees("(:action load-truck")
    assert MISSING not in tab.text
    tab.fits()
    # A person's words, the answer, and what it changed.
    typed(tab, "What is wrong with it?", "The truck must be where the package is, not anywhere.")
    tab.click("Tell the model")
    tab.sees("truck ?t is at location ?l")
    tab.settle()
    new = wait_for(lambda: tab.driver.find_elements(By.CSS_SELECTOR, "td.nl-surplus"), "what is new")
    assert [cell.text for cell in new] == [MISSING]
    tab.sees("+ new")
    tab.click("Accept")
    tab.sees("Accepted.")
    tab.sees("1 of 6")
    tab.fits()
    # Planned, and the plan run step by step.
    tab.click("Tasks")
    tab.click("Plan 24 tasks")
    tab.sees("24 of 24")
    tab.sees("100% (85% to 100%)")
    tab.settle()
    tab.sees("(load-truck letter truck-p louvre)")
    tab.sees("the goal is reached")
    steps = tab.driver.find_elements(By.CSS_SELECTOR, ".nl-steps tbody tr")
    assert len(steps) == example.tasks[0].shortest + 1
    tab.fits()
    tab.click("in the hand-made model")
    tab.sees("the goal is reached")
    # A task of one's own, the goal in words.
    tab.click("a task of your own")
    tab.click("Fill it in")
    objects = "return document.querySelector('textarea[aria-label=\"Objects\"]')?.value ?? ''"
    wait_for(lambda: "truck-p - truck" in tab.driver.execute_script(objects), "the task in the form")
    tab.settle()
    tab.click("Plan it")
    tab.sees("The goal: (package-at letter bastille)")
    tab.sees("the goal is reached")
    tab.fits()
    # Beside the hand-made model.
    tab.click("Errors")
    tab.click("Count the errors")
    tab.sees("No error beside the hand-made model.")
    tab.fits()
    for part, text in (("Predicates", "Change a predicate"), ("Domain", "(define (domain logistics)")):
        tab.click(part)
        tab.sees(text)
        tab.fits()
    # The address opens the same again.
    tab.driver.refresh()
    tab.sees("(define (domain logistics)")


def test_a_domain_that_somebody_types_and_a_server_that_is_killed(
    tmp_path: Path, tab: Tab, serve: Callable[[], Dashboard], width: int
) -> None:
    answer = (
        "Parameters:\n1. ?l - lamp: the lamp\n\nPreconditions:\n(not (lit ?l))\n\nEffects:\n(lit ?l)\n\n"
        "New Predicates:\n1. (lit ?l - lamp): true if lamp ?l is lit"
    )
    off = answer.replace("(not (lit ?l))", "(lit ?l)").replace("Effects:\n(lit ?l)", "Effects:\n(not (lit ?l))")
    model = write_script(
        tmp_path / "s.jsonl",
        [
            {"domain": "lamps", "action": action, "output": text, "seconds": seconds}
            for action, text in (("light", answer), ("put-out", off.partition("New")[0] + "New Predicates:\nnone"))
            for seconds in ((0, 0) if action == "light" else (600, 0))
        ],
    )
    tab.resize(width)
    tab.open("build")
    tab.sees("Fill in the example")
    tab.click("Build")
    tab.sees("This domain cannot be built.")
    tab.fits()
    tab.field("Name of the domain").send_keys("lamps", Keys.TAB)
    typed(tab, "The domain in words", "Lamps can be lit and put out.")
    typed(tab, "Types", "lamp: a lamp")
    typed(tab, "Actions", "light: A lamp that is out is lit.\n\nput-out: A lit lamp is put out." + Keys.TAB)
    choose(tab, "Model", model)
    tab.click("Build")
    tab.sees("1 of 4 answers taken; asking about 'put-out'")
    tab.sees("it is not so that lamp ?l is lit")
    address = tab.driver.current_url.removeprefix(f"{tab.dashboard.url}/")
    assert "construction=" in address
    tab.dashboard.stop()
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()]
    write_script(tmp_path / "s.jsonl", [line | {"seconds": 0} for line in lines])
    tab.dashboard = serve()
    tab.open(address)
    tab.sees("Stopped: 1 of 4 answers are taken; next is 'put-out'.")
    tab.sees("it is not so that lamp ?l is lit")
    tab.click("Go on")
    wait_for(lambda: "2 of 2" in tab.text and "Stopped" not in tab.text, "both actions, by all four answers")
    tab.fits()
