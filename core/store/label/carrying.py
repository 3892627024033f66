"""Carries a merge or a removal of a label through every table.

What was there before is written down document by document; ``label_returning`` restores it to the letter.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from core.store.db.span_json import dump_spans, load_spans
from core.store.label.mapping import Change, LabelMapping, Saved
from core.store.label.verdicts import carry_verdicts

# Where a label may be written, as (table, column, whether the column is JSON); our own names only.
PLACES = (
    ("spans", "label", False),
    ("decisions", "label", False),
    ("comments", "label", False),
    ("documents", "rejected", True),
    ("documents", "meta", True),
    ("events", "added", True),
    ("events", "removed", True),
    ("events", "rejected", True),
    ("copies", "spans", True),
    ("copies", "rejected", True),
    ("copy_events", "added", True),
    ("copy_events", "removed", True),
    ("copy_events", "rejected", True),
    ("predictions", "spans", True),
    ("corrections", "before", True),
    ("corrections", "after", True),
)


def carry(db: sqlite3.Connection, ids: list[int], mapping: LabelMapping) -> dict[int, Saved]:
    """Apply ``mapping`` to everything about these documents, through an open transaction.

    Returns:
        What ``label_returning.take_back`` needs, by document.
    """
    saved: dict[int, Saved] = {id_: {} for id_ in ids}
    _carry_fields(db, ids, mapping, saved)
    _carry_annotations(db, ids, mapping, saved)
    _carry_copies(db, ids, mapping, saved)
    carry_verdicts(db, ids, mapping, saved)
    return saved


def affected(
    db: sqlite3.Connection, project_id: int, label: str, among: Iterable[int] | None = None
) -> list[int]:
    """Numbers of the documents, trash included, in which ``label`` is written anywhere.

    Args:
        among: only these of the project's.
    """
    written = json.dumps(label, ensure_ascii=False)
    which = "SELECT id FROM documents WHERE project_id = ?"
    values: tuple[int | str] = (project_id,)
    if among is not None:
        which, values = "SELECT value FROM json_each(?)", listed(among)
    found: set[int] = set()
    for table, column, is_json in PLACES:
        key = "id" if table == "documents" else "document_id"
        has = f"instr({column}, ?) > 0" if is_json else f"{column} = ?"
        rows = db.execute(
            f"SELECT DISTINCT {key} FROM {table} WHERE {has} "  # noqa: S608 - constants above
            f"AND {key} IN ({which})",
            (written if is_json else label, *values),
        )
        found.update(row[0] for row in rows)
    return sorted(found)


def _carry_fields(
    db: sqlite3.Connection, ids: list[int], mapping: LabelMapping, saved: dict[int, Saved]
) -> None:
    rows = db.execute(
        "SELECT id, revision, meta FROM documents WHERE id IN (SELECT value FROM json_each(?))", listed(ids)
    ).fetchall()
    for row in rows:
        saved[row["id"]]["revision"] = row["revision"]
        if json.dumps(mapping.old, ensure_ascii=False) not in row["meta"]:
            continue
        mapped = mapping.meta(row["meta"])
        if json.loads(mapped) != json.loads(row["meta"]):
            saved[row["id"]]["meta"] = row["meta"]
            db.execute("UPDATE documents SET meta = ? WHERE id = ?", (mapped, row["id"]))


def _carry_annotations(
    db: sqlite3.Connection, ids: list[int], mapping: LabelMapping, saved: dict[int, Saved]
) -> None:
    events = grouped(db, "events", ids, "revision")
    for id_, rows in events.items():
        old = _carry_events(db, "events", rows, (), mapping)
        if old:
            saved[id_]["events"] = old
    spans = grouped(db, "spans", ids, "start")
    rejected = {
        row["id"]: row["rejected"]
        for row in db.execute(
            "SELECT id, rejected FROM documents WHERE id IN (SELECT value FROM json_each(?))", listed(ids)
        ).fetchall()
    }
    for id_ in ids:
        keys = {(row["start"], row["end"], row["label"]) for row in spans.get(id_, ())}
        old_rows = [row for row in spans.get(id_, ()) if row["label"] == mapping.old]
        if old_rows:
            saved[id_]["spans"] = [
                [row["start"], row["end"], row["score"], row["revision"],
                 (row["start"], row["end"], mapping.new) in keys]
                for row in old_rows
            ]  # fmt: skip
            db.execute("DELETE FROM spans WHERE document_id = ? AND label = ?", (id_, mapping.old))
            if mapping.new is not None:
                db.executemany(
                    "INSERT OR IGNORE INTO spans VALUES (?, ?, ?, ?, ?, ?)",
                    [(id_, row["start"], row["end"], mapping.new, row["score"], row["revision"])
                     for row in old_rows],
                )  # fmt: skip
        after = {(a, b, mapping.new if label == mapping.old else label) for a, b, label in keys}
        mapped = dump_spans(mapping.rejected(load_spans(rejected[id_]), after))  # type: ignore[arg-type]
        if mapped != rejected[id_]:
            saved[id_]["rejected"] = rejected[id_]
            db.execute("UPDATE documents SET rejected = ? WHERE id = ?", (mapped, id_))


def _carry_copies(
    db: sqlite3.Connection, ids: list[int], mapping: LabelMapping, saved: dict[int, Saved]
) -> None:
    copies = grouped(db, "copies", ids, "user")
    events = grouped(db, "copy_events", ids, "user, revision")
    for id_, rows in copies.items():
        for row in rows:
            spans, rejected = load_spans(row["spans"]), load_spans(row["rejected"])
            own = [event for event in events.get(id_, ()) if event["user"] == row["user"]]
            start = _import_before(saved[id_], db, id_)
            old_events = _carry_events(db, "copy_events", own, start, mapping)
            mapped = mapping.spans(spans)
            values = (dump_spans(mapped), dump_spans(mapping.rejected(rejected, [x.key for x in mapped])))
            if not old_events and values == (row["spans"], row["rejected"]):
                continue
            saved[id_].setdefault("copies", {})[row["user"]] = {
                "revision": row["revision"],
                "spans": row["spans"],
                "rejected": row["rejected"],
                "events": old_events,
            }
            db.execute(
                "UPDATE copies SET spans = ?, rejected = ? WHERE document_id = ? AND user = ?",
                (*values, id_, row["user"]),
            )


def _import_before(saved: Saved, db: sqlite3.Connection, id_: int) -> Sequence[Any]:
    """What the document was imported with, before the change: every copy begins with it."""
    for revision, added, *_ in saved.get("events", ()):
        if revision == 1:
            row = db.execute(
                "SELECT action FROM events WHERE document_id = ? AND revision = 1", (id_,)
            ).fetchone()
            return load_spans(added) if row["action"] == "import" else ()
    row = db.execute(
        "SELECT added FROM events WHERE document_id = ? AND revision = 1 AND action = 'import'", (id_,)
    ).fetchone()
    return load_spans(row["added"]) if row else ()


def _carry_events(
    db: sqlite3.Connection,
    table: str,
    rows: Sequence[sqlite3.Row],
    start: Sequence[Any],
    mapping: LabelMapping,
) -> list[list[Any]]:
    """Rewrite the events of one annotation; gives what the changed ones held before."""
    written = json.dumps(mapping.old, ensure_ascii=False)
    if not any(
        written in row[column] for row in rows for column in ("added", "removed", "rejected")
    ) and not any(span.label == mapping.old for span in start):
        return []
    old = []
    for row, change in zip(rows, mapping.events(start, [change_of(row) for row in rows]), strict=True):
        values = tuple(dump_spans(spans) for spans in (change.added, change.removed, change.rejected))
        if values == (row["added"], row["removed"], row["rejected"]):
            continue
        old.append([row["revision"], row["added"], row["removed"], row["rejected"]])
        write_event(db, table, row, values)
    return old


def write_event(db: sqlite3.Connection, table: str, row: sqlite3.Row, values: Sequence[str]) -> None:
    """Write what an event added, removed and left rejected."""
    whose = " AND user = ?" if table == "copy_events" else ""
    key = [row["document_id"], row["revision"], *([row["user"]] if whose else [])]
    db.execute(
        f"UPDATE {table} SET added = ?, removed = ?, rejected = ? "  # noqa: S608 - one of two constants
        f"WHERE document_id = ? AND revision = ?{whose}",
        (*values, *key),
    )


def carry_project(db: sqlite3.Connection, project_id: int, mapping: LabelMapping, at: int) -> Saved:
    """Patterns (without their label: to the trash)."""
    patterns = [
        row[0]
        for row in db.execute(
            "SELECT id FROM patterns WHERE project_id = ? AND label = ? AND trashed IS NULL",
            (project_id, mapping.old),
        ).fetchall()
    ]
    if mapping.new is None:
        db.executemany("UPDATE patterns SET trashed = ? WHERE id = ?", [(at, id_) for id_ in patterns])
        return {"patterns": patterns, "trashed": at}
    db.executemany("UPDATE patterns SET label = ? WHERE id = ?", [(mapping.new, id_) for id_ in patterns])
    return {"patterns": patterns}


def change_of(row: sqlite3.Row) -> Change:
    """The row of an event."""
    return Change(load_spans(row["added"]), load_spans(row["removed"]), load_spans(row["rejected"]))


def listed(ids: Iterable[int]) -> tuple[str]:
    """Numbers as one JSON parameter."""
    return (json.dumps(list(ids)),)


def grouped(db: sqlite3.Connection, table: str, ids: list[int], order: str) -> dict[int, list[sqlite3.Row]]:
    """The rows of some documents, by document; ``table`` and ``order`` are names of our own schema."""
    found: dict[int, list[sqlite3.Row]] = {}
    rows = db.execute(
        f"SELECT * FROM {table} WHERE document_id IN (SELECT value FROM json_each(?)) "  # noqa: S608
        f"ORDER BY document_id, {order}",
        listed(ids),
    )
    for row in rows.fetchall():
        found.setdefault(row["document_id"], []).append(row)
    return found
