"""Versions of a knowledge base: every import writes a new one and then makes it the current one.

A version is written in short transactions, so that saves are not blocked; until the last of them nobody sees
it. The one before stays, so that the import can be undone; older ones are deleted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence

from core.store.db.clock import now
from core.store.db.workspace import Workspace
from core.store.knowledge import name_index
from core.store.knowledge.rows import entry_of, write_entries
from core.text.knowledge_entry import KnowledgeEntry

CHUNK = 1_000  # entries per transaction
_STALE = 60 * 60 * 1000  # ms after which a version that was never finished is deleted

Numbered = tuple[int, KnowledgeEntry]  # the line of a file, and what it says


def begin(db: sqlite3.Connection, base: int, user: str, file: str) -> int:
    """Add an empty version, in an open transaction."""
    made = db.execute(
        "INSERT INTO knowledge_versions (base, user, at, file) VALUES (?, ?, ?, ?)", (base, user, now(), file)
    )
    number = int(made.lastrowid or 0)
    name_index.create(db, number)
    return number


def write(
    workspace: Workspace,
    version: int,
    entries: Iterable[Numbered],
    repeated: Callable[[int, str], None],
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write entries into a version; returns how many.

    Args:
        repeated: told line and id of an entry whose id an earlier line has.
        progress: called with the number written; may raise to stop.
    """
    written = 0
    chunk: list[Numbered] = []
    for numbered in entries:
        chunk.append(numbered)
        if len(chunk) == CHUNK:
            written += _write(workspace, version, chunk, repeated)
            chunk.clear()
            if progress is not None:
                progress(written)
    return written + _write(workspace, version, chunk, repeated)


def copy_missing(workspace: Workspace, before: int, version: int) -> int:
    """Add the entries of an earlier version whose ids this one lacks; returns how many."""
    copied = last = 0
    while True:
        with workspace.reading() as db:
            rows = db.execute(
                "SELECT * FROM knowledge_entries WHERE version = ? AND id > ? ORDER BY id LIMIT ?",
                (before, last, CHUNK),
            ).fetchall()
        if not rows:
            return copied
        last = rows[-1]["id"]
        with workspace.writing() as db:
            copied += len(write_entries(db, version, [entry_of(row) for row in rows]))


def discard(workspace: Workspace, version: int) -> None:
    """Delete a version that nobody uses, in short transactions."""
    while True:
        with workspace.writing() as db:
            ids = [
                row[0]
                for row in db.execute(
                    "SELECT id FROM knowledge_entries WHERE version = ? LIMIT ?", (version, CHUNK)
                )
            ]
            if not ids:
                name_index.drop(db, version)
                db.execute("DELETE FROM knowledge_versions WHERE id = ?", (version,))
                return
            db.execute(
                "DELETE FROM knowledge_names WHERE version = ? AND entry BETWEEN ? AND ?",
                (version, min(ids), max(ids)),
            )
            db.executemany("DELETE FROM knowledge_entries WHERE id = ?", [(id_,) for id_ in ids])


def discard_unused(workspace: Workspace, base: int, kept: Sequence[int | None]) -> None:
    """Delete the versions of a base but for these, and those that are being written."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT id FROM knowledge_versions WHERE base = ? AND (entries IS NOT NULL OR at < ?)",
            (base, now() - _STALE),
        ).fetchall()
    for row in rows:
        if row["id"] not in kept:
            discard(workspace, row["id"])


def _write(
    workspace: Workspace, version: int, chunk: Sequence[Numbered], repeated: Callable[[int, str], None]
) -> int:
    if not chunk:
        return 0
    with workspace.writing() as db:
        written = write_entries(db, version, [entry for _, entry in chunk])
    for at, (line, entry) in enumerate(chunk):
        if at not in written:
            repeated(line, entry.id)
    return len(written)
