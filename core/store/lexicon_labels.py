"""The types of words are labels: they go along when a label is renamed or merged, and come back."""

from __future__ import annotations

import sqlite3
from typing import Any

from core.store import lexicon_batches
from core.store.lexicon_batches import Entries

_TABLES = ("lexicon_words", "lexicon_changes")
SYSTEM = "labels"  # who made a batch that a change of labels brought


def carry(db: sqlite3.Connection, project_id: int, old: str, new: str) -> dict[str, Any]:
    """Call the type ``old`` of every word ``new``, now and in all versions; gives what ``take_back`` needs.

    A word that has both types loses ``old`` by a batch of its own, so that no version is lost.
    """
    both = [
        row[0]
        for row in db.execute(
            "SELECT a.word FROM lexicon_words a JOIN lexicon_words b "
            "ON b.project_id = a.project_id AND b.word = a.word AND b.type = ? AND b.masked = 0 "
            "WHERE a.project_id = ? AND a.masked = 0 AND a.type = ? ORDER BY a.word",
            (new, project_id, old),
        ).fetchall()
    ]
    batch = None
    if both:

        def without_old(word: str, before: Entries) -> Entries:
            return tuple(entry for entry in before if entry.type != old)

        source = f"{old} → {new}"
        batch = lexicon_batches.write_into(
            db, project_id, "edit", both, without_old, user=SYSTEM, source=source
        ).id
    saved: dict[str, Any] = {"batch": batch}
    kept = set(both)
    for table in _TABLES:
        rows = db.execute(
            f"SELECT id, word FROM {table} WHERE project_id = ? AND type = ?",  # noqa: S608 - ours
            (project_id, old),
        ).fetchall()
        ids = [row["id"] for row in rows if row["word"] not in kept]
        db.executemany(f"UPDATE {table} SET type = ? WHERE id = ?", [(new, id_) for id_ in ids])  # noqa: S608
        saved[table] = ids
    lexicon_batches.touch(db, project_id)
    return saved


def take_back(db: sqlite3.Connection, project_id: int, old: str, new: str, saved: object) -> None:
    """Undo ``carry``: what still has the type ``new`` has ``old`` again."""
    if not isinstance(saved, dict):
        return  # a change from before word lists had versions: its rows were carried over under other numbers
    for table in _TABLES:
        db.executemany(
            f"UPDATE OR IGNORE {table} SET type = ? WHERE id = ? AND type = ?",  # noqa: S608 - ours
            [(old, id_, new) for id_ in saved.get(table, ())],
        )
    if saved.get("batch") is not None:
        lexicon_batches.undo_into(db, project_id, saved["batch"], user=SYSTEM)
    lexicon_batches.touch(db, project_id)
