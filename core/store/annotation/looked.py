"""Which regions of a document somebody has looked at, so that the rest is not taught as "no entity here".

A document that is done, or was imported with spans, has been looked at from end to end (an imported one may
say otherwise in ``meta["looked"]``). In any other these regions have been: the sentences in which a person
labelled, accepted, rejected, moved or deleted something on the screen, and what somebody marked
(`looked_marks`); the sentences follow from the events. What is done to many documents at once
(labelling every other occurrence, replacing a label) shows nobody a sentence and counts for its spans alone.

A person's own copy is read the same way, from its own status, events and marks: outside what they looked at,
no span of theirs is no answer, and a review does not count it as one.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from core.store.annotation.looked_marks import Stretch, change, marks_of
from core.store.db.span_json import load_spans
from core.store.db.workspace import Workspace
from core.store.document.documents import CHUNK, document_row
from core.text import Document, OffsetError, Span
from core.text.looked import LOOKED, Region, joined, looked_regions, sentences_with
from core.text.segmentation import sentences

# Actions whose spans were on the screen of the person who did them.
ON_SCREEN = frozenset(("label", "relabel", "accept", "accept_all", "reject", "delete", "move", "edit"))
# Read by nobody on the way: taking back and doing again change what other actions have looked at before.
UNSEEN = frozenset(
    (
        "import",
        "undo",
        "redo",
        "revert",
        "status",
        "done",
        "reopen",
        "keep_mine",
        "label_others",
        "merge",
        "replace_labels",
    )
)


@dataclass(frozen=True, slots=True)
class Looked:
    """What has been looked at of a document.

    Args:
        whole: all of it; then ``regions`` is the whole text.
        regions: what teaches. marked: the part of it that people marked, and may take back.
    """

    whole: bool
    regions: tuple[Region, ...]
    marked: tuple[Region, ...]


def get(workspace: Workspace, document_id: int) -> Looked:
    """What has been looked at of a document.

    Raises:
        NotFound: no such document.
    """
    with workspace.reading() as db:
        return _read(db, document_row(db, document_id))


def mark(workspace: Workspace, document_id: int, start: int, end: int, *, user: str) -> Looked:
    """Say that the document was looked at from ``start`` to ``end``; what was marked before stays.

    Raises:
        PayloadError: no such stretch. NotFound: no such document.
    """
    return change_marks(workspace, document_id, [Stretch(start, end, True)], user=user)


def unmark(workspace: Workspace, document_id: int, start: int, end: int, *, user: str) -> Looked:
    """Take back what was marked from ``start`` to ``end``; sentences in which something was said stay.

    Raises:
        PayloadError: no such stretch. NotFound: no such document.
    """
    return change_marks(workspace, document_id, [Stretch(start, end, False)], user=user)


def change_marks(
    workspace: Workspace, document_id: int, stretches: Sequence[Stretch], *, user: str, way: str = "mark"
) -> Looked:
    """Several marks, and marks taken back, as one step.

    Args:
        way: ``mark``, or ``undo`` and ``redo`` of such a step.

    Raises:
        PayloadError, NotFound: as ``mark``.
    """
    with workspace.writing() as db:
        row = document_row(db, document_id)
        change(db, row, stretches, revision=row["revision"], user=user, way=way)
        return _read(db, row)


def of_copy(db: sqlite3.Connection, row: sqlite3.Row, status: str, owner: str) -> Looked:
    """What the owner of a copy has looked at of it; what it was imported with, nobody has looked at yet.

    Args:
        row: of the document. status: of the copy.
    """
    return of_copies(db, [row], {row["id"]: status}, owner)[row["id"]]


def of_copies(
    db: sqlite3.Connection, rows: Sequence[sqlite3.Row], statuses: Mapping[int, str], owner: str
) -> dict[int, Looked]:
    """As `of_copy`, of several copies of one person, by document."""
    ids = [row["id"] for row in rows]
    events, marks = _events(db, ids, owner), marks_of(db, ids, owner)
    return {
        row["id"]: _looked(
            Document(row["name"], row["text"]), statuses[row["id"]], events[row["id"]], marks[row["id"]]
        )
        for row in rows
    }


def with_regions(
    db: sqlite3.Connection, rows: Sequence[sqlite3.Row], documents: Sequence[Document]
) -> Iterator[Document]:
    """The documents with ``meta["looked"]`` where they were looked at in part, and without it elsewhere.

    Args:
        rows: their rows of the table ``documents``. documents: as ``documents.built`` made them.
    """
    open_ids = [row["id"] for row in rows if row["status"] != "done"]
    events, marks = _events(db, open_ids), marks_of(db, open_ids)
    for row, document in zip(rows, documents, strict=True):
        found = _looked(document, row["status"], events[row["id"]], marks[row["id"]])
        meta = {key: value for key, value in document.meta.items() if key != LOOKED}
        if not found.whole:
            meta[LOOKED] = [list(region) for region in found.regions]
        yield Document(document.id, document.text, document.spans, meta)


def carried(workspace: Workspace, project_id: int, source: Iterable[Document]) -> Iterator[Document]:
    """The project's documents on their way into a file, with ``meta["looked"]`` where they teach in part.

    What an import said and no longer holds is left out. Documents nobody has touched say nothing.
    """
    given = iter(source)
    while chunk := list(islice(given, CHUNK)):
        with workspace.reading() as db:
            found = db.execute(
                "SELECT * FROM documents WHERE project_id = ? AND name IN (SELECT value FROM json_each(?)) "
                "AND (revision > 0 OR status = 'done' OR id IN (SELECT document_id FROM looked))",
                (project_id, json.dumps([document.id for document in chunk])),
            ).fetchall()
            rows = {row["name"]: row for row in found}
            known = [document for document in chunk if document.id in rows]
            told = {x.id: x for x in with_regions(db, [rows[x.id] for x in known], known)}
        yield from (told.get(document.id, document) for document in chunk)


@dataclass(frozen=True, slots=True)
class _Event:
    action: str
    touched: tuple[Span, ...]


def _read(db: sqlite3.Connection, row: sqlite3.Row) -> Looked:
    ids = [row["id"]]
    document = Document(row["name"], row["text"], (), json.loads(row["meta"]))
    return _looked(document, row["status"], _events(db, ids)[row["id"]], marks_of(db, ids)[row["id"]])


def _looked(document: Document, status: str, events: Sequence[_Event], marked: Sequence[Region]) -> Looked:
    text = document.text
    whole = Looked(True, ((0, len(text)),) if text else (), tuple(marked))
    if status == "done":
        return whole
    said = _said_by_import(document)
    if any(event.action == "import" for event in events) and said is None:
        return whole
    touched = [
        (span.start, span.end) for event in events if event.action in ON_SCREEN for span in event.touched
    ]
    seen = sentences_with(list(sentences(text)), touched) if touched else ()
    regions = joined((*(said or ()), *seen, *marked))
    return whole if regions == ((0, len(text)),) else Looked(False, regions, tuple(marked))


def _said_by_import(document: Document) -> tuple[Region, ...] | None:
    """What an imported document says of itself; None where that is nothing, or nothing that makes sense."""
    try:
        return looked_regions(document)
    except OffsetError:
        return None


def _events(db: sqlite3.Connection, ids: Sequence[int], owner: str | None = None) -> dict[int, list[_Event]]:
    """The events of documents, or of somebody's copies of them, with the spans each added, took away,
    rejected or took up again."""
    found: dict[int, list[_Event]] = defaultdict(list)
    rejected: dict[int, frozenset[Span]] = defaultdict(frozenset)
    table = "events" if owner is None else "copy_events WHERE user = :owner"
    rows = db.execute(
        "SELECT document_id, action, added, removed, rejected "  # noqa: S608 - one of two of ours
        f"FROM (SELECT * FROM {table}) "
        "WHERE document_id IN (SELECT value FROM json_each(:ids)) ORDER BY document_id, revision",
        {"owner": owner, "ids": json.dumps(list(ids))},
    )
    for row in rows:
        id_, after = row["document_id"], frozenset(load_spans(row["rejected"]))
        changed = rejected[id_] ^ after
        rejected[id_] = after
        touched = (*load_spans(row["added"]), *load_spans(row["removed"]), *changed)
        found[id_].append(_Event(row["action"], touched))
    return found
