from __future__ import annotations

import json
import shutil
import sys
import time
from itertools import groupby
from pathlib import Path
from typing import Any

import psutil
import pytest

from nl2pddl.errors import InputError
from nl2pddl.planning.val import VAL_VARIABLE, Val, find_val
from tests.planning import fake_val

DOMAIN = """
(define (domain d) (:requirements :strips :typing) (:types a b - t)
  (:predicates (p ?x - a) (q ?x - b) (r ?x - t) (done))
  (:action one :parameters (?x - a) :precondition (r ?x) :effect (p ?x))
  (:action two :parameters (?x - a ?y - b) :precondition (and (p ?x) (r ?y)) :effect (and (done) (q ?y) (not (r ?y)))))
"""
PROBLEM = "(define (problem x) (:domain d) (:objects m - a n - b) (:init (r m) (r n)) (:goal (and (done) (q n))))"


def install_fake(folder: Path, name: str = "Validate") -> Path:
    """The fake VAL as a program in ``folder``."""
    folder.mkdir(exist_ok=True)
    shutil.copy(fake_val.__file__, folder / "fake_val.py")
    program = folder / name
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "{folder}/fake_val.py" "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return install_fake(tmp_path / "bin")


@pytest.fixture
def fake(program: Path) -> Val:
    return Val(program)


def calls(val: Val) -> list[int]:
    """How many plans each process got, after the ones that asked for help."""
    return [int(line) for line in val.binary.with_name("calls").read_text().split()]


@pytest.mark.parametrize(
    ("plan", "valid", "step", "words"),
    [
        (["(good)"], True, 0, ""),
        (["(goal)"], False, 2, "The goal is not satisfied (Follow each of: (Set (done) to true) and (Set (q n)"),
        ([], False, 1, "The goal is not satisfied"),
        (["(unmet)", "(two m n)"], False, 2, "unsatisfied precondition at time 2 (Set (p m) to true)"),
        (["(bad)"], False, 0, "Bad plan description!"),
        (["(dropped)"], None, 0, "could not read the action 'dropped'"),
        (["(error)"], None, 0, "Unrecognised goal"),
        (["(crash)"], None, 0, "crashed on this plan (signal 11)"),
        (["(abort)"], None, 0, "crashed on this plan (Error: Error in type-checking! Object with unknown type: zz"),
    ],
)
def test_one_plan(fake: Val, plan: list[str], valid: bool | None, step: int, words: str) -> None:
    (answer,) = fake.check(
        DOMAIN.replace("(:action one", "(:action dropped :effect ())\n(:action one"), PROBLEM, [plan]
    )
    assert (answer.valid, answer.step) == (valid, step)
    assert words in answer.reason
    assert "Failed plans" not in answer.reason


def test_many_plans_take_one_process(fake: Val) -> None:
    plans = [["(good)"], ["(goal)"], ["(bad)"], ["(unmet)"], []] * 20
    answers = fake.check(DOMAIN, PROBLEM, plans)
    assert [answer.valid for answer in answers] == [True, False, False, False, False] * 20
    assert calls(fake) == [100]
    assert fake.check(DOMAIN, PROBLEM, []) == []
    assert calls(fake) == [100]


def test_a_crash_does_not_cost_the_others_their_answers(fake: Val) -> None:
    plans = [["(good)"]] * 5 + [["(crash)"]] + [["(goal)"]] * 6 + [["(abort)"]] + [["(good)"]] * 3
    answers = fake.check(DOMAIN, PROBLEM, plans)
    assert [answer.valid for answer in answers] == [True] * 5 + [None] + [False] * 6 + [None] + [True] * 3
    assert len(calls(fake)) < len(plans)


def test_a_refused_domain_is_asked_about_once(fake: Val) -> None:
    answers = fake.check(DOMAIN + ";(mistyped)", PROBLEM, [["(good)"]] * 8)
    assert {answer.valid for answer in answers} == {None}
    assert "Type problem in domain description! Type problem with proposition (p y)" in answers[0].reason
    assert calls(fake) == [8]


def test_a_step_that_val_would_misread_is_not_put_to_it(fake: Val) -> None:
    answers = fake.check(DOMAIN, PROBLEM, [["(good)"], ["()"], ["(good) (good)"], ["good"], ["(good 3)"], ["(good"]])
    assert [answer.valid for answer in answers] == [True] + [None] * 5
    assert calls(fake) == [1]


