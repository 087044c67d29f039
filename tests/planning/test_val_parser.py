from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from nl2pddl.errors import InputError
from nl2pddl.planning.val import VAL_VARIABLE
from nl2pddl.planning.val_parser import MOST_FAULTS, ValParser, find_parser
from tests.planning import fake_val_parser
from tests.planning.test_val import install_fake

DOMAIN = """(define (domain d)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :equality)
  (:types
    thing - object
  )
  (:predicates
    (p ?x - thing)  ; ?x is p
    (q ?x - thing ?y - object)
  )
  (:action one
    :parameters (?x - thing ?y - thing)
    :precondition (and
        (p ?x)
        (not (q ?x ?y))
    )
    :effect (q ?x ?y)
  )
)
"""
HINT = "; perhaps a part is missing, or a name in it is a word that PDDL keeps for itself"


def install_parser(folder: Path) -> Path:
    """The fake Validate and the fake Parser in ``folder``; gives the first, which is what NL2PDDL_VAL names."""
    validate = install_fake(folder)
    shutil.copy(fake_val_parser.__file__, folder / "fake_val_parser.py")
    program = folder / "Parser"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "{folder}/fake_val_parser.py" "$@"\n')
    program.chmod(0o755)
    return validate


def real_parser() -> ValParser:
    found = find_parser()
    if found is None:
        pytest.skip("VAL is not installed, or its Parser is not beside it")
    return found


@pytest.fixture(params=["fake", "real"])
def parser(request: pytest.FixtureRequest, tmp_path: Path) -> ValParser:
    return real_parser() if request.param == "real" else ValParser(install_parser(tmp_path / "bin").with_name("Parser"))


@pytest.fixture
def real() -> ValParser:
    return real_parser()


def changed(old: str, new: str) -> str:
    assert old in DOMAIN
    return DOMAIN.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "messages"),
    [
        ("?x is p", "?x heißt (name ∀ …", ()),
        ("(p ?x", "(name ?x", (f"VAL cannot read '(name ?x - thing)'{HINT}",)),
        ("(p ?x)", "(or)", (f"VAL cannot read '(or)'{HINT}",)),
        (
            "?y",
            "?name",
            (f"VAL cannot read '(q ?x - thing ?name - object)'{HINT}",),
        ),
        ("thing - object\n", "name - object\n", (f"VAL cannot read 'name - object'{HINT}",)),
        (
            "(p ?x - thing)",
            "(name)\n (name ?z - thing)\n (name)\n",
            (f"VAL cannot read '(name)'{HINT}", f"VAL cannot read '(name ?z - thing)'{HINT}"),
        ),
    ],
)
def test_what_cannot_be_read_is_quoted(parser: ValParser, old: str, new: str, messages: tuple[str, ...]) -> None:
    assert parser.faults(changed(old, new)) == messages


def test_messages_are_few_and_short(parser: ValParser) -> None:
    many = "\n".join(f"(name ?x{number} - thing)" for number in range(20))
    found = parser.faults(changed("(p ?x - thing)", many))
    assert [message[:22] for message in found] == ["VAL cannot read '(name"] * MOST_FAULTS
    (long,) = parser.faults(changed("(p ?x - thing)", f"(name ?{'x' * 1000} - thing)"))
    assert "(name ?xx" in long
    assert "...'" in long
    assert len(long) < 250


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(p ?x)", "(r ?x)", "VAL says of '(r ?x)': undeclared symbol: r"),
        ("(p ?x)", "(p ?z)", "VAL says of '(p ?z)': undeclared variable symbol: ?z"),
        ("(p ?x)", "(p bob)", "VAL says of '(p bob)': undeclared symbol: bob"),
        ("(q ?x - thing ?y - object)", "(p ?x - thing)", "'(p ?x - thing)': re-declaration of symbol in same scope: p"),
        ("?y - thing)", "?x - thing)", "(?x - thing ?x - thing)': re-declaration of symbol in same scope: x"),
        ("(q ?x ?y)\n  )", "(and (when (p ?x) (p ?y)))\n  )", "undeclared requirement :conditional-effects"),
        ("    )\n    :effect", "    :effect", f"VAL cannot read ':effect (q ?x ?y)'{HINT}"),
    ],
)
def test_the_real_parser_on_each_kind_of_fault(real: ValParser, old: str, new: str, words: str) -> None:
    found = real.faults(changed(old, new))
    assert any(words in message for message in found), found


@pytest.mark.parametrize(("old", "new"), [("(p ?x)", "(p ?x ?y)"), ("?y - thing)", "?y - lorry)"), (DOMAIN, "@@@")])
def test_the_real_parser_passes_over_these(real: ValParser, old: str, new: str) -> None:
    assert real.faults(changed(old, new)) == ()


@pytest.mark.parametrize("what", ["(crash)", "(hang)"])
def test_a_crash_or_a_stop_says_nothing(tmp_path: Path, what: str) -> None:
    binary = install_parser(tmp_path / "bin").with_name("Parser")
    faulty = changed("(p ?x - thing)", f"(name) {what}")
    assert ValParser(binary, seconds=1.0).faults(faulty) == ()
    assert binary.with_name("asked").read_text() == "domain.pddl\n"
    assert ValParser(binary).faults(faulty.replace(what, "")) != ()


def test_each_call_cleans_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binary = install_parser(tmp_path / "bin").with_name("Parser")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    ValParser(binary).faults(DOMAIN)
    assert list(scratch.iterdir()) == []


def test_it_is_found_beside_validate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    validate = install_parser(tmp_path / "bin")

    def found(variable: str, path: Path) -> ValParser | None:
        monkeypatch.setenv(VAL_VARIABLE, variable)
        monkeypatch.setenv("PATH", str(path))
        return find_parser()

    expected = ValParser(validate.with_name("Parser"))
    assert found(str(validate), tmp_path) == expected
    assert found("", validate.parent) == expected
    assert found("", tmp_path) is None
    with pytest.raises(InputError, match=VAL_VARIABLE):
        found("/nowhere/Validate", tmp_path)
    validate.with_name("Parser").rename(validate.with_name("other"))
    assert found(str(validate), tmp_path) is None


def test_one_fault_s_consequences_are_left_out(tmp_path: Path) -> None:
    program = tmp_path / "Parser"
    written = (
        "Errors: 1, warnings: 0",
        "domain.pddl: line: 1: Error: of an earlier summary",
        "Errors: 2, warnings: 3",
        "domain.pddl: line: 7: Warning: Undeclared symbol: r",
        "domain.pddl: line: 8: Error: Re-declaration of symbol in same scope: p",
        "domain.pddl: line: 12: Warning: Undeclared symbol: q",
        "domain.pddl: line: 999: Error: Re-declaration of symbol in same scope: s",
        "/tmp/other.pddl: line: 7: Error: Unreadable structure",
    )
    program.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in written))
    program.chmod(0o755)
    assert ValParser(program).faults(DOMAIN) == (
        "VAL says of '(p ?x - thing)': undeclared symbol: r",
        "VAL says of '(q ?x - thing ?y - object)': re-declaration of symbol in same scope: p",
        "VAL says of the domain: re-declaration of symbol in same scope: s",
    )
