"""Where earlier decisions are read from: a project's agreed annotation, or one person's own copies.

Both give stamps, which differ when an annotation does, so that only what changed is read again. Marks of what
was looked at move no revision and are part of a stamp.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from core.store.annotation import judged_documents, looked
from core.store.db.span_json import load_spans
from core.store.db.workspace import Workspace
from core.store.project.projects import checked_id
from core.store.suggest.decision_counts import Decided
from core.text import Document, Span
from core.text.looked import LOOKED

LONGEST_SURFACE = 60  # longer ones do not come again
BLOCK = 512  # documents whose changes are looked for together
Stamps = dict[int, tuple[int, ...]]
_UNTOUCHED = "0:"  # the stamp of a document nobody has worked on
_OF_BLOCK = "count(*), sum(revision), sum(id * (revision + 1) % 1000003), coalesce(sum(marks), 0)"
_MARKS = 'sum((start * 31 + "end" + 1) % 1000003) AS marks'


class Judged(NamedTuple):
    """A document somebody has looked at, ``meta["looked"]`` saying where that was in part, and the places at
    which they rejected something."""

    id: int
    document: Document
    refused: set[tuple[int, int]]


class DecisionSource(Protocol):
    """Annotations of documents outside the trash."""

    def stamps(self) -> Stamps:
        """A few numbers of every block of documents that differ when an annotation in it does."""

    def stamped(self, blocks: Sequence[int]) -> dict[int, str]:
        """The documents of some blocks in which somebody said something, with their stamps."""

    def decided(self, ids: Sequence[int]) -> dict[int, list[Decided]]:
        """What was labelled and rejected in documents, by document."""

    def judged(self, ids: Sequence[int]) -> Iterator[Judged]:
        """Those of these documents that somebody has looked at, in whole or in part."""


class AgreedAnnotation:
    """The one annotation of a project that all agree on, or work on together."""

    def __init__(self, workspace: Workspace, project_id: int) -> None:
        self._workspace = workspace
        self._project = checked_id(project_id)

    def stamps(self) -> Stamps:
        """As `DecisionSource`."""
        with self._workspace.reading() as db:
            rows = db.execute(
                f"SELECT id / :block, {_OF_BLOCK} FROM documents "  # noqa: S608 - ours
                f"LEFT JOIN (SELECT document_id, {_MARKS} FROM looked GROUP BY 1) "
                "ON document_id = id WHERE project_id = :project AND trashed IS NULL GROUP BY 1",
                {"block": BLOCK, "project": self._project},
            ).fetchall()
        return {row[0]: tuple(row)[1:] for row in rows}

    def stamped(self, blocks: Sequence[int]) -> dict[int, str]:
        """As `DecisionSource`."""
        found: dict[int, str] = {}
        with self._workspace.reading() as db:
            for block in blocks:
                rows = db.execute(
                    "SELECT id, revision || ':' || coalesce((SELECT group_concat(start || '-' || \"end\") "
                    "FROM looked WHERE document_id = id), '') FROM documents "
                    "WHERE project_id = ? AND trashed IS NULL AND id BETWEEN ? AND ?",
                    (self._project, *_ends(block)),
                )
                found.update((row[0], row[1]) for row in rows if row[1] != _UNTOUCHED)
        return found

    def decided(self, ids: Sequence[int]) -> dict[int, list[Decided]]:
        """As `DecisionSource`."""
        found: dict[int, list[Decided]] = defaultdict(list)
        wanted = json.dumps(list(ids))
        with self._workspace.reading() as db:
            db.execute("BEGIN")  # spans and rejections of one moment
            try:
                spans = db.execute(
                    'SELECT s.document_id, substr(d.text, s.start + 1, s."end" - s.start), s.label '
                    "FROM spans s JOIN documents d ON d.id = s.document_id "
                    'WHERE s.document_id IN (SELECT value FROM json_each(?)) AND s."end" - s.start <= ?',
                    (wanted, LONGEST_SURFACE),
                ).fetchall()
                rejections = db.execute(
                    "SELECT id, text, rejected FROM documents "
                    "WHERE id IN (SELECT value FROM json_each(?)) AND rejected != '[]'",
                    (wanted,),
                ).fetchall()
            finally:
                db.execute("COMMIT")
        for document_id, surface, label in spans:
            found[document_id].append(((surface, label), False))
        for row in rejections:
            found[row["id"]] += _said(row["text"], load_spans(row["rejected"]), True)
        return found

    def judged(self, ids: Sequence[int]) -> Iterator[Judged]:
        """As `DecisionSource`."""
        found = judged_documents.several(self._workspace, self._project, ids)
        with self._workspace.reading() as db:
            rows = db.execute(
                "SELECT id, rejected FROM documents WHERE rejected != '[]' "
                "AND id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(ids)),),
            ).fetchall()
        refused = {row["id"]: _places(row["rejected"]) for row in rows}
        return (Judged(id_, document, refused.get(id_, set())) for id_, document in found)


class OwnCopies:
    """The copies of one person, of the documents that are in their hands; nobody else's, and nothing agreed.

    A copy counts from its first save: what a document was imported with is no decision of theirs before.
    """

    def __init__(self, workspace: Workspace, project_id: int, user: str) -> None:
        self._workspace = workspace
        self._whose = {"project": checked_id(project_id), "user": user}

    def stamps(self) -> Stamps:
        """As `DecisionSource`."""
        with self._workspace.reading() as db:
            rows = db.execute(
                f"SELECT id / :block, {_OF_BLOCK} FROM "  # noqa: S608 - ours
                f"(SELECT d.id, coalesce(c.revision, 0) AS revision, l.marks {_IN_HANDS}) GROUP BY 1",
                self._whose | {"block": BLOCK},
            ).fetchall()
        return {row[0]: tuple(row)[1:] for row in rows}

    def stamped(self, blocks: Sequence[int]) -> dict[int, str]:
        """As `DecisionSource`."""
        found: dict[int, str] = {}
        with self._workspace.reading() as db:
            for block in blocks:
                first, last = _ends(block)
                rows = db.execute(
                    "SELECT d.id, coalesce(c.revision, 0) || ':' || coalesce((SELECT group_concat(start || "  # noqa: S608
                    "'-' || \"end\") FROM copy_looked WHERE document_id = d.id AND user = :user), '') "
                    f"{_IN_HANDS} AND d.id BETWEEN :first AND :last",
                    self._whose | {"first": first, "last": last},
                )
                found.update((row[0], row[1]) for row in rows)
        return found

    def decided(self, ids: Sequence[int]) -> dict[int, list[Decided]]:
        """As `DecisionSource`."""
        with self._workspace.reading() as db:
            rows = db.execute(
                "SELECT d.id, d.text, c.spans, c.rejected FROM copies c JOIN documents d "
                "ON d.id = c.document_id WHERE c.user = ? AND d.id IN (SELECT value FROM json_each(?))",
                (self._whose["user"], json.dumps(list(ids))),
            ).fetchall()
        return {
            row["id"]: [
                *_said(row["text"], load_spans(row["spans"]), False),
                *_said(row["text"], load_spans(row["rejected"]), True),
            ]
            for row in rows
        }

    def judged(self, ids: Sequence[int]) -> Iterator[Judged]:
        """As `DecisionSource`."""
        user = str(self._whose["user"])
        with self._workspace.reading() as db:
            rows = db.execute(
                "SELECT d.id, d.name, d.text, coalesce(c.status, 'new') AS own_status, "
                "coalesce(c.rejected, '[]') AS refused, "
                # Before the first save a copy holds what the document was imported with.
                "coalesce(c.spans, (SELECT added FROM events WHERE document_id = d.id AND revision = 1 "
                "AND action = 'import'), '[]') AS own FROM documents d "
                "LEFT JOIN copies c ON c.document_id = d.id AND c.user = ? "
                "WHERE d.id IN (SELECT value FROM json_each(?))",
                (user, json.dumps(list(ids))),
            ).fetchall()
            seen = looked.of_copies(db, rows, {row["id"]: row["own_status"] for row in rows}, user)
        for row in rows:
            regions = [list(region) for region in seen[row["id"]].regions]
            own = Document(row["name"], row["text"], load_spans(row["own"]), {LOOKED: regions})
            yield Judged(row["id"], own, _places(row["refused"]))


_IN_HANDS = (
    "FROM assignments a JOIN documents d ON d.id = a.document_id "  # noqa: S608 - constants
    "LEFT JOIN copies c ON c.document_id = d.id AND c.user = a.user "
    f"LEFT JOIN (SELECT document_id, {_MARKS} FROM copy_looked WHERE user = :user GROUP BY 1) l "
    "ON l.document_id = d.id WHERE a.user = :user AND d.project_id = :project AND d.trashed IS NULL "
    "AND (c.revision > 0 OR l.marks IS NOT NULL)"
)


def _ends(block: int) -> tuple[int, int]:
    return block * BLOCK, block * BLOCK + BLOCK - 1


def _said(text: str, spans: Sequence[Span], rejected: bool) -> Iterator[Decided]:
    for span in spans:
        if len(span) <= LONGEST_SURFACE:
            yield (text[span.start : span.end], span.label), rejected


def _places(rejected: str) -> set[tuple[int, int]]:
    return {(span.start, span.end) for span in load_spans(rejected)}
