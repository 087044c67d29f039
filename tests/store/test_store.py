from __future__ import annotations

import resource
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pytest

from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError, StoreError, StoreFormatError, StoreFullError, StoreLockedError
from nl2pddl.experiment import Completion, Decoding, ModelInfo, RunConfig
from nl2pddl.pipeline import EvaluationTask, Evaluator
from nl2pddl.records import DescriptionClass, EvaluationSettings
from nl2pddl.runs import items_of
from nl2pddl.settings import Settings
from nl2pddl.store import Store, queries, writes
from nl2pddl.store.migrations import MIGRATIONS
from tests.conftest import ROOT

CONFIG = RunConfig(
    ("scripted:x",), ("gripper",), (DescriptionClass.BASE, DescriptionClass.RANDOM), 2, seed=3, name="n",
    decoding=Decoding(batch_size=2), evaluation=EvaluationSettings(k=7),
)  # fmt: skip
INFO = ModelInfo("scripted:x", revision="r", versions={"torch": "1"})


@pytest.fixture
def filled(store: Store, library: DomainLibrary) -> Store:
    writes.add_run(store, "r1", CONFIG, items_of(CONFIG, library), [library.find("gripper").source])
    return store


def test_a_run_reads_back_as_it_was(filled: Store, library: DomainLibrary) -> None:
    assert queries.run_config(filled, "r1") == CONFIG
    assert queries.items_without_output(filled, "r1") == items_of(CONFIG, library)
    source = library.find("gripper").source
    assert queries.domain_source(filled, source.sha) == source
    assert queries.counts(filled, "r1") == (12, 0, 0)
    assert queries.last_event(filled, "r1") == ("created", "")


def test_outputs_and_verdicts_are_neither_lost_nor_doubled(
    filled: Store, library: DomainLibrary, evaluator: Evaluator
) -> None:
    writes.add_outputs(filled, "r1", [writes.Output(0, Completion("first", "length", 3, 0.5), INFO)])
    writes.add_outputs(filled, "r1", [writes.Output(0, Completion("second", "length", 3, 0.5), INFO)])
    waiting = queries.outputs_without_verdict(filled, "r1", "strict")
    assert [(item.index, output) for item, output in waiting] == [(0, "first")]
    assert [item.index for item in queries.items_without_output(filled, "r1")] == list(range(1, 12))
    task = EvaluationTask(library.find("gripper").source, "move", "first", CONFIG.evaluation)
    for _ in range(2):
        writes.add_verdicts(filled, "r1", [(0, evaluator.evaluate(task))], CONFIG.evaluation)
    assert queries.counts(filled, "r1") == (12, 1, 1)
    assert queries.outputs_without_verdict(filled, "r1", "strict") == []
    assert len(queries.results_frame(filled, ["r1"])) == 1


def test_a_detail_holds_what_a_recomputation_needs(filled: Store, library: DomainLibrary, evaluator: Evaluator) -> None:
    output = "(:action move :parameters (?from ?to - room) :precondition () :effect (at-robby ?to))"
    writes.add_outputs(filled, "r1", [writes.Output(0, Completion(output, "end of text", 30, 1.0), INFO)])
    verdict = evaluator.evaluate(EvaluationTask(library.find("gripper").source, "move", output, CONFIG.evaluation))
    writes.add_verdicts(filled, "r1", [(0, verdict)], CONFIG.evaluation)
    detail = queries.item_detail(filled, "r1", 0)
    assert detail.output == output
    assert detail.model_info["revision"] == "r"
    assert detail.verdict["settings"]["k"] == 7
    again = evaluator.evaluate(
        EvaluationTask(
            queries.domain_source(filled, detail.item.domain_sha), detail.item.action, detail.output, CONFIG.evaluation
        )
    )
    assert (again.result_class, again.subclass) == (detail.verdict["result_class"], detail.verdict["subclass"])
    assert again.failure is not None
    assert list(again.failure.plan) == detail.verdict["failure"]["plan"]
    with pytest.raises(InputError, match="no judged item 5"):
        queries.item_detail(filled, "r1", 5)


def test_an_unknown_run_is_an_input_error(filled: Store) -> None:
    with pytest.raises(InputError, match="the latest are: r1"):
        queries.run_config(filled, "nope")


def test_a_failed_transaction_leaves_nothing(filled: Store) -> None:
    def fail() -> None:
        with filled.transaction() as cursor:
            cursor.execute("DELETE FROM items")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert len(queries.items_without_output(filled, "r1")) == 12


def test_threads_do_not_get_each_other_s_rows(filled: Store) -> None:
    wrong: list[object] = []

    def read(number: int) -> None:
        for _ in range(200):
            rows = filled.rows("SELECT ? + 0, ? FROM range(3)", [number, str(number)])
            if rows != [(number, str(number))] * 3:
                wrong.append(rows)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_store_opens_again_and_keeps_its_version(settings_path: Path) -> None:
    for _ in range(2):
        with Store(settings_path) as store:
            assert store.rows("SELECT version FROM schema_version") == [(n + 1,) for n in range(len(MIGRATIONS))]


