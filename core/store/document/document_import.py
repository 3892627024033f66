"""Insert documents in chunks, without duplicates, with unique names."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from core.store.db import audit
from core.store.db.errors import PayloadError
from core.store.db.payload import SPLITS
from core.store.db.span_json import dump_link, dump_spans
from core.store.document import metadata, text_index
from core.store.document.comment_meta import put_imported, take_from
from core.store.document.linked_labels import names_in, stored
from core.store.label.ids import LabelIds, with_names
from core.store.label.labels import with_listed
from core.store.project import event_log
from core.text import Document, Span

_ENCODER = json.JSONEncoder(ensure_ascii=False)  # made once: json.dumps would make one for each document


@dataclass(frozen=True, slots=True)
class Added:
    """Result of an import.

    Args:
        ids: of all documents, in the given order. new_ids: of the ones that were added.
        at: the moment under which `Filter.imported_at` finds those that were added or restored.
    """

    added: int = 0
    duplicates: int = 0
    restored: int = 0
    new_labels: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    new_ids: tuple[int, ...] = ()
    at: int = 0

    @property
    def came(self) -> int:
        """How many documents the project has now that it had not before."""
        return self.added + self.restored

    @classmethod
    def of(cls, chunks: Sequence[Added], at: int) -> Added:
        """The result of an import from those of its chunks; each id is copied once."""
        return cls(
            sum(chunk.added for chunk in chunks),
            sum(chunk.duplicates for chunk in chunks),
            sum(chunk.restored for chunk in chunks),
            tuple(chain.from_iterable(chunk.new_labels for chunk in chunks)),
            tuple(chain.from_iterable(chunk.ids for chunk in chunks)),
            tuple(chain.from_iterable(chunk.new_ids for chunk in chunks)),
            at,
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A validated document with its hash.

    ``linked``: further fields that refer to labels, stored by id.
    """

    document: Document
    content_hash: str
    meta: str
    linked: dict[str, Any] | None
    split: str
    spans: tuple[Span, ...]
    comments: list[dict[str, Any]]


def content_hash(name: str, text: str) -> str:
    """What tells whether a document is here already.

    Raises:
        UnicodeEncodeError: lone surrogates.
    """
    return hashlib.blake2b(f"{name}\0{text}".encode(), digest_size=16).hexdigest()


def prepare(document: Document, split: str | None) -> Prepared:
    """Hash and check a document; needs no transaction.

    Raises:
        PayloadError: text with lone surrogates, or meta that is not JSON; names the document.
    """
    meta = dict(document.meta)
    own_split = meta.pop("split", None)  # the column holds it; ``built`` puts it back
    if split is None:
        split = own_split if own_split in SPLITS else "none"
    comments = take_from(meta, len(document.text))
    try:
        content = content_hash(document.id, document.text)
        as_json = _ENCODER.encode(meta)
        as_json.encode()
    except UnicodeEncodeError as error:
        raise PayloadError(
            "document {document} contains half of a surrogate pair; correct its text",
            document=repr(document.id),
        ) from error
    except TypeError as error:
        raise PayloadError(
            "the metadata of document {document} cannot be written as JSON; correct or remove it",
            document=repr(document.id),
        ) from error
    distinct = {span.key: span for span in reversed(document.spans)}
    linked = meta if next(names_in(meta), None) is not None else None
    return Prepared(document, content, as_json, linked, split, tuple(reversed(distinct.values())), comments)


