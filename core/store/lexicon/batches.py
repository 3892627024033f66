"""Versions of a project's word list: every change is a batch, in the order they took effect.

A version is identified by its batch. Batches being written have no place in the order and are not visible.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from core.store.db.errors import PayloadError
from core.store.db.workspace import Workspace
from core.store.label.ids import label_ids
from core.store.lexicon.entries import WordEntry
from core.store.project.projects import checked_id, row_of

KIND = "words"  # of a step of the journal
LAST = 2**62  # greater than every place
_COLUMNS = (
    "id, kind, source, user, at, added, removed, changed, target, step, "
    "(SELECT u.id FROM lexicon_batches u WHERE u.target = b.id AND u.kind = 'undo') AS undone"
)
_BEHIND = "\U0010ffff" * 101  # sorts after every word


@dataclass(frozen=True, slots=True)
class Batch:
    """One version: user, time, counts and ``source`` (a file's name, or "").

    Args:
        added, removed, changed: numbers of words. target: the batch that was undone or reverted to.
        undone: the batch that undid this one, or None. step: its step of the journal; None where it cannot be
            undone by itself.
    """

    id: int
    kind: str
    source: str
    user: str
    at: int
    added: int
    removed: int
    changed: int
    target: int | None
    undone: int | None
    step: int | None


def versions(
    workspace: Workspace, project_id: int, *, offset: int = 0, limit: int = 50
) -> tuple[list[Batch], int]:
    """The batches, newest first, and their number."""
    with workspace.reading() as db:
        row_of(db, project_id)
        rows = db.execute(
            f"SELECT {_COLUMNS} FROM lexicon_batches b WHERE project_id = ? AND place IS NOT NULL "  # noqa: S608
            "ORDER BY place DESC LIMIT ? OFFSET ?",
            (project_id, limit, offset),
        ).fetchall()
        total = db.execute(
            "SELECT count(*) FROM lexicon_batches WHERE project_id = ? AND place IS NOT NULL", (project_id,)
        ).fetchone()[0]
    return [_batch(row) for row in rows], int(total)


def read(db: sqlite3.Connection, batch: int) -> Batch:
    """Read an existing batch."""
    row = db.execute(f"SELECT {_COLUMNS} FROM lexicon_batches b WHERE id = ?", (batch,))  # noqa: S608
    return _batch(row.fetchone())


def last_undoable(workspace: Workspace, project_id: int) -> Batch | None:
    """The batch that ``undo`` would undo, or None."""
    with workspace.reading() as db:
        row_of(db, project_id)
        row = db.execute(
            "SELECT b.id FROM lexicon_batches b JOIN steps s ON s.id = b.step "
            "WHERE b.project_id = ? AND s.undone IS NULL ORDER BY b.place DESC LIMIT 1",
            (project_id,),
        ).fetchone()
        return None if row is None else read(db, row[0])


def check_version(db: sqlite3.Connection, project_id: int, version: object) -> int:
    """The place of ``version``, a batch of the project or 0 for the beginning.

    Raises:
        PayloadError: it is not.
    """
    if version == 0 and not isinstance(version, bool):
        return 0
    row = db.execute(
        "SELECT place FROM lexicon_batches WHERE project_id = ? AND id = ? AND place IS NOT NULL",
        (project_id, checked_id(version)),
    ).fetchone()
    if row is None:
        raise PayloadError(
            "this project's word list has no version {version}; reload the page", version=version
        )
    return int(row[0])


def last_place(db: sqlite3.Connection, project_id: int) -> int:
    """The place of the latest batch, 0 without any."""
    row = db.execute("SELECT max(place) FROM lexicon_batches WHERE project_id = ?", (project_id,)).fetchone()
    return int(row[0] or 0)


def net_changes(
    db: sqlite3.Connection, project_id: int, after: int, upto: int, first: str = "", last: str = _BEHIND
) -> Iterator[tuple[str, list[WordEntry], list[WordEntry]]]:
    """The net change of the batches at the places in ``(after, upto]``, word by word in order: entries
    removed, entries added.

    Args:
        first, last: only words in this range, inclusive.
    """
    rows = db.execute(
        "SELECT word, type, frequency, masked, origin, sum(2 * came - 1) AS sign FROM lexicon_changes "
        "WHERE project_id = ? AND batch IN (SELECT id FROM lexicon_batches WHERE project_id = ? "
        "AND place > ? AND place <= ?) AND word BETWEEN ? AND ? "
        "GROUP BY word, type, frequency, masked, origin HAVING sign <> 0 ORDER BY word",
        (project_id, project_id, after, upto, first, last),
    )
    types = label_ids(db, project_id).types
    for word, group in groupby(rows, key=lambda row: row["word"]):
        signs: Counter[WordEntry] = (
            Counter()
        )  # after a merge of labels, an entry removed and one added may be equal
        for row in group:
            entry = WordEntry(types[row["type"]], row["frequency"], bool(row["masked"]), row["origin"])
            signs[entry] += row["sign"]
        gone = [entry for entry, sign in signs.items() if sign < 0]
        came = [entry for entry, sign in signs.items() if sign > 0]
        if gone or came:
            yield word, gone, came


def changed_words(db: sqlite3.Connection, project_id: int, after: int, upto: int = LAST) -> list[str]:
    """The words changed by batches at the places in ``(after, upto]``, in order."""
    rows = db.execute(
        "SELECT DISTINCT word FROM lexicon_changes WHERE project_id = ? AND batch IN "
        "(SELECT id FROM lexicon_batches WHERE project_id = ? AND place > ? AND place <= ?) ORDER BY word",
        (project_id, project_id, after, upto),
    )
    return [row[0] for row in rows]


def words_of(workspace: Workspace, project_id: int, batch: int) -> list[str]:
    """The words that a batch changed, in order."""
    with workspace.reading() as db:
        place = check_version(db, project_id, batch)
        return changed_words(db, project_id, place - 1, place)


def revision(db: sqlite3.Connection, project_id: int) -> int:
    """Increases with every change of the word list."""
    row = db.execute("SELECT revision FROM lexicon_state WHERE project_id = ?", (project_id,)).fetchone()
    return int(row[0]) if row else 0


def _batch(row: sqlite3.Row) -> Batch:
    return Batch(
        row["id"], row["kind"], row["source"], row["user"], row["at"],
        row["added"], row["removed"], row["changed"], row["target"], row["undone"], row["step"],
    )  # fmt: skip