@pytest.fixture
def settings_path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "store.duckdb"


def test_a_newer_store_is_refused_and_left_alone(settings_path: Path) -> None:
    with Store(settings_path) as store, store.transaction() as cursor:
        cursor.execute("INSERT INTO schema_version VALUES (99, now()::TIMESTAMP)")
    with pytest.raises(StoreFormatError, match="newer version"):
        Store(settings_path)


def test_a_file_that_is_no_store_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    path.write_text("my thesis, the only copy\n" * 1000)
    before = path.read_bytes()
    with pytest.raises(StoreFormatError, match="not a DuckDB store"):
        Store(path)
    assert path.read_bytes() == before


def test_another_program_s_database_is_left_alone(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as other:
        other.execute("CREATE TABLE runs (a INTEGER)")
    with pytest.raises(StoreFormatError, match="of something else"):
        Store(tmp_path / "x.duckdb")
    with duckdb.connect(str(tmp_path / "x.duckdb")) as other:
        assert other.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("runs",)]


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        Store(tmp_path)


def test_a_store_open_elsewhere_names_the_process(settings_path: Path) -> None:
    with Store(settings_path):
        pass
    code = f"import duckdb, time; c = duckdb.connect({str(settings_path)!r}); print('open', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "open\n"
            with pytest.raises(StoreLockedError, match=f"open in process {holder.pid}") as caught:
                Store(settings_path)
            assert caught.value.pid == holder.pid
        finally:
            holder.kill()


def test_a_full_disk_keeps_what_was_stored(settings_path: Path) -> None:
    """The process may not let a file grow beyond a size, which DuckDB meets as it meets a full disk."""
    code = f"""
import resource, signal, sys
from pathlib import Path
from nl2pddl.errors import StoreFullError
from nl2pddl.store import Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store(Path({str(settings_path)!r}))
with store.transaction() as cursor:
    cursor.execute("CREATE TABLE t (x VARCHAR)")
    cursor.execute("INSERT INTO t VALUES ('kept')")
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 21, 1 << 21))
try:
    for _ in range(400):
        with store.transaction() as cursor:
            cursor.execute("INSERT INTO t SELECT md5(random()::VARCHAR) FROM range(4000)")
except StoreFullError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "no space is left" in done.stdout, done.stderr
    with Store(settings_path) as store:
        assert store.rows("SELECT count(*) FROM t WHERE x = 'kept'") == [(1,)]


def test_the_words_for_a_full_disk_are_recognised() -> None:
    from nl2pddl.store.database import _translate

    error = duckdb.IOException('IO Error: Could not write file "x": No space left on device')
    assert isinstance(_translate(Path("x"), error), StoreFullError)
    assert resource.RLIMIT_FSIZE is not None


def test_a_store_of_version_1_is_migrated_and_stays_readable(
    settings: Settings, library: DomainLibrary, evaluator: Evaluator
) -> None:
    settings.store.parent.mkdir(parents=True)
    with duckdb.connect(str(settings.store)) as old:
        old.execute(MIGRATIONS[0])
        old.execute("CREATE TABLE schema_version (version INTEGER NOT NULL, created_at TIMESTAMP NOT NULL)")
        old.execute("INSERT INTO schema_version VALUES (1, now()::TIMESTAMP)")
        old.execute(
            "INSERT INTO verdicts VALUES ('r1', 0, 'strict', 'syntax', 'NoPDDL', 'no PDDL', NULL, NULL, '[]', '[]', "
            "NULL, 'kstar', 'nl2pddl 1', NULL, 0.1, '{}', now()::TIMESTAMP)"
        )
    with Store(settings.store) as store:
        writes.add_run(store, "r1", CONFIG, items_of(CONFIG, library), [library.find("gripper").source])
        writes.add_outputs(store, "r1", [writes.Output(0, Completion("x", "length", 1, 0.1), INFO)])
        old_verdict = queries.item_detail(store, "r1", 0).verdict
        assert (old_verdict["result_class"], old_verdict["comparison"], old_verdict["exact"]) == ("syntax", None, None)
        task = EvaluationTask(library.find("gripper").source, "move", "y", CONFIG.evaluation)
        writes.add_outputs(store, "r1", [writes.Output(1, Completion("y", "length", 1, 0.1), INFO)])
        writes.add_verdicts(store, "r1", [(1, evaluator.evaluate(task))], CONFIG.evaluation)
        assert len(queries.results_frame(store, ["r1"])) == 2


@pytest.mark.parametrize("name", ["outputs.json", "outputs.jsonl", "results.csv", "results.parquet"])
def test_a_data_file_is_no_store_and_is_left_as_it_is(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text('{"output": "x"}\n')
    with pytest.raises(StoreFormatError, match="not a DuckDB store"):
        Store(path)
    assert path.read_text() == '{"output": "x"}\n'
