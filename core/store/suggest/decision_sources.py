"""Sources of earlier decisions: the gold annotation of a project, or one annotator's versions.

Stamps change with an annotation, including its marked regions, so that only changes are read again.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from core.store.annotation import judged_documents, regions
from core.store.annotation.annotations import version_spans
from core.store.db.span_json import load_items, load_spans
from core.store.db.workspace import Workspace
from core.store.document.documents import GOLD
from core.store.label.ids import label_ids, read_names
from core.store.project.projects import checked_id
from core.store.suggest.decision_counts import Decided
from core.text import Document, Span
from core.text.annotated_regions import REGIONS

LONGEST_SURFACE = 60  # longer surfaces rarely recur
BLOCK = 512  # documents whose changes are looked for together
Stamps = dict[int, tuple[int, ...]]
_UNTOUCHED = "0:"  # the stamp of an untouched document
_OF_BLOCK = "count(*), sum(revision), sum(id * (revision + 1) % 1000003), coalesce(sum(marks), 0)"
_MARKS = 'sum((start * 31 + "end" + 1) % 1000003) AS marks'


class Judged(NamedTuple):
    """A fully or partially annotated document and the offsets of its rejected spans."""

    id: int
    document: Document
    refused: set[tuple[int, int]]


class DecisionSource(Protocol):
    """Annotations of documents outside the trash."""

    def stamps(self) -> Stamps:
        """A cache key for every block of documents."""

    def stamped(self, blocks: Sequence[int]) -> dict[int, str]:
        """The annotated documents of some blocks, with their stamps."""

    def decided(self, ids: Sequence[int]) -> dict[int, list[Decided]]:
        """Labelled and rejected spans, by document."""

    def judged(self, ids: Sequence[int]) -> Iterator[Judged]:
        """Which of these documents are annotated, fully or in part."""


class _Annotations:
    """Shared implementation, for one annotator."""

    def __init__(self, workspace: Workspace, project_id: int, annotator: str) -> None:
        self._workspace = workspace
        self._project = checked_id(project_id)
        self._annotator = annotator
        self._values = {"project": self._project, "annotator": annotator}

    def decided(self, ids: Sequence[int]) -> dict[int, list[Decided]]:
        """As `DecisionSource`."""
        decisions: dict[int, list[Decided]] = defaultdict(list)
        with self._workspace.reading() as db:
            names = read_names(db, self._project)
            db.execute("BEGIN")  # spans and rejections from one transaction
            try:
                spans = self._spans(db, ids)
                # Not by SQL: SQLite would count the characters from the beginning of the text to each span.
                texts = db.execute(
                    "SELECT id, text FROM documents WHERE id IN (SELECT value FROM json_each(?))",
                    (json.dumps(list(spans)),),
                )
                for id_, text in texts:
                    # Spans of two merged labels may coincide.
                    decided = {(start, end, names[label]): None for start, end, label in spans[id_]}
                    decisions[id_] = [
                        ((text[start:end], name), False) for start, end, name in decided if name is not None
                    ]
                rejections = self._rejections(db, ids)
            finally:
                db.execute("COMMIT")
        for id_, text, rejected in rejections:
            decisions[id_] += _label_decisions(text, load_spans(rejected, names), True)
        return decisions

    def _spans(self, db: sqlite3.Connection, ids: Sequence[int]) -> dict[int, list[tuple[int, int, int]]]:
        """Start, end and label's id of the spans of these documents that are not too long."""
        found: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for document_id, *span in db.execute(
            'SELECT document_id, start, "end", label FROM spans WHERE annotator = :annotator '
            'AND document_id IN (SELECT value FROM json_each(:ids)) AND "end" - start <= :longest',
            self._values | {"ids": json.dumps(list(ids)), "longest": LONGEST_SURFACE},
        ):
            found[document_id].append((span[0], span[1], span[2]))
        return found

    def _rejections(self, db: sqlite3.Connection, ids: Sequence[int]) -> list[Any]:
        """Id, text and rejected spans of the documents with rejections."""
        items = (
            "documents v"
            if self._annotator == GOLD
            else ("versions v JOIN documents d ON d.id = v.document_id AND v.annotator = :annotator")
        )
        d = "v" if self._annotator == GOLD else "d"
        return db.execute(
            f"SELECT {d}.id, {d}.text, v.rejected FROM {items} "  # noqa: S608 - ours
            f"WHERE {d}.id IN (SELECT value FROM json_each(:ids)) AND v.rejected != '[]'",
            self._values | {"ids": json.dumps(list(ids))},
        ).fetchall()


