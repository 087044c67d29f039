"""Results files into the store and out of it, also by the commands."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from nl2pddl import study
from nl2pddl.actions import action_pddl
from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError, RunError
from nl2pddl.experiment import RunConfig, RunKind, RunStatus
from nl2pddl.runs import RunManager, import_results
from nl2pddl.settings import Settings
from nl2pddl.store import Store, counts, notes, queries
from nl2pddl.store.exports import export
from tests.commands.test_cli import command
from tests.conftest import write_script

LINES = [
    "BLOCKS,stack,Base,big/a,EqDomain,,0,200",
    "BLOCKS,stack,Base,b,SyntaxError,NoPrecond,nan,0",
    "Depot,Lift,Rand,big/a,DifDomain,OriginalToNew,4,7",
    "<b>d,a'b,Flipped,b,SemanticError,TypeError,nan,0",
]


def content(*lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in (",".join(study.COLUMNS), *lines)).encode()


@pytest.fixture
def imported(store: Store) -> str:
    return import_results(store, study.read_results(content(*LINES), "mine.csv"))


def test_an_import_is_a_run_of_its_own_and_marked(store: Store, imported: str) -> None:
    config = queries.run_config(store, imported)
    assert (config.kind, config.name, config.models) == (RunKind.IMPORTED, "mine.csv", ("big/a", "b"))
    assert config.domains == ("blocksworld", "depot", "<b>d")
    assert queries.counts(store, imported) == (4, 0, 4)
    frame = queries.results_frame(store, [imported])
    assert list(frame["protocol"].unique()) == ["published"]
    assert list(frame["working_plans"]) == [200, 0, 7, 0]
    detail = queries.item_detail(store, imported, 1)
    assert detail.output is None
    assert detail.verdict["reason"] == "imported as NoPrecond"
    assert queries.run_versions(store, imported)["imported file"] == "mine.csv"
    assert counts.class_counts(store, [imported])["count"].sum() == 4


def test_the_same_content_is_imported_once(store: Store, imported: str) -> None:
    with pytest.raises(InputError, match=f"renamed.csv: imported already, as run {imported}"):
        import_results(store, study.read_results(content(*LINES), "renamed.csv"))
    assert len(queries.runs_frame(store)) == 1


def test_lines_that_were_copied_twice_are_told_and_imported_all_the_same(store: Store) -> None:
    actions = [f"act{number}" for number in range(10)]
    lines = [f"D,{action},Base,{model},EqDomain,,0,200" for action in actions for model in ("a", "b", "c")]
    assert not study.read_results(content(*lines), "fine.csv").hints
    assert not study.read_results(content(*lines[1:]), "one missing.csv").hints
    thrice = study.read_results(content(*lines, *lines, *lines), "thrice.csv")
    doubled = study.read_results(content(*(line for line in lines for _ in range(2))), "doubled.csv")
    assert thrice.hints == ("every line is there 3 times or a multiple of that",)
    assert doubled.hints == ("every line is there 2 times or a multiple of that",)
    once_more = study.read_results(content(*lines, *lines[:5]), "once more.csv")
    assert once_more.hints == (
        "5 lines are more than the usual 1 for a model on an action, most of them for a on D act0 (base)",
    )
    assert queries.last_event(store, import_results(store, doubled))[1].endswith(
        "Lines may be there twice: every line is there 2 times or a multiple of that"
    )


def test_a_block_that_was_copied_is_found_in_the_study_s_file_and_none_where_there_is_none(published: Path) -> None:
    head, *lines = (published / "results.csv").read_text().splitlines()

    def hints(*of: str) -> tuple[str, ...]:
        return study.read_results("\n".join([head, *of]).encode(), "r.csv").hints

    assert not hints(*lines)
    assert not hints(*lines[:5000])
    assert hints(*lines, *lines[:6000]) == ("the 100 lines from line 13,434 on repeat those from line 2 on",)
    assert "every line" in hints(*sorted(lines * 2))[0]
    assert "more than the usual 20" in hints(*lines, *lines[-5:])[0]


def test_nothing_of_an_import_can_be_run(store: Store, settings: Settings, imported: str) -> None:
    manager = RunManager(store, settings)
    try:
        assert manager.progress(imported).status is RunStatus.IMPORTED
        with pytest.raises(InputError, match="its prompts are not known"):
            manager.again(imported, [0])
        with pytest.raises(RunError, match="complete"):
            manager.resume(imported)
    finally:
        manager.close()


def test_what_came_in_goes_out_as_it_was(store: Store, imported: str, tmp_path: Path) -> None:
    assert export(store, [imported], "csv", tmp_path / "o.csv") == 4
    assert (tmp_path / "o.csv").read_bytes() == content(*LINES)
    assert export(store, [imported], "parquet", tmp_path / "it's.parquet") == 4
    frame = pd.read_parquet(tmp_path / "it's.parquet")
    assert list(frame["action_reconstruction_error"].fillna(-1)) == [0, -1, 4, -1]
    assert export(store, [imported], "jsonl", tmp_path / "o.jsonl") == 4
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert rows[1]["problems"][0]["message"] == "':precondition' is missing, by the imported file"
    assert not list(tmp_path.glob(".*"))  # no half of a file


@pytest.mark.parametrize(("form", "name", "words"), [("xml", "o", "no format"), ("csv", "nowhere/o", "no file can be")])
def test_what_cannot_be_exported(store: Store, imported: str, tmp_path: Path, form: str, name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        export(store, [imported], form, tmp_path / name)


def test_an_own_run_is_exported_whole(store: Store, settings: Settings, tmp_path: Path, library: DomainLibrary) -> None:
    stack = action_pddl(library.find("blocksworld").planning.actions["stack"])
    lines: list[dict[str, object]] = [
        {"domain": "blocksworld", "action": "stack", "output": stack},
        {"domain": "blocksworld", "action": "unstack", "output": "(:action unstack :parameters ())"},
        {"output": "é\u2028 no action"},
    ]
    model = write_script(tmp_path / "s.jsonl", lines)
    manager = RunManager(store, settings)
    run_id = manager.launch(RunConfig((model,), ("blocksworld",), rounds=1))
    assert manager.wait(run_id, 120)
    manager.close()
    total = export(store, [run_id], "jsonl", tmp_path / "o.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text(encoding="utf-8").split("\n") if line]
    assert len(rows) == total == 7  # four answers, three of them corrected
    by_action = {row["action"]: row for row in rows if row["round"] == 0}
    assert by_action["stack"]["output"] == stack
    assert "stack" in by_action["stack"]["prompt"]
    assert by_action["pick-up"]["output"] == "é\u2028 no action"
    assert export(store, [run_id], "csv", tmp_path / "o.csv") == 4
    names = pd.read_csv(tmp_path / "o.csv", keep_default_na=False)["subClass"]
    assert sorted(names) == ["", "NoAction", "NoAction", "NoEffect"]


def test_the_commands(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_bytes(content(*LINES))
    store = tmp_path / "s.duckdb"
    done = command("import-results", tmp_path / "r.csv", "--store", store)
    assert done.returncode == 0, done.stderr
    run_id, told = done.stdout.splitlines()
    assert told == "imported 4 verdicts on 2 models from r.csv"
    for options in (["--runs", "all"], ["--runs", run_id]):
        done = command("export", "--store", store, *options, "--format", "csv", "--out", tmp_path / "o.csv")
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "o.csv").read_bytes() == content(*LINES)
    done = command("report", "--store", store, "--format", "table1", "--out", tmp_path / "t.csv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "t.csv").read_text().splitlines()[:3] == [",b,big/a", "Syntax,100.00,0.00", "NoPDDL,100.00,0.00"]
    done = command("report", "--store", store, "--format", "latex", "--out", tmp_path / "t.tex")
    assert r"\begin{tabular}{lrr}" in (tmp_path / "t.tex").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["import-results", "/nowhere.csv"], "/nowhere.csv: cannot be read"),
        (["import-results", __file__], "test_transfer.py: not a CSV file in UTF-8"),
        (["export", "--store", "/nowhere.duckdb", "--format", "csv", "--out", "x"], "/nowhere.duckdb: no such store"),
        (["export", "--format", "xml", "--out", "x"], "invalid choice: 'xml'"),
    ],
)
def test_wrong_input_is_status_2(tmp_path: Path, options: list[str], words: str) -> None:
    done = command(*options, data=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr


def test_only_the_named_runs_are_deleted(tmp_path: Path) -> None:
    results, store = tmp_path / "results.csv", ["--store", str(tmp_path / "s.duckdb")]
    runs = []
    for lines in (LINES, LINES[:2]):
        results.write_bytes(content(*lines))
        runs.append(command("import-results", str(results), *store).stdout.splitlines()[0])
    with Store(tmp_path / "s.duckdb") as opened:
        for run in runs:
            notes.add_note(opened, run, 0, notes.Note("odd"))
    for wrong in (["all"], [runs[0], "no-such"]):
        refused = command("delete", *wrong, *store)
        assert refused.returncode == 2
        assert refused.stderr.startswith("error: ")
    assert command("delete", runs[0], *store).stdout == f"deleted {runs[0]} and its 0 outputs\n"
    with Store(tmp_path / "s.duckdb") as opened:
        assert list(queries.runs_frame(opened)["run_id"]) == runs[1:]
        # Every table that names a run, those of later versions too.
        tables = opened.rows("SELECT table_name FROM duckdb_columns() WHERE column_name = 'run_id'")
        assert len(tables) >= 7
        for (table,) in tables:
            assert opened.rows(f"SELECT count(*) FROM {table} WHERE run_id = ?", [runs[0]]) == [(0,)], table
        assert [opened.rows(f"SELECT count(*) FROM {table}")[0][0] for table in ("items", "verdicts", "notes")] == [
            2,
            2,
            1,
        ]
        # What was deleted may come again.
        assert import_results(opened, study.read_results(content(*LINES), "again.csv"))


def test_unknown_runs_are_named(tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    (tmp_path / "r.csv").write_bytes(content(*LINES))
    command("import-results", tmp_path / "r.csv", "--store", store)
    done = command("report", "--store", store, "--runs", "r1", "--format", "table1", "--out", tmp_path / "t")
    assert done.returncode == 2
    assert "the store has no run r1; the latest are: 2" in done.stderr


def test_the_study_through_the_store(published: Path, store: Store, tmp_path: Path) -> None:
    file = published / "results.csv"
    run_id = import_results(store, study.read_results(file.read_bytes(), file.name))
    export(store, [run_id], "csv", tmp_path / "o.csv")
    assert (tmp_path / "o.csv").read_bytes() == file.read_bytes()