def add_chunk(
    db: sqlite3.Connection,
    project_id: int,
    chunk: list[Prepared],
    user: str,
    suffixes: dict[str, int],
    at: int,
) -> Added:
    """Insert new documents and restore those in the trash, in an open transaction, as imported ``at``."""
    existing = {
        row["content_hash"]: row
        for row in db.execute(
            "SELECT content_hash, id, trashed FROM documents WHERE project_id = ? AND content_hash IN "
            "(SELECT value FROM json_each(?))",
            (project_id, json.dumps([item.content_hash for item in chunk])),
        )
    }
    back = [row["id"] for row in existing.values() if row["trashed"] is not None]
    db.executemany(
        "UPDATE documents SET trashed = NULL, imported = ? WHERE id = ?", [(at, id_) for id_ in back]
    )
    numbers = {key: int(row["id"]) for key, row in existing.items()}
    fresh: list[Prepared] = []
    next_id = _last_id(db) + 1
    for item in chunk:
        if item.content_hash not in numbers:
            numbers[item.content_hash] = next_id + len(fresh)
            fresh.append(item)
    labels, new_labels = _labels(db, project_id, fresh)
    names = _free_names(db, project_id, [item.document.id for item in fresh], suffixes)
    _insert(db, project_id, fresh, names, next_id, user, labels, at)
    if fresh or back:
        count = len(fresh) + len(back)
        event_log.record(db, project_id, "documents.imported", user=user, count=count, at=at)
        audit.record(db, "documents.imported", project_id, user=user, documents=count)
    ids = tuple(numbers[item.content_hash] for item in chunk)
    new_ids = tuple(range(next_id, next_id + len(fresh)))
    present = len(chunk) - len(fresh) - len(back)
    return Added(len(fresh), present, len(back), tuple(new_labels), ids, new_ids, at)


def _last_id(db: sqlite3.Connection) -> int:
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'documents'").fetchone()
    return int(row[0]) if row else 0


def _labels(db: sqlite3.Connection, project_id: int, items: list[Prepared]) -> tuple[LabelIds, list[str]]:
    """The project's labels after adding those of the spans, and the added ones."""
    label_map, new = with_listed(db, project_id, (span.label for item in items for span in item.spans))
    named = {name for item in items if item.linked for name in names_in(item.linked)}
    named |= {comment["label"] for item in items for comment in item.comments if comment["label"]}
    return (with_names(db, project_id, sorted(named)) if named - label_map.ids.keys() else label_map), new


def _free_names(
    db: sqlite3.Connection, project_id: int, wanted: list[str], suffixes: dict[str, int]
) -> list[str]:
    """Make ``wanted`` unique by appending numbers; ``suffixes`` caches the last number of each name."""

    first = {
        row["name"]
        for row in db.execute(
            "SELECT name FROM documents WHERE project_id = ? AND name IN (SELECT value FROM json_each(?))",
            (project_id, json.dumps(wanted)),
        )
    }

    def is_taken(name: str) -> bool:
        # One query for the whole chunk above; only changed names are looked up one by one.
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
    items: list[Prepared],
    names: list[str],
    first_id: int,
    user: str,
    label_map: LabelIds,
    at: int,
) -> None:
    numbered = list(zip(range(first_id, first_id + len(items)), items, names, strict=True))
    db.executemany(
        "INSERT INTO documents (id, project_id, name, content_hash, text, meta, split, revision, "
        "imported, labels, gold_spans) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (id_, project_id, name, x.content_hash, x.document.text,
             x.meta if x.linked is None else _ENCODER.encode(stored(x.linked, label_map.ids)),
             x.split, int(bool(x.spans)), at, labels_column(label_map.ids[span.label] for span in x.spans),
             len(x.spans))
            for id_, x, name in numbered
        ],
    )  # fmt: skip
    text_index.add(db, project_id, [(id_, x.document.text) for id_, x, _ in numbered])
    metadata.put(db, project_id, [(id_, x.document.meta) for id_, x, _ in numbered])
    db.executemany(
        "INSERT INTO events "
        "(document_id, annotator, revision, user, at, action, added, removed, rejected, status) "
        "VALUES (?, '', 1, ?, ?, 'import', ?, '[]', '[]', 'new')",
        [(id_, user, at, dump_spans(x.spans, label_map.ids)) for id_, x, _ in numbered if x.spans],
    )
    db.executemany(
        'INSERT INTO spans (document_id, annotator, start, "end", label, score, revision, link) '
        "VALUES (?, '', ?, ?, ?, ?, 1, ?)",
        [
            (id_, span.start, span.end, label_map.ids[span.label], span.score, dump_link(span.link))
            for id_, x, _ in numbered
            for span in x.spans
        ],
    )
    for id_, x, _ in numbered:
        if x.comments:
            put_imported(db, id_, x.comments, user, label_map.ids)


def labels_column(ids: Iterable[int]) -> str:
    """The value of ``documents.labels`` for the labels of a document's gold spans."""
    return "".join(f",{id_}," for id_ in dict.fromkeys(ids))
