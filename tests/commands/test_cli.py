"""The command line as a user calls it: in a process of its own, with its exit status and its words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nl2pddl.actions import action_pddl
from nl2pddl.domains import DomainLibrary
from nl2pddl.store import Store, queries
from tests.conftest import DOMAINS, ROOT, write_script


def command(*arguments: object, data: Path | None = None, val: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **({"NL2PDDL_DATA": str(data)} if data else {})}
    if val is not None:
        environment |= {"NL2PDDL_VAL": val, "PATH": ""}
    return subprocess.run(
        [sys.executable, "-m", "nl2pddl", *map(str, arguments)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def test_run_prints_its_id_first_and_a_summary_last(tmp_path: Path, library: DomainLibrary) -> None:
    actions = library.find("blocksworld").planning.actions.values()
    lines: list[dict[str, object]] = [
        {"domain": "blocksworld", "action": action.name, "output": action_pddl(action)} for action in actions
    ]
    model = write_script(tmp_path / "s.jsonl", lines)
    store = tmp_path / "my.duckdb"
    done = command("run", "--model", model, "--domain", "blocksworld", "--store", store, "--no-cache", data=tmp_path)
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()[0], done.stdout.splitlines()[-1]
    assert (
        last
        == f"run {first} finished: 4 of 4 items judged: 0 undecided, 4 equivalent, 0 different, 0 semantic, 0 syntax"
    )
    with Store(store) as opened:
        frame = queries.results_frame(opened, [first])
        assert list(frame["result_class"]) == ["equivalent"] * 4
        assert list(frame["are"]) == [0] * 4
    again = command("run", "--resume", first, "--store", store, data=tmp_path)
    assert again.returncode == 0
    assert again.stdout.splitlines()[-1] == last


@pytest.mark.model
def test_run_with_the_embedded_model(tmp_path: Path, models_dir: Path, embedded_folder: Path) -> None:
    store = tmp_path / "store.duckdb"
    done = command(
        "run", "--domain", "blocksworld", "--prompts", "1", "--max-new-tokens", "60", "--store", store,
        "--data", models_dir,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    run_id = done.stdout.splitlines()[0]
    with Store(store) as opened:
        assert queries.counts(opened, run_id) == (4, 4, 4)
        details = [queries.item_detail(opened, run_id, index) for index in range(4)]
    for detail in details:
        assert detail.output.strip()
        assert detail.model_info["revision"].startswith("sha256:")
        assert detail.verdict["result_class"] in ("syntax", "semantic", "different", "equivalent")
        assert detail.verdict["reason"]


def test_all_domains_and_several_descriptions(tmp_path: Path) -> None:
    model = write_script(tmp_path / "s.jsonl", [{"output": "nothing"}])
    done = command(
        "run", "--model", model, "--domain", "all", "--description", "base", "--description", "flipped", data=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "64 of 64 items judged" in done.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--model", "scripted:/nowhere.jsonl", "--domain", "gripper"], "/nowhere.jsonl"),
        (["--domain", "atlantis"], "no domain is called 'atlantis'"),
        ([], "choose at least one domain"),
        (["--domain", "gripper", "--prompts", "0"], "at least one prompt"),
        (["--domain", "gripper", "--domains", "/nowhere"], "/nowhere: no such folder"),
        (["--domain", "gripper", "--workers", "0"], "--workers must be from 1"),
        (["--domain", "gripper", "--dask", "foo"], "'foo' is no address of a Dask scheduler"),
        (["--domain", "gripper", "--store", "/tmp"], "/tmp: this is a folder"),
        (["--domain", "gripper", "--model", "foo"], "or scripted:FILE"),
        (["--domain", "all", "--domain", "gripper"], "a domain is chosen twice"),
        (["--resume", "nope"], "no such store"),
        (["--resume", "nope", "--seed", "3"], "leave out --seed"),
        (["--description", "long"], "invalid choice: 'long'"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(tmp_path: Path, options: list[str], words: str) -> None:
    done = command("run", *options, data=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_setting_is_status_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NL2PDDL_WORKERS", "many")
    done = command("run", "--domain", "gripper", data=tmp_path)
    assert done.returncode == 2
    assert "NL2PDDL_WORKERS is 'many'" in done.stderr


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("NL2PDDL_API_KEY", "a b", "the key in $NL2PDDL_API_KEY holds spaces"),
        ("NL2PDDL_MODELS", "/nowhere.toml", "/nowhere.toml: NL2PDDL_MODELS names this"),
    ],
)
def test_wrong_settings_of_a_model_cost_no_stored_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(name, value)
    models = ["http://localhost:1/v1#m"] if name == "NL2PDDL_API_KEY" else ["a-listed-name"]
    done = command("run", "--domain", "gripper", "--model", *models, data=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    with Store(tmp_path / "store.duckdb") as store:
        assert queries.runs_frame(store).empty


def test_the_summary_tells_rounds_and_whole_domains_apart(tmp_path: Path, library: DomainLibrary) -> None:
    actions = library.find("blocksworld").planning.actions.values()
    lines: list[dict[str, object]] = [
        {"domain": "blocksworld", "action": one.name, "output": "nonsense" if one.name == "stack" else action_pddl(one)}
        for one in actions
    ]
    model = write_script(tmp_path / "s.jsonl", lines)
    options = ("run", "--model", model, "--domain", "blocksworld")
    done = command(*options, "--rounds", 1, data=tmp_path)
    first, second, last = done.stdout.splitlines()[1:]
    assert first == "first answers: 0 undecided, 3 equivalent, 0 different, 0 semantic, 1 syntax"
    assert second == "after round 1: 0 undecided, 3 equivalent, 0 different, 0 semantic, 1 syntax"
    assert last.endswith("5 of 5 items judged: " + first)
    done = command(*options, "--whole-domain", data=tmp_path)
    whole, last = done.stdout.splitlines()[1:]
    assert whole == "whole domains: 0 undecided, 0 equivalent, 0 different, 0 semantic, 1 syntax"
    assert last.endswith("5 of 5 items judged: " + first)


def test_a_file_that_is_no_store_is_status_2(tmp_path: Path) -> None:
    (tmp_path / "x.duckdb").write_text("no store " * 1000)
    done = command("run", "--domain", "gripper", "--store", tmp_path / "x.duckdb", data=tmp_path)
    assert done.returncode == 2
    assert "not a DuckDB store" in done.stderr


def test_a_store_in_use_names_the_process(tmp_path: Path) -> None:
    with Store(tmp_path / "store.duckdb"):
        done = command("run", "--domain", "gripper", data=tmp_path)
    assert done.returncode == 1
    assert f"open in process {os.getpid()}" in done.stderr


def test_evaluate_keeps_lines_and_order_and_goes_on_after_bad_ones(tmp_path: Path, library: DomainLibrary) -> None:
    good = action_pddl(library.find("gripper").planning.actions["move"])
    lines = [
        json.dumps({"domain": "Gripper", "action": "MOVE", "output": good, "id": 7}),
        "not json",
        json.dumps({"domain": "nowhere", "action": "move", "output": ""}),
        json.dumps({"domain": "gripper", "action": "move"}),
        "",
        json.dumps({"domain": "gripper", "action": "move", "output": "\u2028\ud800(:action move :parameters ("}),
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    out = tmp_path / "out.jsonl"
    done = command("evaluate", tmp_path / "in.jsonl", "--domains", DOMAINS, "--out", out, "--workers", 2, "--no-cache")
    assert done.returncode == 0, done.stderr
    assert "3 could not be judged" in done.stderr
    rows = [json.loads(line) for line in out.read_text().split("\n") if line]
    assert [row["class"] for row in rows] == ["equivalent", None, None, None, "syntax"]
    assert [row.get("id") for row in rows] == [7, None, None, None, None]
    assert rows[0]["are"] == 0
    assert len(rows[0]["plans"]) == 2
    assert [("error" in row) for row in rows] == [False, True, True, True, False]
    assert rows[4]["subclass"] == "PError"
    assert {"class", "subclass", "are", "problems", "plans", "exact", "seconds"} <= rows[0].keys()


@pytest.mark.parametrize("text", ["", "not json\n{}\n"])
def test_evaluate_of_nothing_that_can_be_judged_is_status_2(tmp_path: Path, text: str) -> None:
    (tmp_path / "in.jsonl").write_text(text)
    done = command("evaluate", tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl")
    assert done.returncode == 2
    assert "could not be judged" in done.stderr


def test_evaluate_does_not_depend_on_workers_or_shortcuts(tmp_path: Path, library: DomainLibrary) -> None:
    lines = [
        json.dumps({"domain": domain.id, "action": action.name, "output": action_pddl(action).replace("(not ", "", 1)})
        for domain in list(library.domains.values())[:3]
        for action in domain.planning.actions.values()
    ] + [json.dumps({"domain": "heavy", "action": "stack", "output": "(:action stack :parameters () :effect ())"})]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    answers = []
    for options in (["--workers", 1], ["--workers", 2, "--no-cache"]):
        done = command("evaluate", tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl", *options)
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        answers.append([(row["class"], row["subclass"], row["are"], row["reason"]) for row in rows])
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["/nowhere.jsonl", "--out", "x"], "/nowhere.jsonl: no such file"),
        ([__file__, "--out", "/nowhere/x"], "/nowhere: no such folder"),
        ([__file__, "--out", __file__], "would overwrite"),
        ([__file__], "--out"),
    ],
)
def test_evaluate_refuses_wrong_input(options: list[str], words: str) -> None:
    done = command("evaluate", *options)
    assert done.returncode == 2
    assert words in done.stderr


def test_validate(tmp_path: Path) -> None:
    domain, problem = DOMAINS / "gripper" / "domain.pddl", DOMAINS / "gripper" / "problems" / "p01.pddl"
    (tmp_path / "empty.plan").write_text("; nothing\n")
    (tmp_path / "odd.plan").write_text("hello\n")
    plans = [tmp_path / "empty.plan", tmp_path / "odd.plan"]
    done = command("validate", domain, problem, *plans, "--json")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["plan"], row["valid"]) for row in rows] == [(str(path), False) for path in plans]
    assert "goal" in rows[0]["reason"]
    assert "line 1" in rows[1]["reason"]
    misfit = command("validate", domain, DOMAINS / "heavy" / "problems" / "p01.pddl", plans[0])
    assert misfit.returncode == 2
    assert "does not fit" in misfit.stderr
    wrong = command("validate", domain, "/nowhere.pddl", plans[0])
    assert wrong.returncode == 2
    assert "/nowhere.pddl" in wrong.stderr


@pytest.mark.parametrize("name", [[], ["run"], ["evaluate"], ["validate"]])
def test_help(name: list[str]) -> None:
    done = command(*name, "--help")
    assert done.returncode == 0
    assert "usage: python -m nl2pddl" in done.stdout


WRONG = "(:action stack :parameters (?x ?y - block) :precondition (holding ?x) :effect (on ?x ?y))"
SPELLED = "(:action stack :parameters (?x - block ?y - block) :precondition (and) :effect (And (on ?x ?y)))"


def outputs_file(path: Path, *outputs: str) -> Path:
    rows = ({"domain": "blocksworld", "action": "stack", "output": output} for output in outputs)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def verdicts(tmp_path: Path, *options: object) -> list[dict[str, object]]:
    outputs, out = outputs_file(tmp_path / "o.jsonl", WRONG, SPELLED, WRONG), tmp_path / "v.jsonl"
    done = command("evaluate", outputs, "--domains", DOMAINS, "--out", out, *options)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def test_the_protocol_is_chosen_and_written(tmp_path: Path) -> None:
    strict = verdicts(tmp_path)
    published = verdicts(tmp_path, "--protocol", "published")
    assert [(row["class"], row["subclass"]) for row in strict] == [("different", "NPApp")] * 3
    assert [(row["class"], row["subclass"]) for row in published] == [
        ("different", "NPApp"), ("syntax", "UToken"), ("different", "NPApp")
    ]  # fmt: skip
    assert {row["protocol"] for row in published} == {"published"}
    assert [row["cached"] for row in strict] == [False, False, True]
    assert [row["relation"] for row in published] == ["different", None, "different"]
    assert published[0]["working_plans"] == 0


def test_exact_gives_a_shortest_witness(tmp_path: Path) -> None:
    row = verdicts(tmp_path, "--exact", "--workers", "1")[0]
    assert (row["exact"], row["plan_relation"]) == ("different", "different, with a witness")
    problems = row["exact_problems"]
    assert isinstance(problems, list)
    assert len(problems) == 2
    assert all(problem["witness"] and problem["failure"] for problem in problems)


def test_compare_as_a_command(tmp_path: Path) -> None:
    domain, problem = DOMAINS / "gripper" / "domain.pddl", DOMAINS / "gripper" / "problems" / "p01.pddl"
    other = tmp_path / "other.pddl"
    other.write_text(domain.read_text().replace("(not (at-robby ?from))", ""), encoding="utf-8")
    done = command("compare", domain, other, problem, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["exact"], answer["witness_of"]) == ("different", "second")
    assert command("compare", domain, domain, problem).stdout.count("equal") == 1
    assert command("compare", domain, domain, problem, "--states", "0").returncode == 2


def test_a_validator_that_is_not_installed_is_said_before_anything_is_judged(tmp_path: Path) -> None:
    outputs, out = outputs_file(tmp_path / "o.jsonl", WRONG), tmp_path / "v.jsonl"
    done = command("evaluate", outputs, "--domains", DOMAINS, "--out", out, "--validator", "val", val="")
    assert done.returncode == 2
    assert "VAL is not installed" in done.stderr
    assert not out.exists()


LYING_VAL = """#!{python}
import re, sys
from pathlib import Path
if sys.argv[1] == "-h":
    sys.exit(print("VAL: The PDDL+ plan validation tool"))
