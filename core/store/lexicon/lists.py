"""The word lists of a project: the current one, one being written, and obsolete ones.

A long change writes a new list in short transactions and then makes it current in one. Replaced lists, and
lists left by a process that was killed, are deleted by `sweep`, in short transactions too.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

from core.store.db.clock import now
from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.project.projects import row_of

ROWS = 250  # rows per transaction: some 10 ms
PAUSE = 0.005  # minimum pause in seconds, or half the last transaction: a third of the time is for others
STALE = 60_000  # milliseconds without a step after which the writer of a list counts as dead
SWEEPING = "old word lists"


@contextmanager
def snapshot(workspace: Workspace, project_id: int) -> Iterator[tuple[sqlite3.Connection, int]]:
    """A consistent read of a project's words: a connection, and the current list.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        db.execute("BEGIN")
        try:
            yield db, current_list(db, project_id)
        finally:
            db.execute("COMMIT")


def current_list(db: sqlite3.Connection, project_id: int) -> int:
    """The current list, or 0 if there never was a word."""
    row = db.execute("SELECT list FROM lexicon_state WHERE project_id = ?", (project_id,)).fetchone()
    return int(row[0] or 0) if row else 0


def open_list(db: sqlite3.Connection, project_id: int) -> int:
    """The current list, created if there is none."""
    number = current_list(db, project_id)
    if not number:
        number = begin(db, project_id, None)
        _stand(db, project_id, number)
    return number


def begin(db: sqlite3.Connection, project_id: int, batch: int | None) -> int:
    """Create a list that is not current yet; ``batch`` will fill it."""
    number = db.execute(
        "INSERT INTO lexicon_lists (project_id, batch, at) VALUES (?, ?, ?)", (project_id, batch, now())
    ).lastrowid
    assert number is not None
    return number


def keep_alive(db: sqlite3.Connection, number: int) -> None:
    """Renew the lease of a list being written.

    Raises:
        StoreError: it was swept away, as it was not renewed for a minute.
    """
    if not db.execute("UPDATE lexicon_lists SET at = ? WHERE id = ? AND at > 0", (now(), number)).rowcount:
        raise StoreError(
            "the change of the word list made no progress for too long and was stopped; start it again"
        )


def make_current(db: sqlite3.Connection, project_id: int, number: int) -> None:
    """Make this list the current one; the old one will be swept."""
    db.execute("UPDATE lexicon_lists SET at = 0 WHERE id = ?", (current_list(db, project_id),))
    _stand(db, project_id, number)


def _stand(db: sqlite3.Connection, project_id: int, number: int) -> None:
    db.execute(
        "INSERT INTO lexicon_state (project_id, revision, list) VALUES (?, 0, ?) "
        "ON CONFLICT (project_id) DO UPDATE SET list = excluded.list",
        (project_id, number),
    )


def abandon(workspace: Workspace, number: int) -> None:
    """Abandon a list being written; it will be swept."""
    with workspace.writing() as db:
        db.execute("UPDATE lexicon_lists SET at = 0 WHERE id = ?", (number,))


@contextmanager
def step(workspace: Workspace) -> Iterator[sqlite3.Connection]:
    """A short write transaction, followed by a pause for other writers."""
    with workspace.writing() as db:
        began = time.monotonic()
        yield db
    time.sleep(max(PAUSE, (time.monotonic() - began) / 2))


def sweep_later(workspace: Workspace) -> None:
    """``sweep`` in the background; returns at once."""
    workspace.background.ask(SWEEPING, partial(_sweep, workspace))


def finish(workspace: Workspace, timeout: float | None = None) -> None:
    """Wait for the last sweep; for tests and benchmarks."""
    workspace.background.finish(SWEEPING, timeout)


def sweep(workspace: Workspace) -> int:
    """Delete the lists that are neither current nor being written, with their unfinished batches; returns
    their number."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT id, project_id, batch FROM lexicon_lists WHERE at < ? "
            "AND id NOT IN (SELECT list FROM lexicon_state WHERE list IS NOT NULL)",
            (now() - STALE,),
        ).fetchall()
    for row in rows:
        # Its writer, if it was only suspended, must not go on.
        abandon(workspace, row["id"])
        if row["batch"] is not None:
            _forget(workspace, row["project_id"], row["batch"])
        _delete(workspace, "lexicon_words", "list = ?", (row["id"],))
        with workspace.writing() as db:
            db.execute("DELETE FROM lexicon_lists WHERE id = ?", (row["id"],))
    return len(rows)


def _sweep(workspace: Workspace) -> None:
    with suppress(StoreError):  # closed, full or busy: the next sweep goes on
        sweep(workspace)


def _forget(workspace: Workspace, project_id: int, batch: int) -> None:
    with workspace.reading() as db:
        row = db.execute("SELECT place FROM lexicon_batches WHERE id = ?", (batch,)).fetchone()
    if row is not None and row["place"] is None:
        _delete(workspace, "lexicon_changes", "project_id = ? AND batch = ?", (project_id, batch))
        with workspace.writing() as db:
            db.execute("DELETE FROM lexicon_batches WHERE id = ? AND place IS NULL", (batch,))


def _delete(workspace: Workspace, table: str, where: str, values: tuple[int, ...]) -> None:
    sql = f"DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE {where} LIMIT {ROWS})"  # noqa: S608
    gone = ROWS
    while gone == ROWS:
        workspace.background.pause()
        with step(workspace) as db:
            gone = db.execute(sql, values).rowcount