def test_the_time_limit_ends_the_whole_process_group(program: Path) -> None:
    answers = Val(program, seconds=1.0).check(DOMAIN, PROBLEM, [["(good)"], ["(hang)"]])
    assert [answer.valid for answer in answers] == [None, None]
    assert "stopped after 1 s" in answers[0].reason
    child = int(program.with_name("child").read_text())
    deadline = time.monotonic() + 10
    while psutil.pid_exists(child) and psutil.Process(child).status() != "zombie" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == "zombie"


def test_too_little_memory_is_no_answer(program: Path) -> None:
    (answer,) = Val(program, memory_mb=8).check(DOMAIN, PROBLEM, [["(good)"]])
    assert answer.valid is None
    assert answer.reason


def test_each_call_cleans_up(fake: Val, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    fake.check(DOMAIN, PROBLEM, [["(good)"], ["(crash)"]])
    assert list(scratch.iterdir()) == []


def test_val_is_found_by_its_setting_or_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VAL_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert find_val() is None
    upper, lower = install_fake(tmp_path / "upper"), install_fake(tmp_path / "lower", "validate")
    for program in (lower, upper):
        monkeypatch.setenv("PATH", str(program.parent))
        found = find_val()
        assert found is not None
        assert found.binary == program
    monkeypatch.setenv(VAL_VARIABLE, str(lower))
    named = find_val()
    assert named is not None
    assert named.binary == lower


def test_another_program_called_validate_is_not_val(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "validate"
    other.write_text("#!/bin/sh\necho 'validate: checks XML'\n")
    other.chmod(0o755)
    monkeypatch.delenv(VAL_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_val() is None
    for wrong in (str(other), str(tmp_path), "/nowhere/Validate"):
        monkeypatch.setenv(VAL_VARIABLE, wrong)
        with pytest.raises(InputError, match=f"{VAL_VARIABLE} is '{wrong}'"):
            find_val()


def test_the_version_tells_builds_apart(program: Path) -> None:
    first = Val(program).version
    assert first.startswith("VAL 4 (sha256 ")
    program.with_name("libVAL.so").write_bytes(b"the library that a small Validate loads")
    assert Val(program).version != first


@pytest.fixture
def real() -> Val:
    found = find_val()
    if found is None:
        pytest.skip("VAL is not installed")
    return found


@pytest.mark.parametrize(
    ("plan", "valid", "step"),
    [
        (["(one m)", "(TWO m n)"], True, 0),
        (["(one m)"], False, 2),
        ([], False, 1),
        (["(one m)", "(two m n)", "(two m n)"], False, 3),
        (["(one m)", "(three m)"], False, 0),
        (["(one m)", "(one n)"], False, 0),
        (["(one m m)"], None, 0),
        (["(one zz)"], None, 0),
    ],
)
def test_real_val(real: Val, plan: list[str], valid: bool | None, step: int) -> None:
    answers = real.check(DOMAIN, PROBLEM, [["(one m)", "(two m n)"], plan, ["(one m)", "(two m n)"]])
    assert [answer.valid for answer in answers] == [True, valid, True]
    assert answers[1].step == step
    assert answers[1].reason or valid


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(p ?x) (r ?y)", "(p ?y) (r ?y)", "(p y) - parameter 1 is incorrectly typed"),
        ("(p ?x) (r ?y)", "(p ?z) (r ?y)", "Object with unknown type: z"),
        ("(p ?x) (r ?y)", "(p ?x) (or)", "could not read the action 'two'"),
        ("(and (p ?x) (r ?y))", "(or)", "refused the domain"),
    ],
)
def test_real_val_refuses(real: Val, old: str, new: str, words: str) -> None:
    domain = DOMAIN.replace(old, new)
    assert domain != DOMAIN
    (answer,) = real.check(domain, PROBLEM, [["(one m)", "(two m n)"]])
    assert answer.valid is None
    assert words in answer.reason


def test_real_val_gives_the_recorded_answers(real: Val, cases: Path, published: Path) -> None:
    rows = [json.loads(line) for line in (cases / "val_answers.jsonl").read_text().splitlines()]

    def task(row: dict[str, Any]) -> tuple[str, str]:
        return row["domain"], row["problem"]

    for (domain, problem), group in groupby(sorted(rows, key=task), key=task):
        same = list(group)
        text = (published / "pddl-problems" / problem).read_text()
        answers = real.check(domain, text, [row["plan"] for row in same])
        for row, answer in zip(same, answers, strict=True):
            assert answer.valid == row["valid"] or "could not read the action" in answer.reason, row
