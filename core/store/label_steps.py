"""Merges and removals of labels in steps: document by document, in short writes that let saves in between.

A change is written down before its first document is carried, and every document with what it held before, in
the same transaction that carries it. So a process that ends in the middle leaves a change that whoever comes
next finishes (`finish`): in the end all of it has happened. A document that somebody saves meanwhile goes
first (`settle`).
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable

from core.store.clock import now
from core.store.label_carrying import Saved, affected, carry, listed
from core.store.label_mapping import LabelMapping
from core.store.label_returning import take_back
from core.store.workspace import Workspace

SLICE = 40  # documents of one transaction: some 10 ms
PAUSE = 0.01  # seconds between two: whoever waits to save goes first


def begin(db: sqlite3.Connection, change_id: int, project_id: int) -> None:
    """Say that a change was recorded of which no document is carried yet; those imported later are not."""
    upto = db.execute("SELECT max(id) FROM documents WHERE project_id = ?", (project_id,)).fetchone()[0]
    db.execute(
        "UPDATE label_changes SET state = 'carrying', change = json_set(change, '$.upto', ?) WHERE id = ?",
        (upto or 0, change_id),
    )


def begin_return(db: sqlite3.Connection, change_id: int) -> None:
    """Say that a change is being taken back of which no document has been yet."""
    row = db.execute("SELECT change FROM label_changes WHERE id = ?", (change_id,)).fetchone()
    change = json.loads(row["change"])
    # Changes of earlier versions hold all documents in one piece.
    _remember(db, change_id, {int(key): one for key, one in change["saved"].pop("documents", {}).items()})
    db.execute(
        "UPDATE label_changes SET state = 'returning', change = ? WHERE id = ?",
        (json.dumps(change, ensure_ascii=False), change_id),
    )


def under_way(db: sqlite3.Connection, project_id: int) -> list[int]:
    """The changes of a project that are not finished."""
    rows = db.execute("SELECT id FROM label_changes WHERE project_id = ? AND state <> 'done'", (project_id,))
    return [row[0] for row in rows]


def finish(workspace: Workspace, project_id: int | None = None) -> int:
    """Finish what another process, or an error, left unfinished (None: in every project); how many changes.

    Raises:
        StoreFull, StoreBusy: it cannot go on; what was done stays, and the rest is done another time.
    """
    with workspace.reading() as db:
        projects = [project_id] if project_id else [row[0] for row in db.execute("SELECT id FROM projects")]
        changes = [change for one in projects for change in under_way(db, one)]
    for change in changes:
        go_on(workspace, change)
    return len(changes)


def go_on(workspace: Workspace, change_id: int) -> None:
    """Carry, or take back, what is left of a change. Two may do so at once: each document goes once."""
    with workspace.reading() as db:
        row = _change(db, change_id)
        if row is None or row["state"] == "done":
            return
        ids = _left(db, row) if row["state"] == "carrying" else _remembered(db, change_id)
    step = _carry_some if row["state"] == "carrying" else _return_some
    for start in range(0, len(ids), SLICE):
        with workspace.writing() as db:
            again = _change(db, change_id)
            if again is None or again["state"] != row["state"]:
                return  # somebody else has finished it
            step(db, row, ids[start : start + SLICE])
        time.sleep(PAUSE)
    with workspace.writing() as db:
        db.execute(
            "UPDATE label_changes SET undone = iif(state = 'returning', ?, undone), state = 'done' "
            "WHERE id = ? AND state = ?",
            (now(), change_id, row["state"]),
        )


def settle(db: sqlite3.Connection, project_id: int, document_id: int) -> bool:
    """Carry this document before anything else, in the open transaction, if a change is on its way to it;
    whether one is."""
    changes = under_way(db, project_id)
    for change_id in changes:
        row = _change(db, change_id)
        if row is not None and row["state"] == "carrying" and document_id <= row["upto"]:
            _carry_some(db, row, [document_id])
    return bool(changes)


def left_alone(db: sqlite3.Connection, change_id: int) -> list[int]:
    """The documents that an undo left as they were."""
    return _remembered(db, change_id)


def _carry_some(db: sqlite3.Connection, row: sqlite3.Row, ids: list[int]) -> None:
    done = _done(db, row["id"], ids)
    todo = [id_ for id_ in ids if id_ not in done]
    if todo:
        _remember(db, row["id"], carry(db, todo, LabelMapping(row["old"], row["new"])))


def _return_some(db: sqlite3.Connection, row: sqlite3.Row, ids: list[int]) -> None:
    saved = _done(db, row["id"], ids)
    conflicts = take_back(db, LabelMapping(row["old"], row["new"]), saved)
    db.executemany(
        "DELETE FROM label_change_documents WHERE change_id = ? AND document_id = ?",
        [(row["id"], id_) for id_ in saved if id_ not in conflicts],
    )


def _remember(db: sqlite3.Connection, change_id: int, saved: dict[int, Saved]) -> None:
    db.executemany(
        "INSERT INTO label_change_documents VALUES (?, ?, ?)",
        [(change_id, id_, json.dumps(one, ensure_ascii=False)) for id_, one in saved.items()],
    )


def _remembered(db: sqlite3.Connection, change_id: int) -> list[int]:
    rows = db.execute(
        "SELECT document_id FROM label_change_documents WHERE change_id = ? ORDER BY document_id",
        (change_id,),
    )
    return [row[0] for row in rows]


def _done(db: sqlite3.Connection, change_id: int, ids: Iterable[int]) -> dict[int, Saved]:
    """What those of these documents that were carried held before."""
    rows = db.execute(
        "SELECT document_id, saved FROM label_change_documents WHERE change_id = ? "
        "AND document_id IN (SELECT value FROM json_each(?))",
        (change_id, *listed(ids)),
    )
    return {row[0]: json.loads(row[1]) for row in rows}


def _left(db: sqlite3.Connection, row: sqlite3.Row) -> list[int]:
    done = set(_remembered(db, row["id"]))
    ids = affected(db, row["project_id"], row["old"])
    return [id_ for id_ in ids if id_ not in done and id_ <= row["upto"]]


def _change(db: sqlite3.Connection, change_id: int) -> sqlite3.Row | None:
    row: sqlite3.Row | None = db.execute(
        "SELECT id, project_id, state, json_extract(change, '$.old') AS old, json_extract(change, '$.new') "
        "AS new, json_extract(change, '$.upto') AS upto FROM label_changes WHERE id = ?",
        (change_id,),
    ).fetchone()
    return row
