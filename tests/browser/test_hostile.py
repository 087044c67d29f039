"""Sixty hostile texts wherever a text comes from outside: none runs, none becomes an element, all are read as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from nl2pddl import breakdown, study
from nl2pddl.experiment import RunConfig
from nl2pddl.generation import open_backend
from nl2pddl.reports import as_html, build_report
from nl2pddl.runs import RunManager, import_results
from nl2pddl.settings import Settings
from nl2pddl.store import Store, counts, notes
from nl2pddl.ui.form_link import packed
from nl2pddl.worldmodel import person, session
from nl2pddl.worldmodel.brief import ActionBrief, Brief, TypeBrief
from nl2pddl.worldmodel.building import Setup
from tests.browser.conftest import Dashboard, Tab, wait_for
from tests.browser.files import study_file
from tests.browser.hostile import TEXTS
from tests.browser.test_pages import PAGES
from tests.conftest import DOMAINS, write_script

pytestmark = [pytest.mark.browser, pytest.mark.flaky(reruns=1)]
_UNKNOWN = "There is no such domain."
# What a folder can be called.
FOLDERS = [text for text in TEXTS if "/" not in text]
TYPED = [text for text in TEXTS if "/" in text][::20]  # others are found, as folders
# Nothing of a text became an element, took an attribute that loads or runs, or ran.
INJECTED = """
    const found = [];
    for (const element of document.querySelectorAll("*")) {
        if (["HEAD", "TITLE"].includes(element.tagName)) continue;
        for (const {name, value} of element.attributes) {
            const own = name === "href" && new URL(value, location).origin === location.origin;
            const loads = ["href", "src", "srcdoc", "action", "formaction", "data", "xlink:href"].includes(name);
            const theirs = /data-pwn|__pwned|evil.example|javascript:/.test(value);
            if (name === "data-pwn" || name.startsWith("on") || (loads && !own && theirs))
                found.push(element.outerHTML.slice(0, 200));
        }
    }
    return [...found, ...(window.__pwned === undefined ? [] : ["it ran"])];
