from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from nl2pddl import study
from nl2pddl.actions import action_pddl
from nl2pddl.cli import main
from nl2pddl.domains import DomainLibrary
from nl2pddl.experiment import Completion, ModelInfo, RunConfig, RunKind
from nl2pddl.records import EvaluationSettings, Protocol, ResultClass, Subclass, Verdict
from nl2pddl.runs import RunManager, import_results
from nl2pddl.settings import load_settings
from nl2pddl.store import Store, queries, writes
from nl2pddl.ui.text import plain
from tests.conftest import write_script
from tests.pages.conftest import PICK_UP, PUT_DOWN, blocksworld_script
from tests.pages.test_runs_page import store_unfinished_run
from tests.store.test_transfer import content

Visit = Callable[..., AppTest]


def metrics(app: AppTest) -> dict[str, tuple[str, str]]:
    return {metric.label: (metric.value, metric.delta) for metric in app.metric}


def add_undecided(path: Path, run_id: str) -> None:
    """Add a run like the judged one whose only verdict is undecided."""
    with Store(path) as store:
        config = replace(queries.run_config(store, run_id), name="undecided")
        item = replace(queries.item_detail(store, run_id, 0).item, index=0)
        source = queries.domain_source(store, item.domain_sha)
        writes.add_run(store, "undecided", config, [item], [source])
        answer = Completion("an answer", "end of text", 2, 0.1)
        writes.add_outputs(store, "undecided", [writes.Output(0, answer, ModelInfo("m"))])
        verdict = Verdict(ResultClass.UNDECIDED, None, "the planner ran out of time", Protocol.STRICT, are=3)
        writes.add_verdicts(store, "undecided", [(0, verdict)], EvaluationSettings())


def test_headline_shares_are_those_of_the_verdicts(judged: str, visit: Visit) -> None:
    app = visit("results")
    assert metrics(app) == {
        "Outputs": ("16", "1 run"),
        "Equivalent": ("25.0%", "4 of 16"),
        "Different": ("25.0%", "4 of 16"),
        "Semantic": ("25.0%", "4 of 16"),
        "Syntax": ("25.0%", "4 of 16"),
        "Undecided": ("0", "counted apart"),
    }


def test_undecided_outputs_are_stated_and_in_no_percentage(data: Path, judged: str, visit: Visit) -> None:
    add_undecided(data / "store.duckdb", judged)
    app = visit("results", run=[judged, "undecided"])
    shown = metrics(app)
    assert shown["Outputs"] == ("17", "2 runs")
    assert shown["Undecided"][0] == "1"
    assert shown["Equivalent"] == ("25.0%", "4 of 16")
    classes = app.dataframe[0].value
    assert classes["count"].sum() == 16
    assert "undecided" not in set(classes["result_class"])


def test_figures_and_their_tables_are_shown(judged: str, visit: Visit) -> None:
    app = visit("results")
    assert [heading.value for heading in app.subheader] == ["Result classes by model and description class"]
    assert list(app.dataframe[0].value["percent"]) == [25.0] * 8
    app = visit("results", view="Subclasses")
    assert [heading.value for heading in app.subheader] == ["Subclasses", "Within “different”"]
    subclasses, different = (table.value for table in app.dataframe)
    counts = subclasses.set_index("subclass")["count"].to_dict()
    assert (counts["equivalent"], counts["NoPDDL"], counts["PError"], counts["TError"]) == (4, 2, 2, 4)
    assert different["count"].sum() == 4
    errors = visit("results", view="ARE").dataframe[0].value
    assert errors[errors["result_class"] == "equivalent"][["are", "count"]].to_numpy().tolist() == [[0, 4]]
    behind = visit("results", view="Equivalents").dataframe[0].value
    assert behind.to_dict("records") == [
        {
            "Protocol": "strict",
            "Equivalent": 4,
            "Proved": 0,
            "Refuted": 0,
            "Open": 0,
            "Not asked": 4,
            "Not exercised": 0,
        }
    ]


def test_table_1_of_an_own_run_stands_beside_the_paper_s(judged: str, visit: Visit) -> None:
    app = visit("results", view="Table 1")
    own, paper = (table.value for table in app.dataframe)
    assert (own.loc["Equiv"].iloc[0], own.loc["TError"].iloc[0]) == (25.0, 25.0)
    assert paper.loc["Equiv", "70b"] == pytest.approx(24.84, abs=0.01)
    assert [button.label for button in app.get("download_button")] == ["CSV", "LaTeX"]
    assert any("**UToken**: unexpected token" in text.value for text in app.markdown)


def test_shares_by_place(judged: str, visit: Visit) -> None:
    table = visit("results", view="Domains and actions").dataframe[0].value
    assert table.set_index("place")["percent"].to_dict() == {
        "blocksworld/pick-up": 100.0, "blocksworld/put-down": 0.0, "blocksworld/stack": 0.0, "blocksworld/unstack": 0.0,
    }  # fmt: skip


