"""The verdict path end to end, with the real planner; shortcuts are off wherever the planner is what is tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nl2pddl.actions import action_pddl
from nl2pddl.domains import DomainLibrary, load_library
from nl2pddl.errors import InputError
from nl2pddl.pipeline import EvaluationTask, Evaluator
from nl2pddl.planning.kstar import KStar
from nl2pddl.records import DomainSource, EvaluationSettings, ResultClass, Subclass, Verdict

FULL = EvaluationSettings(shortcuts=False)
ALL_ACTIONS = [
    ("blocksworld", "pick-up"), ("blocksworld", "put-down"), ("blocksworld", "stack"), ("blocksworld", "unstack"),
    ("gripper", "move"), ("gripper", "pick"), ("gripper", "drop"), ("heavy", "pack-first"), ("heavy", "stack"),
    ("forest", "walk"), ("forest", "climb"), ("logistics", "load-truck"), ("logistics", "load-airplane"),
    ("logistics", "unload-truck"), ("logistics", "unload-airplane"), ("logistics", "drive-truck"),
    ("logistics", "fly-airplane"), ("depot", "drive"), ("depot", "lift"), ("depot", "drop"), ("depot", "load"),
    ("depot", "unload"), ("miconic", "board"), ("miconic", "depart"), ("miconic", "up"), ("miconic", "down"),
    ("trackbuilding", "build-track"), ("trackbuilding", "move-agent"), ("trackbuilding", "move-train"),
    ("delivery", "pick-up"), ("delivery", "move"), ("delivery", "deliver"),
]  # fmt: skip


def judge(
    evaluator: Evaluator,
    library: DomainLibrary,
    domain: str,
    action: str,
    output: str,
    settings: EvaluationSettings = FULL,
) -> Verdict:
    return evaluator.evaluate(EvaluationTask(library.find(domain).source, action, output, settings))


def ground_truth(library: DomainLibrary, domain: str, action: str) -> str:
    return action_pddl(library.find(domain).planning.actions[action])


def test_the_list_above_is_all_actions(library: DomainLibrary) -> None:
    assert set(ALL_ACTIONS) == {(d.id, name) for d in library.domains.values() for name in d.planning.actions}


@pytest.mark.parametrize(("domain", "action"), ALL_ACTIONS)
def test_the_ground_truth_is_equivalent(evaluator: Evaluator, library: DomainLibrary, domain: str, action: str) -> None:
    verdict = judge(evaluator, library, domain, action, ground_truth(library, domain, action))
    assert (verdict.result_class, verdict.subclass, verdict.are) == (ResultClass.EQUIVALENT, None, 0)
    assert len(verdict.cross_checks) == 2
    for check in verdict.cross_checks:
        assert check.planner == "solved"
        assert check.exercised
        assert check.new_plans
        assert check.new_plans == check.original_plans == check.new_valid_on_original == check.original_valid_on_new


def test_without_a_planner_there_is_no_verdict(library: DomainLibrary) -> None:
    with Evaluator(KStar(search_binary="/bin/false")) as broken:
        verdict = judge(broken, library, "gripper", "move", ground_truth(library, "gripper", "move"))
    assert verdict.result_class is ResultClass.UNDECIDED
    assert verdict.subclass is None
    assert "no plans of the original domain" in verdict.reason


BLOCKS = [
    ("(on ?x ?y)", "(on ?y ?x)", "put x under y", Subclass.NP_APP, 2),
    ("(clear ?y))\n", ")\n", "forget that y is clear", Subclass.NP_APP, 1),
    ("(handempty)", "", "keep the hand full", Subclass.NO_PLAN, 1),
    ("(not (clear ?y))", "", "leave y clear", Subclass.NP_APP, 1),
]


@pytest.mark.parametrize(("old", "new", "what", "subclass", "are"), BLOCKS)
def test_wrong_stacks(
    evaluator: Evaluator, library: DomainLibrary, old: str, new: str, what: str, subclass: Subclass, are: int
) -> None:
    text = (
        "(:action stack :parameters (?x - block ?y - block)\n:precondition (and (holding ?x) (clear ?y))\n"
        ":effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (handempty) (on ?x ?y)))"
    )
    changed = text.replace(old, new, 1)
    assert changed != text
    verdict = judge(evaluator, library, "blocksworld", "stack", changed)
    assert (verdict.result_class, verdict.subclass, verdict.are) == (ResultClass.DIFFERENT, subclass, are), what


def test_np_app_shows_the_first_failing_plan(evaluator: Evaluator, library: DomainLibrary) -> None:
    text = ground_truth(library, "gripper", "move").replace(":precondition (at-robby ?from)", ":precondition ()", 1)
    verdict = judge(evaluator, library, "gripper", "move", text)
    assert verdict.subclass is Subclass.NP_APP
    failure = verdict.failure
    assert failure is not None
    assert failure.direction == "new on original"
    assert failure.plan[failure.step - 1] == failure.action
    assert failure.literal is not None
    assert failure.literal.startswith("(at-robby")
    assert failure.literal in verdict.reason


def test_op_app_shows_an_original_plan(evaluator: Evaluator, library: DomainLibrary) -> None:
    text = ground_truth(library, "heavy", "pack-first").replace("(nothing-above ?item)", "", 1)
    verdict = judge(evaluator, library, "heavy", "pack-first", text)
    assert (verdict.subclass, verdict.are) == (Subclass.OP_APP, 1)
    assert verdict.failure is not None
    assert (verdict.failure.problem, verdict.failure.direction) == ("p02", "original on new")
    checks = {check.problem: check for check in verdict.cross_checks}
    assert checks["p02"].original_valid_on_new == 8
    assert checks["p02"].new_valid_on_original == checks["p02"].new_plans


def test_exchanged_parameters_are_npapp_and_not_equivalent(evaluator: Evaluator, library: DomainLibrary) -> None:
    text = (
        "(:action pick :parameters (?room - room ?obj - ball ?gripper - gripper)\n"
        ":precondition (and (at ?obj ?room) (at-robby ?room) (free ?gripper))\n"
        ":effect (and (carry ?obj ?gripper) (not (at ?obj ?room)) (not (free ?gripper))))"
    )
    verdict = judge(evaluator, library, "gripper", "pick", text)
    assert verdict.subclass is Subclass.NP_APP
    assert verdict.failure is not None
    assert "is of type" in verdict.failure.reason


def test_an_action_outside_pddl_keeps_its_problems_and_text(evaluator: Evaluator, library: DomainLibrary) -> None:
    output = "Sure:\n(:action stack\n :parameters (?x - gizmo)\n :precondition (clear ?x ?x)\n :effect (and))"
    verdict = judge(evaluator, library, "blocksworld", "stack", output)
    assert (verdict.result_class, verdict.subclass) == (ResultClass.SEMANTIC, Subclass.T_ERROR)
    assert [(p.subclass, p.line, p.column) for p in verdict.problems] == [
        (Subclass.T_ERROR, 2, 15),
        (Subclass.PA_ERROR, 3, 16),
    ]
    assert verdict.are == 8
    assert verdict.action_text == output.removeprefix("Sure:\n")


def test_syntax_has_no_are(evaluator: Evaluator, library: DomainLibrary) -> None:
    verdict = judge(evaluator, library, "blocksworld", "stack", "(:action stack :parameters () :effect (and p))")
    assert (verdict.result_class, verdict.are) == (ResultClass.SYNTAX, None)


def test_the_shortcut_changes_nothing_but_the_work(evaluator: Evaluator, library: DomainLibrary) -> None:
    text = ground_truth(library, "depot", "lift").replace("?p", "?where").replace("?x", "?h")
    quick = judge(evaluator, library, "depot", "lift", text, EvaluationSettings())
    full = judge(evaluator, library, "depot", "lift", text)
    assert (quick.result_class, quick.subclass, quick.are) == (full.result_class, full.subclass, full.are)
    assert quick.shortcut
    assert full.shortcut is None
    assert quick.cross_checks == full.cross_checks


def test_a_planner_limit_is_undecided_never_a_class(library: DomainLibrary) -> None:
    settings = EvaluationSettings(k=50_000_000, seconds=0.5, shortcuts=False)
    with Evaluator() as evaluator:
        text = ground_truth(library, "blocksworld", "stack")
        verdict = judge(evaluator, library, "blocksworld", "stack", text, settings)
    assert verdict.result_class is ResultClass.UNDECIDED
    assert "time" in verdict.reason
    assert verdict.cross_checks[0].planner == "time"


def test_an_unknown_action_is_an_input_error(evaluator: Evaluator, library: DomainLibrary) -> None:
    with pytest.raises(InputError, match="has no action 'fly'; its actions are: move, pick, drop"):
        judge(evaluator, library, "gripper", "fly", "")


def test_a_verdict_names_its_tools(evaluator: Evaluator, library: DomainLibrary) -> None:
    verdict = judge(evaluator, library, "gripper", "move", "nothing")
    assert verdict.planner_version == "kstar-planner 1.6.0"
    assert verdict.validator_version
    assert verdict.seconds > 0


# What the rules of protocol strict make of each kind of made-up output, whatever the published code said of it.
STRICT_ALWAYS = {
    "same": {"equivalent"}, "rename": {"equivalent"}, "shuffle": {"equivalent"}, "prose": {"equivalent"},
    "fence": {"equivalent"}, "two": {"equivalent"}, "comment": {"equivalent"}, "upper": {"equivalent"},
    "nopddl": {"NoPDDL"}, "paren": {"PError"}, "wrong_name": {"NError"}, "arity": {"PAError"},
    "unknown_pred": {"PAError"}, "undeclared": {"PAError"}, "constant": {"PAError"}, "bad_type": {"TError"},
    "untyped": {"TError"}, "dup_tag": {"UToken"}, "typed_args": {"UToken"}, "or_pre": {"BPError"},
    "when_eff": {"BPError"},
}  # fmt: skip


def test_the_handed_cases_obey_the_strict_rules(evaluator: Evaluator, cases: Path, published: Path) -> None:
    study = load_library(published / "pddl-problems")
    seen: dict[str, set[str]] = {}
    for line in (cases / "published_verdicts.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["kind"] not in STRICT_ALWAYS:
            continue
        verdict = judge(evaluator, study, row["domain"], row["action"], row["output"])
        seen.setdefault(row["kind"], set()).add(verdict.subclass or verdict.result_class)
    assert seen == STRICT_ALWAYS


@pytest.mark.parametrize(
    "text", ["(" * 1_000_000, "\x00\ud800é" * 1000, "", "; (:action " * 100_000, "(:action " * 100_000]
)
def test_any_text_gets_a_verdict(evaluator: Evaluator, library: DomainLibrary, text: str) -> None:
    assert judge(evaluator, library, "gripper", "move", text).result_class is ResultClass.SYNTAX


def test_an_absurdly_long_action_is_undecided(evaluator: Evaluator, library: DomainLibrary) -> None:
    text = f"(:action move :parameters () :effect (and {'(free left)' * 50_000}))"
    assert judge(evaluator, library, "gripper", "move", text).result_class is ResultClass.UNDECIDED


@pytest.mark.parametrize("depth", [101, 5000])
def test_absurd_nesting_is_undecided_and_never_a_syntax_error(
    evaluator: Evaluator, library: DomainLibrary, depth: int
) -> None:
    text = f"(:action move :parameters () :effect {'(and ' * depth}{')' * depth})"
    assert judge(evaluator, library, "gripper", "move", text).result_class is ResultClass.UNDECIDED


@pytest.mark.parametrize(
    ("domain", "action", "old", "new"),
    [
        ("depot", "drop", "?z - surface", "?z - (either crate pallet)"),
        ("depot", "drop", "?p - place", "?p - (either depot distributor)"),
        ("depot", "drive", "?y - place", "?y - (either place depot)"),
        ("logistics", "drive-truck", "?loc-to - place", "?loc-to - (either location airport)"),
    ],
)
def test_either_of_all_subtypes_is_the_supertype(
    evaluator: Evaluator, library: DomainLibrary, domain: str, action: str, old: str, new: str
) -> None:
    text = ground_truth(library, domain, action).replace(old, new, 1)
    assert new in text
    verdict = judge(evaluator, library, domain, action, text)
    assert (verdict.result_class, verdict.are) == (ResultClass.EQUIVALENT, 0), verdict.reason


def test_either_of_too_few_subtypes_loses_plans(evaluator: Evaluator, library: DomainLibrary) -> None:
    text = ground_truth(library, "depot", "drop").replace("?z - surface", "?z - (either crate)", 1)
    verdict = judge(evaluator, library, "depot", "drop", text)
    assert verdict.result_class is ResultClass.DIFFERENT


def test_doubled_literals_cost_the_planner_nothing(evaluator: Evaluator, library: DomainLibrary) -> None:
    text = ground_truth(library, "blocksworld", "pick-up")
    text = text.replace("(clear ?x)", "(clear ?x) " * 2000, 1)
    settings = EvaluationSettings(seconds=5, shortcuts=False)
    verdict = judge(evaluator, library, "blocksworld", "pick-up", text, settings)
    assert (verdict.result_class, verdict.are) == (ResultClass.EQUIVALENT, 0)


@pytest.mark.parametrize("shortcuts", [True, False])
def test_a_domain_whose_problem_has_no_plan_decides_nothing(
    evaluator: Evaluator, library: DomainLibrary, shortcuts: bool
) -> None:
    source = library.find("gripper").source
    (name, problem), *_ = source.problems
    unsolvable = DomainSource("gripper", source.domain, ((name, problem.replace("(free ", "(at-robby west) ; ")),))
    settings = EvaluationSettings(shortcuts=shortcuts)
    output = ground_truth(library, "gripper", "move")
    verdict = evaluator.evaluate(EvaluationTask(unsolvable, "move", output, settings))
    assert verdict.result_class is ResultClass.UNDECIDED
    assert "no plans of the original domain (unsolvable" in verdict.reason


@pytest.mark.parametrize("shortcuts", [True, False])
def test_without_a_planner_no_shortcut_gives_a_class_either(library: DomainLibrary, shortcuts: bool) -> None:
    with Evaluator(KStar(search_binary="/bin/false")) as broken:
        settings = EvaluationSettings(shortcuts=shortcuts)
        verdict = judge(broken, library, "gripper", "move", ground_truth(library, "gripper", "move"), settings)
    assert verdict.result_class is ResultClass.UNDECIDED
    assert "error: exit 1" in verdict.reason
