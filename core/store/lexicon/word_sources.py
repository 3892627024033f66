"""Provenance of a dictionary label: its batch, the version of the list, the word's origin."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from core.store.label.ids import label_ids, read_names
from core.store.lexicon.lists import current_list
from core.text import Span


@dataclass(frozen=True, slots=True)
class WordSource:
    """Provenance of one dictionary label.

    Args:
        batch: of distant labels, made with ``version`` of the word list; 0 for a word on the list only.
        change: the change that added the word (0: unknown); ``list`` names its file or base.
        user, at: of the batch, or else of the change (UTC ms).
        is_suggested: whether the batch only suggests.
    """

    batch: int
    version: int
    change: int
    list: str
    user: str
    at: int
    is_suggested: bool = False


def of_label(db: sqlite3.Connection, document_id: int, span: Span) -> list[WordSource]:
    """The batches that labelled this span, oldest first, without undone ones."""
    rows = db.execute(
        "SELECT t.label, t.origin, b.id, b.project_id, b.user, b.at, c.source, "
        "json_extract(b.detail, '$.version') AS version, json_extract(b.detail, '$.mode') AS mode "
        "FROM distant_labels t JOIN steps b ON b.id = t.batch "
        "LEFT JOIN lexicon_batches c ON c.id = t.origin AND c.project_id = b.project_id "
        'WHERE t.document_id = ? AND t.start = ? AND t."end" = ? AND b.undone IS NULL ORDER BY b.id',
        (document_id, span.start, span.end),
    ).fetchall()
    return [
        WordSource(row["id"], row["version"], row["origin"], row["source"] or "", row["user"], row["at"],
                   row["mode"] == "suggest")
        for row in rows
        if read_names(db, row["project_id"])[row["label"]] == span.label
    ]  # fmt: skip


def of_word(db: sqlite3.Connection, project_id: int, word: str, label: str) -> WordSource | None:
    """The change that added a word with this type; None if it is not on the list."""
    row = db.execute(
        "SELECT b.id, b.source, b.user, b.at FROM lexicon_words w JOIN lexicon_batches b ON b.id = w.origin "
        "WHERE w.list = ? AND w.masked = 0 AND w.word = ? AND w.type IN (SELECT value FROM json_each(?))",
        (current_list(db, project_id), word, json.dumps(label_ids(db, project_id).read_as(label))),
    ).fetchone()
    return row and WordSource(0, 0, row["id"], row["source"], row["user"], row["at"])
