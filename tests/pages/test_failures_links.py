"""Links to the failures page reopen what they name, wherever the list has it, and the list goes on over its pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from nl2pddl import study
from nl2pddl.runs import import_results
from nl2pddl.store import Store, listing
from tests.pages.test_failures import button, listed, words
from tests.store.test_transfer import content

Visit = Callable[..., AppTest]


def shown(app: AppTest) -> tuple[int, str]:
    """The place in the list, and the item that the address names."""
    item = app.query_params["item"]
    return int(app.number_input(key="position").value), item if isinstance(item, str) else item[0]


def test_stepping_goes_on_over_the_pages_of_the_list(
    judged: str, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "PAGE", 5)
    app = visit("failures")
    items = []
    for _ in range(11):
        items.append(shown(app)[1])
        assert len(listed(app)) <= 5
        button(app, "Next")
    items.append(shown(app)[1])
    assert len(set(items)) == 12
    assert next(one for one in app.button if one.label == "Next").disabled
    again = visit("failures", run=judged, item=items[7])
    assert shown(again) == (8, items[7])
    assert list(again.dataframe(key="list").value["shown"]).index("▶") == 2


@pytest.mark.parametrize("sort", list(listing.SORTS))
def test_every_order_finds_the_place_of_a_linked_item(
    judged: str, visit: Visit, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    monkeypatch.setattr(listing, "PAGE", 100)
    order = list(visit("failures", sort=sort, equivalent="true").dataframe(key="list").value["item_index"])
    monkeypatch.setattr(listing, "PAGE", 3)
    for place in (0, 3, 8, 15):
        app = visit("failures", sort=sort, equivalent="true", run=judged, item=f"{judged}.{order[place]}")
        assert shown(app) == (place + 1, f"{judged}.{order[place]}")


def test_an_item_that_the_filters_leave_out_is_shown_all_the_same(judged: str, visit: Visit) -> None:
    # Item 0 is equivalent, which the list leaves out until asked for.
    app = visit("failures", run=judged, item=f"{judged}.0")
    assert app.subheader[0].value == r"blocksworld / pick\-up"
    assert "not in the list above" in app.info[0].value
    button(app, "Next")
    assert not app.info
    assert app.subheader[0].value != r"blocksworld / pick\-up"
    empty = visit("failures", run=judged, item=f"{judged}.0", text="no output says this")
    assert "No output passes these filters" in empty.info[0].value
    assert empty.subheader[0].value == r"blocksworld / pick\-up"


def test_another_item_named_by_the_address_is_gone_to(judged: str, visit: Visit) -> None:
    # As a click on a row of "The same prompt across models" does.
    app = visit("failures", run=judged)
    app.query_params["item"] = f"{judged}.0"
    app.run()
    assert app.subheader[0].value == r"blocksworld / pick\-up"
    app.multiselect(key="subclass").set_value(["NPApp"]).run()
    assert app.subheader[0].value == r"blocksworld / put\-down"


def test_a_link_may_name_a_model_in_full(judged: str, visit: Visit, judged_store: tuple[Path, str]) -> None:
    model = f"scripted:{judged_store[0].parent / 'mixture.jsonl'}"
    app = visit("failures", model=model)
    assert app.multiselect(key="model").value == [model]


def test_the_diff_s_kind_is_in_the_address(judged: str, visit: Visit) -> None:
    app = visit("failures", result_class="different", diff="Text")
    assert ":parameters (?x - block) :parameters (?b - block) ≠ changed" in words(app)


def test_the_reason_is_a_sentence(judged: str, visit: Visit) -> None:
    seen = words(visit("failures", subclass="NPApp"))
    assert "On p01, a plan found with the generated action does not work in the original domain: in step" in seen
    assert "In line 2, column 29, the type 'brick' is not in the domain" in words(visit("failures", subclass="TError"))


def test_with_both_protocols_chosen_an_item_is_listed_once(judged: str, visit: Visit) -> None:
    app = visit("failures", result_class="different")
    button(app, "Evaluate by protocol published too")
    item = shown(app)[1]
    both = visit("failures", result_class="different", of_protocol=["strict", "published"])
    assert len(listed(both)) == 4
    # What has no verdict by the chosen protocol is shown by its run's own.
    other = visit("failures", run=judged, item=f"{judged}.0", of_protocol="published", equivalent="true")
    assert other.subheader[0].value == r"blocksworld / pick\-up"
    assert shown(visit("failures", of_protocol="published")) == (1, item)


def test_a_link_to_an_item_names_its_run(data: Path, judged: str, visit: Visit) -> None:
    with Store(data / "store.duckdb") as store:
        newer = import_results(store, study.read_results(content("BLOCKS,stack,Base,m,DifDomain,NoPlan,3,0"), "r.csv"))
    assert visit("failures").multiselect(key="runs").value == [newer]
    app = visit("failures", item=f"{judged}.5", equivalent="true")
    assert app.multiselect(key="runs").value == [judged]
    assert shown(app)[1] == f"{judged}.5"
    assert not app.info


def test_a_link_to_an_item_that_is_not_there_says_so(judged: str, visit: Visit) -> None:
    app = visit("failures", run=judged, item=f"{judged}.99999")
    assert "no output number 99999 with a verdict" in app.warning[0].value


def test_all_runs_can_be_taken_away(judged: str, visit: Visit) -> None:
    app = visit("failures", run=judged, item=f"{judged}.5", equivalent="true")
    app.multiselect(key="runs").set_value([]).run()
    assert app.multiselect(key="runs").value == []
    assert "Choose at least one run" in app.info[0].value


def test_what_a_link_names_and_is_not_there_is_said(judged: str, visit: Visit) -> None:
    def told(page: str, **query: str) -> list[str]:
        return [warning.value.replace("\\", "") for warning in visit(page, run=judged, **query).warning]

    assert told("failures", model="zzz", of_tag="none") == [
        "The link filters by zzz, none, which these runs do not have."
    ]
    assert told("failures", item="nope") == ["The link's item nope is none; one is RUN.NUMBER."]
    assert told("results", view="Nope") == ["The link asks for the view Nope, which is not there."]
    assert told("failures") == []


def test_a_tag_that_is_taken_away_while_it_filters_says_so(judged: str, visit: Visit) -> None:
    app = visit("failures", item=f"{judged}.10")
    tag = next(field for field in app.text_input if field.label == "Tag")
    tag.set_value("odd").run()
    app = visit("failures", run=judged, of_tag="odd")
    assert len(listed(app)) == 1
    next(field for field in app.text_input if field.label == "Tag").set_value("").run()
    assert not app.exception
    assert any("filters by odd" in warning.value for warning in app.warning)
