"""Stretches that people marked as looked at, in the agreed annotation or a copy, and the history of it.

A mark is no edit: no revision moves, and nobody else's work is overtaken by it. Its event says between which
revisions it was made, so that undo finds it among the edits.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.store.db.cells import load_json
from core.store.db.clock import now
from core.store.db.errors import PayloadError
from core.store.db.payload import checked_choice, checked_user
from core.text.looked import Region, joined, without

Way = Literal["mark", "undo", "redo"]
WAYS: tuple[Way, ...] = get_args(Way)
MOST_STRETCHES = 1_000


@dataclass(frozen=True, slots=True)
class Stretch:
    """From ``start`` to ``end`` a text was looked at, or (``looked`` false) that is taken back."""

    start: int
    end: int
    looked: bool


@dataclass(frozen=True, slots=True)
class MarkEvent:
    """One change of the marks: who, at which revision, what came to be marked and what no longer is."""

    revision: int
    user: str
    action: Way
    came: tuple[Region, ...]
    gone: tuple[Region, ...]


def marks_of(db: sqlite3.Connection, ids: Iterable[int], owner: str | None = None) -> dict[int, list[Region]]:
    """What is marked, by document; nothing of those without a mark.

    Args:
        owner: whose copies; None: the agreed annotation.
    """
    table = "looked" if owner is None else "copy_looked WHERE user = :owner"
    found: dict[int, list[Region]] = defaultdict(list)
    for row in db.execute(
        f'SELECT document_id, start, "end" FROM (SELECT * FROM {table}) '  # noqa: S608 - one of two of ours
        "WHERE document_id IN (SELECT value FROM json_each(:ids)) ORDER BY document_id, start",
        {"owner": owner, "ids": json.dumps(list(ids))},
    ):
        found[row[0]].append((row[1], row[2]))
    return found


def events_of(db: sqlite3.Connection, document_id: int, owner: str | None = None) -> list[MarkEvent]:
    """Every change of a document's marks, oldest first."""
    rows = db.execute(
        "SELECT revision, user, action, came, gone FROM looked_events "
        "WHERE document_id = ? AND copy = ? ORDER BY id",
        (document_id, owner or ""),
    )
    return [MarkEvent(row[0], row[1], row[2], _regions(row[3]), _regions(row[4])) for row in rows]


def change(
    db: sqlite3.Connection,
    row: sqlite3.Row,
    stretches: Sequence[Stretch],
    *,
    revision: int,
    user: str,
    owner: str | None = None,
    way: str = "mark",
) -> None:
    """Mark stretches, or take marks back, one after the other, as one event; nothing that changes nothing.

    Args:
        row: of the document. revision: of the annotation they are marked in.
        owner: whose copy; None: the agreed annotation. way: how it came about.

    Raises:
        PayloadError: no such stretch in the text, too many, or no such way.
    """
    user, way = checked_user(user), checked_choice(way, WAYS, "way")
    if not 0 < len(stretches) <= MOST_STRETCHES:
        raise PayloadError(f"1 to {MOST_STRETCHES} stretches are marked at once, got {len(stretches)}")
    for stretch in stretches:
        _check(row, stretch)
    before = joined(marks_of(db, [row["id"]], owner)[row["id"]])
    after = before
    for stretch in stretches:
        if stretch.looked:
            after = joined((*after, (stretch.start, stretch.end)))
        else:
            after = without(after, stretch.start, stretch.end)
    _write(db, row["id"], before, after, user, owner)
    came, gone = _beyond(after, before), _beyond(before, after)
    # Undo and redo are told even where somebody else had changed it already: the step is taken all the same.
    if came or gone or way != "mark":
        db.execute(
            "INSERT INTO looked_events (document_id, copy, revision, user, at, action, came, gone) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (row["id"], owner or "", revision, user, now(), way, json.dumps(came), json.dumps(gone)),
        )


def _check(row: sqlite3.Row, stretch: Stretch) -> None:
    for name, value in (("start", stretch.start), ("end", stretch.end)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise PayloadError(f"{name} must be a whole number, got {str(value)[:40]!r}")
    if not 0 <= stretch.start < stretch.end <= len(row["text"]):
        raise PayloadError(
            f"{stretch.start}-{stretch.end} is no stretch of document {row['id']}, "
            f"which has {len(row['text'])} characters"
        )


def _write(
    db: sqlite3.Connection,
    document_id: int,
    before: Sequence[Region],
    after: Sequence[Region],
    user: str,
    owner: str | None,
) -> None:
    gone, come = set(before) - set(after), set(after) - set(before)
    whose = "" if owner is None else " AND user = :owner"
    table = "looked" if owner is None else "copy_looked"
    db.executemany(
        f'DELETE FROM {table} WHERE document_id = :id AND start = :start AND "end" = :end{whose}',  # noqa: S608
        [{"id": document_id, "start": a, "end": b, "owner": owner} for a, b in gone],
    )
    db.executemany(
        f'INSERT INTO {table} (document_id, start, "end", user, at) VALUES (?, ?, ?, ?, ?)',  # noqa: S608
        [(document_id, *region, owner or user, now()) for region in come],
    )


def _beyond(regions: Sequence[Region], known: Sequence[Region]) -> tuple[Region, ...]:
    """What of ``regions`` lies outside ``known``."""
    left = joined(regions)
    for start, end in known:
        left = without(left, start, end)
    return left


def _regions(stored: str) -> tuple[Region, ...]:
    return tuple((start, end) for start, end in load_json(stored))
