"""Annotations against their events: every revision has one, and folding them gives the stored spans."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

from core.store.annotation.annotations import since_import, version_spans
from core.store.annotation.events import Event, at_revision
from core.store.db.errors import StoreError
from core.store.db.span_json import dump_link_of, dump_spans, item_of
from core.store.doctor.finding import RESTORE, Finding
from core.store.document.document_import import content_hash, labels_column
from core.store.document.documents import GOLD
from core.store.label.ids import label_ids, read_names
from core.text import OffsetError, Span

_UNREADABLE = (StoreError, OffsetError, KeyError, ValueError)


def texts(db: sqlite3.Connection) -> Iterator[Finding]:
    """Texts that are not those of the import: every offset may point elsewhere."""
    for row in db.execute("SELECT id, name, text, content_hash FROM documents"):
        # A name that another text had got a suffix; the hash is of the name in the file.
        names = (row["name"], row["name"].rpartition("-")[0])
        if row["content_hash"] not in [content_hash(name, row["text"]) for name in names]:
            yield Finding(
                "changed text", f"document {row['id']}", "its text is not the one that was imported", RESTORE
            )


def views(db: sqlite3.Connection) -> Iterator[Finding]:
    """Annotations whose revision or spans are not those of their events."""
    for document in db.execute("SELECT * FROM documents ORDER BY id"):
        heads = [(GOLD, document["revision"])]
        heads += [
            (row["annotator"], row["revision"])
            for row in db.execute(
                "SELECT annotator, revision FROM versions WHERE document_id = ?", (document["id"],)
            )
        ]
        for annotator, revision in heads:
            found = _judged(db, document, annotator, revision)
            if found is not None:
                yield found


def _judged(db: sqlite3.Connection, document: sqlite3.Row, annotator: str, revision: int) -> Finding | None:
    where = f"document {document['id']}" + (f", {annotator}'s version" if annotator else "")
    numbers = [
        int(row[0])
        for row in db.execute(
            "SELECT revision FROM events WHERE document_id = ? AND annotator = ? ORDER BY revision",
            (document["id"], annotator),
        )
    ]
    last = numbers[-1] if numbers else 0
    if len(numbers) != last:
        missing = sorted(set(range(1, last + 1)) - set(numbers))
        return Finding(
            "revision without event", where, f"the events of revisions {missing[:5]} are not there", RESTORE
        )
    try:
        events = since_import(db, document, annotator)
        spans, rejected = at_revision(events, last)
    except _UNREADABLE:
        return Finding("view differs from events", where, "its events contradict each other", RESTORE)
    if any(span.end > len(document["text"]) for span in spans):
        return Finding("span beyond the text", where, "an event added a span beyond the text", RESTORE)
    again = _rebuilding(document, annotator, last, spans, events, rejected)
    if revision != last:
        return Finding(
            "revision without event", where, f"is at revision {revision}, its last event is {last}",
            f"go back to revision {last}, with the spans of its events", again,
        )  # fmt: skip
    names = read_names(db, document["project_id"])
    stored = {(span.key, span.link) for span in version_spans(db, document["id"], annotator, names)}
    if stored != {(span.key, span.link) for span in spans}:
        return Finding(
            "view differs from events", where,
            f"has {len(stored)} spans, its events give {len(spans)}, not the same ones",
            "make the spans again from the events", again,
        )  # fmt: skip
    return None


def _rebuilding(
    document: sqlite3.Row, annotator: str, revision: int, spans: tuple[Span, ...], events: list[Event],
    rejected: tuple[Span, ...],
) -> Callable[[sqlite3.Connection], None]:  # fmt: skip
    def mend(db: sqlite3.Connection) -> None:
        ids = label_ids(db, document["project_id"]).ids
        mine = (document["id"], annotator)
        scores = {
            tuple(row)[:3]: row["score"]
            for row in db.execute(
                'SELECT start, "end", label, score FROM spans WHERE document_id = ? AND annotator = ?', mine
            )
        }
        items = [item_of(span, ids) for span in (spans if revision else ())]
        db.execute("DELETE FROM spans WHERE document_id = ? AND annotator = ?", mine)
        db.executemany(
            'INSERT INTO spans (document_id, annotator, start, "end", label, score, revision, link) '
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(*mine, *item[:3], scores.get(tuple(item[:3])), revision, dump_link_of(item)) for item in items],
        )
        status = events[-1].status if events else "new"
        told = {"revision": revision, "rejected": dump_spans(rejected, ids), "status": status, "id": mine[0]}
        if annotator == GOLD:
            db.execute(
                "UPDATE documents SET revision = :revision, rejected = :rejected, labels = :labels, "
                "gold_spans = :number, "
                "status = CASE WHEN revision = :revision THEN status ELSE :status END WHERE id = :id",
                {**told, "labels": labels_column(item[2] for item in items), "number": len(items)},
            )
        else:
            db.execute(
                "UPDATE versions SET revision = :revision, rejected = :rejected, "
                "status = CASE WHEN revision = :revision THEN status ELSE :status END "
                "WHERE document_id = :id AND annotator = :annotator",
                {**told, "annotator": annotator},
            )

    return mend
