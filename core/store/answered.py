"""What a run said beside what people said, over the labelled documents of a project."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass

from core.store.documents import built
from core.store.payload import SPLITS, checked_choice
from core.store.projects import checked_id
from core.store.span_json import load_spans
from core.store.workspace import Workspace
from core.text import Document, Span


@dataclass(frozen=True, slots=True)
class Answered:
    """One labelled document.

    Args:
        document_id: the store's number. document: with the spans people stand by.
        split: train, dev, test or none (which trains too). done: whether somebody said it is complete.
        predicted: what the run said, with scores; None where it has not been asked.
    """

    document_id: int
    document: Document
    split: str
    done: bool
    predicted: tuple[Span, ...] | None


def answered(
    workspace: Workspace, project_id: int, run: str, splits: Collection[str] | None = None
) -> list[Answered]:
    """Every labelled document of these splits (None: all) with what ``run`` said about it, in order.

    Labelled is what training would take: saved by a person or marked done. One transaction, so that both
    sides belong to one moment.

    Raises:
        PayloadError: no such split.
    """
    wanted = [checked_choice(split, SPLITS, "split") for split in (SPLITS if splits is None else splits)]
    with workspace.reading() as db:
        db.execute("BEGIN")
        try:
            rows = db.execute(
                "SELECT d.*, p.spans AS predicted FROM documents d "
                "LEFT JOIN predictions p ON p.run = ? AND p.document_id = d.id "
                "WHERE d.project_id = ? AND d.trashed IS NULL AND (d.revision > 0 OR d.status = 'done') "
                "AND d.split IN (SELECT value FROM json_each(?)) ORDER BY d.id",
                (run, checked_id(project_id), json.dumps(wanted)),
            ).fetchall()
            found = built(db, rows)
        finally:
            db.execute("COMMIT")
    return [
        Answered(
            row["id"],
            document,
            row["split"],
            row["status"] == "done",
            None if row["predicted"] is None else load_spans(row["predicted"]),
        )
        for row, document in zip(rows, found, strict=True)
    ]


def stamp(workspace: Workspace, project_id: int, run: str) -> str:
    """A digest that changes whenever ``answered`` would: for keeping what was computed from it."""
    digest = hashlib.sha256()
    with workspace.reading() as db:
        for row in db.execute(
            "SELECT d.id, d.revision, d.split, d.status, p.spans FROM documents d "
            "LEFT JOIN predictions p ON p.run = ? AND p.document_id = d.id "
            "WHERE d.project_id = ? AND d.trashed IS NULL AND (d.revision > 0 OR d.status = 'done') "
            "ORDER BY d.id",
            (run, checked_id(project_id)),
        ):
            digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()
