from __future__ import annotations

import json
from pathlib import Path

import pytest

from nl2pddl.commands.compare import compare_domains
from nl2pddl.errors import InputError
from nl2pddl.exact import ExactLimits
from tests.conftest import DOMAINS

KEYS = ["problem", "exact", "witness", "witness_of", "reason", "facts", "states", "transitions", "seconds"]
GRIPPER = DOMAINS / "gripper" / "domain.pddl"
PROBLEMS = sorted((DOMAINS / "gripper" / "problems").glob("*.pddl"))


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """Gripper with a drop that leaves the gripper full."""
    path = tmp_path / "changed.pddl"
    text = GRIPPER.read_text()
    before, drop = text.split("(:action drop")
    assert "(free ?gripper)" in drop
    path.write_text(f"{before}(:action drop{drop.replace('(free ?gripper)', '')}")
    return path


def test_equal(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare_domains(GRIPPER, GRIPPER, PROBLEMS, ExactLimits(), as_json=True) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [list(row) for row in rows] == [KEYS] * 2
    assert [(row["problem"], row["exact"], row["states"]) for row in rows] == [
        (str(PROBLEMS[0]), "equal", 16),
        (str(PROBLEMS[1]), "equal", 297),
    ]
    assert all(row["witness"] is row["witness_of"] is row["reason"] is None for row in rows)


def test_different(changed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare_domains(changed, GRIPPER, PROBLEMS[:1], ExactLimits(), as_json=True) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["exact"], row["witness_of"]) == ("different", "second")
    assert len(row["witness"]) == 8  # there, pick, back, drop; twice
    assert row["witness"][0] == "(move cellar attic)"
    assert "(free left) does not hold" in row["reason"]
    assert compare_domains(changed, GRIPPER, PROBLEMS[:1], ExactLimits(), as_json=False) == 0
    words = capsys.readouterr().out.splitlines()
    assert words[0].startswith(f"{PROBLEMS[0]}: different (")
    assert f"a shortest plan of {GRIPPER} that is none of {changed}: (move cellar attic) " in words[1]
    assert "(free left) does not hold" in words[2]


def test_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    for as_json in (True, False):
        assert compare_domains(GRIPPER, GRIPPER, PROBLEMS[:1], ExactLimits(states=3), as_json=as_json) == 0
    row, words = capsys.readouterr().out.splitlines()
    assert json.loads(row)["exact"] == "undecided"
    assert "3 states" in json.loads(row)["reason"]
    assert words.startswith(f"{PROBLEMS[0]}: undecided: the limit of 3 states was reached")


def test_one_bad_problem_keeps_none_of_the_others_from_being_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    misfit, broken = DOMAINS / "heavy" / "problems" / "p01.pddl", tmp_path / "broken.pddl"
    broken.write_text("(define (problem")
    with pytest.raises(InputError) as raised:
        compare_domains(
            GRIPPER, GRIPPER, [misfit, PROBLEMS[0], broken, tmp_path / "none.pddl"], ExactLimits(), as_json=True
        )
    assert json.loads(capsys.readouterr().out)["problem"] == str(PROBLEMS[0])
    named = zip((misfit, broken, tmp_path / "none.pddl"), raised.value.problems, strict=True)
    assert all(fault.startswith(str(path)) for path, fault in named)
    assert f"{misfit} does not fit {GRIPPER}: object 'anvil' has the type 'item'" in str(raised.value)


def test_a_problem_must_fit_both_domains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.pddl"
    other.write_text(GRIPPER.read_text().replace("at-robby", "robot-at"))
    with pytest.raises(InputError, match=r"does not fit .*other\.pddl: :init: .*at-robby"):
        compare_domains(GRIPPER, other, PROBLEMS[:1], ExactLimits(), as_json=True)
    assert capsys.readouterr().out == ""


def test_a_bad_domain_or_limit_is_said_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=r"none\.pddl"):
        compare_domains(GRIPPER, tmp_path / "none.pddl", PROBLEMS, ExactLimits(), as_json=True)
    for limits in (ExactLimits(states=0), ExactLimits(seconds=0), ExactLimits(seconds=float("nan"))):
        with pytest.raises(InputError, match="must be more than 0"):
            compare_domains(GRIPPER, GRIPPER, PROBLEMS, limits, as_json=True)
    assert capsys.readouterr().out == ""


def test_a_faulty_domain_is_refused_with_its_place(tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.pddl"
    faulty.write_text(GRIPPER.read_text().replace("(free ?gripper)", "(free ?hand)"))
    with pytest.raises(InputError, match=r"faulty.pddl: line \d+, column \d+: action 'pick': .*\?hand"):
        compare_domains(GRIPPER, faulty, PROBLEMS, ExactLimits(), as_json=True)


def test_that_there_is_no_plan_at_all_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unsolvable = tmp_path / "unsolvable.pddl"
    unsolvable.write_text(PROBLEMS[0].read_text().replace("(free left)", "").replace("(free right)", ""))
    for as_json in (True, False):
        compare_domains(GRIPPER, GRIPPER, [unsolvable], ExactLimits(), as_json=as_json)
    row, words = capsys.readouterr().out.splitlines()
    assert (json.loads(row)["exact"], json.loads(row)["reason"]) == (
        "equal",
        "neither domain has any plan for this problem",
    )
    assert "equal: neither domain has any plan" in words
