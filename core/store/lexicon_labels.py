"""The types of words are labels: they go along when a label is renamed or merged, and come back."""

from __future__ import annotations

import sqlite3
from typing import Any

from core.store import lexicon_batches, lexicon_lists, lexicon_returning
from core.store.lexicon_writing import Entries, Given, Heading, write_into

SYSTEM = "labels"  # who made a batch that a change of labels brought


def carry(db: sqlite3.Connection, project_id: int, old: str, new: str) -> dict[str, Any]:
    """Call the type ``old`` of every word ``new``, now and in all versions; gives what ``take_back`` needs.

    A word that has both types loses ``old`` by a batch of its own, so that no version is lost.
    """
    number = lexicon_lists.standing_list(db, project_id)
    both = [
        row[0]
        for row in db.execute(
            "SELECT a.word FROM lexicon_words a JOIN lexicon_words b "
            "ON b.list = a.list AND b.word = a.word AND b.type = ? AND b.masked = 0 "
            "WHERE a.list = ? AND a.masked = 0 AND a.type = ? ORDER BY a.word",
            (new, number, old),
        ).fetchall()
    ]
    batch = None
    if both:

        def without_old(word: str, before: Entries) -> Entries:
            return tuple(entry for entry in before if entry.type != old)

        heading = Heading("edit", SYSTEM, f"{old} → {new}")
        batch = write_into(db, project_id, heading, Given(both, without_old)).id
    kept = set(both)
    # A row of the list is another one after a long change: the word is what it is known by.
    rows = db.execute("SELECT id, word FROM lexicon_words WHERE list = ? AND type = ?", (number, old))
    carried = [(row["id"], row["word"]) for row in rows if row["word"] not in kept]
    db.executemany("UPDATE lexicon_words SET type = ? WHERE id = ?", [(new, id_) for id_, _ in carried])
    rows = db.execute(
        "SELECT id, word FROM lexicon_changes WHERE project_id = ? AND type = ?", (project_id, old)
    )
    changes = [row["id"] for row in rows if row["word"] not in kept]
    db.executemany("UPDATE lexicon_changes SET type = ? WHERE id = ?", [(new, id_) for id_ in changes])
    lexicon_batches.touch(db, project_id)
    return {"batch": batch, "words": [word for _, word in carried], "lexicon_changes": changes}


def take_back(db: sqlite3.Connection, project_id: int, old: str, new: str, saved: object) -> None:
    """Undo ``carry``: what still has the type ``new`` has ``old`` again."""
    if not isinstance(saved, dict):
        return  # a change from before word lists had versions: its rows were carried over under other numbers
    number = lexicon_lists.standing_list(db, project_id)
    db.executemany(
        "UPDATE OR IGNORE lexicon_words SET type = ? "
        "WHERE list = ? AND masked IN (0, 1) AND word = ? AND type = ?",
        [(old, number, word, new) for word in saved.get("words", ())],
    )
    # Changes of earlier versions name rows of the list; those are still the same until its first long change.
    for table in ("lexicon_words", "lexicon_changes"):
        db.executemany(
            f"UPDATE OR IGNORE {table} SET type = ? WHERE id = ? AND type = ?",  # noqa: S608 - ours
            [(old, id_, new) for id_ in saved.get(table, ())],
        )
    if saved.get("batch") is not None:
        lexicon_returning.undo_into(db, project_id, saved["batch"], user=SYSTEM)
    lexicon_batches.touch(db, project_id)
