from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from nl2pddl.domains import load_library
from nl2pddl.store import Store, queries
from nl2pddl.ui.text import plain
from nl2pddl.ui.workbench import MOST_CHARACTERS
from tests.conftest import DOMAINS, ROOT
from tests.pages.conftest import HOSTILE, PICK_UP, STACK, UNSTACK
from tests.pages.test_failures import markup, words

Visit = Callable[..., AppTest]
COMPARE = "Compare two domains"
LACKS = "(:action pick-up :parameters (?b - block) :precondition (clear ?b) :effect (holding ?b))"


def judged(app: AppTest, text: str) -> AppTest:
    app.text_area(key="bench_text").set_value(text)
    app.button(key="bench_judge").click().run()
    assert not app.exception
    return app


def address(app: AppTest, name: str) -> str:
    value = app.query_params[name]
    return value if isinstance(value, str) else value[0]


def has_verdict(app: AppTest) -> bool:
    return 'class="nl-verdict"' in markup(app)


def faults(app: AppTest) -> str:
    return " ".join(error.value for error in app.error).replace("\\", "")


@pytest.mark.parametrize(("page", "title"), [("workbench", "Workbench"), ("domains", "Domains")])
def test_a_link_works_on_a_cold_server(page: str, title: str) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    assert [shown.value for shown in app.title] == [title]


def test_it_starts_on_a_domain_of_ours_and_says_nothing_before_it_is_asked(visit: Visit) -> None:
    app = visit("workbench")
    assert app.selectbox(key="bench_domain").value == "blocksworld"
    assert app.selectbox(key="bench_action").value == "pick-up"
    kept = [address(app, name) for name in ("domain", "action", "protocol")]
    assert kept == ["blocksworld", "pick-up", "strict"]
    assert not has_verdict(app)


def test_the_ground_truth_is_equivalent(visit: Visit) -> None:
    app = visit("workbench", domain="gripper", action="drop")
    app.button(key="bench_fill").click().run()
    assert app.text_area(key="bench_text").value.startswith("(:action drop")
    assert not has_verdict(app)
    app.button(key="bench_judge").click().run()
    seen = words(app)
    assert "equivalent" in seen
    assert "cross over, both ways" in seen
    assert "identical up to names" in seen
    assert app.subheader[0].value == "gripper / drop"
    assert app.metric[0].value == "0"


def test_a_model_output_is_judged_with_its_prose(visit: Visit) -> None:
    app = judged(visit("workbench"), PICK_UP)
    assert "equivalent" in words(app)
    assert "?x - block ?x - block written as ?b" in words(app)


def test_problems_are_marked_and_the_diff_is_shown(visit: Visit) -> None:
    app = judged(visit("workbench", action="stack"), STACK)
    assert "semantic · TError: wrong type" in words(app)
    assert "<mark>?under</mark> - brick)" in markup(app)
    assert "?y - block ?y - brick ≠ changed, written as ?under" in words(app)
    app = judged(visit("workbench", action="unstack"), UNSTACK)
    assert "syntax · PError: unmatched parenthesis" in words(app)
    assert "column 1: PError, 1 parenthesis is never closed" in words(app)


def test_a_failing_plan_and_the_exact_witness_are_shown(visit: Visit) -> None:
    app = visit("workbench")
    app.toggle(key="bench_exact").set_value(True)
    judged(app, LACKS)
    assert "different · NPApp: a new plan fails in the original domain" in words(app)
    assert "nl-code nl-fault" in markup(app)
    decisions = app.dataframe[1].value
    assert list(decisions["Problem"]) == ["p01", "p02"]
    assert set(decisions["Plan sets"]) == {"different"}
    assert app.code[0].value.startswith("  1  (")


def test_the_published_protocol_judges_by_its_own_rules(visit: Visit) -> None:
    app = judged(visit("workbench", protocol="published"), "I think (in PDDL) it is:\n" + PICK_UP)
    assert address(app, "protocol") == "published"
    assert "NoPDDL" in words(app)
    assert "imitating VAL" in words(app)


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_text_is_not_judged(visit: Visit, text: str) -> None:
    app = judged(visit("workbench"), text)
    assert "There is nothing to judge" in faults(app)
    assert not has_verdict(app)


def test_a_text_that_is_too_long_is_not_judged(visit: Visit) -> None:
    app = judged(visit("workbench"), "(" * (MOST_CHARACTERS + 1))
    assert "it has 200,001 characters; at most 200,000 are taken" in faults(app)
    assert not has_verdict(app)
    assert has_verdict(judged(app, PICK_UP + " " * (MOST_CHARACTERS - len(PICK_UP))))


def test_what_is_pasted_is_shown_as_text(visit: Visit) -> None:
    app = judged(visit("workbench"), HOSTILE)
    assert HOSTILE in words(app)
    assert "<script" not in markup(app)
    assert "<img" not in markup(app)
    everything = [*app.markdown, *app.caption, *app.subheader, *app.info, *app.error]
    assert all("alert" not in element.value for element in everything)


def test_another_choice_says_that_the_verdict_is_on_the_one_before(visit: Visit) -> None:
    app = judged(visit("workbench"), PICK_UP)
    assert not app.info
    app.selectbox(key="bench_domain").set_value("gripper").run()
    assert address(app, "domain") == "gripper"
    assert app.selectbox(key="bench_action").value in load_library(DOMAINS).find("gripper").planning.actions
    assert "what was chosen before" in app.info[0].value
    assert app.subheader[0].value == "blocksworld / pick\\-up"
    assert app.text_area(key="bench_text").value == PICK_UP


