"""The table of rules, a row of the design after the other, each in several spellings, under both protocols."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nl2pddl.domains import DomainLibrary, load_library
from nl2pddl.pipeline import EvaluationTask, Evaluator
from nl2pddl.records import EvaluationSettings, Protocol, ResultClass, Subclass, Verdict
from nl2pddl.rules import PRECEDENCE, RULES, class_of

STRICT = EvaluationSettings(protocol=Protocol.STRICT)
PUBLISHED = EvaluationSettings(protocol=Protocol.PUBLISHED)
EQUAL, NONE = "equivalent", "undecided"

PRE = "(and (holding ?x) (clear ?y))"
EFF = "(and (on ?x ?y) (clear ?x) (handempty) (not (holding ?x)) (not (clear ?y)))"


def stack(name: str = "stack", params: str = "?x - block ?y - block", pre: str = PRE, eff: str = EFF) -> str:
    return f"(:action {name}\n  :parameters ({params})\n  :precondition {pre}\n  :effect {eff}\n)"


def move(params: str = "?from - room ?to - room", pre: str = "(at-robby ?from)", eff: str = "") -> str:
    effect = eff or "(and (at-robby ?to) (not (at-robby ?from)))"
    return f"(:action move :parameters ({params}) :precondition {pre} :effect {effect})"


def drive(params: str = "?x - truck ?y - place ?z - place", pre: str = "(at ?x ?y)") -> str:
    return f"(:action drive :parameters ({params}) :precondition {pre} :effect (and (at ?x ?z) (not (at ?x ?y))))"


# (row of the design's table, domain, action, output, strict, published)
ROWS: list[tuple[str, str, str, str, str, str]] = [
    ("start", "blocksworld", "stack", "Here it is (in PDDL):\n" + stack(), EQUAL, "NoPDDL"),
    ("start", "blocksworld", "stack", "```pddl\n" + stack() + "\n```\nDone.", EQUAL, EQUAL),
    ("start", "blocksworld", "stack", stack().replace("(:action stack", "( :Action\n stack"), EQUAL, "NoPDDL"),
    ("start", "blocksworld", "stack", stack().replace(":effect", "; a smile :)\n :effect"), EQUAL, "NoPDDL"),
    ("start", "blocksworld", "stack", stack(eff=EFF + " ; a smile :)"), EQUAL, "UToken"),
    ("start", "blocksworld", "stack", stack().replace(":effect", "; a list (of\n :effect"), EQUAL, "PError"),
    ("start", "blocksworld", "stack", stack() + "\n" + stack(name="other"), EQUAL, EQUAL),
    ("no parenthesis", "blocksworld", "stack", "", "NoPDDL", "NoPDDL"),
    ("no parenthesis", "blocksworld", "stack", "I cannot do that.", "NoPDDL", "NoPDDL"),
    ("unmatched", "blocksworld", "stack", stack()[:-1], "PError", "PError"),
    ("unmatched", "blocksworld", "stack", "(:action stack", "PError", "PError"),
    ("missing keyword", "blocksworld", "stack", f"(stack :parameters () :precondition {PRE})", "NoPDDL", "NoPDDL"),
    ("missing keyword", "blocksworld", "stack", f"(:action stack :precondition {PRE} :effect {EFF})",
     "NoPDDL", "NoPDDL"),
    ("missing keyword", "blocksworld", "stack", f"(:action stack :parameters () :precondition {PRE})",
     "NoPDDL", "NoPDDL"),
    ("no precondition", "blocksworld", "put-down", "(:action put-down :parameters (?x - block) "
     ":effect (and (ontable ?x) (clear ?x) (handempty) (not (holding ?x))))", "NPApp", "NoPDDL"),
    ("no precondition", "gripper", "move", move(pre="()"), "NPApp", "NoPlan"),
    ("no precondition", "gripper", "move", move(pre="(and)"), "NPApp", "NPApp"),
    ("no effect", "gripper", "move", move(eff="()"), "NoPlan", "PAError"),
    ("no effect", "gripper", "move", move(eff="(and)"), "NoPlan", "NoPlan"),
    ("letter case", "blocksworld", "stack", stack().upper(), EQUAL, "NoPDDL"),
    ("letter case", "blocksworld", "stack", stack().replace(":effect", ":Effect"), EQUAL, "NoPDDL"),
    ("letter case", "blocksworld", "stack", stack().replace("(and", "(AND"), EQUAL, "UToken"),
    ("letter case", "blocksworld", "stack", stack().replace("(not", "(Not"), EQUAL, "UToken"),
    ("letter case", "blocksworld", "stack", stack().replace("- block", "- Block"), EQUAL, "TError"),
    ("letter case", "gripper", "move", move(pre="(and (at-robby ?from) (free LEFT))"), "NoPlan", "TError"),
    ("letter case", "blocksworld", "stack", stack().replace("(holding", "(Holding"), EQUAL, EQUAL),
    ("letter case", "blocksworld", "stack", stack().replace("?x)", "?X)"), EQUAL, EQUAL),
    ("grammar", "blocksworld", "stack", stack().replace(":effect", f":precondition {PRE} :effect"), "UToken", "UToken"),
    ("grammar", "blocksworld", "stack", stack(pre="(holding ?x - block)"), "UToken", "UToken"),
    ("grammar", "blocksworld", "stack", stack(params="?x - block - thing ?y - block"), "UToken", "UToken"),
    ("grammar", "blocksworld", "stack", stack(params="?x - block ?y -"), "UToken", "UToken"),
    ("grammar", "blocksworld", "stack", stack().replace(":effect", "please :effect"), "UToken", "UToken"),
    ("grammar", "blocksworld", "stack", stack(pre="(and (holding ?x) ())"), "UToken", "UToken"),
    ("grammar", "blocksworld", "stack", stack(pre="(not (and (holding ?x) (clear ?y)))"), "UToken", NONE),
    ("grammar", "blocksworld", "stack", stack(pre="(not (not (holding ?x)))"), "UToken", NONE),
    ("grammar", "blocksworld", "stack", stack(eff="(not (and (clear ?y) (holding ?x)))"), "UToken", "UToken"),
    ("order", "blocksworld", "stack",
     f"(:action stack :parameters (?x ?y - block) :effect {EFF} :precondition {PRE})", EQUAL, "UToken"),
    ("order", "blocksworld", "stack",
     f"(:action stack :precondition {PRE} :parameters (?x ?y - block) :effect {EFF})", EQUAL, "UToken"),
    ("order", "blocksworld", "stack",
     f"(:action stack :effect {EFF} :precondition {PRE} :parameters (?x - block ?y - block))", EQUAL, "UToken"),
    ("nested and", "blocksworld", "stack", stack(pre=f"(and {PRE})"), EQUAL, EQUAL),
    ("nested and", "blocksworld", "stack", stack(pre="(and (holding ?x) (and (clear ?y) (and)))"), EQUAL, EQUAL),
    ("nested and", "blocksworld", "stack", stack(eff=f"(and {EFF})"), EQUAL, "UToken"),
    ("unknown type", "blocksworld", "stack", stack(params="?x - brick ?y - block"), "TError", "TError"),
    ("unknown type", "blocksworld", "stack", stack(params="?x - block ?y - blocks"), "TError", "TError"),
    ("unknown type", "depot", "drive", drive(params="?x - vehicle ?y ?z - place"), "TError", "TError"),
    ("object", "blocksworld", "stack", stack(params="?x - object ?y - block"), "TError", "TError"),
    ("object", "depot", "drive", drive(params="?x - truck ?y - object ?z - place"), "TError", "OPApp"),
    ("ill-typed argument", "depot", "drive", drive(params="?x - place ?y - place ?z - place"), "TError", "NoPlan"),
    ("ill-typed argument", "depot", "drive", drive(params="?x ?y ?z"), "TError", "OPApp"),
    ("either", "depot", "drive", drive(params="?x - truck ?y ?z - (either depot distributor)"), EQUAL, "PAError"),
    ("either", "depot", "drive", drive(params="?x - truck ?y ?z - (either place)"), EQUAL, EQUAL),
    ("duplicate parameter", "gripper", "move", move(params="?from ?to ?to - room"), "TError", EQUAL),
    ("duplicate parameter", "gripper", "move", move(params="?from ?to - room ?to - ball"), "TError", "TError"),
    ("arguments", "blocksworld", "stack", stack(pre="(and (holding ?x ?y) (clear ?y))"), "PAError", "PAError"),
    ("arguments", "blocksworld", "stack", stack(pre="(and (grasping ?x) (clear ?y))"), "PAError", "PAError"),
    ("arguments", "blocksworld", "stack", stack(eff="(and (on ?x) (not (clear ?y)))"), "PAError", "PAError"),
    ("undeclared variable", "gripper", "move", move(eff="(at-robby ?there)"), "PAError", "PAError"),
    ("undeclared variable", "blocksworld", "stack", stack(pre="(and (holding ?x) (clear ?z))"), "PAError", "NoPlan"),
    ("undeclared variable", "gripper", "move", move(eff="(and (at-robby ?to) (not (at-robby ?z)))"),
     "PAError", "OPApp"),
    ("undeclared constant", "gripper", "move", move(pre="(at-robby kitchen)"), "PAError", "TError"),
    ("undeclared constant", "blocksworld", "stack", stack(pre="(and (holding ?x) (clear table))"), "PAError", "TError"),
    ("undeclared constant", "blocksworld", "stack", stack(eff="(and (on x ?y))"), "PAError", "TError"),
    ("name", "blocksworld", "stack", stack(name="Stack"), EQUAL, EQUAL),
    ("name", "blocksworld", "stack", stack(name="stack-block"), "NError", "NError"),
    ("name", "blocksworld", "put-down", stack(), "NError", EQUAL),
    ("negated precondition", "blocksworld", "stack", stack(pre="(and (holding ?x) (clear ?y) (not (on ?x ?y)))"),
     "BPError", EQUAL),
    ("negated precondition", "blocksworld", "stack", stack(pre="(and (not (on ?y ?x)) (holding ?x) (clear ?y))"),
     "BPError", EQUAL),
    ("negated precondition", "gripper", "move", move(pre="(not (at-robby ?to))"), "BPError", "NPApp"),
    ("requirements", "blocksworld", "stack", stack(pre="(or (holding ?x) (holding ?x))"), "BPError", "NPApp"),
    ("requirements", "blocksworld", "stack", stack(pre="(exists (?z - block) (on ?x ?z))"), "BPError", "TError"),
    ("requirements", "blocksworld", "stack", stack(pre="(forall (?z - block) (clear ?z))"), "BPError", "TError"),
    ("requirements", "blocksworld", "stack", stack(eff=EFF[:-1] + " (when (clear ?x) (clear ?x)))"), "BPError", EQUAL),
    ("requirements", "blocksworld", "stack",
     stack(eff=EFF[:-1] + " (forall (?z - block) (when (holding ?z) (clear ?x))))"), "BPError", EQUAL),
    ("requirements", "blocksworld", "stack", stack(pre="(and (holding ?x) (> (size ?x) 1))"), "BPError", "UToken"),
    ("requirements", "blocksworld", "stack", stack(eff="(increase (total-cost) 1)"), "BPError", "UToken"),
    ("several", "blocksworld", "stack", stack(name="other", pre="(and (grasping ?x) (clear ?z))"), "PAError", "NError"),
    ("several", "blocksworld", "stack", stack(name="other", params="?x - brick ?y - block"), "TError", "TError"),
    ("no plan", "blocksworld", "stack", stack(pre="(and (holding ?x) (holding ?y) (clear ?x))"), "NoPlan", "NoPlan"),
    ("no plan", "gripper", "move", move(eff="(not (at-robby ?from))"), "NoPlan", "NoPlan"),
    ("cross-check", "blocksworld", "stack", stack(pre="(holding ?x)"), "NPApp", "NPApp"),
    ("no plan", "gripper", "move", move(pre="(and (at-robby ?from) (free left) (free right))"), "NoPlan", "NoPlan"),
    ("cross-check", "heavy", "pack-first",
     "(:action pack-first :parameters (?item - item) :precondition (and (box-empty) (unpacked ?item)) "
     ":effect (and (packed ?item) (not (box-empty)) (not (unpacked ?item))))", "OPApp", "OPApp"),
    ("exchanged parameters", "gripper", "pick",
     "(:action pick :parameters (?room - room ?obj - ball ?gripper - gripper) :precondition (and (at ?obj ?room) "
     "(at-robby ?room) (free ?gripper)) "
     ":effect (and (carry ?obj ?gripper) (not (at ?obj ?room)) (not (free ?gripper))))", "NPApp", EQUAL),
]  # fmt: skip


def judge(evaluator: Evaluator, library: DomainLibrary, row: tuple[str, ...], settings: EvaluationSettings) -> Verdict:
    _, domain, action, output = row[:4]
    return evaluator.evaluate(EvaluationTask(library.find(domain).source, action, output, settings))


def name_of(verdict: Verdict) -> str:
    return str(verdict.subclass or verdict.result_class)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_strict_column(evaluator: Evaluator, library: DomainLibrary, row: tuple[str, ...]) -> None:
    verdict = judge(evaluator, library, row, STRICT)
    assert (name_of(verdict), verdict.protocol) == (row[4], Protocol.STRICT), verdict.reason


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_published_column(evaluator: Evaluator, library: DomainLibrary, row: tuple[str, ...]) -> None:
    verdict = judge(evaluator, library, row, PUBLISHED)
    assert (name_of(verdict), verdict.protocol) == (row[5], Protocol.PUBLISHED), verdict.reason


@pytest.mark.parametrize("settings", [STRICT, PUBLISHED], ids=lambda settings: settings.protocol)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_refusal_has_its_place_and_its_rule(
    evaluator: Evaluator, library: DomainLibrary, row: tuple[str, ...], settings: EvaluationSettings
) -> None:
    verdict = judge(evaluator, library, row, settings)
    if verdict.result_class not in (ResultClass.SYNTAX, ResultClass.SEMANTIC):
        return
    kinds = {rule.kind for rule in RULES}
    order = PRECEDENCE[settings.protocol]
    assert verdict.problems
    for problem in verdict.problems:
        assert problem.kind in kinds
        assert problem.line >= 1
        assert problem.column >= 1
        assert len(problem.message) > 10
    assert verdict.subclass == min((problem.subclass for problem in verdict.problems), key=order.index)
    assert verdict.result_class is class_of(verdict.subclass)


def test_the_are_counts_letter_case_in_published_only(evaluator: Evaluator, library: DomainLibrary) -> None:
    row = ("", "blocksworld", "stack", stack().replace("(holding", "(Holding"))
    assert judge(evaluator, library, row, STRICT).are == 0
    assert judge(evaluator, library, row, PUBLISHED).are == 4


def test_working_plans_are_the_published_count(evaluator: Evaluator, library: DomainLibrary) -> None:
    whole = judge(evaluator, library, ("", "blocksworld", "stack", stack()), PUBLISHED)
    assert whole.working_plans == sum(check.new_plans or 0 for check in whole.cross_checks)
    none = judge(evaluator, library, ("", "blocksworld", "stack", stack(pre="(holding ?y)")), PUBLISHED)
    assert none.working_plans == 0


def test_the_published_verdicts_are_reproduced(evaluator: Evaluator, cases: Path, published: Path) -> None:
    library = load_library(published / "pddl-problems")
    wrong = []
    for line in (cases / "published_verdicts.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        task = EvaluationTask(library.find(row["domain"]).source, row["action"], row["output"], PUBLISHED)
        verdict = evaluator.evaluate(task)
        found = (verdict.result_class, verdict.subclass, verdict.working_plans)
        wanted = (row["class"], row["subclass"], row["working_plans"])
        if found != wanted or (None not in (verdict.are, row["are"]) and verdict.are != row["are"]):
            wrong.append((row["domain"], row["action"], row["kind"], wanted, found))
    assert wrong == []


def test_every_subclass_before_planning_has_a_rule() -> None:
    given = {rule.strict for rule in RULES} | {rule.published for rule in RULES}
    assert set(Subclass) - given == {Subclass.NO_PLAN, Subclass.NP_APP, Subclass.OP_APP}
    assert len({rule.kind for rule in RULES}) == len(RULES)
