"""Documents of a project: import without duplicates, and reading."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from core.store.db.cells import load_json, one_of
from core.store.db.clock import now
from core.store.db.errors import NotFound, UnreadableCell
from core.store.db.payload import SPLITS, STATUSES, checked_choice
from core.store.db.span_json import Names, spans_of
from core.store.db.waiting_mark import REST_SECONDS
from core.store.db.workspace import Workspace
from core.store.document.document_import import Added, add_chunk, prepare
from core.store.document.linked_labels import called
from core.store.label.ids import read_names
from core.store.project.projects import checked_id, row_of
from core.text import Document

GOLD = ""  # annotator of the gold annotation
CHUNK = 500  # documents read at once
# Used for training: imported with spans, edited by a person, or done; never an ignored one.
LABELLED = "(d.status = 'done' OR (d.revision > 0 AND d.status <> 'ignored'))"
IMPORTED = 2000  # documents of one transaction of an import: the more, the fewer pages are written again
YIELDING = 200  # of them between two looks whether somebody waits: some 10 ms


def add(
    workspace: Workspace,
    project_id: int,
    documents: Iterable[Document],
    *,
    split: str | None = None,
    user: str = "import",
    at: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Added:
    """Add documents. Those with the id and text of an existing one are only counted.

    An id that another text has gets the suffix ``-2``, ``-3``, …. A document in the trash is restored.
    Missing labels are added to the project. A document with spans starts at revision 1 with an ``import``
    event, one without at revision 0.

    Args:
        split: of all documents; None uses ``meta["split"]`` of each.
        at: of an import in several calls, when it began (UTC ms).
        progress: called after every transaction with the number of documents done; may raise to stop the
            import, which keeps what is added.

    Raises:
        PayloadError: a text that is not Unicode, or meta that is not JSON; names the document.
    """
    if split is not None:
        checked_choice(split, SPLITS, "split")
    at = now() if at is None else at
    chunks: list[Added] = []
    done = 0
    suffixes: dict[str, int] = {}
    source = iter(documents)
    while chunk := list(islice(source, IMPORTED)):
        prepared = [prepare(document, split) for document in chunk]  # hash outside the write lock
        while prepared:
            with workspace.writing() as db:
                row_of(db, project_id)
                for first in range(0, len(prepared), YIELDING):
                    step = prepared[first : first + YIELDING]
                    chunks.append(add_chunk(db, project_id, step, user, suffixes, at))
                    beside = workspace.waiting.is_up  # asked before they can get in
                    if workspace.lock.is_waited_for or beside:
                        break
            done += len(prepared[: first + YIELDING])
            prepared = prepared[first + YIELDING :]
            workspace.lock.give_way()
            if beside:
                time.sleep(REST_SECONDS)
            if progress is not None:
                progress(done)
    return Added.of(chunks, at)


def get(workspace: Workspace, document_id: int) -> Document:
    """The document with its current gold spans; its id is the imported one.

    Raises:
        NotFound: there is none.
    """
    with workspace.reading() as db:
        row = document_row(db, document_id)
        return built(db, [row])[0]


def without_spans(workspace: Workspace, document_id: int) -> Document:
    """As ``get``, but without reading its spans: a long document has tens of thousands.

    Raises:
        NotFound: there is none.
    """
    with workspace.reading() as db:
        row = document_row(db, document_id)
        return _document(row, (), read_names(db, row["project_id"]))


def number_named(workspace: Workspace, project_id: int, name: str) -> int:
    """The row id of the project's document whose ``Document.id`` is ``name``.

    Raises:
        NotFound: there is none outside the trash.
    """
    with workspace.reading() as db:
        row = db.execute(
            "SELECT id FROM documents WHERE project_id = ? AND name = ? AND trashed IS NULL",
            (project_id, name),
        ).fetchone()
    if row is None:
        raise NotFound("document", name)
    return int(row["id"])


def project_of(workspace: Workspace, document_id: int) -> int:
    """The project that the document belongs to.

    Raises:
        NotFound: there is no such document outside the trash.
    """
    with workspace.reading() as db:
        return int(document_row(db, document_id)["project_id"])


def iterate(
    workspace: Workspace,
    project_id: int,
    *,
    split: str | None = None,
    labelled: bool = False,
    ignored: bool = True,
) -> Iterator[Document]:
    """Every document outside the trash with its spans, in order; meta says its split.

    Args:
        split: only these.
        labelled: only documents used for training: imported with spans, edited by a person, or done.
        ignored: ignored ones too.
    """
    last = 0
    while True:
        with workspace.reading() as db:  # chunk by chunk: a slow consumer holds no read open
            rows = db.execute(
                "SELECT * FROM documents d WHERE project_id = ? AND id > ? AND trashed IS NULL "  # noqa: S608
                f"AND (? IS NULL OR split = ?) AND (NOT ? OR {LABELLED}) AND (? OR status <> 'ignored') "
                "ORDER BY id LIMIT ?",
                (project_id, last, split, split, labelled, ignored, CHUNK),
            ).fetchall()
            documents = built(db, rows)
        if not rows:
            return
        yield from documents
        last = rows[-1]["id"]


def several(
    workspace: Workspace, document_ids: Iterable[int], *, labelled: bool = False
) -> Iterator[Document]:
    """The documents with these ids, in the given order, without the trash.

    Args:
        labelled: as for ``iterate``.
    """
    numbers = iter(document_ids)
    while chunk := list(islice(numbers, CHUNK)):
        with workspace.reading() as db:
            rows = db.execute(
                "SELECT d.* FROM json_each(?) AS wanted JOIN documents AS d "  # noqa: S608 - ours
                f"ON d.id = wanted.value WHERE d.trashed IS NULL AND (NOT ? OR {LABELLED}) "
                "ORDER BY wanted.key",
                (json.dumps(chunk), labelled),
            ).fetchall()
            documents = built(db, rows)
        yield from documents


def count(workspace: Workspace, project_id: int) -> dict[str, int]:
    """Documents outside the trash: ``all``, each split, each status, ``labelled``, and ``brought``.

    ``brought`` ones were imported with labels and not edited since.
    """
    with workspace.reading() as db:
        rows = db.execute(
            f"SELECT split, status, sum(number), sum(number * {LABELLED}), "  # noqa: S608 - ours
            "sum(number * (status = 'new' AND revision > 0 AND labels <> '')) FROM document_counts d "
            "WHERE project_id = ? AND trashed = 0 GROUP BY split, status",
            (project_id,),
        ).fetchall()
    counts = dict.fromkeys(("all", "labelled", "brought", *SPLITS, *STATUSES), 0)
    for split, status, number, labelled, brought in rows:
        for key, value in (("all", number), ("labelled", labelled), (split, number), (status, number)):
            counts[key] += value
        counts["brought"] += brought
    return counts


def document_row(db: sqlite3.Connection, document_id: int) -> sqlite3.Row:
    """The row of a document outside the trash.

    Raises:
        NotFound: there is none. PayloadError: malformed id.
    """
    row: sqlite3.Row | None = db.execute(
        "SELECT * FROM documents WHERE id = ? AND trashed IS NULL", (checked_id(document_id),)
    ).fetchone()
    if row is None:
        raise NotFound("document", document_id)
    return row


def built(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> list[Document]:
    """Build documents of one project from table rows, with their gold spans in reading order."""
    if not rows:
        return []
    spans: dict[int, list[tuple[Any, ...]]] = {row["id"]: [] for row in rows}
    # One document is opened at every step of annotating: without the list it is read three times as fast.
    several = len(rows) > 1
    which = "IN (SELECT value FROM json_each(?))" if several else "= ?"
    for row in db.execute(
        'SELECT document_id, start, "end", label, score, link FROM spans '  # noqa: S608 - ours
        f"WHERE document_id {which} AND annotator = '' ORDER BY document_id, start, \"end\" DESC",
        (json.dumps(list(spans)) if several else rows[0]["id"],),
    ):
        spans[row[0]].append(tuple(row)[1:])
    names = read_names(db, rows[0]["project_id"])
    return [_document(row, spans[row["id"]], names) for row in rows]


def _document(row: sqlite3.Row, spans: Iterable[tuple[Any, ...]], names: Names) -> Document:
    one_of(row["status"], STATUSES)
    for column in ("name", "text"):
        if not isinstance(row[column], str):
            raise UnreadableCell(row[column])
    meta, split = load_json(row["meta"]), one_of(row["split"], SPLITS)
    try:
        meta = called(meta, names) if "label" in row["meta"] else dict(meta)
        if split != "none":
            meta["split"] = split
        return Document(row["name"], row["text"], spans_of(spans, names, row["id"]), meta)
    except (ValueError, TypeError) as error:
        raise UnreadableCell(row["id"]) from error
