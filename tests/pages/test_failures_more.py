"""The failures page beyond one verdict: notes, order, the same prompt, plans step by step, both protocols, imports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from nl2pddl import study
from nl2pddl.errors import InputError
from nl2pddl.runs import import_results
from nl2pddl.store import Store, listing, notes
from tests.pages.conftest import HOSTILE
from tests.pages.test_failures import button, listed, words
from tests.store.test_transfer import content

Visit = Callable[..., AppTest]


def keep(app: AppTest, note: str, tag: str) -> None:
    next(area for area in app.text_area if area.label == "Note").set_value(note).run()
    next(field for field in app.text_input if field.label == "Tag").set_value(tag).run()


def test_a_note_and_a_tag_are_kept_shown_as_text_and_found_again(data: Path, judged: str, visit: Visit) -> None:
    app = visit("failures", item=f"{judged}.10")
    keep(app, HOSTILE, "odd")
    keep(app, HOSTILE, "odd <b>")
    table = app.dataframe(key="list").value
    assert list(table.loc[table["tag"] != "", "note"]) == [HOSTILE]
    assert not any("<script" in block.value for block in app.html)
    app.multiselect(key="of_tag").set_value(["odd <b>"]).run()
    assert len(listed(app)) == 1
    keep(app, " ", "")
    long = visit("failures", item=f"{judged}.10")
    next(area for area in long.text_area if area.label == "Note").set_value("x" * 5001).run()
    assert "was not kept: a note has at most 5,000 characters" in long.toast[0].value.replace("\\", "")
    with Store(data / "other.duckdb") as store:
        run = import_results(store, study.read_results(content("D,a,Base,m,EqDomain,,0,200"), "r.csv"))
        with pytest.raises(InputError, match="at most 5,000 characters"):
            notes.add_note(store, run, 0, notes.Note("x" * 5001))
        notes.add_note(store, run, 0, notes.Note("a", "t"))
        assert (notes.tags(store, [run]), notes.count(store, run)) == (["t"], 1)
        notes.add_note(store, run, 0, notes.Note(" \n", " "))
        assert (notes.tags(store, [run]), notes.count(store, run)) == ([], 0)
        for wrong in ((run, 1), ("r", 0)):
            with pytest.raises(InputError, match="deleted meanwhile"):
                notes.add_note(store, *wrong, notes.Note("late"))


def test_the_order_is_chosen_by_the_link_and_on_the_page(judged: str, visit: Visit) -> None:
    app = visit("failures", sort="ARE, highest first", result_class="different")
    errors = list(app.dataframe(key="list").value["are"])
    assert errors == sorted(errors, reverse=True)
    app.selectbox(key="sort").set_value("class and subclass").run()
    assert list(app.dataframe(key="list").value["result_class"]) == ["different"] * 4


def test_a_failing_plan_is_run_step_by_step_in_both_domains(judged: str, visit: Visit) -> None:
    app = visit("failures", subclass="NPApp")
    assert "Becomes true Becomes false" in words(app)
    assert "does not hold" in words(app)
    where = next(one for one in app.get("button_group") if "in the original domain" in str(one.proto))
    where.set_value("with the generated action")
    app.run()
    assert not app.exception
    assert "the goal is reached" in words(app)
    assert any("(ontable" in block.value or "(on " in block.value for block in app.code)


def test_text_beside_text(judged: str, visit: Visit) -> None:
    app = visit("failures", result_class="different")
    choice = next(one for one in app.get("button_group") if "Literals" in str(one.proto))
    choice.set_value("Text")
    app.run()
    assert any("line by line" in caption.value for caption in app.caption)


def test_an_output_is_evaluated_by_the_other_protocol_too(data: Path, judged: str, visit: Visit) -> None:
    app = visit("failures", result_class="different")
    button(app, "Evaluate by protocol published too")
    told = next(text.value for text in app.markdown if text.value.startswith("**Both protocols**"))
    assert "- strict: **different NPApp**" in told
    assert "- published: **" in told
    assert len(listed(app)) == 4  # it is listed once
    app.multiselect(key="of_protocol").set_value(["published"]).run()
    assert len(listed(app)) == 1


@pytest.fixture
def imported(data: Path) -> str:
    lines = [
        f"{domain},{action},Base,{model},{verdict}"
        for domain, action in (("BLOCKS", "stack"), ("unknown", "do"))
        for model, verdict in (("org/a", "EqDomain,,0,200"), ("b", "DifDomain,NoPlan,7,0"), ("c", "EqDomain,,9,200"))
    ]
    with Store(data / "store.duckdb") as store:
        return import_results(store, study.read_results(content(*lines), "r.csv"))


def test_imported_verdicts_show_what_is_known(imported: str, visit: Visit) -> None:
    app = visit("failures", run=imported, item=f"{imported}.1")
    assert app.subheader[0].value == "blocksworld / stack"
    assert any("This verdict was imported" in info.value for info in app.info)
    assert any("(:action stack" in code.value for code in app.code)
    siblings = next(table.value for table in app.dataframe if "here" in table.value.columns)
    assert list(siblings["model"]) == ["b", "c", "a"]
    assert list(siblings["here"]) == ["this one", "", ""]
    assert "Ask again" not in [one.label for one in app.button]
    app = visit("failures", run=imported, item=f"{imported}.4")
    assert app.subheader[0].value == "unknown / do"
    assert not app.code


def test_a_search_in_verdicts_without_outputs_says_that_there_is_no_text(imported: str, visit: Visit) -> None:
    app = visit("failures", run=imported, text="clear")
    assert "no text to search in" in app.info[0].value


def test_doubtful_equivalents_come_first(imported: str, visit: Visit) -> None:
    app = visit("failures", run=imported, result_class="equivalent", sort="ARE, highest first")
    assert list(app.dataframe(key="list").value["are"]) == [9, 9, 0, 0]


def test_the_list_is_turned_page_by_page(imported: str, visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PAGE", 4)
    app = visit("failures", run=imported, equivalent="true")
    assert len(listed(app)) == 4
    app.number_input(key="position").set_value(5).run()
    assert len(listed(app)) == 2
    assert not app.exception
    app.multiselect(key="result_class").set_value(["different"]).run()
    assert len(listed(app)) == 2
    assert not app.exception


def test_an_unknown_order_is_refused(data: Path) -> None:
    with Store(data / "store.duckdb") as store, pytest.raises(InputError, match="no way to sort"):
        listing.page(store, {}, sort="1; DROP TABLE runs")
