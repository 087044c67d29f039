import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from nl2pddl.domain_upload import MOST_BYTES, language_template
from nl2pddl.domains import load_library
from nl2pddl.exact import ExactLimits
from nl2pddl.experiment import RunConfig
from nl2pddl.records import DescriptionClass
from nl2pddl.runs import items_of
from nl2pddl.ui import spaces
from nl2pddl.ui.browsing import description_in
from tests.conftest import DOMAINS
from tests.pages.test_failures import markup, words

Visit = Callable[..., AppTest]
GRIPPER = DOMAINS / "gripper"
HOSTILE = "<script>alert(1)</script>**b**"


@pytest.fixture
def domains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A domains folder of the test's own, with blocksworld in it."""
    folder = tmp_path / "domains"
    shutil.copytree(DOMAINS / "blocksworld", folder / "blocksworld")
    monkeypatch.setenv("NL2PDDL_DOMAINS", str(folder))
    return folder


def faults(app: AppTest) -> str:
    return " ".join(error.value for error in app.error).replace("\\", "")


def fill(app: AppTest, name: str, turn: int = 0, **contents: bytes) -> AppTest:
    """Choose gripper's files in the form, some with other contents."""
    texts = {key: (GRIPPER / path).read_bytes() for key, path in (
        ("domain", "domain.pddl"), ("problem", "problems/p01.pddl"), ("language", "language.toml"))}  # fmt: skip
    texts |= contents
    app.text_input(key=f"upload_name-{turn}").set_value(name)
    app.file_uploader(key=f"upload_domain-{turn}").set_value(("../../evil.pddl", texts["domain"], "text/plain"))
    app.file_uploader(key=f"upload_problems-{turn}").set_value(
        [(f"{HOSTILE}.pddl", texts["problem"], "text/plain"), ("../p.pddl", texts["problem"], "text/plain")]
    )
    if texts["language"]:
        app.file_uploader(key=f"upload_language-{turn}").set_value(("l.toml", texts["language"], "text/plain"))
    return app


def add(app: AppTest) -> AppTest:
    app.run()
    app.button(key="upload_add").click().run()
    assert not app.exception
    return app


def test_all_domains_are_listed_with_what_they_hold(visit: Visit) -> None:
    table = visit("domains").dataframe(key="domain_list").value
    assert list(table["ID"]) == sorted(path.name for path in DOMAINS.iterdir())
    row = table[table["ID"] == "gripper"].iloc[0]
    assert (row["Actions"], row["Predicates"], row["Types"], row["Problems"], row["Language"]) == (3, 4, 3, 2, True)


def test_a_broken_domain_is_named_with_every_error_and_keeps_no_other(domains: Path, visit: Visit) -> None:
    broken = domains / HOSTILE.replace("/", "")
    (broken / "problems").mkdir(parents=True)
    (broken / "domain.pddl").write_text("(define (domain x)\n  (:types a)")
    app = visit("domains")
    assert list(app.dataframe(key="domain_list").value["ID"]) == ["blocksworld"]
    said = faults(app)
    assert "line 1, column 1: 1 parenthesis is never closed" in said
    assert "holds no problem" in said
    assert "<script>" not in "".join(error.value for error in app.error)
    assert "This domain cannot be used." in faults(visit("domains", domain=broken.name))


def test_no_usable_domain_still_offers_to_add_one(domains: Path, visit: Visit) -> None:
    shutil.rmtree(domains / "blocksworld")
    app = visit("domains")
    assert "The domains cannot be read." in faults(app)
    assert "No domain can be used yet" in app.info[0].value
    app = add(fill(app, "ball-room"))
    assert "was added" in app.success[0].value
    assert not app.error


def test_a_link_opens_the_domain_and_the_part(visit: Visit) -> None:
    app = visit("domains", domain="gripper")
    assert app.selectbox(key="browse_domain").value == "gripper"
    assert app.code[0].value == (GRIPPER / "domain.pddl").read_text().strip()
    app = visit("domains", domain="gripper", part="Problems", problem="p02")
    assert app.selectbox(key="browse_problem").value == "p02"
    assert "(define (problem" in app.code[0].value
    assert "There is no such domain." in faults(visit("domains", domain="no-such", part="Problems"))


def test_another_domain_can_be_chosen(visit: Visit) -> None:
    app = visit("domains", part="Language")
    app.selectbox(key="browse_domain").set_value("depot").run()
    assert not app.exception
    assert app.query_params["domain"] == "depot"
    assert "(available ?x - hoist) hoist {x} is available" in words(app)
    assert 'The action "drive" takes a truck x from a place y to a place z.' in words(app)


def test_the_descriptions_are_those_of_a_runs_prompts(visit: Visit) -> None:
    app = visit("domains", domain="gripper", part="Actions")
    app.selectbox(key="browse_action").set_value("drop")
    app.number_input(key="browse_seed").set_value(7)
    app.number_input(key="browse_number").set_value(2)
    app.run()
    truth, *shown = [block.value for block in app.code]
    assert truth.startswith("(:action drop")
    config = RunConfig(("m",), ("gripper",), tuple(DescriptionClass), prompts=2, seed=7)
    items = items_of(config, load_library(DOMAINS))
    asked = {item.description_class: item.prompt for item in items if (item.action, item.sample) == ("drop", 1)}
    assert shown == [description_in(asked[kind]) for kind in DescriptionClass]
    assert len(set(shown)) == 3
    assert not shown[0].startswith("Write")


