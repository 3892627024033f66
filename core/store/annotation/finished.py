"""Finished documents: fully annotated ones, used as examples.

A document is finished if it is marked done, or was imported fully annotated and not changed since. With
individual versions only the user's own finished versions count.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.store.annotation.annotations import current, set_status
from core.store.db.span_json import spans_of
from core.store.db.workspace import Workspace
from core.store.document.documents import GOLD
from core.store.label.ids import read_names
from core.store.project.projects import checked_id
from core.text import Document, Span
from core.text.annotated_regions import REGIONS

CHUNK = 2_000

_GOLD = (
    "d.project_id = ? AND d.trashed IS NULL AND (d.status = 'done' OR "  # noqa: S608 - ours
    f"(d.status = 'new' AND d.revision > 0 AND json_extract(d.meta, '$.{REGIONS}') IS NULL AND EXISTS "
    "(SELECT 1 FROM events e WHERE e.document_id = d.id AND e.annotator = '' AND e.action = 'import')))"
)
_OWN = "d.project_id = ? AND d.trashed IS NULL AND v.annotator = ? AND v.status = 'done'"
_VERSION = "JOIN versions v ON v.document_id = d.id"
_CHOSEN = "d.id IN (SELECT value FROM json_each(?))"
_SPLITS = "SELECT d.id, d.split FROM documents d"
_TEXTS = "SELECT d.id, d.name, d.text, d.split FROM documents d"


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished document: id, name, text and current spans in reading order."""

    id: int
    name: str
    text: str
    spans: tuple[Span, ...]
    split: str


def splits(workspace: Workspace, project_id: int, user: str | None = None) -> dict[int, str]:
    """The finished documents with their split, newest first.

    Args:
        user: whose versions; None: the gold annotation.
    """
    project_id = checked_id(project_id)
    with workspace.reading() as db:
        if user is None:
            rows = db.execute(f"{_SPLITS} WHERE {_GOLD} ORDER BY d.id DESC", (project_id,))
        else:
            rows = db.execute(f"{_SPLITS} {_VERSION} WHERE {_OWN} ORDER BY d.id DESC", (project_id, user))
        return {row[0]: row[1] for row in rows}


def texts(workspace: Workspace, ids: Iterable[int]) -> Iterator[tuple[int, str]]:
    """The texts of documents, in the given order; deleted ones are left out."""
    source = iter(ids)
    while chunk := list(islice(source, CHUNK)):
        with workspace.reading() as db:
            rows = db.execute(
                "SELECT id, text FROM documents WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(chunk),),
            ).fetchall()
        texts_by_id = {row[0]: row[1] for row in rows}
        yield from ((id_, texts_by_id[id_]) for id_ in chunk if id_ in texts_by_id)


def read(
    workspace: Workspace, project_id: int, ids: Iterable[int], user: str | None = None
) -> dict[int, Finished]:
    """The finished ones of these documents, with their spans.

    Args:
        user: as in ``splits``.
    """
    project_id, wanted = checked_id(project_id), json.dumps(list(ids))
    with workspace.reading() as db:
        names = read_names(db, project_id)
        db.execute("BEGIN")  # status and spans from one transaction
        try:
            if user is None:
                rows = db.execute(f"{_TEXTS} WHERE {_GOLD} AND {_CHOSEN}", (project_id, wanted)).fetchall()
            else:
                rows = db.execute(
                    f"{_TEXTS} {_VERSION} WHERE {_OWN} AND {_CHOSEN}", (project_id, user, wanted)
                ).fetchall()
            items: dict[int, list[tuple[int, int, int]]] = {row["id"]: [] for row in rows}
            for row in db.execute(
                'SELECT document_id, start, "end", label FROM spans WHERE annotator = ? AND document_id IN '
                '(SELECT value FROM json_each(?)) ORDER BY document_id, start, "end" DESC',
                (user or GOLD, json.dumps(list(items))),
            ):
                items[row[0]].append((row[1], row[2], row[3]))
        finally:
            db.execute("COMMIT")
    spans = {id_: spans_of(rows_of, names) for id_, rows_of in items.items()}
    return {
        row["id"]: Finished(row["id"], row["name"], row["text"], spans[row["id"]], row["split"])
        for row in rows
    }


def finish_empty(
    workspace: Workspace, imported: Sequence[Document], ids: Sequence[int], *, user: str
) -> None:
    """Mark the documents without spans of an imported labelled corpus as done. A snapshot would otherwise
    leave them out as not annotated.

    Args:
        imported: the documents given to ``documents.add``. ids: the ids it returned for them.
    """
    for document, id_ in zip(imported, ids, strict=True):
        if not document.spans:
            annotation = current(workspace, id_)
            if annotation.status == "new" and not annotation.revision:
                set_status(workspace, id_, "done", user=user)