def test_filters_cut_every_count_and_stand_in_the_link(judged: str, visit: Visit) -> None:
    app = visit("results", cut_action="pick-up", cut_description_class="flipped")
    assert metrics(app)["Outputs"][0] == "2"
    app.multiselect(key="cut_description_class").set_value([]).run()
    assert metrics(app)["Outputs"][0] == "4"
    app.multiselect(key="cut_action").set_value([]).run()
    assert metrics(app)["Outputs"][0] == "16"
    assert not app.warning


def test_a_link_that_filters_by_what_is_not_there_says_so(judged: str, visit: Visit) -> None:
    app = visit("results", cut_action="fly", cut_domain="blocksworld")
    assert [warning.value for warning in app.warning] == ["The link filters by fly, which these runs do not have."]
    assert metrics(app)["Outputs"][0] == "16"


def test_answers_from_different_decoding_are_said_to_be_counted_together(data: Path, judged: str, visit: Visit) -> None:
    with Store(data / "store.duckdb") as store:
        config = queries.run_config(store, judged)
        warm = replace(config, decoding=replace(config.decoding, temperature=0.7))
        detail = queries.item_detail(store, judged, 0)
        item = replace(detail.item, index=0)
        writes.add_run(store, "warm", warm, [item], [queries.domain_source(store, item.domain_sha)])
        writes.add_outputs(store, "warm", [writes.Output(0, Completion("x", "length", 1, 0.1), ModelInfo("m"))])
        verdict = Verdict(ResultClass.SYNTAX, Subclass.NO_PDDL, "nothing", Protocol.STRICT)
        writes.add_verdicts(store, "warm", [(0, verdict)], EvaluationSettings())
    assert not visit("results", run=judged).warning
    (told,) = visit("results", run=[judged, "warm"]).warning
    text = told.value.replace("\\", "")
    assert "Answers from different decoding are counted together: scripted:" in text
    assert "greedy" in text
    assert "sampled, temperature 0.7" in text


def test_models_are_compared_prompt_by_prompt(data: Path, visit: Visit) -> None:
    lines = [
        f"BLOCKS,{action},Base,{model},{'EqDomain,,0,200' if prompt < good else 'DifDomain,NoPlan,3,0'}"
        for action in ("stack", "unstack", "pick-up", "put-down")
        for model, good in (("strong", 9), ("weak", 1))
        for prompt in range(10)
    ]
    with Store(data / "store.duckdb") as store:
        import_results(store, study.read_results(content(*lines), "r.csv"))
    app = visit("results", view="Compare")
    assert any("strong has the largest share of equivalents, and is told apart" in text.value for text in app.markdown)
    ranking, differences = (table.value for table in app.dataframe)
    assert list(ranking["letters"]) == ["a", "b"]
    assert list(ranking["percent"]) == [90.0, 10.0]
    assert differences["difference"].tolist() == [pytest.approx(-80.0)]
    assert bool(differences["told_apart"].iloc[0])
    app.get("button_group")[1].set_value("Description classes")
    app.run()
    assert any("only one of the description classes" in info.value for info in app.info)