def test_a_domain_without_language_offers_a_template(domains: Path, visit: Visit) -> None:
    (domains / "blocksworld" / "language.toml").unlink()
    app = visit("domains", part="Actions")
    assert "no language.toml" in app.info[0].value
    assert len(app.code) == 1
    app = visit("domains", part="Language")
    assert app.download_button(key="browse_template").label == "Template for language.toml"


def test_the_twin_is_previewed_under_its_own_names(visit: Visit) -> None:
    app = visit("domains", domain="gripper", part="Twin")
    assert "gripper\\~neutral\\~0" in " ".join(text.value for text in app.markdown)
    assert "(define (domain domain1)" in app.code[0].value
    assert "robby" not in app.code[0].value
    assert "at-robby → predicate" in words(app)
    before = app.code[0].value
    app.number_input(key="browse_twin_seed").set_value(5)
    app.segmented_control(key="twin_style").set_value("nonsense").run()
    assert not app.exception
    assert app.code[0].value != before


def test_states_are_counted_on_request(visit: Visit) -> None:
    app = visit("domains", domain="blocksworld", part="State space")
    assert len(app.dataframe) == 1
    app.button(key="count_states").click().run()
    assert not app.exception
    table = app.dataframe[1].value
    assert list(table["Reachable states"]) == ["22", "866"]
    assert list(table["Ground actions"]) == ["24", "60"]


def test_beyond_the_limit_it_says_more_than(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spaces, "LIMITS", ExactLimits(states=100, seconds=20))
    app = visit("domains", domain="blocksworld", part="State space")
    app.button(key="count_states").click().run()
    table = app.dataframe[1].value
    assert list(table["Reachable states"]) == ["22", "more than 100"]
    assert "the limit of 100 states was reached" in table["Note"][1]


def test_a_domain_is_added_and_chosen(domains: Path, visit: Visit) -> None:
    app = add(fill(visit("domains"), "ball-room"))
    assert "ball\\-room was added" in app.success[0].value
    assert app.selectbox(key="browse_domain").value == "ball-room"
    assert list(app.dataframe(key="domain_list").value["ID"]) == ["ball-room", "blocksworld"]
    files = sorted(str(path.relative_to(domains / "ball-room")) for path in (domains / "ball-room").rglob("*.*"))
    assert files == ["domain.pddl", "language.toml", "problems/p01.pddl", "problems/p02.pddl"]
    assert app.text_input(key="upload_name-1").value == ""
    app.run()
    assert not app.success


def test_everything_wrong_is_named_and_nothing_is_written(domains: Path, visit: Visit) -> None:
    problem = (GRIPPER / "problems" / "p01.pddl").read_bytes().replace(b"- ball", b"- <b>all")
    domain = (GRIPPER / "domain.pddl").read_bytes().replace(b"(at-robby ?to)", b"(at-robot ?to)")
    app = add(fill(visit("domains"), "ball-room", problem=problem, domain=domain, language=b"[predicates]\n"))
    said = faults(app)
    assert "The domain was not added; nothing was written." in said
    assert "domain.pddl: line " in said
    assert "'at-robot'" in said
    assert f"'{HOSTILE}.pddl': line " in said
    assert "language.toml: no template for the predicate 'carry'" in said
    assert "<script>" not in "".join(error.value for error in app.error)
    assert "<script>" not in markup(app)
    assert [path.name for path in domains.iterdir()] == ["blocksworld"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../evil", "the name must be"),
        ("", "the name must be"),
        ("Ball Room", "the name must be"),
        ("blocksworld", "there is a domain 'blocksworld' already"),
    ],
)
def test_a_wrong_name_is_refused(domains: Path, visit: Visit, name: str, reason: str) -> None:
    before = (domains / "blocksworld" / "domain.pddl").read_bytes()
    assert reason in faults(add(fill(visit("domains"), name)))
    assert [path.name for path in domains.iterdir()] == ["blocksworld"]
    assert (domains / "blocksworld" / "domain.pddl").read_bytes() == before
    assert not list(domains.parent.glob("evil*"))


def test_without_files_and_with_too_large_ones_it_says_what_is_missing(domains: Path, visit: Visit) -> None:
    app = visit("domains")
    app.button(key="upload_add").click().run()
    assert "choose its domain.pddl" in faults(app)
    app.file_uploader(key="upload_domain-0").set_value(("d.pddl", b";" * (MOST_BYTES + 1), "text/plain"))
    app.text_input(key="upload_name-0").set_value("large")
    said = faults(add(app))
    assert "at least one problem" in said
    assert "1,048,577 bytes" in said


def test_a_template_is_made_of_the_chosen_file(domains: Path, visit: Visit) -> None:
    app = visit("domains")
    assert app.button(key="upload_template").disabled
    app.file_uploader(key="upload_domain-0").set_value(("d.pddl", (GRIPPER / "domain.pddl").read_bytes(), "text/plain"))
    app.run()
    app.button(key="upload_template").click().run()
    assert not app.exception
    assert app.download_button(key="upload_template_file").label == "Download language.toml"
    app.file_uploader(key="upload_domain-0").set_value(("d.pddl", b"(define (domain x)\n (:types a", "text/plain"))
    app.run()
    app.button(key="upload_template").click().run()
    assert "domain.pddl: line 2, column 2: 2 parentheses are never closed" in faults(app)


def test_our_own_language_files_fit_the_template() -> None:
    # A template is filled, not rewritten: ours have the same tables.
    for domain in load_library(DOMAINS).domains.values():
        made = tomllib.loads(language_template(domain.planning))
        ours = tomllib.loads((DOMAINS / domain.id / "language.toml").read_text())
        assert made["predicates"].keys() == {name.lower() for name in ours["predicates"]}
        assert made["actions"].keys() == {name.lower() for name in ours["actions"]}