def test_the_choice_is_still_there_after_a_visit_to_another_page(visit: Visit) -> None:
    app = judged(visit("workbench", domain="gripper", action="drop", protocol="published"), PICK_UP)
    app.switch_page("pages/runs.py").run()
    app.query_params.clear()
    app.switch_page("pages/workbench.py").run()
    assert not app.exception
    assert [address(app, name) for name in ("domain", "action", "protocol")] == ["gripper", "drop", "published"]
    assert app.text_area(key="bench_text").value == PICK_UP
    assert has_verdict(app)


def test_a_link_opens_domain_action_and_protocol(visit: Visit) -> None:
    app = visit("workbench", domain="logistics", action="fly-airplane", protocol="published")
    assert app.selectbox(key="bench_domain").value == "logistics"
    assert app.selectbox(key="bench_action").value == "fly-airplane"
    assert app.segmented_control(key="bench_protocol").value == "published"


@pytest.mark.parametrize("domain", ["../../etc", "<b>x</b>", "blocksworld~nonsense~x"])
def test_a_link_to_no_domain_says_so(visit: Visit, domain: str) -> None:
    app = visit("workbench", domain=domain)
    assert app.error[0].value.startswith("There is no such domain.")
    assert plain(domain) in app.error[0].value
    app.selectbox(key="bench_domain").set_value("gripper").run()
    assert not app.error
    assert address(app, "domain") == "gripper"


def test_a_link_to_no_action_and_no_protocol_opens_the_first(visit: Visit) -> None:
    app = visit("workbench", domain="blocksworld", action="<i>", protocol="none")
    assert app.selectbox(key="bench_action").value == "pick-up"
    assert app.segmented_control(key="bench_protocol").value == "strict"
    said = [warning.value.replace("\\", "") for warning in app.warning]
    assert said == [f"The link asks for the {what}, which is not there." for what in ("action <i>", "protocol none")]
    app.selectbox(key="bench_domain").set_value("gripper").run()
    assert not app.warning  # what another domain has was not asked for


def test_a_twin_is_judged_by_its_id(visit: Visit) -> None:
    app = visit("workbench", domain="blocksworld~neutral~1")
    assert address(app, "domain") == "blocksworld~neutral~1"
    assert "action" in app.selectbox(key="bench_action").value
    app.button(key="bench_fill").click().run()
    app.button(key="bench_judge").click().run()
    assert "equivalent" in words(app)


def test_the_same_domain_twice_has_the_same_plans(visit: Visit) -> None:
    app = visit("workbench", bench=COMPARE)
    app.selectbox(key="compare_from").set_value("gripper").run()
    assert address(app, "domain") == "gripper"
    app.button(key="compare_fill").click().run()
    assert app.text_area(key="compare_first").value == app.text_area(key="compare_second").value
    assert app.text_area(key="compare_problem").value.startswith((";", "(define (problem"))
    app.button(key="compare_go").click().run()
    assert "equal both domains have the same plans" in words(app)
    assert "facts" in app.caption[1].value


def test_a_changed_domain_comes_with_its_witness(visit: Visit) -> None:
    app = visit("workbench", bench=COMPARE)
    app.button(key="compare_fill").click().run()
    second = app.text_area(key="compare_second")
    second.set_value(second.value.replace("(not (ontable ?x))", "", 1))
    app.button(key="compare_go").click().run()
    assert not app.exception
    assert "a shortest plan of the second domain" in words(app)
    assert "none of the first domain: step " in words(app)
    assert app.code[0].value.startswith("  1  (")


def test_each_faulty_text_is_named_with_its_places(visit: Visit) -> None:
    app = visit("workbench", bench=COMPARE)
    app.button(key="compare_fill").click().run()
    first = app.text_area(key="compare_first")
    first.set_value(first.value.replace("(clear ?x)\n", "(<b>clean</b> ?x)\n", 9))
    app.text_area(key="compare_second").set_value("(define (domain x)\n (:types a")
    app.text_area(key="compare_problem").set_value("")
    app.button(key="compare_go").click().run()
    assert not app.exception
    said = faults(app)
    assert "The first domain cannot be used." in said
    assert "The second domain cannot be used." in said
    assert "line 2, column 2: 2 parentheses are never closed" in said
    assert "The problem cannot be used." in said
    assert "it is empty" in said
    assert "<b>" not in "".join(error.value for error in app.error)


def test_a_text_too_long_to_compare_is_refused(visit: Visit) -> None:
    app = visit("workbench", bench=COMPARE)
    app.text_area(key="compare_problem").set_value(";" * (MOST_CHARACTERS + 1))
    app.button(key="compare_go").click().run()
    assert "The problem is too long." in faults(app)
    assert len(app.error) == 1


def test_no_row_enters_the_store(data: Path, visit: Visit) -> None:
    assert "nowhere" in words(judged(visit("workbench"), LACKS))
    st.cache_resource.clear()
    with Store(data / "store.duckdb") as store:
        assert queries.runs_frame(store).empty
        tables = [row[0] for row in store.rows("SELECT table_name FROM duckdb_tables()", [])]
        filled = [name for name in tables if store.rows(f"SELECT count(*) FROM {name}", [])[0][0]]
    assert filled == ["schema_version"]
