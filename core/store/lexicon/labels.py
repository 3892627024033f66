"""The types of words are labels: they go along when a label is renamed or merged, and come back.

They go in short steps. First a word that has both types loses the old one by a batch of its own, so that no
version is lost. Then the words that stand are carried, then what the versions say of them. Until all is done
nobody else changes the list: a version must not tell of a type under two names.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from core.store.db.errors import PayloadError
from core.store.db.workspace import Workspace
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import lists as lexicon_lists
from core.store.lexicon import returning as lexicon_returning
from core.store.lexicon.entries import WordEntry
from core.store.lexicon.steps import carry_out, room_for_pages
from core.store.lexicon.writing import Entries, Heading

# The plus keeps SQLite from going through all of the list in every step, by the index that begins with it.
_CALL_WORDS = (
    "UPDATE OR IGNORE lexicon_words SET type = ? WHERE +list = ? AND +type = ? "
    "AND id IN (SELECT value FROM json_each(?))"
)
_CALL_ENTRIES = (
    "UPDATE lexicon_changes SET type = ? WHERE type = ? AND id IN (SELECT value FROM json_each(?))"
)
_CARRIED = "SELECT word FROM lexicon_words WHERE type = ? AND id IN (SELECT value FROM json_each(?))"
SYSTEM = "labels"  # who made a batch that a change of labels brought


@dataclass(frozen=True, slots=True)
class TypeChange:
    """The type ``old`` on its way to ``new``, as a part of a change of labels.

    Args:
        change: its number. remember: what is carried, to find it again among others of that type.
    """

    project_id: int
    change: int
    old: str
    new: str
    remember: bool

    def words(self, db: sqlite3.Connection) -> list[str]:
        """The words that have both types."""
        number = lexicon_lists.standing_list(db, self.project_id)
        rows = db.execute(
            "SELECT a.word FROM lexicon_words a JOIN lexicon_words b "
            "ON b.list = a.list AND b.word = a.word AND b.type = ? AND b.masked = 0 "
            "WHERE a.list = ? AND a.masked = 0 AND a.type = ? ORDER BY a.word",
            (self.new, number, self.old),
        )
        return [row[0] for row in rows]

    def decide(
        self, db: sqlite3.Connection, words: Sequence[str], stands: Mapping[str, Entries]
    ) -> Mapping[str, Iterable[WordEntry]]:
        """Both types become the new one."""
        decided = {}
        for word in words:
            before = stands.get(word, ())
            if {self.old, self.new} <= {entry.type for entry in before}:
                decided[word] = tuple(entry for entry in before if entry.type != self.old)
        return decided

    def conclude(self, db: sqlite3.Connection, batch: int) -> None:
        """Note the batch with the change it belongs to."""
        _note(db, self.change, "words_batch", batch)


def begin(db: sqlite3.Connection, project_id: int, change: int) -> None:
    """Say that the words of a change of labels are still to go; until they went, nobody changes the list."""
    _note(db, change, "words_to_go", 1)
    lexicon_batches.touch(db, project_id)


def recall(db: sqlite3.Connection, change: int, saved: object) -> None:
    """Write down what a change of an earlier version kept of its words in one piece."""
    if not isinstance(saved, dict):
        return  # from before word lists had versions: its rows were carried over under other numbers
    if saved.get("batch") is not None:
        _note(db, change, "words_batch", saved["batch"])
    for table, key in (("label_change_words", "words"), ("label_change_entries", "lexicon_changes")):
        db.executemany(
            f"INSERT OR IGNORE INTO {table} VALUES (?, ?)",  # noqa: S608 - one of two of ours
            [(change, one) for one in saved.get(key, ())],
        )
    # Changes before that name rows of the list; those are still the same until its first long change.
    db.executemany(
        "INSERT OR IGNORE INTO label_change_words SELECT ?, word FROM lexicon_words WHERE id = ?",
        [(change, id_) for id_ in saved.get("lexicon_words", ())],
    )


def carry(workspace: Workspace, one: TypeChange) -> None:
    """Call the type ``old`` of every word ``new``, in all versions; goes on where it was cut short."""
    heading = Heading("edit", SYSTEM, f"{one.old} → {one.new}")
    with suppress(PayloadError):  # nothing has both, or another process was quicker
        carry_out(workspace, one.project_id, heading, one, of_labels=True)
    with room_for_pages(workspace):
        while not _carry_standing(workspace, one):
            continue
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT id FROM lexicon_changes WHERE project_id = ? AND type = ? AND word NOT IN "
            "(SELECT word FROM lexicon_changes WHERE project_id = ? AND batch = ?)",
            (one.project_id, one.old, one.project_id, _noted(db, one.change, "words_batch")),
        )
        ids = [row[0] for row in rows]

    def carry_some(db: sqlite3.Connection, part: str) -> None:
        db.execute(_CALL_ENTRIES, (one.new, one.old, part))
        if one.remember:
            _remember(db, "label_change_entries", one, "SELECT value FROM json_each(?)", part)

    _each(workspace, one, ids, carry_some)
    _end(workspace, one)


def take_back(workspace: Workspace, one: TypeChange) -> None:
    """Undo ``carry``: of what it carried, whatever still has the type ``new`` has ``old`` again."""

    def return_words(db: sqlite3.Connection, part: str) -> None:
        db.execute(
            "UPDATE OR IGNORE lexicon_words SET type = ? WHERE list = ? AND masked IN (0, 1) AND type = ? "
            "AND word IN (SELECT value FROM json_each(?))",
            (one.old, lexicon_lists.standing_list(db, one.project_id), one.new, part),
        )
        db.execute(
            "DELETE FROM label_change_words WHERE change_id = ? AND word IN (SELECT value FROM json_each(?))",
            (one.change, part),
        )

    def return_entries(db: sqlite3.Connection, part: str) -> None:
        db.execute(_CALL_ENTRIES, (one.old, one.new, part))
        db.execute(
            "DELETE FROM label_change_entries "
            "WHERE change_id = ? AND entry IN (SELECT value FROM json_each(?))",
            (one.change, part),
        )

    with room_for_pages(workspace):
        _each(workspace, one, _remembered(workspace, "label_change_words", one), return_words)
    _each(workspace, one, _remembered(workspace, "label_change_entries", one), return_entries)
    with workspace.reading() as db:
        batch = _noted(db, one.change, "words_batch")
        stands = batch is not None and lexicon_batches.standing_batch(db, one.project_id, batch) is not None
    if stands:
        with suppress(lexicon_returning.NothingLeft):
            lexicon_returning.undo(workspace, one.project_id, batch, user=SYSTEM, of_labels=True)
    _end(workspace, one)


def _carry_standing(workspace: Workspace, one: TypeChange) -> bool:
    """Carry the words that stand; False where another list was put in their place meanwhile."""
    with workspace.reading() as db:
        number = lexicon_lists.standing_list(db, one.project_id)
        rows = db.execute(
            "SELECT id FROM lexicon_words WHERE list = ? AND masked IN (0, 1) AND type = ?", (number, one.old)
        )
        ids = [row[0] for row in rows]

    def carry_some(db: sqlite3.Connection, part: str) -> bool | None:
        if lexicon_lists.standing_list(db, one.project_id) != number:
            return False
        # Ignored: a word to which somebody gave both types again since.
        db.execute(_CALL_WORDS, (one.new, number, one.old, part))
        if one.remember:
            _remember(db, "label_change_words", one, _CARRIED, one.new, part)
        return None

    return _each(workspace, one, ids, carry_some)


def _each(
    workspace: Workspace,
    one: TypeChange,
    items: Sequence[int | str],
    act: Callable[[sqlite3.Connection, str], bool | None],
) -> bool:
    """Part after part, as JSON, each in a short transaction; whether ``act`` never said False."""
    for start in range(0, len(items), lexicon_lists.ROWS):
        with lexicon_lists.step(workspace) as db:
            if not _noted(db, one.change, "words_to_go"):
                return True  # another process has done it
            part = json.dumps(items[start : start + lexicon_lists.ROWS], ensure_ascii=False)
            if act(db, part) is False:
                return False
    return True


def _end(workspace: Workspace, one: TypeChange) -> None:
    with workspace.writing() as db:
        _note(db, one.change, "words_to_go", 0)
        lexicon_batches.touch(db, one.project_id)


def _note(db: sqlite3.Connection, change: int, key: str, value: int) -> None:
    db.execute(
        "UPDATE label_changes SET change = json_set(change, '$.' || ?, ?) WHERE id = ?", (key, value, change)
    )


def _noted(db: sqlite3.Connection, change: int, key: str) -> int | None:
    row = db.execute(
        "SELECT json_extract(change, '$.' || ?) FROM label_changes WHERE id = ?", (key, change)
    ).fetchone()
    return None if row is None else row[0]


def _remember(db: sqlite3.Connection, table: str, one: TypeChange, what: str, *values: object) -> None:
    db.execute(f"INSERT OR IGNORE INTO {table} SELECT ?, * FROM ({what})", (one.change, *values))  # noqa: S608


def _remembered(workspace: Workspace, table: str, one: TypeChange) -> list[int | str]:
    with workspace.reading() as db:
        rows = db.execute(f"SELECT * FROM {table} WHERE change_id = ?", (one.change,))  # noqa: S608 - ours
        return [row[1] for row in rows]