"""


@dataclass(frozen=True)
class Hostile:
    """A server on the texts as output, note and tag (run ``outputs``), as model and domain (run ``names``), and as
    name of a file and thereby of a run (``files``); also a report on ``names``."""

    dashboard: Dashboard
    outputs: str
    names: str
    files: list[str]
    report: Path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    data, domains = tmp_path_factory.mktemp("hostile"), tmp_path_factory.mktemp("domains")
    (domains / "blocksworld").symlink_to(DOMAINS / "blocksworld")
    for text in FOLDERS:
        (domains / text).mkdir()
        (domains / text / "domain.pddl").write_text("(define")
    with Store(data / "store.duckdb") as store:
        outputs = _answered(store, data)
        built(store, data)
        names = import_results(store, study.read_results(_named(), TEXTS[10]))
        files = []
        for number, text in enumerate(TEXTS):
            one = study_file([("BLOCKS", "stack", "Base", f"m{number}")])
            files.append(import_results(store, study.read_results(one, text)))
        report = data / "report.html"
        cube = counts.cube(store, [names])
        cube = breakdown.labelled(cube, breakdown.short_names(cube["model"].unique()), {})
        report.write_text(as_html(build_report(store, [names], cube, {}, {}, title=TEXTS[0])), encoding="utf-8")
    running = Dashboard(data, domains)
    yield Hostile(running, outputs, names, files, report)
    running.stop()


def _answered(store: Store, data: Path) -> str:
    """A run that was answered with the texts, each with a note."""
    model = write_script(data / "s.jsonl", [{"output": text} for text in TEXTS])
    manager = RunManager(store, Settings(data, DOMAINS, data / "store.duckdb", 1))
    run = manager.launch(RunConfig((model,), ("blocksworld",), prompts=15, name=TEXTS[0]))
    assert manager.wait(run, 120)
    manager.close()
    for index, text in enumerate(TEXTS):
        notes.add_note(store, run, index, notes.Note(text, text[: notes.LONGEST_TAG]))
    return run


def _named() -> bytes:
    """A results file with the texts as domains, actions and models."""
    return study_file([(text, text, "Base", text) for text in TEXTS] * 2)


def read(text: str) -> str:
    """A text as it is compared: without what nobody sees, its blanks as one."""
    return " ".join(text.replace("\u2060", "").split())


def nothing_ran(tab: Tab) -> None:
    assert tab.driver.execute_script(INJECTED) == []


def shows(tab: Tab, texts: list[str]) -> None:
    """All these stand on the page as they are, and nothing of them did anything."""

    def missing() -> list[str]:
        whole = read(tab.driver.execute_script("return document.body.textContent"))
        return [text for text in texts if read(text) not in whole]

    tab.settle()
    try:
        wait_for(lambda: not missing(), "")
    except pytest.fail.Exception:
        pytest.fail(f"not on the page as text: {missing()}")
    nothing_ran(tab)


@pytest.fixture
def tab(hostile: Hostile, open_browser: Callable[..., WebDriver]) -> Tab:
    return Tab(open_browser(), hostile.dashboard)


def test_outputs_and_notes(hostile: Hostile, tab: Tab) -> None:
    tab.open(f"failures?run={hostile.outputs}&item={hostile.outputs}.0")
    for index, text in enumerate(TEXTS):
        wait_for(lambda: f"item={hostile.outputs}.{index}" in tab.driver.current_url, f"item {index}")  # noqa: B023
        wait_for(lambda: read(text) in read(tab.text), f"the text {text}")  # noqa: B023
        nothing_ran(tab)
        if index + 1 < len(TEXTS):
            tab.driver.find_element(By.TAG_NAME, "body").send_keys("n")


def test_names_of_models_and_domains(hostile: Hostile, tab: Tab) -> None:
    # Here no two models have a prompt in common.
    expected = {
        "runs": list(TEXTS),
        "results?view=Domains+and+actions": [f"{text}/{text}" for text in TEXTS],
    }
    for page, text in {**PAGES, "failures": "This verdict was imported"}.items():
        if page not in ("launch", "workbench", "domains") and "build" not in page:  # no run is shown there
            tab.open(f"{page}{'&' if '?' in page else '?'}run={hostile.names}")
            tab.sees(text)
            shows(tab, expected.get(page, []))


def test_names_of_files_and_runs(hostile: Hostile, tab: Tab) -> None:
    tab.open("results?" + "&".join(f"run={run}" for run in hostile.files))
    tab.sees("Result classes by model")
    shows(tab, list(TEXTS))
    tab.open("runs")
    tab.field("Run").click()
    shows(tab, list(TEXTS[-5:]))  # the newest: the list is drawn as far as it is seen


def test_names_of_folders_and_of_what_is_typed(hostile: Hostile, tab: Tab) -> None:
    for page, heading in (("domains", "Judge an action of it"), ("launch", "Prompt preview")):
        tab.open(page)
        tab.sees(heading)
        tab.driver.find_element(By.XPATH, "//summary[.//*[contains(text(), 'cannot be used')]]").click()
        shows(tab, FOLDERS)
    form = packed(RunConfig(TEXTS, TEXTS, name=TEXTS[0]))
    tab.open(f"launch?form={quote(form)}")
    tab.sees("Launch a run")
    shows(tab, list(TEXTS))
    for page in ("workbench", "domains"):
        tab.open(page)
        for text in TYPED:
            choose_unknown(tab, text)
            shows(tab, [text])


def test_texts_of_a_domain_that_is_built(hostile: Hostile, tab: Tab) -> None:
    tab.open("build?construction=hostile&part=Actions")
    for number, text in enumerate(TEXTS):
        tab.open(f"build?construction=hostile&part=Actions&action=a{number}")
        tab.sees("Edit by hand")
        # As the action's description, a parameter's words, a predicate's, a note, and in the dialogue.
        wait_for(lambda: read(tab.text).count(read(text)) >= 3, f"the text {text}")  # noqa: B023
        nothing_ran(tab)
    for part, shown in (("Domain", "Records and annotations"), ("Tasks", "a task of your own"), ("Predicates", "Add")):
        tab.open(f"build?construction=hostile&part={part}")
        tab.sees(shown)
        shows(tab, [])
    tab.open("build")
    tab.sees("Fill in the example")
    tab.field("Construction").click()
    shows(tab, [TEXTS[0]])


def built(store: Store, data: Path) -> None:
    """A construction with an action for each text, in which it is everything that a person or a model may say."""
    actions = tuple(ActionBrief(f"a{number}", text, text, "") for number, text in enumerate(TEXTS))
    brief = Brief("hostile", TEXTS[0], "\n".join(TEXTS), (TypeBrief("thing", "object", TEXTS[1]),), actions)
    lines = []
    for number, text in enumerate(TEXTS):
        said = " ".join(text.split())
        answer = (
            f"Parameters:\n1. ?x - thing: {said}\n\nPreconditions:\n(p{number} ?x)\n\n"
            f"Effects:\n(not (p{number} ?x))\n\nNew Predicates:\n1. (p{number} ?x - thing): true if {said}"
        )
        lines.append({"domain": "hostile", "action": f"a{number}", "output": answer})
    session.begin(store, "hostile", Setup(brief, passes=1), write_script(data / "b.jsonl", lines))
    work = session.work_on(store, "hostile", open_backend, data)
    for number, text in enumerate(TEXTS):
        work = session.add(store, work, person.remarked(work.construction, f"a{number}", text))


def choose_unknown(tab: Tab, text: str) -> None:
    """Type a domain that there is not, again where the list was drawn anew under the keys."""

    def refused() -> bool:
        with suppress(WebDriverException):
            tab.field("Domain").send_keys(text, Keys.ENTER)
            WebDriverWait(tab.driver, 5).until(lambda _: read(text) in read(tab.text.partition(_UNKNOWN)[2]))
            return True
        return False

    wait_for(refused, f"the message on {text}")


def test_the_report(hostile: Hostile, tab: Tab) -> None:
    tab.driver.get(hostile.report.as_uri())
    wait_for(lambda: len(tab.driver.find_elements(By.CSS_SELECTOR, "svg.main-svg")) > 2, "the charts")
    whole = read(tab.driver.execute_script("return document.querySelector('main').innerText"))
    assert [text for text in TEXTS if read(text) not in whole] == []
    nothing_ran(tab)
