"""Documents of a project: added once however often they are imported, and read back."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from core.store import labels as project_labels
from core.store.clock import now
from core.store.comment_meta import put_imported, take_from
from core.store.errors import NotFound, PayloadError
from core.store.payload import SPLITS, checked_choice
from core.store.projects import checked_id, row_of
from core.store.span_json import dump_spans
from core.store.text_indexing import keep_up
from core.store.workspace import Workspace
from core.text import Document, Span

CHUNK = 500  # documents per transaction: an import of any size lets saves in between


@dataclass(frozen=True, slots=True)
class Added:
    """What an import did.

    ``ids`` are the store's numbers of all its documents, in the order given; ``new_ids`` of those only that
    were not there before.
    """

    added: int = 0
    duplicates: int = 0
    restored: int = 0
    new_labels: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    new_ids: tuple[int, ...] = ()


def add(
    workspace: Workspace,
    project_id: int,
    documents: Iterable[Document],
    *,
    split: str | None = None,
    user: str = "import",
    progress: Callable[[int], None] | None = None,
) -> Added:
    """Add documents; one with an id and a text that the project has already is counted, not added again.

    A document whose id is taken by another text gets ``-2``, ``-3``, … after its id. One that lies in the
    trash is brought back. Labels that the project lacks are added to it. A document with spans starts at
    revision 1 with an ``import`` event, one without at revision 0.

    Args:
        split: for all of them; None takes each document's ``meta["split"]`` where that names a split.
        progress: called with the number of documents done after every chunk; may raise to stop the import,
            which keeps the chunks that are in.

    Raises:
        PayloadError: a text that is no Unicode, or meta that is no JSON; names the document.
    """
    if split is not None:
        checked_choice(split, SPLITS, "split")
    total = Added()
    suffixes: dict[str, int] = {}
    source = iter(documents)
    while chunk := list(islice(source, CHUNK)):
        prepared = [_prepare(document, split) for document in chunk]  # hash outside the write lock
        with workspace.writing() as db:
            row_of(db, project_id)
            done = _add_chunk(db, project_id, prepared, user, suffixes)
        total = Added(
            total.added + done.added,
            total.duplicates + done.duplicates,
            total.restored + done.restored,
            total.new_labels + done.new_labels,
            total.ids + done.ids,
            total.new_ids + done.new_ids,
        )
        if progress is not None:
            progress(len(total.ids))
    if total.new_ids:
        keep_up(workspace, project_id)
    return total


def get(workspace: Workspace, document_id: int) -> Document:
    """The document with its current spans; its id is the one it came with (``name`` of its summary).

    Raises:
        NotFound: there is none (any more).
    """
    with workspace.reading() as db:
        row = document_row(db, document_id)
        return built(db, [row])[0]


def find(workspace: Workspace, project_id: int, name: str) -> int:
    """The store's number of the document with the id ``name``.

    Raises:
        NotFound: there is none in this project.
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
    workspace: Workspace, project_id: int, *, split: str | None = None, labelled: bool = False
) -> Iterator[Document]:
    """Every document outside the trash with its spans, in order; meta says its split.

    Args:
        split: only these.
        labelled: only documents that teach: imported with spans, edited by a person, or done.
    """
    last = 0
    while True:
        with workspace.reading() as db:  # chunk by chunk: a slow consumer holds no read open
            rows = db.execute(
                "SELECT * FROM documents WHERE project_id = ? AND id > ? AND trashed IS NULL "
                "AND (? IS NULL OR split = ?) AND (NOT ? OR revision > 0 OR status = 'done') "
                "ORDER BY id LIMIT ?",
                (project_id, last, split, split, labelled, CHUNK),
            ).fetchall()
            documents = built(db, rows)
        if not rows:
            return
        yield from documents
        last = rows[-1]["id"]


