"""What people note beside an output: a text and a tag. Rows are only added; the latest one of an item counts."""

from __future__ import annotations

from dataclasses import dataclass

from nl2pddl.errors import InputError
from nl2pddl.store.database import Store, now

LONGEST_NOTE = 4000
LONGEST_TAG = 40

# The latest row of each item that has any, for a query to join: run_id, item_index, note, tag.
LATEST = """(
    SELECT run_id, item_index, arg_max(note, (created_at, rowid)) AS note, arg_max(tag, (created_at, rowid)) AS tag
    FROM notes GROUP BY run_id, item_index
)"""


@dataclass(frozen=True)
class Note:
    """A person's note on one output, and its tag; either may be empty."""

    note: str = ""
    tag: str = ""


def add_note(store: Store, run_id: str, item_index: int, note: Note) -> None:
    """Store a note; an empty one takes back what was noted before.

    White space around the note and all that is doubled in the tag is dropped. Raises InputError where there is no such
    item, or the text is too long.
    """
    text, tag = note.note.strip(), " ".join(note.tag.split())
    for what, length, most in (("note", len(text), LONGEST_NOTE), ("tag", len(tag), LONGEST_TAG)):
        if length > most:
            raise InputError(f"the {what} has {length:,} characters and may have {most:,}; shorten it")
    if not store.rows("SELECT 1 FROM items WHERE run_id = ? AND item_index = ?", [run_id, item_index]):
        raise InputError(f"run '{run_id}' has no item {item_index} to note something on")
    with store.transaction() as cursor:
        cursor.execute("INSERT INTO notes VALUES (?, ?, ?, ?, ?)", [run_id, item_index, text, tag, now()])


def latest_note(store: Store, run_id: str, item_index: int) -> Note:
    """What is noted on an item now; an empty note where nothing is."""
    rows = store.rows(
        "SELECT note, tag FROM notes WHERE run_id = ? AND item_index = ? ORDER BY created_at DESC, rowid DESC LIMIT 1",
        [run_id, item_index],
    )
    return Note(*rows[0]) if rows else Note()


def all_tags(store: Store) -> list[str]:
    """Every tag in use, sorted."""
    return [tag for (tag,) in store.rows(f"SELECT DISTINCT tag FROM {LATEST} WHERE tag <> '' ORDER BY tag")]