for name in re.findall("[(]:action ([^ ]+)", Path(sys.argv[2]).read_text()):
    print("Type-checking", name.strip() + "\\n...action passes type checking.")
for name in sys.argv[4:]:
    print("Checking plan: " + name + "\\nGoal not satisfied\\nPlan invalid\\n")
print("\\nFailed plans:\\n " + " ".join(sys.argv[4:]))
"""


def test_validators_that_differ_stop_the_command_and_the_run(tmp_path: Path, library: DomainLibrary) -> None:
    val = tmp_path / "Validate"
    val.write_text(LYING_VAL.format(python=sys.executable), encoding="utf-8")
    val.chmod(0o755)
    right = action_pddl(library.find("blocksworld").planning.actions["stack"])
    outputs, out = outputs_file(tmp_path / "o.jsonl", "nothing", right), tmp_path / "v.jsonl"
    done = command("evaluate", outputs, "--domains", DOMAINS, "--out", out, "--validator", "both", val=str(val))
    assert done.returncode == 1
    assert "the validators differ on problem" in done.stderr
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1  # what was judged before
    store = tmp_path / "my.duckdb"
    text = action_pddl(library.find("gripper").planning.actions["move"])
    model = write_script(tmp_path / "s.jsonl", [{"output": text}])
    run = command(
        "run", "--model", model, "--domain", "gripper", "--store", store, "--validator", "both", data=tmp_path,
        val=str(val),
    )  # fmt: skip
    assert run.returncode == 1
    assert "the validators differ" in run.stdout
    assert command("run", "--resume", "x", "--protocol", "published", "--store", store).returncode == 2


def test_lines_of_an_earlier_evaluation_are_judged_afresh(tmp_path: Path, library: DomainLibrary) -> None:
    truth = action_pddl(library.find("gripper").planning.actions["move"])
    good = {"domain": "gripper", "action": "move", "output": truth, "error": "old", "mine": 1}
    bad = {"domain": "nowhere", "action": "move", "output": truth, "reason": "old", "failure": {}, "mine": 2}
    outputs = tmp_path / "outputs.jsonl"
    outputs.write_text("\ufeff" + json.dumps(good) + "\n" + json.dumps(bad) + "\n", encoding="utf-8")
    done = command("evaluate", outputs, "--domains", DOMAINS, "--out", tmp_path / "verdicts.jsonl")
    assert "2 lines, 1 could not be judged" in done.stderr
    first, second = map(json.loads, (tmp_path / "verdicts.jsonl").read_text().splitlines())
    assert (first["class"], first["mine"], "error" in first) == ("equivalent", 1, False)
    assert (second["class"], second["reason"], second["failure"], second["mine"]) == (None, None, None, 2)
    assert "nowhere" in second["error"]
    assert set(first) | {"error"} == set(second)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--seconds", "inf"], "seconds must be"),
        (["--seconds", "nan"], "seconds must be"),
        (["--memory-mb", "999999999999"], "memory in MB must be"),
        (["--k", "99999999999999999999"], "k must be"),
        (["--exact", "--exact-seconds", "1e300"], "exact decision's seconds"),
        (["--workers", "100000"], "--workers must be from 1 to 1000"),
    ],
)
def test_limits_that_no_system_takes_are_refused(tmp_path: Path, options: list[str], words: str) -> None:
    done = command("evaluate", outputs_file(tmp_path / "o.jsonl", "x"), "--out", tmp_path / "v.jsonl", *options)
    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "v.jsonl").exists()


def test_validate_answers_for_every_file_it_can_read_and_names_a_faulty_domain(tmp_path: Path) -> None:
    domain, problem = DOMAINS / "gripper" / "domain.pddl", next((DOMAINS / "gripper" / "problems").glob("*.pddl"))
    plan = tmp_path / "plan"
    plan.write_text("(move cellar attic)\n")
    done = command("validate", domain, problem, plan, tmp_path / "none", plan, "--json", "--validator", "ours")
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 2
    assert "none" in done.stderr
    faulty = tmp_path / "faulty.pddl"
    faulty.write_text(domain.read_text().replace("(free ?gripper)", "(free ?hand)"))
    done = command("validate", faulty, problem, plan, "--json", "--validator", "ours")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["valid"]) == (0, False)
    assert "line " in answer["reason"]
    assert "?hand" in answer["reason"]
