"""Changes of labels in steps: the types of words, then documents, in short writes that let saves in between.

A change is written down before its first document is carried, and every document with what it held before, in
the same transaction that carries it. So a process that ends in the middle leaves a change that whoever comes
next finishes (`finish`): in the end all of it has happened. A document that somebody saves meanwhile goes
first (`settle`).
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping
from typing import Any

from core.store.db.clock import now
from core.store.db.workspace import Workspace
from core.store.label.carrying import affected, carry, listed
from core.store.label.mapping import LabelMapping, Saved
from core.store.label.renaming import rename_back, rename_documents
from core.store.label.returning import take_back
from core.store.lexicon import labels as lexicon_labels
from core.store.lexicon.labels import TypeChange

SLICE = 40  # documents of one transaction: some 10 ms
PAUSE = 0.01  # seconds between two: whoever waits to save goes first
_BACK = None  # remembered of a document whose label has its old name again


def begin(db: sqlite3.Connection, change_id: int, project_id: int) -> None:
    """Say that a change was recorded of which no document is carried yet; those imported later are not."""
    db.execute(
        "UPDATE label_changes SET state = 'carrying', change = json_set(change, '$.upto', ?) WHERE id = ?",
        (_last_document(db, project_id), change_id),
    )
    _begin_words(db, change_id)


def begin_return(db: sqlite3.Connection, change_id: int) -> None:
    """Say that a change is being taken back of which no document has been yet."""
    row = db.execute("SELECT project_id, change FROM label_changes WHERE id = ?", (change_id,)).fetchone()
    change = json.loads(row["change"]) | {"upto": _last_document(db, row["project_id"])}
    # Changes of earlier versions hold all documents in one piece.
    earlier = change.get("saved", {}).pop("documents", {})
    _remember(db, change_id, {int(key): one for key, one in earlier.items()})
    db.execute(
        "UPDATE label_changes SET state = 'returning', change = ? WHERE id = ?",
        (json.dumps(change, ensure_ascii=False), change_id),
    )
    lexicon_labels.recall(db, change_id, change.get("saved", {}).get("project", {}).get("words"))
    _begin_words(db, change_id)


def _begin_words(db: sqlite3.Connection, change_id: int) -> None:
    row = _change(db, change_id)
    if row is not None and row["new"] is not None:
        lexicon_labels.begin(db, row["project_id"], change_id)


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
    if row["words_to_go"]:
        _carry_words(workspace, row)
    with workspace.reading() as db:
        ids = _left(db, row)
    for start in range(0, len(ids), SLICE):
        with workspace.writing() as db:
            again = _change(db, change_id)
            if again is None or again["state"] != row["state"]:
                return  # somebody else has finished it
            _step(db, row, ids[start : start + SLICE])
        time.sleep(PAUSE)
    with workspace.writing() as db:
        if row["state"] == "returning" and row["kind"] == "rename":
            db.execute("DELETE FROM label_change_documents WHERE change_id = ?", (change_id,))
        db.execute(
            "UPDATE label_changes SET undone = iif(state = 'returning', ?, undone), state = 'done' "
            "WHERE id = ? AND state = ?",
            (now(), change_id, row["state"]),
        )


def _carry_words(workspace: Workspace, row: sqlite3.Row) -> None:
    renamed, returning = row["kind"] == "rename", row["state"] == "returning"
    names = (row["new"], row["old"]) if renamed and returning else (row["old"], row["new"])
    one = TypeChange(row["project_id"], row["id"], *names, remember=not renamed)
    if returning and not renamed:
        lexicon_labels.take_back(workspace, one)
    else:
        lexicon_labels.carry(workspace, one)


def settle(db: sqlite3.Connection, project_id: int, document_id: int) -> bool:
    """Carry this document before anything else, in the open transaction, if a change is on its way to it;
    whether one is.

    What is taken back can wait, for both labels are known then; but not a rename, which knows one of them.
    """
    changes = under_way(db, project_id)
    for change_id in changes:
        row = _change(db, change_id)
        if row is None or (row["state"] == "returning" and row["kind"] != "rename"):
            continue
        if row["state"] != "done" and document_id <= row["upto"]:
            _step(db, row, [document_id])
    return bool(changes)


def left_alone(db: sqlite3.Connection, change_id: int) -> list[int]:
    """The documents that an undo left as they were."""
    return _remembered(db, change_id)


def _step(db: sqlite3.Connection, row: sqlite3.Row, ids: list[int]) -> None:
    if row["state"] == "carrying":
        _carry_some(db, row, ids)
    elif row["kind"] == "rename":
        _rename_back_some(db, row, ids)
    else:
        _return_some(db, row, ids)


def _carry_some(db: sqlite3.Connection, row: sqlite3.Row, ids: list[int]) -> None:
    done = _done(db, row["id"], ids)
    todo = [id_ for id_ in ids if id_ not in done]
    if not todo:
        return
    mapping = LabelMapping(row["old"], row["new"])
    if row["kind"] == "rename":
        _remember(db, row["id"], rename_documents(db, row["project_id"], todo, mapping))
    else:
        _remember(db, row["id"], carry(db, todo, mapping))


def _rename_back_some(db: sqlite3.Connection, row: sqlite3.Row, ids: list[int]) -> None:
    saved = _done(db, row["id"], ids)
    todo = {id_: saved.get(id_, {}) for id_ in ids if saved.get(id_, {}) is not _BACK}
    rename_back(db, LabelMapping(row["old"], row["new"]), todo, set(json.loads(row["before"] or "[]")))
    _remember(db, row["id"], dict.fromkeys(todo, _BACK))


def _return_some(db: sqlite3.Connection, row: sqlite3.Row, ids: list[int]) -> None:
    saved = _done(db, row["id"], ids)
    conflicts = take_back(db, LabelMapping(row["old"], row["new"]), saved)
    db.executemany(
        "DELETE FROM label_change_documents WHERE change_id = ? AND document_id = ?",
        [(row["id"], id_) for id_ in saved if id_ not in conflicts],
    )


def _remember(db: sqlite3.Connection, change_id: int, saved: Mapping[int, Saved | None]) -> None:
    db.executemany(
        "INSERT OR REPLACE INTO label_change_documents VALUES (?, ?, ?)",
        [(change_id, id_, json.dumps(one, ensure_ascii=False)) for id_, one in saved.items()],
    )


def _remembered(db: sqlite3.Connection, change_id: int) -> list[int]:
    rows = db.execute(
        "SELECT document_id FROM label_change_documents WHERE change_id = ? ORDER BY document_id",
        (change_id,),
    )
    return [row[0] for row in rows]


def _done(db: sqlite3.Connection, change_id: int, ids: Iterable[int]) -> dict[int, Any]:
    """What those of these documents that were carried held before; None where a rename is back."""
    rows = db.execute(
        "SELECT document_id, saved FROM label_change_documents WHERE change_id = ? "
        "AND document_id IN (SELECT value FROM json_each(?))",
        (change_id, *listed(ids)),
    )
    return {row[0]: json.loads(row[1]) for row in rows}


def _left(db: sqlite3.Connection, row: sqlite3.Row) -> list[int]:
    known = _remembered(db, row["id"])
    if row["state"] == "returning" and row["kind"] != "rename":
        return known
    if row["state"] == "carrying":
        left = set(affected(db, row["project_id"], row["old"])).difference(known)
    else:
        back = {id_ for id_, saved in _done(db, row["id"], known).items() if saved is _BACK}
        left = {*known, *affected(db, row["project_id"], row["new"])} - back
    return sorted(id_ for id_ in left if id_ <= row["upto"])


def _last_document(db: sqlite3.Connection, project_id: int) -> int:
    row = db.execute("SELECT max(id) FROM documents WHERE project_id = ?", (project_id,)).fetchone()
    return int(row[0] or 0)


def _change(db: sqlite3.Connection, change_id: int) -> sqlite3.Row | None:
    row: sqlite3.Row | None = db.execute(
        "SELECT id, project_id, kind, state, json_extract(change, '$.old') AS old, "
        "json_extract(change, '$.new') AS new, json_extract(change, '$.upto') AS upto, "
        "json_extract(change, '$.before') AS before, "
        "json_extract(change, '$.words_to_go') AS words_to_go FROM label_changes WHERE id = ?",
        (change_id,),
    ).fetchone()
    return row