class Gold(_Annotations):
    """The gold annotation of a project."""

    def __init__(self, workspace: Workspace, project_id: int) -> None:
        super().__init__(workspace, project_id, GOLD)

    def stamps(self) -> Stamps:
        """As `DecisionSource`."""
        with self._workspace.reading() as db:
            rows = db.execute(
                f"SELECT id / :block, {_OF_BLOCK} FROM documents LEFT JOIN ("  # noqa: S608 - ours
                f"SELECT document_id, {_MARKS} FROM annotated_regions WHERE annotator = '' GROUP BY 1) "
                "ON document_id = id WHERE project_id = :project AND trashed IS NULL GROUP BY 1",
                self._values | {"block": BLOCK},
            ).fetchall()
        return {row[0]: tuple(row)[1:] for row in rows}

    def stamped(self, blocks: Sequence[int]) -> dict[int, str]:
        """As `DecisionSource`."""
        stamps: dict[int, str] = {}
        with self._workspace.reading() as db:
            for block in blocks:
                rows = db.execute(
                    "SELECT id, revision || ':' || coalesce((SELECT group_concat(start || '-' || \"end\") "
                    "FROM annotated_regions WHERE document_id = id AND annotator = ''), '') FROM documents "
                    "WHERE project_id = ? AND trashed IS NULL AND id BETWEEN ? AND ?",
                    (self._project, *_id_range(block)),
                )
                stamps.update((row[0], row[1]) for row in rows if row[1] != _UNTOUCHED)
        return stamps

    def judged(self, ids: Sequence[int]) -> Iterator[Judged]:
        """As `DecisionSource`."""
        documents = judged_documents.several(self._workspace, self._project, ids)
        with self._workspace.reading() as db:
            refused = {row[0]: _places(row[2]) for row in self._rejections(db, ids)}
        return (Judged(id_, document, refused.get(id_, set())) for id_, document in documents)


class OwnVersions(_Annotations):
    """The versions of one annotator, of the documents assigned to them.

    A version counts from its first save: imported spans are not the annotator's decisions.
    """

    def stamps(self) -> Stamps:
        """As `DecisionSource`."""
        with self._workspace.reading() as db:
            rows = db.execute(
                f"SELECT id / :block, {_OF_BLOCK} FROM "  # noqa: S608 - ours
                f"(SELECT d.id, coalesce(v.revision, 0) AS revision, l.marks {_IN_HANDS}) GROUP BY 1",
                self._values | {"block": BLOCK},
            ).fetchall()
        return {row[0]: tuple(row)[1:] for row in rows}

    def stamped(self, blocks: Sequence[int]) -> dict[int, str]:
        """As `DecisionSource`."""
        stamps: dict[int, str] = {}
        with self._workspace.reading() as db:
            for block in blocks:
                first, last = _id_range(block)
                rows = db.execute(
                    "SELECT d.id, coalesce(v.revision, 0) || ':' || coalesce((SELECT group_concat(start || "  # noqa: S608
                    "'-' || \"end\") FROM annotated_regions WHERE document_id = d.id "
                    f"AND annotator = :annotator), '') {_IN_HANDS} AND d.id BETWEEN :first AND :last",
                    self._values | {"first": first, "last": last},
                )
                stamps.update((row[0], row[1]) for row in rows)
        return stamps

    def judged(self, ids: Sequence[int]) -> Iterator[Judged]:
        """As `DecisionSource`."""
        with self._workspace.reading() as db:
            label_map = label_ids(db, self._project)
            rows = db.execute(
                "SELECT d.*, coalesce(v.status, 'new') AS own_status, "
                "coalesce(v.rejected, '[]') AS refused FROM documents d "
                "LEFT JOIN versions v ON v.document_id = d.id AND v.annotator = ? "
                "WHERE d.id IN (SELECT value FROM json_each(?))",
                (self._annotator, json.dumps(list(ids))),
            ).fetchall()
            seen = regions.of_versions(
                db, rows, {row["id"]: row["own_status"] for row in rows}, self._annotator
            )
            spans = {
                row["id"]: version_spans(db, row["id"], self._annotator, label_map.names) for row in rows
            }
        for row in rows:
            annotated = [list(region) for region in seen[row["id"]].regions]
            document = Document(row["name"], row["text"], spans[row["id"]], {REGIONS: annotated})
            yield Judged(row["id"], document, _places(row["refused"]))


_IN_HANDS = (
    "FROM assignments a JOIN documents d ON d.id = a.document_id "  # noqa: S608 - constants
    "LEFT JOIN versions v ON v.document_id = d.id AND v.annotator = a.user "
    f"LEFT JOIN (SELECT document_id, {_MARKS} FROM annotated_regions WHERE annotator = :annotator "
    "GROUP BY 1) l ON l.document_id = d.id "
    "WHERE a.user = :annotator AND d.project_id = :project AND d.trashed IS NULL "
    "AND (v.revision > 0 OR l.marks IS NOT NULL)"
)


def _id_range(block: int) -> tuple[int, int]:
    return block * BLOCK, block * BLOCK + BLOCK - 1


def _label_decisions(text: str, spans: Sequence[Span], rejected: bool) -> Iterator[Decided]:
    for span in spans:
        if len(span) <= LONGEST_SURFACE:
            yield (text[span.start : span.end], span.label), rejected


def _places(rejected: str) -> set[tuple[int, int]]:
    return {(item[0], item[1]) for item in load_items(rejected)}
