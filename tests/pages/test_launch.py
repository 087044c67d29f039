import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from nl2pddl import twins
from nl2pddl.domains import load_library
from nl2pddl.experiment import ChatMode, Precision, RunConfig, run_config_from_dict
from nl2pddl.records import DescriptionClass, EvaluationSettings
from nl2pddl.runs import items_of
from nl2pddl.store import Store, queries, writes
from nl2pddl.ui.form_link import packed, unpacked
from nl2pddl.ui.text import plain
from tests.conftest import ROOT, write_script
from tests.pages.conftest import blocksworld_script

Visit = Callable[..., AppTest]


def button(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click()
    app.run()


def size(app: AppTest) -> str:
    return next(text.value for text in app.markdown if "item" in text.value)


def test_it_starts_with_the_embedded_model_blocksworld_and_one_base_prompt(visit: Visit) -> None:
    app = visit("launch")
    assert app.multiselect(key="models").value == ["smollm2-135m-instruct"]
    assert app.multiselect(key="domains").value == ["blocksworld"]
    assert len(app.multiselect(key="domains").options) == 9
    assert size(app) == "**4 items**: 1 model × 4 actions × 1 description class × 1 prompt"


def test_presets_set_classes_and_prompts(visit: Visit) -> None:
    app = visit("launch")
    button(app, "paper: three classes")
    assert size(app) == "**240 items**: 1 model × 4 actions × 3 description classes × 20 prompts"
    button(app, "paper: base")
    assert size(app) == "**240 items**: 1 model × 4 actions × 1 description class × 60 prompts"


def test_the_preview_is_the_prompt_that_will_be_sent(visit: Visit) -> None:
    app = visit("launch")
    app.number_input(key="prompts").set_value(3)
    app.number_input(key="seed").set_value(7)
    app.get("button_group")[0].set_value(["base", "random"])
    app.multiselect(key="domains").set_value(["blocksworld", "gripper"])
    app.run()
    app.selectbox(key="preview_domain").set_value("gripper").run()
    app.selectbox(key="preview_action").set_value("drop")
    app.selectbox(key="preview_description").set_value("random")
    app.number_input(key="preview_number").set_value(2)
    app.run()
    config = RunConfig(
        ("m",), ("blocksworld", "gripper"), (DescriptionClass.BASE, DescriptionClass.RANDOM), prompts=3, seed=7
    )
    item = next(
        item
        for item in items_of(config, load_library(ROOT / "domains"))
        if (item.domain, item.action, item.description_class, item.sample) == ("gripper", "drop", "random", 1)
    )
    assert [block.value for block in app.code] == [item.prompt]


def test_launch_stores_what_the_form_says_and_goes_to_the_runs_page(data: Path, visit: Visit) -> None:
    model = blocksworld_script(data / "script.jsonl")
    app = visit("launch")
    app.multiselect(key="models").set_value([model])
    app.number_input(key="prompts").set_value(2)
    app.number_input(key="k").set_value(20)
    app.number_input(key="tokens").set_value(200)
    app.toggle(key="shortcuts").set_value(False)
    app.text_input(key="name").set_value("night run")
    button(app, "Launch")
    assert not app.exception
    assert app.title[0].value == "Runs"
    run_id = app.query_params["run"]
    with Store(data / "store.duckdb") as store:
        config = queries.run_config(store, run_id)
        assert queries.counts(store, run_id)[0] == 8
    assert (config.models, config.domains, config.prompts, config.name) == ((model,), ("blocksworld",), 2, "night run")
    assert (config.evaluation.k, config.evaluation.shortcuts) == (20, False)
    assert config.decoding.max_new_tokens == 200
    assert config == run_config_from_dict(json.loads(json.dumps(config.to_dict())))


def test_wrong_input_is_told_in_words_and_nothing_is_stored(data: Path, visit: Visit) -> None:
    app = visit("launch")
    app.multiselect(key="models").set_value(["no/such/folder", "scripted:missing.jsonl"])
    app.multiselect(key="domains").set_value([])
    button(app, "Launch")
    told = app.error[0].value
    assert told.startswith("This run cannot be launched.")
    for part in ("choose at least one domain", "no/such/folder", "missing.jsonl"):
        assert plain(part) in told
    assert app.title[0].value == "Launch a run"
    with Store(data / "store.duckdb") as store:
        assert queries.runs_frame(store).empty


def test_a_server_s_address_copied_from_a_page_is_that_address(data: Path, visit: Visit) -> None:
    address = "http://localhost:1/v1#m"
    copied = plain(address).replace("\\", "")  # what the page shows, and what a copy of it holds
    assert copied != address
    app = visit("launch")
    app.multiselect(key="models").set_value([copied]).run()
    assert unpacked(app.query_params["form"]).models == (address,)


def test_a_broken_domain_is_listed_with_every_reason(data: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    domains = data / "domains"
    shutil.copytree(ROOT / "domains", domains)
    shutil.rmtree(domains / "gripper" / "problems")
    (domains / "gripper" / "language.toml").write_text("[predicates]\n")
    monkeypatch.setenv("NL2PDDL_DOMAINS", str(domains))
    app = visit("launch")
    assert "gripper" not in app.multiselect(key="domains").options
    told = app.error[0].value
    assert "gripper" in told
    assert plain("problems/ holds no problem") in told
    assert plain("no base description of the action 'pick'") in told


def test_settings_are_kept_while_other_pages_are_visited(visit: Visit) -> None:
    app = visit("launch")
    app.number_input(key="prompts").set_value(5)
    app.multiselect(key="domains").set_value(["miconic"])
    app.run()
    app.switch_page("pages/runs.py").run()
    app.switch_page("pages/launch.py").run()
    assert app.number_input(key="prompts").value == 5
    assert app.multiselect(key="domains").value == ["miconic"]


def test_everything_a_run_can_be_asked_for_reaches_its_configuration(data: Path, visit: Visit) -> None:
    served = '[[model]]\nname = "served"\nurl = "http://127.0.0.1:9/v1"\nmodel = "m"\nguided = "vllm"\n'
    (data / "models.toml").write_text(served)
    app = visit("launch")
    app.multiselect(key="models").set_value(["served"])
    app.number_input(key="temperature").set_value(0.7)
    app.number_input(key="top_p").set_value(0.9)
    app.number_input(key="draws").set_value(2)
    app.number_input(key="rounds").set_value(1)
    groups = {group.key: group for group in app.get("button_group")}
    groups["grammar"].set_value("both")
    groups["chat"].set_value("template")
    groups["precision"].set_value("4-bit")
    groups["twins"].set_value(["nonsense"])
    app.run()
    app.number_input(key="twin_seed").set_value(7).run()
    assert size(app) == (
        "**32 items**: 1 model × 8 actions × 1 description class × 1 prompt × 2 answers × 2 ways of decoding, "
        "and up to 32 corrections"
    )
    button(app, "Launch")
    assert not app.exception
    run_id = app.query_params["run"]
    with Store(data / "store.duckdb") as store:
        config = queries.run_config(store, run_id)
    assert config.domains == ("blocksworld", "blocksworld~nonsense~7")
    assert (config.draws, config.rounds, config.grammars) == (2, 1, (False, True))
    assert (config.decoding.temperature, config.decoding.top_p) == (0.7, 0.9)
    assert (config.decoding.chat, config.decoding.precision) == (ChatMode.TEMPLATE, Precision.FOUR_BIT)
    # AppTest stays on the page it was sent to, whatever page the script switches to.
    app.switch_page("pages/runs.py").run()
    app.session_state["draws"] = 50
    button(app, "Copy to launch")
    app.switch_page("pages/launch.py").run()
    assert app.multiselect(key="domains").value == ["blocksworld", "blocksworld~nonsense~7"]
    assert size(app).startswith("**32 items**")


def test_the_model_list_is_offered_and_a_fault_in_it_is_shown(
    data: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = data / "models.toml"
    listed.write_text('[[model]]\nname = "mine"\nid = "org/name"\n')
    assert visit("launch").multiselect(key="models").options == ["smollm2-135m-instruct", "mine"]
    listed.write_text("[[model]]\nname = 3\n")
    app = visit("launch")
    assert app.multiselect(key="models").options == ["smollm2-135m-instruct"]
    assert "The model list cannot be read." in app.error[0].value


def test_a_reload_and_a_link_open_the_form_as_it_was(data: Path, visit: Visit) -> None:
    model = write_script(data / "m.jsonl", [{"output": "x"}])
    app = visit("launch")
    app.multiselect(key="models").set_value([model])
    app.number_input(key="prompts").set_value(7)
    app.number_input(key="temperature").set_value(0.5)
    app.run()
    address = app.query_params["form"]
    again = visit("launch", form=address)
    assert again.multiselect(key="models").value == [model]
    assert again.number_input(key="prompts").value == 7
    assert again.number_input(key="temperature").value == 0.5


@pytest.mark.parametrize("form", ["x", "", "AAAA", packed(RunConfig(("a b",), ("nowhere",), prompts=-3))])
def test_an_address_that_is_no_form_opens_an_empty_one(form: str, visit: Visit) -> None:
    app = visit("launch", form=form)
    assert not app.exception
    assert app.number_input(key="prompts").value == 1


def test_a_form_of_any_length_and_kind_is_read_or_passed_over() -> None:
    config = RunConfig(("ä" * 50,), ("gripper~neutral~2",), draws=3)
    assert unpacked(packed(config)) == config
    assert unpacked(packed(replace(config, name="x" * 30_000))) is None


def test_a_dry_run_says_what_the_whole_would_take(data: Path, visit: Visit) -> None:
    model = blocksworld_script(data / "m.jsonl")
    app = visit("launch")
    app.multiselect(key="models").set_value([model])
    app.number_input(key="prompts").set_value(10)
    app.run()
    button(app, "Dry run")
    assert not app.exception
    assert [error.value for error in app.error] == []
    assert app.title[0].value == "Runs"
    app.switch_page("pages/runs.py").run()
    while "finished" not in app.dataframe[0].value.iloc[0]["status"]:
        app.run()
    app.switch_page("pages/launch.py").run()
    assert any("by the dry run" in info.value.replace("\\", "") and "40" in info.value for info in app.info)
    # The dry run itself says it too, and what is copied from it is the whole run.
    app = visit("runs")
    told = [info.value.replace("\\", "") for info in app.info]
    assert any("The whole run: 40 items" in text and "a guess from three prompts a model" in text for text in told)
    button(app, "Copy to launch")
    app.switch_page("pages/launch.py").run()
    assert "**40 items**" in next(text.value for text in app.markdown if "items" in text.value)


def test_the_memory_estimate_and_the_choice_are_shown_before_the_launch(data: Path, visit: Visit) -> None:
    (data / "models.toml").write_text('[[model]]\nname = "far away"\nid = "no-such-org/model"\nparameters = 7\n')
    script = blocksworld_script(data / "m.jsonl")
    app = visit("launch")
    app.multiselect(key="models").set_value(["smollm2-135m-instruct", script, "far away"])
    app.toggle(key="memory_estimate").set_value(True)
    app.run(timeout=90)
    assert not app.exception
    lines = [text.value.replace("\\", "") for text in app.markdown if text.value.startswith("**")]
    embedded = next(line for line in lines if "smollm2" in line)
    assert "full precision at batch size 4: about" in embedded
    assert "GB" in embedded
    assert any("m.jsonl" in line and "takes no memory here" in line for line in lines)
    far = r"\*\*far away\*\*.* about (14 GB in bfloat16|28 GB in float32) and 4 GB in 4-bit, and [\d.]+ GB are free"
    assert any(re.match(far, line) for line in lines)


def test_a_domain_that_is_not_there_is_told_in_words(visit: Visit) -> None:
    app = visit("launch")
    app.multiselect(key="domains").set_value(["blocksworld~nonsense~x"]).run()
    assert not app.exception
    assert "the seed of a twin is a whole number" in app.error[0].value.replace("\\", "")


def test_a_copied_run_is_the_run_that_was(data: Path, visit: Visit) -> None:
    model = write_script(data / "m.jsonl", [{"output": "x"}])
    config = RunConfig(
        (model,), ("blocksworld~nonsense~7", "gripper~neutral~2"), seed=2**50 + 1,
        evaluation=EvaluationSettings(exact=True, exact_states=5, exact_seconds=1.5),
    )  # fmt: skip
    with Store(data / "store.duckdb") as store:
        library = load_library(ROOT / "domains")
        sources = [twins.find(library, name).source for name in config.domains]
        writes.add_run(store, "first", config, items_of(config, library), sources)
    app = visit("runs", run="first")
    button(app, "Copy to launch")
    app.switch_page("pages/launch.py").run()
    button(app, "Launch")
    assert not app.exception
    with Store(data / "store.duckdb") as store:
        (newest, *_) = queries.runs_frame(store)["run_id"]
        assert newest != "first"
        assert queries.run_config(store, newest) == config
