import html
import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from nl2pddl.ui.text import plain
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


def test_an_address_that_names_no_item_opens_the_first(judged: str, visit: Visit) -> None:
    assert visit("failures", item="nothing").number_input(key="position").value == 1
    assert visit("failures", run=judged, item="run.²").number_input(key="position").value == 1


@pytest.mark.parametrize("item", ["a.b.c", "run.²", "no-such-run.1"])
def test_a_link_to_an_item_of_no_run_says_so(judged: str, visit: Visit, item: str) -> None:
    app = visit("failures", item=item)
    assert app.warning[0].value == f"There is no run {plain(item.rpartition('.')[0])} in this store."


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
    checks = app.dataframe[1].value
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
    step, literal = re.findall(r'<td class="nl-code nl-fault"[^>]*>([^<]*)</td>', markup(app))
    assert re.fullmatch(r"\((pick-up|put-down|stack|unstack) [a-z0-9 ]+\)", step)
    assert re.fullmatch(r"✕ \([a-z0-9 ]+\) does not hold", literal)


def test_every_problem_is_marked_in_the_action(judged: str, visit: Visit) -> None:
    app = visit("failures", action="stack")
    text = markup(app)
    assert "<mark>?under</mark> - brick)" in text
    assert "<mark>(clean</mark> ?under))" in text
    seen = words(app)
    assert "column 29: TError, the type 'brick' is not in the domain" in seen
    assert "PAError, the predicate 'clean' is not in the list" in seen
    assert "?y - block ?y - brick ≠ changed, written as ?under" in seen
    assert app.code[-1].value == STACK


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
