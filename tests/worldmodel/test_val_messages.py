"""What VAL's parser says beyond our own checks goes back to the model, and stays with the answer without VAL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nl2pddl.actions import Parameter
from nl2pddl.generation import open_backend
from nl2pddl.planning.val import VAL_VARIABLE
from nl2pddl.planning.val_parser import ValParser, find_parser
from nl2pddl.store import Store, constructions
from nl2pddl.worldmodel import building, session
from nl2pddl.worldmodel.brief import Brief, Example, TypeBrief, example_ids, load_example
from nl2pddl.worldmodel.building import Ask, Construction, Setup
from nl2pddl.worldmodel.draft import PredicateDraft
from nl2pddl.worldmodel.reference import reference_answer
from nl2pddl.worldmodel.val_messages import val_faults
from tests.conftest import write_script
from tests.planning.test_val_parser import install_parser, real_parser
from tests.worldmodel.conftest import Change, scripted

ACTION = "load-truck"


@pytest.fixture(scope="module")
def logistics() -> Example:
    return load_example("logistics")


@pytest.fixture(params=["fake", "real"])
def parser(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ValParser:
    """The parser that a construction finds."""
    if request.param == "real":
        return real_parser()
    monkeypatch.setenv(VAL_VARIABLE, str(install_parser(tmp_path / "bin")))
    found = find_parser()
    assert found is not None
    return found


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ValParser:
    monkeypatch.setenv(VAL_VARIABLE, str(install_parser(tmp_path / "bin")))
    return ValParser(tmp_path / "bin" / "Parser")


def without_val(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.delenv(VAL_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(folder))
    assert find_parser() is None


def renamed(text: str) -> str:
    return text.replace("package-in-truck", "name")


def model(path: Path, example: Example, setup: Setup, change: Change) -> str:
    """A model that answers about one action as ``change`` says, and once more rightly; else rightly at once."""
    script = scripted(path, example, setup)
    ask = building.next_ask(Construction(setup))
    assert ask is not None
    assert ask.action == ACTION
    right = reference_answer(example, ACTION, {})
    first = {"domain": setup.brief.name, "action": ACTION, "output": change(ask, right)}
    lines = path.read_text().splitlines()
    write_script(path, [first])
    path.write_text("\n".join([path.read_text().strip(), *lines, ""]))
    return script


def test_its_message_goes_back_to_the_model_and_needs_no_val_again(
    parser: ValParser, tmp_path: Path, store: Store, logistics: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = Setup(logistics.brief, passes=1)
    script = model(tmp_path / "s.jsonl", logistics, setup, lambda ask, text: renamed(text))
    session.begin(store, "c", setup, script)
    work = session.work_on(store, "c", open_backend, tmp_path)
    assert work.construction.is_built
    first, second = work.construction.versions[ACTION]
    (message,) = first.faults
    assert message.startswith("VAL cannot read '(name ?p - package ?t - truck)'")
    assert f"- {message}\n" in second.turns[2].content
    assert second.faults == ()
    assert "name" not in work.construction.predicates
    stored = [data.get("tools") for _, data in constructions.construction(store, "c").events]
    assert stored == [[message]] + [None] * len(logistics.brief.actions)
    without_val(monkeypatch, tmp_path)
    assert session.load(store, "c").construction == work.construction
    session.begin(store, "alone", setup, script)
    alone = session.work_on(store, "alone", open_backend, tmp_path).construction
    assert [version.faults for version in alone.versions[ACTION]] == [()]  # nobody else saw it
    assert "name" in alone.predicates


@pytest.mark.parametrize("name", example_ids())
def test_right_answers_are_left_in_peace(parser: ValParser, name: str) -> None:
    example = load_example(name)
    construction = Construction(Setup(example.brief, passes=1))
    while (ask := building.next_ask(construction)) is not None:
        text = reference_answer(example, ask.action, construction.predicates)
        assert val_faults(parser, construction, ask.action, text) == ()
        construction = building.after(construction, building.answered(ask, text))
    assert construction.missing == []


def test_an_empty_or_is_seen_by_val_alone(parser: ValParser, logistics: Example) -> None:
    text = reference_answer(logistics, ACTION, {}).replace("(truck-at ?t ?l)", "(or)", 1)
    (message,) = val_faults(parser, Construction(Setup(logistics.brief)), ACTION, text)
    assert message.startswith("VAL cannot read '(or)'")


def test_it_is_not_asked_where_our_own_checks_object(fake: ValParser, logistics: Example) -> None:
    construction = Construction(Setup(logistics.brief))
    right = reference_answer(logistics, ACTION, {})
    for wrong in ("I cannot.", renamed(right).replace("- truck", "- lorry"), renamed(right).replace(":", " ")):
        assert val_faults(fake, construction, ACTION, wrong) == ()
    assert not fake.binary.with_name("asked").exists()
    assert val_faults(fake, construction, ACTION, renamed(right)) != ()
    assert fake.binary.with_name("asked").exists()


def test_what_no_answer_can_mend_is_not_said(parser: ValParser) -> None:
    """Names of the brief's, and predicates that the action does not use."""
    text = "Parameters:\n1. ?x - {0}: it\n\nPreconditions:\n({1} ?x)\n\nEffects:\n(not ({1} ?x))\n\nNew Predicates:\n"
    text += "1. ({1} ?x - {0}): true if ?x is lit"

    def said(type_name: str, predicate: str) -> tuple[str, ...]:
        brief = Brief("name", "Lamps", "", (TypeBrief(type_name, words="it"),), ())
        taken_before = PredicateDraft(
            "maximize", (Parameter("?x", ("object",)),)
        )  # by the last round of another action
        construction = Construction(Setup(brief), predicates={"maximize": taken_before})
        return val_faults(parser, construction, "name", text.format(type_name, predicate))

    assert said("lamp", "lit") == ()
    assert said("name", "lit") == ()
    assert len(said("lamp", "name")) == 1


def test_an_event_without_tools_is_as_it_was(logistics: Example) -> None:
    ask = building.next_ask(Construction(Setup(logistics.brief)))
    assert ask is not None
    assert "tools" not in building.answered(ask, "…").data
    assert building.answered(ask, "…", ("wrong",)).data["tools"] == ["wrong"]


def test_at_the_last_round_its_message_is_kept_beside_the_answer(logistics: Example) -> None:
    setup = replace(Setup(logistics.brief), rounds=0)
    ask = building.next_ask(Construction(setup))
    assert isinstance(ask, Ask)
    event = building.answered(ask, reference_answer(logistics, ACTION, {}), ("VAL says so",))
    construction = building.after(Construction(setup), event)
    assert construction.pending is None
    assert construction.versions[ACTION][0].faults == ("VAL says so",)
