"""Annotated regions: the exhaustively annotated parts of a text, derived from events and marks.

A document that is done, or was imported with spans, is annotated from end to end, unless an imported one
lists ``meta["annotated_regions"]``. In any other document the regions are the sentences in which a person
labelled, accepted, rejected, moved or deleted a span (derived from the events) and those a person marked; an
edit that was undone leaves none. Bulk edits (labelling every other occurrence, replacing a label) show nobody
the sentence and contribute only their spans.

For scoring, deciding one suggestion of a sentence does not decide the next one: of such a document only the
gold and the rejected spans, and regions that were imported or marked, are decided (`with_decided`).

An annotator's version follows the same rules with its own status, events and marks, except that imported
spans do not make it annotated. Adjudication takes silence outside its regions as an abstention.

Marking a region is not an edit and does not change the revision. Its event records the revision at which it
was made, which gives undo its place among the edits.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, get_args

from core.store.annotation.heads import assigned_row
from core.store.annotation.touched import Edit, edits_of, touched
from core.store.db.cells import load_json
from core.store.db.clock import now
from core.store.db.errors import PayloadError
from core.store.db.payload import checked_choice, checked_user
from core.store.db.span_json import load_items
from core.store.db.workspace import Workspace
from core.store.document.documents import CHUNK, GOLD
from core.text import Document, OffsetError
from core.text.annotated_regions import REGIONS, Region, annotated_regions, joined, sentences_with, without
from core.text.segmentation import sentences

Way = Literal["mark", "undo", "redo"]
WAYS: tuple[Way, ...] = get_args(Way)
MOST_STRETCHES = 1_000


@dataclass(frozen=True, slots=True)
class Stretch:
    """Mark ``[start, end)`` as annotated, or unmark it."""

    start: int
    end: int
    annotated: bool


@dataclass(frozen=True, slots=True)
class MarkEvent:
    """One change of the marks: user, revision, regions marked and unmarked."""

    revision: int
    user: str
    action: Way
    came: tuple[Region, ...]
    gone: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class Annotated:
    """The annotated regions of a document.

    Args:
        whole: all of it; then ``regions`` is the whole text.
        regions: all annotated regions. marked: the manually marked ones, which can be unmarked.
    """

    whole: bool
    regions: tuple[Region, ...]
    marked: tuple[Region, ...]


def get(workspace: Workspace, document_id: int, annotator: str = GOLD) -> Annotated:
    """The annotated regions of an annotation.

    Raises:
        NotFound: no such document. NotAllowed: it is not assigned to the annotator.
    """
    with workspace.reading() as db:
        return _read(db, assigned_row(db, document_id, annotator), annotator)


def mark(
    workspace: Workspace,
    document_id: int,
    stretches: Sequence[Stretch],
    *,
    user: str,
    annotator: str = GOLD,
    way: str = "mark",
) -> Annotated:
    """Mark or unmark regions, in order, as one step. Without a change no step is recorded.

    Sentences with edits stay annotated.

    Args:
        way: ``mark``, or ``undo`` and ``redo`` of such a step.

    Raises:
        PayloadError: a region outside the text, too many, or an unknown ``way``.
        NotFound: no such document. NotAllowed: it is not assigned to the annotator.
    """
    user, way = checked_user(user), checked_choice(way, WAYS, "way")
    if not 0 < len(stretches) <= MOST_STRETCHES:
        raise PayloadError(
            "1 to {most} passages can be marked at once, got {given}",
            most=MOST_STRETCHES,
            given=len(stretches),
        )
    with workspace.writing() as db:
        row = assigned_row(db, document_id, annotator)
        for stretch in stretches:
            _check(row, stretch)
        before = joined(_marks(db, [row["id"]], annotator)[row["id"]])
        after = before
        for stretch in stretches:
            if stretch.annotated:
                after = joined((*after, (stretch.start, stretch.end)))
            else:
                after = without(after, stretch.start, stretch.end)
        _write(db, row["id"], before, after, user, annotator)
        came, gone = _beyond(after, before), _beyond(before, after)
        # Undo and redo are recorded even without an effect: the step is taken.
        if came or gone or way != "mark":
            _, revision = _status_and_revision(db, row, annotator)
            db.execute(
                "INSERT INTO region_events (document_id, annotator, revision, user, at, action, came, gone) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (row["id"], annotator, revision, user, now(), way, json.dumps(came), json.dumps(gone)),
            )
        return _read(db, row, annotator)


def mark_history(workspace: Workspace, document_id: int, annotator: str = GOLD) -> list[MarkEvent]:
    """All changes of the marks of an annotation, oldest first.

    Raises:
        NotFound: no such document. NotAllowed: it is not assigned to the annotator.
    """
    with workspace.reading() as db:
        row = assigned_row(db, document_id, annotator)
        rows = db.execute(
            "SELECT revision, user, action, came, gone FROM region_events "
            "WHERE document_id = ? AND annotator = ? ORDER BY id",
            (row["id"], annotator),
        )
        return [MarkEvent(row[0], row[1], row[2], _regions(row[3]), _regions(row[4])) for row in rows]


def of_versions(
    db: sqlite3.Connection, rows: Sequence[sqlite3.Row], statuses: Mapping[int, str], annotator: str
) -> dict[int, Annotated]:
    """What of several documents an annotator's versions annotate, by document.

    Args:
        rows: with ``id``, ``name`` and ``text`` of the documents. statuses: of the versions.
    """
    ids = [row["id"] for row in rows]
    events, marks = edits_of(db, ids, annotator), _marks(db, ids, annotator)
    return {
        row["id"]: _annotated(
            Document(row["name"], row["text"]), statuses[row["id"]], events[row["id"]], marks[row["id"]]
        )
        for row in rows
    }


def with_regions(
    db: sqlite3.Connection, rows: Sequence[sqlite3.Row], documents: Sequence[Document]
) -> Iterator[Document]:
    """Set ``meta["annotated_regions"]`` on partially annotated documents and remove it from the others.

    Args:
        rows: their rows of the table ``documents``. documents: as ``documents.built`` made them.
    """
    events, marks = _of_open(db, rows)
    for row, document in zip(rows, documents, strict=True):
        annotated = _annotated(document, row["status"], events[row["id"]], marks[row["id"]])
        yield _limited(document, None if annotated.whole else annotated.regions)


def with_decided(
    db: sqlite3.Connection, rows: Sequence[sqlite3.Row], documents: Sequence[Document]
) -> Iterator[Document]:
    """As `with_regions`, with only the regions in which predictions can be scored.

    Of a document that is neither done nor imported with spans these are the imported and marked regions and
    the rejected spans; a gold span is decided wherever it is.
    """
    events, marks = _of_open(db, rows)
    for row, document in zip(rows, documents, strict=True):
        if _is_whole(document, row["status"], events[row["id"]]):
            yield _limited(document, None)
        else:
            rejected = [(item[0], item[1]) for item in load_items(row["rejected"])]
            yield _limited(
                document, joined((*(_imported_regions(document) or ()), *marks[row["id"]], *rejected))
            )


def _of_open(
    db: sqlite3.Connection, rows: Sequence[sqlite3.Row]
) -> tuple[Mapping[int, list[Edit]], Mapping[int, list[Region]]]:
    """Events and marks of the gold annotation of these documents, without those of finished ones."""
    ids = [row["id"] for row in rows if row["status"] != "done"]
    return edits_of(db, ids, GOLD), _marks(db, ids, GOLD)


def _limited(document: Document, regions: Sequence[Region] | None) -> Document:
    """The document annotated in these regions alone; None: from end to end."""
    meta = {key: value for key, value in document.meta.items() if key != REGIONS}
    if regions is not None:
        meta[REGIONS] = [list(region) for region in regions]
    return Document(document.id, document.text, document.spans, meta)


def with_updated(workspace: Workspace, project_id: int, source: Iterable[Document]) -> Iterator[Document]:
    """Documents to export, with ``meta["annotated_regions"]`` as it is now on partially annotated ones.

    A value from the import that no longer holds is removed. Untouched documents have none.
    """
    given = iter(source)
    while chunk := list(islice(given, CHUNK)):
        with workspace.reading() as db:
            stored = db.execute(
                "SELECT * FROM documents WHERE project_id = ? "  # noqa: S608 - a constant
                "AND name IN (SELECT value FROM json_each(?)) "
                f"AND (revision > 0 OR status = 'done' OR id IN ({MARKED}))",
                (project_id, json.dumps([document.id for document in chunk])),
            ).fetchall()
            rows = {row["name"]: row for row in stored}
            existing = [document for document in chunk if document.id in rows]
            told = {x.id: x for x in with_regions(db, [rows[x.id] for x in existing], existing)}
        yield from (told.get(document.id, document) for document in chunk)


# Documents with marked regions in the gold annotation.
MARKED = "SELECT document_id FROM annotated_regions WHERE annotator = ''"


def _read(db: sqlite3.Connection, row: sqlite3.Row, annotator: str) -> Annotated:
    status, _ = _status_and_revision(db, row, annotator)
    if annotator != GOLD:
        return of_versions(db, [row], {row["id"]: status}, annotator)[row["id"]]
    document = Document(row["name"], row["text"], (), json.loads(row["meta"]))
    events, marks = edits_of(db, [row["id"]], GOLD), _marks(db, [row["id"]], GOLD)
    return _annotated(document, status, events[row["id"]], marks[row["id"]])


def _status_and_revision(db: sqlite3.Connection, row: sqlite3.Row, annotator: str) -> tuple[str, int]:
    """Status and revision of an annotation."""
    if annotator == GOLD:
        return row["status"], row["revision"]
    version = db.execute(
        "SELECT status, revision FROM versions WHERE document_id = ? AND annotator = ?",
        (row["id"], annotator),
    ).fetchone()
    return ("new", 0) if version is None else (version["status"], version["revision"])


def _annotated(
    document: Document, status: str, events: Sequence[Edit], marked: Sequence[Region]
) -> Annotated:
    text = document.text
    whole = Annotated(True, ((0, len(text)),) if text else (), tuple(marked))
    if _is_whole(document, status, events):
        return whole
    said = _imported_regions(document)
    places = touched(events)
    seen = sentences_with(list(sentences(text)), places) if places else ()
    regions = joined((*(said or ()), *seen, *marked))
    return whole if regions == ((0, len(text)),) else Annotated(False, regions, tuple(marked))


def _is_whole(document: Document, status: str, events: Sequence[Edit]) -> bool:
    """Whether the document is done or was imported fully annotated."""
    return status == "done" or (
        any(event.action == "import" for event in events) and _imported_regions(document) is None
    )


def _imported_regions(document: Document) -> tuple[Region, ...] | None:
    """The annotated regions given in an imported document; None if missing or malformed."""
    try:
        return annotated_regions(document)
    except OffsetError:
        return None


def _marks(db: sqlite3.Connection, ids: Iterable[int], annotator: str) -> dict[int, list[Region]]:
    """The marked regions, by document."""
    regions: dict[int, list[Region]] = defaultdict(list)
    for row in db.execute(
        'SELECT document_id, start, "end" FROM annotated_regions WHERE annotator = ? '
        "AND document_id IN (SELECT value FROM json_each(?)) ORDER BY document_id, start",
        (annotator, json.dumps(list(ids))),
    ):
        regions[row[0]].append((row[1], row[2]))
    return regions


def _check(row: sqlite3.Row, stretch: Stretch) -> None:
    for name, value in (("start", stretch.start), ("end", stretch.end)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise PayloadError(
                "{name} must be a whole number, got {value}", name=name, value=repr(str(value)[:40])
            )
    if not 0 <= stretch.start < stretch.end <= len(row["text"]):
        raise PayloadError(
            "{start}-{end} is not inside document {document}, which has {length} characters",
            start=stretch.start,
            end=stretch.end,
            document=row["id"],
            length=len(row["text"]),
        )


def _write(
    db: sqlite3.Connection,
    document_id: int,
    before: Sequence[Region],
    after: Sequence[Region],
    user: str,
    annotator: str,
) -> None:
    db.executemany(
        'DELETE FROM annotated_regions WHERE document_id = ? AND annotator = ? AND start = ? AND "end" = ?',
        [(document_id, annotator, *region) for region in set(before) - set(after)],
    )
    db.executemany(
        'INSERT INTO annotated_regions (document_id, annotator, start, "end", user, at) '
        "VALUES (?, ?, ?, ?, ?, ?)",
        [(document_id, annotator, *region, user, now()) for region in set(after) - set(before)],
    )


def _beyond(regions: Sequence[Region], others: Sequence[Region]) -> tuple[Region, ...]:
    """The parts of ``regions`` outside ``others``."""
    left = joined(regions)
    for start, end in others:
        left = without(left, start, end)
    return left


def _regions(stored: str) -> tuple[Region, ...]:
    return tuple((start, end) for start, end in load_json(stored))