def several(
    workspace: Workspace, document_ids: Iterable[int], *, labelled: bool = False
) -> Iterator[Document]:
    """The documents of these numbers, in the order given, chunk by chunk; those in the trash are left out.

    Args:
        labelled: only those that teach, as for ``iterate``.
    """
    numbers = iter(document_ids)
    while chunk := list(islice(numbers, CHUNK)):
        with workspace.reading() as db:
            rows = db.execute(
                "SELECT d.* FROM json_each(?) AS wanted JOIN documents AS d ON d.id = wanted.value "
                "WHERE d.trashed IS NULL AND (NOT ? OR d.revision > 0 OR d.status = 'done') "
                "ORDER BY wanted.key",
                (json.dumps(chunk), labelled),
            ).fetchall()
            found = built(db, rows)
        yield from found


def count(workspace: Workspace, project_id: int) -> dict[str, int]:
    """Documents outside the trash: ``all``, each split, each status, and ``labelled``."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT split, status, count(*), sum(revision > 0 OR status = 'done') FROM documents "
            "WHERE project_id = ? AND trashed IS NULL GROUP BY split, status",
            (project_id,),
        ).fetchall()
    counts = dict.fromkeys(("all", "labelled", *SPLITS, "new", "in_progress", "done"), 0)
    for split, status, number, labelled in rows:
        for key, value in (("all", number), ("labelled", labelled), (split, number), (status, number)):
            counts[key] += value
    return counts


def document_row(db: sqlite3.Connection, document_id: int) -> sqlite3.Row:
    """The row of a document outside the trash.

    Raises:
        NotFound: there is none. PayloadError: the id is no id.
    """
    row: sqlite3.Row | None = db.execute(
        "SELECT * FROM documents WHERE id = ? AND trashed IS NULL", (checked_id(document_id),)
    ).fetchone()
    if row is None:
        raise NotFound("document", document_id)
    return row


def built(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> list[Document]:
    """Documents from rows of the table, with their current spans in reading order."""
    spans: dict[int, list[Span]] = {row["id"]: [] for row in rows}
    for row in db.execute(
        'SELECT document_id, start, "end", label, score FROM spans WHERE document_id IN '
        '(SELECT value FROM json_each(?)) ORDER BY document_id, start, "end" DESC, label',
        (json.dumps(list(spans)),),
    ):
        spans[row[0]].append(Span(*row[1:]))
    return [Document(row["name"], row["text"], tuple(spans[row["id"]]), _meta(row)) for row in rows]


def labels_column(names: Iterable[str]) -> str:
    """``documents.labels`` of spans with these labels; its triggers then find nothing left to do."""
    return "".join(f"\n{name}\n" for name in dict.fromkeys(names))


def _meta(row: sqlite3.Row) -> dict[str, Any]:
    meta: dict[str, Any] = json.loads(row["meta"])
    return meta if row["split"] == "none" else meta | {"split": row["split"]}


@dataclass(frozen=True, slots=True)
class _Prepared:
    document: Document
    content_hash: str
    meta: str
    split: str
    spans: tuple[Span, ...]
    comments: list[dict[str, Any]]


def _prepare(document: Document, split: str | None) -> _Prepared:
    meta = dict(document.meta)
    own = meta.pop("split", None)  # the column holds it; ``built`` puts it back
    if split is None:
        split = own if own in SPLITS else "none"
    comments = take_from(meta, len(document.text))
    try:
        content = hashlib.blake2b(f"{document.id}\0{document.text}".encode(), digest_size=16).hexdigest()
        as_json = json.dumps(meta, ensure_ascii=False)
        as_json.encode()
    except UnicodeEncodeError as error:
        raise PayloadError(
            f"document {document.id!r} holds half of a surrogate pair ({error}); mend its text"
        ) from error
    except TypeError as error:
        raise PayloadError(f"document {document.id!r} has meta that is no JSON ({error})") from error
    distinct = {span.key: span for span in reversed(document.spans)}
    return _Prepared(document, content, as_json, split, tuple(reversed(distinct.values())), comments)


def _add_chunk(
    db: sqlite3.Connection, project_id: int, chunk: list[_Prepared], user: str, suffixes: dict[str, int]
) -> Added:
    known = {
        row["content_hash"]: row
        for row in db.execute(
            "SELECT content_hash, id, trashed FROM documents WHERE project_id = ? AND content_hash IN "
            "(SELECT value FROM json_each(?))",
            (project_id, json.dumps([item.content_hash for item in chunk])),
        )
    }
    back = [row["id"] for row in known.values() if row["trashed"] is not None]
    db.executemany("UPDATE documents SET trashed = NULL WHERE id = ?", [(id_,) for id_ in back])
    numbers = {key: int(row["id"]) for key, row in known.items()}
    fresh: list[_Prepared] = []
    next_id = _last_id(db) + 1
    for item in chunk:
        if item.content_hash not in numbers:
            numbers[item.content_hash] = next_id + len(fresh)
            fresh.append(item)
    new_labels = _add_labels(db, project_id, fresh)
    names = _free_names(db, project_id, [item.document.id for item in fresh], suffixes)
    _insert(db, project_id, fresh, names, next_id, user)
    ids = tuple(numbers[item.content_hash] for item in chunk)
    new_ids = tuple(range(next_id, next_id + len(fresh)))
    return Added(len(fresh), len(chunk) - len(fresh) - len(back), len(back), new_labels, ids, new_ids)


def _last_id(db: sqlite3.Connection) -> int:
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'documents'").fetchone()
    return int(row[0]) if row else 0


def _add_labels(db: sqlite3.Connection, project_id: int, items: list[_Prepared]) -> tuple[str, ...]:
    labels = project_labels.label_set(db, project_id)
    new = tuple(name for name in dict.fromkeys(s.label for x in items for s in x.spans) if name not in labels)
    if new:
        project_labels.write(db, project_id, labels.extended(new))
    return new


def _free_names(
    db: sqlite3.Connection, project_id: int, wanted: list[str], suffixes: dict[str, int]
) -> list[str]:
    """``wanted``, with a number after those that are taken; ``suffixes`` remembers how far each has got."""

    first = {
        row["name"]
        for row in db.execute(
            "SELECT name FROM documents WHERE project_id = ? AND name IN (SELECT value FROM json_each(?))",
            (project_id, json.dumps(wanted)),
        )
    }

    def is_taken(name: str) -> bool:
        # One question for the whole chunk above; only names that had to change are asked about one by one.
        if name in used or name in first:
            return True
        if name in asked:
            return False
        sql = "SELECT 1 FROM documents WHERE project_id = ? AND name = ?"
        return db.execute(sql, (project_id, name)).fetchone() is not None

    asked = set(wanted)
    used: set[str] = set()
    names: list[str] = []
    for name in wanted:
        free = name
        while is_taken(free):
            suffixes[name] = suffixes.get(name, 1) + 1
            free = f"{name}-{suffixes[name]}"
        used.add(free)
        names.append(free)
    return names


def _insert(
    db: sqlite3.Connection,
    project_id: int,
    items: list[_Prepared],
    names: list[str],
    first_id: int,
    user: str,
) -> None:
    at = now()
    numbered = list(zip(range(first_id, first_id + len(items)), items, names, strict=True))
    db.executemany(
        "INSERT INTO documents (id, project_id, name, content_hash, text, meta, split, revision, "
        "imported, labels) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (id_, project_id, name, x.content_hash, x.document.text, x.meta,
             x.split, int(bool(x.spans)), at, labels_column(span.label for span in x.spans))
            for id_, x, name in numbered
        ],
    )  # fmt: skip
    db.executemany(
        "INSERT INTO events (document_id, revision, user, at, action, added, removed, rejected, status) "
        "VALUES (?, 1, ?, ?, 'import', ?, '[]', '[]', 'new')",
        [(id_, user, at, dump_spans(x.spans)) for id_, x, _ in numbered if x.spans],
    )
    db.executemany(
        'INSERT INTO spans (document_id, start, "end", label, score, revision) VALUES (?, ?, ?, ?, ?, 1)',
        [(id_, *span.key, span.score) for id_, x, _ in numbered for span in x.spans],
    )
    for id_, x, _ in numbered:
        if x.comments:
            put_imported(db, id_, x.comments, user)
