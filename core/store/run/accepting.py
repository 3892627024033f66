"""Accepting a run's suggestions in many documents: which of them can be accepted, and saving them."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.store.annotation.annotations import Annotation, current_for_update, save
from core.store.db.span_json import load_spans
from core.store.db.workspace import Workspace
from core.store.document.documents import CHUNK, GOLD, built
from core.store.label.ids import label_ids, read_names
from core.store.project import nesting
from core.store.project.projects import row_of
from core.text import Document, Span
from core.text.outermost import outermost

ACTION, UNDO = "accept_many", "undo_accept_many"
EXAMPLES = 10
CONTEXT = 20  # characters before and after an example
# Nobody touches these from a list: finished, ignored, or with versions of their own that a reviewer merges.
_OPEN = (
    "d.project_id = :project AND d.trashed IS NULL AND d.status NOT IN ('done', 'ignored') "
    "AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.document_id = d.id "
    "AND (SELECT workflow FROM projects WHERE id = :project) = 'separate')"
)


@dataclass(frozen=True, slots=True)
class Example:
    """A suggestion with some context: ``text[start:end]`` is its surface."""

    document_id: int
    name: str
    text: str
    start: int
    end: int
    label: str
    score: float


@dataclass(frozen=True, slots=True)
class Preview:
    """What accepting would add: spans, documents, and some examples drawn from all of them."""

    spans: int
    documents: int
    examples: tuple[Example, ...]


def acceptable(
    spans: Iterable[Span],
    document: Document,
    rejected: Iterable[Span],
    threshold: float,
    *,
    nested: bool,
    labels: Iterable[str],
) -> tuple[Span, ...]:
    """The suggestions from ``threshold`` on that contradict nothing a person said, in reading order.

    Those are left out that were rejected, have the place of an annotated span, or overlap one: in a nested
    project only where they cross it or have its label. In a flat project the longest of overlapping ones
    stay.
    """
    listed, refused = frozenset(labels), {span.key for span in rejected}
    said = document.spans
    free = [
        span
        for span in spans
        if span.score is not None
        and span.score >= threshold
        and span.label in listed
        and span.key not in refused
        and not any(_contradicts(other, span, nested) for other in said)
    ]
    return tuple(free if nested else outermost(free)[0])


def preview(
    workspace: Workspace, project_id: int, run: str, ids: Sequence[int], threshold: float, *, seed: int = 0
) -> Preview:
    """Count what accepting the run's suggestions in these documents would add; changes nothing.

    Raises:
        NotFound: no such project.
    """
    dice = random.Random(seed)  # noqa: S311 - examples, not secrets
    spans = documents = 0
    drawn: list[Example] = []
    for document_id, document, found in _found(workspace, project_id, run, ids, threshold):
        documents += bool(found)
        for span in found:
            spans += 1
            example = _example(document_id, document, span)
            # Reservoir sampling: every suggestion has the same chance.
            if len(drawn) < EXAMPLES:
                drawn.append(example)
            elif (at := dice.randrange(spans)) < EXAMPLES:
                drawn[at] = example
    return Preview(spans, documents, tuple(sorted(drawn, key=lambda one: (one.document_id, one.start))))


def accept(
    workspace: Workspace,
    project_id: int,
    run: str,
    ids: Sequence[int],
    threshold: float,
    *,
    user: str,
    client_edit: str,
) -> list[tuple[int, str]]:
    """Accept the run's suggestions in these documents, in an open transaction; one event each.

    Returns:
        The documents changed, with their status before.
    """
    changed = []
    for document_id, _, found in _found(workspace, project_id, run, ids, threshold):
        if found:
            annotation = current_for_update(workspace, document_id)
            _save(workspace, annotation, [*annotation.document.spans, *found], user, ACTION, client_edit, run)
            changed.append((document_id, annotation.status))
    return changed


def take_back(
    workspace: Workspace,
    db: sqlite3.Connection,
    document_id: int,
    before: str,
    *,
    user: str,
    client_edit: str,
) -> bool:
    """Remove what `accept` added to a document and is still there; whether anything was.

    Args:
        before: the document's status before, taken again if nobody edited it since.
    """
    event = db.execute(
        "SELECT e.revision, e.added, d.project_id FROM events e JOIN documents d ON d.id = e.document_id "
        "WHERE e.document_id = ? AND e.annotator = ? AND e.client_edit = ? AND d.trashed IS NULL",
        (document_id, GOLD, client_edit),
    ).fetchone()
    if event is None:
        return False
    added = {span.key for span in load_spans(event["added"], read_names(db, event["project_id"]))}
    annotation = current_for_update(workspace, document_id)
    kept = [span for span in annotation.document.spans if span.key not in added]
    untouched = annotation.revision == event["revision"]
    _save(workspace, annotation, kept, user, UNDO, f"undo:{client_edit}", None, before if untouched else None)
    return True


def _save(
    workspace: Workspace,
    annotation: Annotation,
    spans: Sequence[Span],
    user: str,
    action: str,
    client_edit: str,
    run: str | None,
    status: str | None = None,
) -> None:
    save(
        workspace, annotation.document_id, annotation.revision, spans, annotation.rejected,
        user=user, action=action, run=run, status=status, client_edit=client_edit,
    )  # fmt: skip


def _found(
    workspace: Workspace, project_id: int, run: str, ids: Sequence[int], threshold: float
) -> Iterator[tuple[int, Document, tuple[Span, ...]]]:
    """The open ones of these documents with the suggestions that can be accepted."""
    nested = nesting.is_nested(workspace, project_id)
    for at in range(0, len(ids), CHUNK):
        with workspace.reading() as db:
            row_of(db, project_id)
            label_map = label_ids(db, project_id)
            rows = db.execute(
                f"SELECT d.*, p.spans AS predicted FROM predictions p JOIN documents d "  # noqa: S608 - ours
                f"ON d.id = p.document_id WHERE p.run = :run AND p.least_score IS NOT NULL AND {_OPEN} "
                "AND d.id IN (SELECT value FROM json_each(:ids)) ORDER BY d.id",
                {"run": run, "project": project_id, "ids": json.dumps(list(ids[at : at + CHUNK]))},
            ).fetchall()
            documents = built(db, rows)
        for row, document in zip(rows, documents, strict=True):
            predicted = load_spans(row["predicted"], label_map.names)
            refused = load_spans(row["rejected"], label_map.names)
            yield row["id"], document, acceptable(
                predicted, document, refused, threshold, nested=nested, labels=label_map.listed
            )  # fmt: skip


def _contradicts(said: Span, suggestion: Span, nested: bool) -> bool:
    """As `contradicts` of assets/scripts/text/spans.js."""
    if not said.overlaps(suggestion):
        return False
    if not nested or (said.start, said.end) == (suggestion.start, suggestion.end):
        return True
    strictly_inside = (said.start < suggestion.start and suggestion.end < said.end) or (
        suggestion.start < said.start and said.end < suggestion.end
    )
    return not strictly_inside and said.label == suggestion.label


def _example(document_id: int, document: Document, span: Span) -> Example:
    first, last = max(0, span.start - CONTEXT), min(len(document.text), span.end + CONTEXT)
    text = document.text[first:last]
    return Example(
        document_id, document.id, text, span.start - first, span.end - first, span.label, span.score or 0.0
    )
