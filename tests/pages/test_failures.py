import html
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from nl2pddl.ui import browsing
from tests.pages.conftest import HOSTILE, PUT_DOWN, STACK, UNSTACK

Visit = Callable[..., AppTest]


def listed(app: AppTest) -> list[tuple[str, str, str | None]]:
    table = app.dataframe(key="list").value
    rows = zip(table["action"], table["result_class"], table["subclass"], strict=True)
    return [(action, name, subclass if isinstance(subclass, str) else None) for action, name, subclass in rows]


def button(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click()
    app.run()
    assert not app.exception


def markup(app: AppTest) -> str:
    return "\n".join(block.value for block in app.html)


def words(app: AppTest) -> str:
    """What a reader sees of the HTML blocks, a space for every tag."""
    return " ".join(html.unescape(re.sub(r"</?(td|tr|th|div|br)[^>]*>|</?\w[^>]*>", _gap, markup(app))).split())


def _gap(tag: re.Match[str]) -> str:
    return " " if tag.group(1) else ""


def test_equivalent_outputs_are_left_out_until_asked_for(judged: str, visit: Visit) -> None:
    app = visit("failures")
    assert len(listed(app)) == 12
    assert "equivalent" not in {name for _, name, _ in listed(app)}
    app.checkbox(key="equivalent").check().run()
    assert len(listed(app)) == 16
    app.multiselect(key="result_class").set_value(["equivalent"]).run()
    assert set(listed(app)) == {("pick-up", "equivalent", None)}


@pytest.mark.parametrize(
    ("key", "value", "actions", "count"),
    [
        ("action", "stack", {"stack"}, 4),
        ("result_class", "different", {"put-down"}, 4),
        ("subclass", "PError", {"unstack"}, 2),
        ("description_class", "flipped", {"put-down", "stack", "unstack"}, 6),
        ("domain", "blocksworld", {"put-down", "stack", "unstack"}, 12),
    ],
)
def test_filters_narrow_the_list(
    judged: str, visit: Visit, key: str, value: str, actions: set[str], count: int
) -> None:
    app = visit("failures")
    app.multiselect(key=key).set_value([value]).run()
    assert {action for action, _, _ in listed(app)} == actions
    assert len(listed(app)) == count


def test_text_is_searched_in_the_output(judged: str, visit: Visit) -> None:
    app = visit("failures")
    app.text_input(key="text").set_value("ONERROR").run()
    assert set(listed(app)) == {("unstack", "syntax", "NoPDDL")}
    app.text_input(key="text").set_value("no output says this").run()
    assert "No output passes these filters" in app.info[0].value


def test_stepping_and_filtering_keep_their_place(judged: str, visit: Visit) -> None:
    app = visit("failures")
    assert app.button[0].label == "Previous"
    assert app.button[0].disabled
    button(app, "Next")
    button(app, "Next")
    assert app.number_input(key="position").value == 3
    button(app, "Previous")
    assert app.number_input(key="position").value == 2
    app.number_input(key="position").set_value(6).run()
    action = listed(app)[5][0]
    assert app.subheader[0].value == "blocksworld / " + action.replace("-", r"\-")
    app.multiselect(key="action").set_value([action]).run()
    assert app.subheader[0].value == "blocksworld / " + action.replace("-", r"\-")
    assert listed(app)[app.number_input(key="position").value - 1][0] == action


def test_the_item_is_still_shown_after_a_visit_to_another_page(judged: str, visit: Visit) -> None:
    app = visit("failures")
    button(app, "Next")
    button(app, "Next")
    shown = app.query_params["item"]
    app.switch_page("pages/results.py").run()
    app.query_params.clear()
    app.switch_page("pages/failures.py").run()
    assert not app.exception
    assert app.number_input(key="position").value == 3
    assert app.query_params["item"] == shown


@pytest.mark.parametrize("item", ["nothing", "a.b.c", "run.²", "no-such-run.1"])
def test_a_link_to_no_item_opens_the_first(judged: str, visit: Visit, item: str) -> None:
    app = visit("failures", item=item)
    assert app.number_input(key="position").value == 1


def test_a_link_opens_the_item_it_names(judged: str, visit: Visit) -> None:
    app = visit("failures", run=judged, item=f"{judged}.10")
    assert app.subheader[0].value == "blocksworld / stack"
    assert app.query_params["item"] == f"{judged}.10"


def test_a_different_action_shows_diff_plans_and_how_it_was_made(judged: str, visit: Visit) -> None:
    app = visit("failures", result_class="different")
    seen = words(app)
    assert "(not (holding ?x)) − missing" in seen
    assert "?x - block ?x - block written as ?b" in seen
    assert "Add effects" in seen
    assert "different" in seen
    checks = next(frame.value for frame in app.dataframe if "Plans, original" in frame.value)
    assert list(checks["Problem"]) == ["p01", "p02"]
    assert set(checks["Plans, original"]) == {100}
    assert "kstar-planner 1.6.0" in seen
    assert "sha256:" in seen
    assert "at most 300 new tokens" in seen
    prompt, output = app.code[-2:]
    assert prompt.value.endswith("PDDL Action:")
    assert output.value == PUT_DOWN
    assert next(metric.value for metric in app.metric if metric.label == "ARE") == "1"


def test_the_failing_step_and_the_unmet_literal_are_marked(judged: str, visit: Visit) -> None:
    app = visit("failures", subclass="NPApp")
    captions = " ".join(caption.value for caption in app.caption).replace("\\", "")
    assert "A plan found with the generated action, run in the original domain, problem p01" in captions
    fault = re.findall(r'<td class="nl-code nl-fault" data-side="In the original domain">([^<]*)</td>', markup(app))
    assert re.fullmatch(r"✕ \([a-z0-9 ]+\) does not hold", fault[0])
    seen = words(app)
    assert "On p01, a plan found with the generated action does not work in the original domain: in step" in seen
    # What follows is reached on the side that the plan is from, and there alone.
    assert "not reached" in seen
    assert "goal not reached holds" in seen


def test_every_problem_is_marked_in_the_action(judged: str, visit: Visit) -> None:
    app = visit("failures", action="stack")
    text = markup(app)
    assert "<mark>?under</mark> - brick)" in text
    assert "<mark>(clean</mark> ?under))" in text
    seen = words(app)
    assert "column 29: TError, the type 'brick' is not in the domain" in seen
    assert "PAError, the predicate 'clean' is not in the list" in seen
    assert "?y - block ?y - brick ≠ changed, written as ?under" in seen
    assert app.code[1].value == STACK


def test_an_action_that_does_not_parse_is_compared_as_text(judged: str, visit: Visit) -> None:
    app = visit("failures", subclass="PError")
    assert "compared literal by literal" in " ".join(caption.value for caption in app.caption)
    assert "<mark>(:action</mark> unstack" in markup(app)
    assert "column 1: PError, 1 parenthesis is never closed" in words(app)
    assert ":parameters (?x - block ?y - block) :parameters (?x - block ?y - block) :precondition" in words(app)
    assert app.code[1].value == UNSTACK


def test_output_is_shown_as_text_whatever_it_holds(judged: str, visit: Visit) -> None:
    app = visit("failures", subclass="NoPDDL")
    assert app.code[2].value == HOSTILE
    assert HOSTILE in words(app)
    assert "<script" not in markup(app)
    assert "<img" not in markup(app)
    everything = [*app.markdown, *app.caption, *app.subheader, *app.info]
    assert all("alert" not in element.value for element in everything)


def positions(app: AppTest) -> tuple[int, str]:
    item = app.query_params["item"]
    return int(app.number_input(key="position").value), item if isinstance(item, str) else item[0]


def test_the_list_is_sorted_and_a_link_says_how(judged: str, visit: Visit) -> None:
    app = visit("failures", sort="ARE, highest first", equivalent="true")
    errors = list(app.dataframe(key="list").value["are"])
    known = [int(error) for error in errors if not pd.isna(error)]
    assert known == sorted(known, reverse=True)
    assert len(known) < len(errors)
    assert all(pd.isna(error) for error in errors[len(known) :])
    app.selectbox(key="sort").select("class").run()
    assert [name for _, name, _ in listed(app)] == [
        *["syntax"] * 4, *["semantic"] * 4, *["different"] * 4, *["equivalent"] * 4
    ]  # fmt: skip


def test_a_link_may_name_a_model_in_full(judged: str, visit: Visit, judged_store: tuple[Path, str]) -> None:
    model = f"scripted:{judged_store[0].parent / 'mixture.jsonl'}"
    app = visit("failures", model=model)
    assert app.multiselect(key="model").value == [model]
    assert len(listed(app)) == 12


def test_further_filters_are_in_the_address(judged: str, visit: Visit) -> None:
    app = visit("failures", exact_decision="not asked", judged_by="strict", held_to_grammar="off", exercised="yes")
    assert {name for _, name, _ in listed(app)} == {"different"}
    assert app.expander[0].proto.expanded
    app.multiselect(key="exercised").set_value(["not known"]).run()
    assert {name for _, name, _ in listed(app)} == {"syntax", "semantic"}


def test_stepping_goes_on_over_the_pages_of_the_list(
    judged: str, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "PAGE", 5)
    app = visit("failures")
    items = []
    for _ in range(11):
        items.append(positions(app)[1])
        assert len(listed(app)) <= 5
        button(app, "Next")
    items.append(positions(app)[1])
    assert len(set(items)) == 12
    assert next(one for one in app.button if one.label == "Next").disabled
    again = visit("failures", run=judged, item=items[7])
    assert positions(again) == (8, items[7])
    assert list(again.dataframe(key="list").value["here"]).index("▶") == 2


def test_an_item_that_the_filters_leave_out_is_shown_all_the_same(judged: str, visit: Visit) -> None:
    app = visit("failures", run=judged, item=f"{judged}.0")
    assert app.subheader[0].value == r"blocksworld / pick\-up"
    assert "not in the list above" in app.info[0].value
    button(app, "Next")
    assert not app.info
    assert app.subheader[0].value != r"blocksworld / pick\-up"
    empty = visit("failures", run=judged, item=f"{judged}.0", subclass="BPError", text="nothing has this")
    assert "No output passes these filters" in empty.info[0].value
    assert empty.subheader[0].value == r"blocksworld / pick\-up"


def test_the_same_prompt_is_listed_with_all_its_answers(judged: str, visit: Visit) -> None:
    app = visit("failures", run=judged, item=f"{judged}.5")
    same = next(frame.value for frame in app.dataframe if "run_id" in frame.value and frame.key != "list")
    assert list(same["item_index"]) == [5]
    assert list(same["here"]) == ["▶"]


def test_the_plain_text_diff_is_a_switch_away(judged: str, visit: Visit) -> None:
    app = visit("failures", result_class="different", diff="as text")
    assert "Add effects" not in words(app)
    assert ":parameters (?x - block) :parameters (?b - block) ≠ changed" in words(app)


def test_a_note_and_its_tag_are_kept_shown_and_found(judged: str, visit: Visit, data: Path) -> None:
    app = visit("failures", run=judged, item=f"{judged}.5")
    app.text_area[0].set_value(HOSTILE)
    next(field for field in app.text_input if field.label == "Tag").set_value("**odd** <b>")
    button(app, "Save")
    assert HOSTILE in [text.value for text in app.text]
    marks = [element.value for element in (*app.markdown, *app.caption)]
    assert not any(re.search(r"(?<!\\)[<$]", mark) or "**odd" in mark for mark in marks)
    assert HOSTILE in list(app.dataframe(key="list").value["note"])
    filtered = visit("failures", tag="**odd** <b>")
    assert len(listed(filtered)) == 1
    assert positions(filtered)[1] == f"{judged}.5"


def test_an_output_is_judged_by_the_other_protocol_as_well(judged: str, visit: Visit) -> None:
    app = visit("failures", subclass="NPApp")
    item = positions(app)[1]
    button(app, "Evaluate again: published")
    assert "**Both protocols: the same verdict**" in [markdown.value for markdown in app.markdown]
    assert not [one for one in app.button if one.label.startswith("Evaluate again")]
    assert len(listed(app)) == 4
    other = visit("failures", run=judged, item=item, verdict="published")
    checks = next(frame.value for frame in other.dataframe if "Plans, original" in frame.value)
    assert set(checks["Generated that work in the original"]) == {"not reached"}
    assert "imitating VAL" in words(other)
    under = visit("failures", judged_by="published")
    assert positions(under) == (1, item)
    assert len(listed(under)) == 1
