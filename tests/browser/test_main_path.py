"""From an empty store to the diff of a failure, in a real browser."""

from contextlib import suppress
from pathlib import Path

import pytest
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.conftest import Tab, wait_for
from tests.pages.conftest import PUT_DOWN, blocksworld_script

# A browser on a loaded machine may lose a click or a key; a fault of ours fails the second time as well.
pytestmark = [pytest.mark.browser, pytest.mark.flaky(reruns=1)]
HOSTILE = (
    '<script>window.hacked = 1</script> <img src=x onerror="window.hacked = 1"> '
    "**bold** $x^2$ :material/home: [a](javascript:window.hacked=1)"
)


def test_launch_watch_and_see_why_an_action_failed(tmp_path: Path, tab: Tab) -> None:
    tab.launch(blocksworld_script(tmp_path / "script.jsonl"))
    tab.sees("4 of 4 items judged")
    tab.sees("finished")
    tab.click("Results", "a")
    tab.sees("Result classes by model and description class")
    tab.sees("1 of 4")
    wait_for(lambda: tab.driver.find_elements(By.CSS_SELECTOR, ".js-plotly-plot .slicetext, .bartext"), "bars")
    tab.click("Look at the failures", "a")
    tab.sees("blocksworld / put-down")
    tab.sees("different · NPApp: a new plan fails in the original domain")
    tab.sees("How it was made")  # the end of the page: all of it is drawn
    missing = tab.driver.find_element(By.CSS_SELECTOR, "td.nl-missing")
    assert missing.text == "(not (holding ?x))"
    assert missing.value_of_css_property("background-color") != "rgba(0, 0, 0, 0)"
    assert "does not hold" in tab.driver.find_element(By.CSS_SELECTOR, "td.nl-fault:last-child").text
    tab.sees(PUT_DOWN.splitlines()[-1].strip())
    tab.click("Next")
    tab.sees("blocksworld / stack")
    tab.sees("the type 'brick' is not in the domain")
    # No error, and no request to another machine. Streamlit asks below the page's path before it asks at the root.
    severe = [entry["message"] for entry in tab.driver.get_log("browser") if entry["level"] == "SEVERE"]
    assert [message for message in severe if "/launch/_stcore/" not in message] == []


def test_a_click_on_a_row_shows_its_item(tmp_path: Path, tab: Tab) -> None:
    tab.launch(blocksworld_script(tmp_path / "script.jsonl"))
    tab.sees("4 of 4 items judged")
    tab.open("failures")
    tab.sees("blocksworld / put-down")
    table = wait_for(lambda: tab.driver.find_elements(By.CSS_SELECTOR, '[data-testid="stDataFrame"] canvas'), "a table")
    row = 35 * 3 + 17  # pixels: the header and two rows lie above the third
    from_middle = (18 - table[0].size["width"] // 2, row - table[0].size["height"] // 2)

    def shown() -> bool:
        # The table is drawn on a canvas, and a click before it has its rows goes nowhere.
        ActionChains(tab.driver).move_to_element_with_offset(table[0], *from_middle).click().perform()
        # Not clicked again at once: a second click on a chosen row gives it up.
        with suppress(TimeoutException):
            WebDriverWait(tab.driver, 15).until(lambda _: "blocksworld / unstack" in tab.text)
        return "blocksworld / unstack" in tab.text

    wait_for(shown, "the item of the third row")


def test_a_note_stays_when_one_goes_on_from_the_field_it_is_typed_in(tmp_path: Path, tab: Tab) -> None:
    tab.launch(blocksworld_script(tmp_path / "script.jsonl"))
    tab.sees("4 of 4 items judged")
    tab.open("failures")
    tab.sees("How it was made")
    tab.settle()
    tab.click("Note", "summary")
    note = wait_for(lambda: tab.driver.find_elements(By.CSS_SELECTOR, 'textarea[aria-label="Note"]'), "the note")[0]

    def in_field() -> bool:
        with suppress(WebDriverException):  # the expander is still opening
            note.click()
        return bool(tab.driver.switch_to.active_element == note)

    wait_for(in_field, "the cursor in the note")
    # Typed on without a pause, from the one field into the other and from there to the next output.
    ActionChains(tab.driver).send_keys("the hand stays full", Keys.TAB, "odd").perform()
    tab.click("Next")
    tab.sees("blocksworld / stack")
    tab.click("Previous")
    tab.sees("blocksworld / put-down")
    tab.sees("Note · odd")
    tab.sees("the hand stays full")


def test_output_never_runs_as_markup(tmp_path: Path, tab: Tab) -> None:
    answers = {action: [HOSTILE] for action in ("pick-up", "put-down", "stack", "unstack")}
    tab.launch(blocksworld_script(tmp_path / "script.jsonl", answers))
    tab.sees("4 of 4 items judged")
    tab.open("failures")
    tab.sees("no PDDL action")
    literal = "**bold** $x^2$ :material/home: [a](javascript:window.hacked=1)"
    wait_for(lambda: tab.text.count(literal) == 2, "the output as it was written, whole and in the raw output")
    tab.sees('<img src=x onerror="window.hacked = 1">')
    assert tab.driver.execute_script("return window.hacked") is None
    assert not tab.driver.find_elements(By.CSS_SELECTOR, '[data-testid="stMain"] img[src="x"]')


@pytest.mark.parametrize(("page", "text"), [("results", "no run has been launched"), ("launch", "Prompt preview")])
def test_a_link_works_on_a_cold_server(tab: Tab, page: str, text: str) -> None:
    tab.open(page)
    tab.sees(text)
    wait_for(
        lambda: tab.driver.current_url.partition("?")[0] == f"{tab.dashboard.url}/{page}", "the page's own address"
    )
    wait_for(lambda: tab.driver.title == "NL2PDDL", "the title that app.py gives")


def test_the_first_page_comes_without_loading_torch(tab: Tab) -> None:
    tab.open()
    tab.sees("Launch a run")
    tab.sees("Write the PDDL action")
    assert "libtorch" not in Path(f"/proc/{tab.dashboard.process.pid}/maps").read_text()
