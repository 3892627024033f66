"""Merging two labels, applied to the word list, whose types are labels.

A word with both types keeps the remaining one. This makes a new version of the word list, and so does undoing
the merge.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from core.store.db.clock import now

SYSTEM = "labels"  # user of versions made by label changes
_WITH_BOTH = (
    "list = :list AND masked = 0 AND type IN (SELECT value FROM json_each(:old)) AND EXISTS ("
    "SELECT 1 FROM lexicon_words o WHERE o.list = lexicon_words.list AND o.masked = 0 "
    "AND o.word = lexicon_words.word AND o.type IN (SELECT value FROM json_each(:new)))"
)
_COLUMNS = "word, type, frequency, masked, origin"


def touch(db: sqlite3.Connection, project_id: int) -> None:
    """Mark the word list as changed, which invalidates caches."""
    db.execute(
        "INSERT INTO lexicon_state (project_id, revision) VALUES (?, 1) "
        "ON CONFLICT (project_id) DO UPDATE SET revision = revision + 1",
        (project_id,),
    )


def merge_types(
    db: sqlite3.Connection, project_id: int, old: Sequence[int], new: Sequence[int], source: str
) -> int | None:
    """Remove the types ``old`` from words that also have one of ``new``; the new version, if any."""
    row = db.execute("SELECT list FROM lexicon_state WHERE project_id = ?", (project_id,)).fetchone()
    values = {"list": row and row[0], "old": json.dumps(list(old)), "new": json.dumps(list(new))}
    row_count = db.execute(f"SELECT count(DISTINCT word) FROM lexicon_words WHERE {_WITH_BOTH}", values)  # noqa: S608
    count = row_count.fetchone()[0]
    if not count:
        return None
    batch = _batch(db, project_id, "edit", source, count, None)
    db.execute(
        f"INSERT INTO lexicon_changes (project_id, batch, {_COLUMNS}, came) "  # noqa: S608 - ours
        f"SELECT :project, :batch, {_COLUMNS}, 0 FROM lexicon_words WHERE {_WITH_BOTH}",
        values | {"project": project_id, "batch": batch},
    )
    db.execute(f"DELETE FROM lexicon_words WHERE {_WITH_BOTH}", values)  # noqa: S608 - ours
    _mark_conflicts(db, values["list"], batch)
    return batch


def unmerge_types(db: sqlite3.Connection, project_id: int, batch: int | None) -> None:
    """Undo ``merge_types`` except for words changed since."""
    row = db.execute(
        "SELECT b.place, s.list FROM lexicon_batches b JOIN lexicon_state s ON s.project_id = b.project_id "
        "WHERE b.id = ?",
        (batch,),
    ).fetchone()
    if row is None:
        return
    values = {"project": project_id, "batch": batch, "list": row["list"], "place": row["place"]}
    unchanged = (
        "project_id = :project AND batch = :batch AND word NOT IN (SELECT word FROM lexicon_changes "
        "WHERE project_id = :project AND batch IN "
        "(SELECT id FROM lexicon_batches WHERE project_id = :project AND place > :place))"
    )
    count = db.execute(
        f"SELECT count(DISTINCT word) FROM lexicon_changes WHERE {unchanged}",  # noqa: S608
        values,
    ).fetchone()[0]
    if not count:
        return
    undoing = _batch(db, project_id, "undo", "", count, batch)
    db.execute(
        f"INSERT INTO lexicon_words (list, {_COLUMNS}, length) "  # noqa: S608 - ours
        f"SELECT :list, {_COLUMNS}, length(word) FROM lexicon_changes WHERE {unchanged}",
        values,
    )
    db.execute(
        f"INSERT INTO lexicon_changes (project_id, batch, {_COLUMNS}, came) "  # noqa: S608 - ours
        f"SELECT :project, :undoing, {_COLUMNS}, 1 FROM lexicon_changes WHERE {unchanged}",
        values | {"undoing": undoing},
    )
    _mark_conflicts(db, row["list"], undoing)


def _batch(
    db: sqlite3.Connection, project_id: int, kind: str, source: str, changed: int, target: int | None
) -> int:
    made = db.execute(
        "INSERT INTO lexicon_batches (project_id, kind, source, user, at, changed, target, place) "
        "SELECT :project, :kind, :source, :user, :at, :changed, :target, coalesce(max(place), 0) + 1 "
        "FROM lexicon_batches WHERE project_id = :project",
        {
            "project": project_id, "kind": kind, "source": source[:100], "user": SYSTEM, "at": now(),
            "changed": changed, "target": target,
        },
    )  # fmt: skip
    return int(made.lastrowid or 0)


def _mark_conflicts(db: sqlite3.Connection, number: int, batch: int) -> None:
    """Mark words of a batch with several types as conflicts, unless a person confirmed their types."""
    db.execute(
        "UPDATE lexicon_words SET conflict = CASE WHEN (SELECT count(*) FROM lexicon_words o "
        "WHERE o.list = lexicon_words.list AND o.masked = 0 AND o.word = lexicon_words.word) = 1 THEN 0 "
        "ELSE max(conflict, 1) END WHERE list = ? AND masked = 0 "
        "AND word IN (SELECT word FROM lexicon_changes WHERE batch = ?)",
        (number, batch),
    )