def test_a_twin_s_prompts_are_compared_with_the_original_s(
    data: Path, visit: Visit, library: DomainLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain = library.find("gripper")
    lines: list[dict[str, object]] = [
        {"domain": "gripper", "action": name, "output": action_pddl(action)}
        for name, action in domain.planning.actions.items()
    ]
    model = write_script(data / "m.jsonl", [*lines, {"output": "I do not know these words."}])
    with Store(data / "store.duckdb") as store:
        manager = RunManager(store, load_settings())
        run = manager.launch(RunConfig((model,), ("gripper", "gripper~nonsense~3"), prompts=4))
        assert manager.wait(run, 120)
        manager.close()
    differences = visit("results", view="Compare").dataframe[1].value
    assert differences["pair"].tolist() == ["m.jsonl (anonymised) − m.jsonl"]
    assert (differences["prompts"].iloc[0], differences["actions"].iloc[0]) == (12, 3)
    assert differences["difference"].tolist() == [pytest.approx(-100.0)]
    page = data / "r.html"
    store_file = str(data / "store.duckdb")
    assert main(["report", "--store", store_file, "--format", "html", "--out", str(page)]) == 0
    assert "It is told apart from every other model." in page.read_text(encoding="utf-8")
    st.cache_resource.clear()
    monkeypatch.setenv("NL2PDDL_DOMAINS", str(data / "gone"))
    app = visit("results", view="Compare")
    assert not app.exception
    assert [one.value for one in app.title] == ["Results"]


def test_runs_are_judged_by_the_other_protocol_and_flips_are_shown(data: Path, judged: str, visit: Visit) -> None:
    app = visit("results", view="Protocols", run=judged)
    assert any("No output here has a verdict under both" in info.value for info in app.info)
    assert any("Judge 16 outputs by the other protocol too" in one.label for one in app.button)
    st.cache_resource.clear()
    with Store(data / "store.duckdb") as store:
        manager = RunManager(store, load_settings())
        manager.judge_by_other(judged)
        assert manager.wait(judged, 120)
        manager.close()
    app = visit("results", view="Protocols", run=judged)
    assert any("of 16 outputs" in text.value for text in app.markdown)
    shares = app.dataframe[0].value
    assert set(shares["protocol"]) == {"strict", "published"}
    assert shares.groupby("protocol")["count"].sum().to_dict() == {"published": 16, "strict": 16}


def test_a_report_is_offered_with_its_key_sentences(judged: str, visit: Visit) -> None:
    app = visit("results", view="Report")
    assert any("writes an equivalent action in 25" in text.value for text in app.markdown)
    assert [one.label for one in app.get("download_button")] == ["HTML page", "PDF"]


def test_pies_are_drawn_on_demand(judged: str, visit: Visit) -> None:
    app = visit("results")
    assert '"type":"bar"' in app.get("plotly_chart")[0].proto.spec
    app.get("button_group")[1].set_value("Pies")
    app.run()
    assert '"type":"pie"' in app.get("plotly_chart")[0].proto.spec


def test_the_latest_run_is_chosen_and_a_link_chooses_another(data: Path, judged: str, visit: Visit) -> None:
    add_undecided(data / "store.duckdb", judged)
    app = visit("results")
    assert app.multiselect(key="runs").value == ["undecided"]
    assert metrics(app)["Equivalent"][0] == "–"
    app = visit("results", run=judged)
    assert app.multiselect(key="runs").value == [judged]
    app.multiselect(key="runs").set_value([]).run()
    assert "Choose at least one run" in app.info[0].value


@pytest.mark.parametrize("page", ["results", "failures"])
def test_a_link_to_a_run_that_cannot_be_shown_says_so(data: Path, judged: str, visit: Visit, page: str) -> None:
    waiting = store_unfinished_run(data / "store.duckdb", blocksworld_script(data / "script.jsonl"))
    app = visit(page, run=["nope", waiting])
    told = [one.value for one in app.warning]
    assert told == ["There is no run nope in this store.", f"Of the run {plain(waiting)} no output has a verdict yet."]
    assert app.multiselect(key="runs").value == []
    assert "Choose at least one run" in app.info[0].value
    both = visit(page, run=[judged, "nope"])
    assert both.multiselect(key="runs").value == [judged]
    assert "no run nope" in both.warning[0].value


def test_a_run_without_verdicts_is_told(data: Path, visit: Visit) -> None:
    store_unfinished_run(data / "store.duckdb", blocksworld_script(data / "script.jsonl"))
    app = visit("results")
    assert "No output has a verdict yet" in app.info[0].value
    assert [link.value for link in app.get("page_link")] == ["Go to Runs"]


def test_corrections_and_whole_domains_have_their_place(data: Path, visit: Visit) -> None:
    answers = {"pick-up": [PICK_UP], "put-down": [PUT_DOWN], "stack": ["no"], "unstack": ["no"]}
    model = blocksworld_script(data / "m.jsonl", answers)
    with Store(data / "store.duckdb") as store:
        manager = RunManager(store, load_settings())
        runs = [
            manager.launch(RunConfig((model,), ("blocksworld",), rounds=1)),
            manager.launch(RunConfig((model,), ("blocksworld",), kind=RunKind.DOMAIN)),
        ]
        assert all(manager.wait(run, 120) for run in runs)
        manager.close()
    app = visit("results", run=runs)
    headings = [heading.value for heading in app.subheader]
    assert "Corrections" in headings
    assert "Whole domains" in headings
    whole = next(table.value for table in app.dataframe if "domain" in table.value.columns)
    assert list(whole["subclass"]) == ["NoPDDL"]
    app = visit("failures", run=runs[1], item=f"{runs[1]}.4")
    assert any("all actions" in heading.value for heading in app.subheader)
    assert any("(define (domain" in code.value for code in app.code)
    app = visit("failures", run=runs[0], item=f"{runs[0]}.6")
    assert any("correction 1" in caption.value for caption in app.caption)


def test_items_without_a_verdict_are_stated(judged: str, data: Path, visit: Visit) -> None:
    assert not any("have no verdict" in warning.value for warning in visit("results", run=judged).warning)
    st.cache_resource.clear()
    with Store(data / "store.duckdb") as store, store.transaction() as cursor:
        cursor.execute("DELETE FROM verdicts WHERE run_id = ? AND item_index < 3", [judged])
    app = visit("results", run=judged)
    assert any("3 of the 16 items" in warning.value for warning in app.warning)
