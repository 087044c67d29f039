"""What people write about single outputs: a note and a tag. Rows are only added; the latest counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nl2pddl.errors import InputError
from nl2pddl.store.database import Store, now

LONGEST_NOTE, LONGEST_TAG = 5_000, 60
# The latest note of each item; an empty one takes the former back.
LATEST = """
    SELECT run_id, item_index, arg_max(note, (created_at, rowid)) AS note, arg_max(tag, (created_at, rowid)) AS tag
    FROM notes GROUP BY run_id, item_index
"""


@dataclass(frozen=True)
class Note:
    """A note and a tag on an item; either may be empty."""

    note: str = ""
    tag: str = ""


def note_of(store: Store, run_id: str, item_index: int) -> Note:
    """The latest note on an item; an empty one where there is none."""
    rows = store.rows(f"SELECT note, tag FROM ({LATEST}) WHERE run_id = ? AND item_index = ?", [run_id, item_index])
    return Note(*rows[0]) if rows else Note()


def add_note(store: Store, run_id: str, item_index: int, note: Note) -> None:
    """Store a note on an item. Raises InputError where it is too long, or where the item is not there (any more)."""
    note = Note(note.note if note.note.strip() else "", note.tag.strip())
    if len(note.note) > LONGEST_NOTE or len(note.tag) > LONGEST_TAG:
        raise InputError(
            f"a note has at most {LONGEST_NOTE:,} characters and a tag {LONGEST_TAG}; these have {len(note.note):,} "
            f"and {len(note.tag):,}"
        )
    with store.transaction() as cursor:
        known = "SELECT 1 FROM items WHERE run_id = ? AND item_index = ?"
        if not cursor.execute(known, [run_id, item_index]).fetchone():
            raise InputError(f"the store has no output {item_index} of a run {run_id}; was the run deleted meanwhile?")
        cursor.execute("INSERT INTO notes VALUES (?, ?, ?, ?, ?)", [run_id, item_index, note.note, note.tag, now()])


def count(store: Store, run_id: str) -> int:
    """How many items of a run have a note or a tag."""
    query = f"SELECT count(*) FROM ({LATEST}) WHERE run_id = ? AND (note <> '' OR tag <> '')"
    return int(store.rows(query, [run_id])[0][0])


def tags(store: Store, run_ids: Sequence[str]) -> list[str]:
    """The tags on items of the runs, sorted."""
    rows = store.rows(
        f"SELECT DISTINCT tag FROM ({LATEST}) WHERE tag <> '' AND list_contains(?, run_id) ORDER BY tag",
        [list(run_ids)],
    )
    return [str(tag) for (tag,) in rows]
