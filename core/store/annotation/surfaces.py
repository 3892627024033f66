"""Labelled surfaces."""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections import Counter
from dataclasses import dataclass, replace

from core.store.annotation.occurrences import CONTEXT
from core.store.annotation.scope import Scope
from core.store.db.texts_of_spans import beside_text
from core.store.db.workspace import Workspace
from core.store.label.ids import label_ids
from core.store.project.projects import checked_id

MOST_SURFACES = 500


@dataclass(frozen=True, slots=True)
class Labelled:
    """A surface of a label: number of spans and documents, and its first occurrence in context."""

    surface: str
    times: int
    documents: int
    name: str
    before: str
    after: str


def surfaces(
    workspace: Workspace, project_id: int, label: str, limit: int = MOST_SURFACES
) -> list[tuple[str, int]]:
    """The surfaces of a label's spans outside the trash with their counts, most frequent first."""
    with workspace.reading_one_moment() as db:
        spans = db.execute(
            'SELECT s.document_id, s.start, s."end" FROM spans s JOIN documents d ON d.id = s.document_id '
            "WHERE d.project_id = ? AND d.trashed IS NULL AND s.annotator = '' "
            "AND s.label IN (SELECT value FROM json_each(?)) ORDER BY s.document_id",
            (checked_id(project_id), _ids(db, project_id, label)),
        )
        times = Counter(text[start:end] for _, text, (_, start, end) in beside_text(db, spans))
    return heapq.nsmallest(limit, times.items(), key=lambda item: (-item[1], item[0]))


def labelled(
    workspace: Workspace, scope: Scope, label: str, *, but: int | None = None, limit: int = MOST_SURFACES
) -> list[Labelled]:
    """`surfaces` in the scope of an edit, with one context each, without the document ``but``."""
    found: dict[str, Labelled] = {}
    last: dict[str, int] = {}  # the document in which a surface was seen last
    with workspace.reading_one_moment() as db:
        spans = db.execute(
            f'SELECT s.document_id, s.start, s."end" FROM {scope.spans} s '  # noqa: S608 - one of two of ours
            f"JOIN documents d ON d.id = s.document_id WHERE {scope.documents} "
            "AND s.label IN (SELECT value FROM json_each(:labels)) AND d.id IS NOT :but "
            "ORDER BY s.document_id, s.start",
            scope.values | {"labels": _ids(db, scope.project_id, label), "but": but},
        )
        for name, text, (id_, start, end) in beside_text(db, spans):
            surface = text[start:end]
            seen = found.get(surface)
            if seen is None:
                before, after = text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT]
                found[surface] = Labelled(surface, 1, 1, name, before, after)
            else:
                in_another = last[surface] != id_
                found[surface] = replace(seen, times=seen.times + 1, documents=seen.documents + in_another)
            last[surface] = id_
    return heapq.nsmallest(limit, found.values(), key=lambda one: (-one.times, one.surface))


def _ids(db: sqlite3.Connection, project_id: int, label: str) -> str:
    return json.dumps(label_ids(db, project_id).read_as(label))
