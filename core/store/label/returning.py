"""Takes a merge or a removal of a label back, from what ``label_carrying`` wrote down."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from core.store.db.span_json import dump_spans, load_spans
from core.store.label.carrying import change_of, listed, write_event
from core.store.label.mapping import LabelMapping, Saved, touched


def take_back(db: sqlite3.Connection, mapping: LabelMapping, known: dict[int, Saved]) -> list[int]:
    """Undo ``carry`` of these documents through an open transaction.

    Returns:
        Documents that were left as they are, because somebody has since taken away a span that the change
        had renamed.
    """
    conflicts: list[int] = []
    rows = db.execute("SELECT * FROM documents WHERE id IN (SELECT value FROM json_each(?))", listed(known))
    for row in rows.fetchall():
        id_ = row["id"]
        before = known[id_]
        if _conflicts(db, id_, mapping, before):
            conflicts.append(id_)
            continue
        _return_annotation(db, row, mapping, before)
        _return_copies(db, id_, mapping, before)
        _return_predictions(db, id_, mapping, before)
        _return_corrections(db, row, mapping, before)
        _return_remarks(db, mapping, before)
    return conflicts


def _conflicts(db: sqlite3.Connection, id_: int, mapping: LabelMapping, before: Saved) -> bool:
    """Whether a later edit touched a span that the change had given its new label."""
    keys = [(start, end, mapping.new) for start, end, *_ in before.get("spans", ())]
    later = db.execute(
        "SELECT * FROM events WHERE document_id = ? AND revision > ?", (id_, before["revision"])
    )
    if mapping.new is not None and touched(keys, [change_of(row) for row in later]):  # type: ignore[arg-type]
        return True
    for user, copy in before.get("copies", {}).items():
        own = [(x.start, x.end, mapping.new) for x in load_spans(copy["spans"]) if x.label == mapping.old]
        later = db.execute(
            "SELECT * FROM copy_events WHERE document_id = ? AND user = ? AND revision > ?",
            (id_, user, copy["revision"]),
        )
        if mapping.new is not None and touched(own, [change_of(row) for row in later]):  # type: ignore[arg-type]
            return True
    return False


def _return_annotation(
    db: sqlite3.Connection, row: sqlite3.Row, mapping: LabelMapping, before: Saved
) -> None:
    id_ = row["id"]
    for revision, *values in before.get("events", ()):
        db.execute(
            "UPDATE events SET added = ?, removed = ?, rejected = ? WHERE document_id = ? AND revision = ?",
            (*values, id_, revision),
        )
    for start, end, score, revision, had_both in before.get("spans", ()):
        if mapping.new is not None and not had_both:
            db.execute(
                'DELETE FROM spans WHERE document_id = ? AND start = ? AND "end" = ? AND label = ?',
                (id_, start, end, mapping.new),
            )
        db.execute(
            "INSERT OR IGNORE INTO spans VALUES (?, ?, ?, ?, ?, ?)",
            (id_, start, end, mapping.old, score, revision),
        )
    if "rejected" in before:
        was = load_spans(before["rejected"])
        if row["revision"] == before["revision"]:
            rejected = before["rejected"]
        else:
            rejected = dump_spans(mapping.back(load_spans(row["rejected"]), was))
            _return_later_rejections(db, "events", (id_,), before["revision"], mapping, was)
        db.execute("UPDATE documents SET rejected = ? WHERE id = ?", (rejected, id_))
    if "meta" in before and json.loads(row["meta"]) == json.loads(mapping.meta(before["meta"])):
        db.execute("UPDATE documents SET meta = ? WHERE id = ?", (before["meta"], id_))


def _return_later_rejections(
    db: sqlite3.Connection,
    table: str,
    key: tuple[Any, ...],
    revision: int,
    mapping: LabelMapping,
    was: Sequence[Any],
) -> None:
    whose = " AND user = ?" if table == "copy_events" else ""
    rows = db.execute(
        f"SELECT * FROM {table} WHERE document_id = ?{whose} AND revision > ?",  # noqa: S608 - constants
        (*key, revision),
    ).fetchall()
    for row in rows:
        rejected = dump_spans(mapping.back(load_spans(row["rejected"]), was))
        write_event(db, table, row, (row["added"], row["removed"], rejected))


def _return_copies(db: sqlite3.Connection, id_: int, mapping: LabelMapping, before: Saved) -> None:
    for user, copy in before.get("copies", {}).items():
        row = db.execute("SELECT * FROM copies WHERE document_id = ? AND user = ?", (id_, user)).fetchone()
        if row is None:
            continue
        for revision, *values in copy["events"]:
            db.execute(
                "UPDATE copy_events SET added = ?, removed = ?, rejected = ? "
                "WHERE document_id = ? AND user = ? AND revision = ?",
                (*values, id_, user, revision),
            )
        spans, rejected = copy["spans"], copy["rejected"]
        if row["revision"] != copy["revision"]:
            was = load_spans(rejected)
            spans = dump_spans(mapping.back(load_spans(row["spans"]), load_spans(spans)))
            rejected = dump_spans(mapping.back(load_spans(row["rejected"]), was))
            _return_later_rejections(db, "copy_events", (id_, user), copy["revision"], mapping, was)
        db.execute(
            "UPDATE copies SET spans = ?, rejected = ? WHERE document_id = ? AND user = ?",
            (spans, rejected, id_, user),
        )


def _return_predictions(db: sqlite3.Connection, id_: int, mapping: LabelMapping, before: Saved) -> None:
    for run, spans, least in before.get("predictions", ()):
        # A run that has answered again since then keeps its newer answer.
        db.execute(
            "UPDATE predictions SET spans = ?, least_score = ? WHERE run = ? AND document_id = ? "
            "AND spans = ?",
            (spans, least, run, id_, dump_spans(mapping.predicted(load_spans(spans)))),
        )


def _return_corrections(
    db: sqlite3.Connection, row: sqlite3.Row, mapping: LabelMapping, before: Saved
) -> None:
    untouched = row["revision"] == before["revision"]
    for values in before.get("corrections", ()):
        known = db.execute("SELECT * FROM corrections WHERE id = ?", (values[0],)).fetchone()
        if known is None and not untouched:
            continue  # a later save has told the corrections anew
        db.execute("DELETE FROM corrections WHERE id = ?", (values[0],))
        db.execute("INSERT INTO corrections VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)


def _return_remarks(db: sqlite3.Connection, mapping: LabelMapping, before: Saved) -> None:
    for values in before.get("decisions", ()):
        if mapping.new is None:
            marks = ", ".join("?" * len(values))
            db.execute(f"INSERT OR IGNORE INTO decisions VALUES ({marks})", values)  # noqa: S608 - marks only
        else:
            db.execute(
                "UPDATE decisions SET label = ? WHERE id = ? AND label = ?",
                (mapping.old, values[0], mapping.new),
            )
    for id_ in before.get("comments", ()):
        db.execute(
            "UPDATE comments SET label = ? WHERE id = ? AND label IS ?", (mapping.old, id_, mapping.new)
        )


def return_project(db: sqlite3.Connection, project_id: int, mapping: LabelMapping, before: Saved) -> None:
    """Undo ``label_carrying.carry_project`` through an open transaction."""
    for id_ in before["patterns"]:
        if mapping.new is None:
            db.execute(
                "UPDATE patterns SET trashed = NULL WHERE id = ? AND trashed = ?", (id_, before["trashed"])
            )
        else:
            db.execute(
                "UPDATE patterns SET label = ? WHERE id = ? AND label = ?", (mapping.old, id_, mapping.new)
            )
