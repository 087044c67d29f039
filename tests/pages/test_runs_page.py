from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from nl2pddl.domains import load_library
from nl2pddl.experiment import RunConfig
from nl2pddl.runs import items_of
from nl2pddl.store import Store, queries, writes
from tests.conftest import ROOT
from tests.pages.conftest import blocksworld_script

Visit = Callable[..., AppTest]


def launch(app: AppTest, model: str) -> str:
    """Launch through the form; the app is on the runs page afterwards."""
    app.multiselect(key="models").set_value([model])
    next(button for button in app.button if button.label == "Launch").click()
    app.run()
    run_id = str(app.query_params["run"])
    app.switch_page("pages/runs.py").run()  # AppTest shows the page switched to once, then forgets it
    assert not app.exception
    return run_id


def store_unfinished_run(path: Path, model: str, event: str = "started", detail: str = "") -> str:
    """A run whose program ended after it had stored no output."""
    library = load_library(ROOT / "domains")
    config = RunConfig((model,), ("blocksworld",))
    with Store(path) as store:
        writes.add_run(store, "cut-off", config, items_of(config, library), [library.find("blocksworld").source])
        writes.add_event(store, "cut-off", event, detail)
    return "cut-off"


def buttons(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def wait_until_idle(app: AppTest) -> None:
    """Go on drawing the page, as its polling does in a browser, until no run is under way."""
    for _ in range(600):
        if "Cancel" not in buttons(app):
            return
        app.run()
    pytest.fail("the run is still under way")


def test_a_finished_run_is_listed_with_its_counts_and_links(judged: str, visit: Visit) -> None:
    app = visit("runs")
    row = app.dataframe[0].value.iloc[0]
    assert row["status"] == "✓ finished"
    assert (row["total"], row["generated"], row["judged"]) == (16, 16, 16)
    assert (row["models"], row["domains"], row["descriptions"]) == ("mixture.jsonl", "blocksworld", "base, flipped")
    assert {link.value for link in app.get("page_link")} == {"Results", "Failures"}
    assert all(judged in link.proto.query_string for link in app.get("page_link"))
    assert buttons(app) == ["Copy to launch", "Ask again where it failed", "Delete this run", "Import"]


def test_a_run_under_way_shows_progress_and_can_be_cancelled_and_resumed(data: Path, visit: Visit) -> None:
    model = blocksworld_script(data / "slow.jsonl", seconds=30)
    app = visit("launch")
    run_id = launch(app, model)
    assert app.title[0].value == "Runs"
    assert [metric.label for metric in app.metric] == ["Items", "Generated", "Judged", "Rate", "Time left"]
    assert app.metric[0].value == "4"
    next(button for button in app.button if button.label == "Cancel").click()
    app.run()
    wait_until_idle(app)
    app.run()
    assert app.dataframe[0].value.iloc[0]["status"] == "■ cancelled"
    blocksworld_script(data / "slow.jsonl")  # the same model, now answering at once
    app.button(key=f"resume-{run_id}").click().run()
    wait_until_idle(app)
    app.run()
    assert app.dataframe[0].value.iloc[0]["status"] == "✓ finished"
    with Store(data / "store.duckdb") as store:
        assert queries.counts(store, run_id) == (4, 4, 4)


def test_a_run_that_was_cut_off_is_interrupted_and_resumes(data: Path, visit: Visit) -> None:
    run_id = store_unfinished_run(data / "store.duckdb", blocksworld_script(data / "script.jsonl"))
    app = visit("runs", run=run_id)
    assert app.dataframe[0].value.iloc[0]["status"] == "⚡ interrupted"
    assert "resume to go on" in app.info[0].value
    app.button(key=f"resume-{run_id}").click().run()
    wait_until_idle(app)
    app.run()
    assert app.dataframe[0].value.iloc[0]["status"] == "✓ finished"


def test_a_failed_run_says_why_as_plain_text(data: Path, visit: Visit) -> None:
    model = blocksworld_script(data / "script.jsonl")
    store_unfinished_run(data / "store.duckdb", model, "failed", "**no** weights in $x$")
    app = visit("runs")
    assert app.dataframe[0].value.iloc[0]["status"] == "✕ failed"
    assert app.error[0].value == r"\*\*no\*\* weights in \$x\$"
    assert buttons(app) == ["Resume", "Copy to launch", "Delete this run", "Import"]


def test_a_run_is_deleted_and_the_others_stay(data: Path, judged: str, visit: Visit) -> None:
    lost = store_unfinished_run(
        data / "store.duckdb", blocksworld_script(data / "script.jsonl"), "failed", "by mistake"
    )
    app = visit("runs", run=lost)
    app.button(key=f"delete-now-{lost}").click().run()
    assert not app.exception
    assert lost.rpartition("-")[2] in app.success[0].value
    assert list(app.dataframe[0].value["run_id"]) == [judged]
    assert app.selectbox(key="shown_run").value == judged
    assert not app.warning  # the address does not name the lost one any more
    app.run()
    assert not app.success


def test_a_model_that_cannot_answer_ends_the_run_with_its_reason(data: Path, visit: Visit) -> None:
    model = blocksworld_script(data / "script.jsonl", {"stack": ["nothing"]})
    app = visit("launch")
    launch(app, model)
    wait_until_idle(app)
    app.run()
    assert app.dataframe[0].value.iloc[0]["status"] == "✕ failed"
    assert "3 items have no answer" in app.error[0].value
    assert "not recorded" in app.error[0].value


def test_runs_launched_in_one_minute_with_the_same_settings_are_told_apart(data: Path, visit: Visit) -> None:
    model = blocksworld_script(data / "same.jsonl")
    library = load_library(ROOT / "domains")
    config = RunConfig((model,), ("blocksworld",))
    ids = [f"20261201-120000-{number:04x}" for number in range(3)]
    with Store(data / "store.duckdb") as store:
        for run_id in ids:
            writes.add_run(store, run_id, config, items_of(config, library), [library.find("blocksworld").source])
            writes.add_event(store, run_id, "started")
    app = visit("runs", run=ids[1])
    assert len(set(app.selectbox(key="shown_run").options)) == 3
    next(button for button in app.button if button.label == "Resume").click()
    app.run()
    wait_until_idle(app)
    assert app.query_params["run"] in (ids[1], [ids[1]])
    with Store(data / "store.duckdb") as store:
        assert [queries.counts(store, run_id)[2] for run_id in ids] == [0, 4, 0]


def test_a_failed_part_runs_again_and_is_shown(judged: str, data: Path, visit: Visit) -> None:
    app = visit("runs")
    next(button for button in app.button if button.label == "Ask again where it failed").click()
    app.run()
    assert not app.exception
    new = app.query_params["run"]
    new = new[0] if isinstance(new, list) else new
    assert new != judged
    assert app.selectbox(key="shown_run").value == new
