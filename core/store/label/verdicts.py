"""Carries a merge or a removal of a label through what is said about annotations: predictions, corrections,
decisions and comments."""

from __future__ import annotations

import json
import sqlite3

from core.store.annotation.corrections import claim_of
from core.store.db.span_json import dump_span, dump_spans, load_spans
from core.store.label.mapping import LabelMapping, Saved


def carry_verdicts(
    db: sqlite3.Connection, ids: list[int], mapping: LabelMapping, saved: dict[int, Saved]
) -> None:
    """Apply ``mapping`` to them, through an open transaction; ``saved`` grows by what they held before."""
    _carry_predictions(db, ids, mapping, saved)
    _carry_corrections(db, ids, mapping, saved)
    _carry_remarks(db, ids, mapping, saved)


def _carry_predictions(
    db: sqlite3.Connection, ids: list[int], mapping: LabelMapping, saved: dict[int, Saved]
) -> None:
    rows = db.execute(
        "SELECT * FROM predictions WHERE document_id IN (SELECT value FROM json_each(?)) "
        "AND instr(spans, ?) > 0",
        (json.dumps(ids), json.dumps(mapping.old, ensure_ascii=False)),
    ).fetchall()
    for row in rows:
        mapped = mapping.predicted(load_spans(row["spans"]))
        scores = [span.score for span in mapped if span.score is not None]
        saved[row["document_id"]].setdefault("predictions", []).append(
            [row["run"], row["spans"], row["least_score"]]
        )
        db.execute(
            "UPDATE predictions SET spans = ?, least_score = ? WHERE run = ? AND document_id = ?",
            (dump_spans(mapped), min(scores, default=None), row["run"], row["document_id"]),
        )


def _carry_corrections(
    db: sqlite3.Connection, ids: list[int], mapping: LabelMapping, saved: dict[int, Saved]
) -> None:
    written = json.dumps(mapping.old, ensure_ascii=False)
    rows = db.execute(
        "SELECT * FROM corrections WHERE document_id IN (SELECT value FROM json_each(?)) "
        "AND (instr(coalesce(before, ''), ?) > 0 OR instr(coalesce(after, ''), ?) > 0)",
        (json.dumps(ids), written, written),
    ).fetchall()
    for row in rows:
        saved[row["document_id"]].setdefault("corrections", []).append(list(row))
        claim = mapping.claim(claim_of(row))
        twin = (
            claim
            and db.execute(
                "SELECT 1 FROM corrections WHERE document_id = ? AND id <> ? AND before IS ? AND after IS ?",
                (row["document_id"], row["id"], dump_span(claim.before), dump_span(claim.after)),
            ).fetchone()
        )
        if claim is None or twin:
            db.execute("DELETE FROM corrections WHERE id = ?", (row["id"],))
        else:
            db.execute(
                "UPDATE corrections SET kind = ?, before = ?, after = ? WHERE id = ?",
                (claim.kind, dump_span(claim.before), dump_span(claim.after), row["id"]),
            )


def _carry_remarks(
    db: sqlite3.Connection, ids: list[int], mapping: LabelMapping, saved: dict[int, Saved]
) -> None:
    """Decisions, which go with their label, and comments, which stay on the text without it."""
    for table in ("decisions", "comments"):
        rows = db.execute(
            f"SELECT * FROM {table} WHERE label = ? "  # noqa: S608 - one of two constants
            "AND document_id IN (SELECT value FROM json_each(?))",
            (mapping.old, json.dumps(ids)),
        ).fetchall()
        for row in rows:
            saved[row["document_id"]].setdefault(table, []).append(
                list(row) if table == "decisions" else row["id"]
            )
            if table == "decisions" and mapping.new is None:
                db.execute("DELETE FROM decisions WHERE id = ?", (row["id"],))
            else:
                db.execute(
                    f"UPDATE {table} SET label = ? WHERE id = ?",  # noqa: S608 - one of two constants
                    (mapping.new, row["id"]),
                )
