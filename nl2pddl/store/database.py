"""Opens the one DuckDB file, migrates it, and turns DuckDB's errors into ours."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import duckdb

from nl2pddl.errors import StoreError, StoreFormatError, StoreFullError, StoreLockedError
from nl2pddl.store.migrations import MIGRATIONS

Result = TypeVar("Result")
_FULL = re.compile(r"no space left|disk quota|file too large|out of disk space", re.IGNORECASE)
_HOLDER = re.compile(r"\(PID (\d+)\)")


def now() -> datetime:
    """The current time in UTC, without a zone, as the store keeps it."""
    return datetime.now(UTC).replace(tzinfo=None)


class Store:
    """One DuckDB file, owned by this process. Threads may share a Store: each works on a cursor of its own.

    Rows are only added. Writes go through ``transaction``, one at a time.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._write_lock = threading.Lock()
        if path.is_dir():
            raise StoreFormatError(
                f"{path}: this is a folder; give the file of a store, such as {path / 'store.duckdb'}"
            )
        with _translated(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = duckdb.connect(str(path))
        try:
            self._check_file()
            self._migrate()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Write everything back and release the file."""
        with _translated(self.path):
            self._connection.close()

    def _check_file(self) -> None:
        """Refuse what DuckDB opens without keeping it: a JSON, CSV or Parquet file gets a database in memory."""
        kept = "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
        if self.rows(kept)[0][0] is None:
            raise StoreFormatError(
                f"{self.path}: this file is not a DuckDB store; it was left as it is. Choose another path"
            )

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        # A connection shared by threads silently hands one thread's rows to another.
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._connection.cursor()
        return cursor

    def _migrate(self) -> None:
        with self.transaction() as cursor:
            tables = {name for (name,) in cursor.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
            if tables and "schema_version" not in tables:
                found = ", ".join(sorted(tables)[:3])
                raise StoreFormatError(
                    f"{self.path}: a DuckDB database of something else (tables {found}), left as it was. Choose "
                    "another path"
                )
            cursor.execute(
                "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL, created_at TIMESTAMP NOT NULL)"
            )
            row = cursor.execute("SELECT coalesce(max(version), 0) FROM schema_version").fetchone()
            version = int(row[0]) if row else 0
            if version > len(MIGRATIONS):
                raise StoreFormatError(
                    f"{self.path}: written by a newer version of this program (store version {version}, known are "
                    f"{len(MIGRATIONS)}); update the program or choose another store"
                )
            for number, statements in enumerate(MIGRATIONS[version:], start=version + 1):
                cursor.execute(statements)
                cursor.execute("INSERT INTO schema_version VALUES (?, ?)", [number, now()])

    def checkpoint(self) -> None:
        """Write what is in the log beside the file into the file, so that a copy of the file alone is whole.

        Does nothing while another thread's transaction is open.
        """
        with suppress(StoreError), _translated(self.path), self._write_lock:
            self._cursor().execute("CHECKPOINT")

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor inside one transaction: all of it is stored, or nothing."""
        with self._write_lock, _translated(self.path):
            cursor = self._cursor()
            cursor.execute("BEGIN")
            try:
                yield cursor
                cursor.execute("COMMIT")
            except BaseException:
                _rollback(cursor)
                raise

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a read query."""
        return self._read(query, parameters, lambda cursor: cursor.fetchall())

    def frame(self, query: str, parameters: Sequence[Any] = ()) -> Any:
        """The result of a read query as a pandas DataFrame."""
        return self._read(query, parameters, lambda cursor: cursor.df())

    def batches(
        self, query: str, parameters: Sequence[Any], size: int
    ) -> Iterator[tuple[list[str], list[tuple[Any, ...]]]]:
        """The rows of a read query, ``size`` at a time, each time with the names of the columns."""
        # A cursor of its own: the thread's other queries would end this one.
        with _translated(self.path), self._connection.cursor() as cursor:
            cursor.execute(query, list(parameters))
            names = [column[0] for column in cursor.description or ()]
            while rows := cursor.fetchmany(size):
                yield names, rows

    def copy_to_parquet(self, query: str, parameters: Sequence[Any], out: Path) -> int:
        """Write the result of a read query to a Parquet file, and give the number of its rows."""
        name = str(out).replace("'", "''")
        copied = self.rows(f"COPY ({query}) TO '{name}' (FORMAT parquet)", parameters)
        return int(copied[0][0])

    def _read(
        self, query: str, parameters: Sequence[Any], take: Callable[[duckdb.DuckDBPyConnection], Result]
    ) -> Result:
        with _translated(self.path):
            return take(self._cursor().execute(query, list(parameters)))


def _rollback(cursor: duckdb.DuckDBPyConnection) -> None:
    """Undo the open transaction. After a fatal error there is none left, and the first error is the one to report."""
    try:
        cursor.execute("ROLLBACK")
    except duckdb.Error:
        return


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """DuckDB's errors and the system's as StoreErrors that say what to do."""
    try:
        yield
    except duckdb.Error as error:
        raise _translate(path, error) from error
    except OSError as error:
        if _FULL.search(str(error)):
            raise _full(path) from error
        raise StoreError(f"{path}: the store cannot be opened ({error.strerror or error})") from error


def _translate(path: Path, error: duckdb.Error) -> StoreError:
    text = str(error)
    if "lock on file" in text:
        holder = _HOLDER.search(text)
        pid = int(holder.group(1)) if holder else None
        who = f"process {pid}" if pid else "another process"
        return StoreLockedError(
            f"{path}: the store is open in {who}; close it there (the dashboard, or another command) and try again, or "
            "choose another store",
            pid,
        )
    if "not a valid DuckDB database" in text or "not a DuckDB" in text:
        return StoreFormatError(f"{path}: this file is not a DuckDB store; it was left as it is. Choose another path")
    if _FULL.search(text):
        return _full(path)
    first_line = text.strip().splitlines()[0] if text.strip() else type(error).__name__
    return StoreError(f"{path}: the store failed: {first_line}")


def _full(path: Path) -> StoreFullError:
    return StoreFullError(
        f"{path}: no space is left on the disk. Everything stored before is kept; free some space and resume the run"
    )
