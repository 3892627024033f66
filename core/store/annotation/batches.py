"""Bulk edits: many documents changed as one undoable step.

Every document gets its own event with the batch's name as ``client_edit``, which makes repeated requests
idempotent and finds the documents again for undo. A `scope.Scope` says which annotations are changed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.store.annotation.annotations import current_for_update, save
from core.store.annotation.scope import Scope
from core.store.db.errors import NotFound, PayloadError
from core.store.db.payload import MOST_SPANS, checked_client_edit
from core.store.db.span_json import load_spans
from core.store.db.texts_of_spans import beside_text
from core.store.db.workspace import Workspace
from core.store.label.ids import label_ids, read_names
from core.store.project.projects import row_of
from core.text import Span, UnknownLabelError

ACTIONS = ("label_others", "replace_labels")
MOST_PLACES = 5_000
DOCUMENTS_AT_ONCE = 50  # per transaction, so that other saves are not blocked


@dataclass(frozen=True, slots=True)
class Place:
    """Offsets in a document to label, and the surface expected there."""

    document_id: int
    start: int
    end: int
    surface: str


@dataclass(frozen=True, slots=True)
class Done:
    """Counts of a batch: documents changed, spans added and removed."""

    documents: int = 0
    added: int = 0
    removed: int = 0


def label_places(
    workspace: Workspace, scope: Scope, places: Sequence[Place], label: str, *, batch: str
) -> Done:
    """Label every place that does not have the label yet.

    Raises:
        PayloadError: too many places, or a surface does not match (names document and offsets).
        UnknownLabelError, NotFound (also for a document outside the scope), NotAllowed: nothing was saved.
    """
    if len(places) > MOST_PLACES:
        raise PayloadError(
            "{places} places; at most {most} are labelled at once", places=len(places), most=MOST_PLACES
        )
    wanted: dict[int, list[Span]] = {}
    with workspace.reading() as db:
        row_of(db, scope.project_id)
        _check_labels(db, scope.project_id, label)
        texts = _texts(db, scope, {place.document_id for place in places})
    for place in places:
        text = texts.get(place.document_id)
        if text is None:
            raise NotFound("document", place.document_id)
        current = text[place.start : place.end]
        if current != place.surface:
            raise PayloadError(
                "document {document}: {surface} is not at {start}-{end}, {current} is; search again",
                document=place.document_id,
                surface=repr(place.surface),
                start=place.start,
                end=place.end,
                current=repr(current),
            )
        wanted.setdefault(place.document_id, []).append(Span(place.start, place.end, label))

    def with_label(document_id: int, spans: tuple[Span, ...]) -> list[Span]:
        return _with(spans, wanted[document_id], ())

    _each(workspace, scope, wanted, with_label, action="label_others", client_edit=batch)
    return done(workspace, scope, batch, among=set(wanted))


def replace(
    workspace: Workspace,
    scope: Scope,
    label: str,
    new: str | None,
    surfaces: Iterable[str] | None = None,
    *,
    batch: str,
    but: int | None = None,
) -> Done:
    """Change ``label`` to ``new`` (None: remove it) on every span.

    Args:
        surfaces: only spans with these surfaces; None: all.
        but: a document that is left alone.

    Raises:
        UnknownLabelError, PayloadError, NotFound: nothing was saved.
    """
    chosen = None if surfaces is None else frozenset(surfaces)
    with workspace.reading() as db:
        row_of(db, scope.project_id)
        _check_labels(db, scope.project_id, label, *([] if new is None else [new]))
        if new == label:
            raise PayloadError(
                "label {label} is already {new}; choose another", label=repr(label), new=repr(new)
            )
        targets = _with_label(db, scope, label, chosen, but)

    def replaced(document_id: int, spans: tuple[Span, ...]) -> list[Span]:
        old = [
            span for span in spans if span.label == label and (span.start, span.end) in targets[document_id]
        ]
        return _with(
            spans, [Span(s.start, s.end, new, link=s.link) for s in old] if new is not None else [], old
        )

    _each(workspace, scope, targets, replaced, action="replace_labels", client_edit=batch)
    return done(workspace, scope, batch, but=but)


def turn(
    workspace: Workspace,
    scope: Scope,
    batch: str,
    way: Literal["undo", "redo"],
    *,
    client_edit: str | None = None,
    but: int | None = None,
) -> Done:
    """Undo or redo a batch in every document it changed.

    Only the spans of the batch are removed or added; later edits stay. Repeating it changes nothing.

    Args:
        but: a document that is left alone.

    Raises:
        PayloadError: no such way. NotFound: no such project.
    """
    if way not in ("undo", "redo"):
        raise PayloadError(
            "an edit can be undone or redone, not {way}; reload the page", way=repr(str(way)[:40])
        )
    with workspace.reading() as db:
        row_of(db, scope.project_id)
        changes = {id_: (added, removed) for id_, added, removed in _events(db, scope, batch)}
    if but is not None:
        changes.pop(but, None)

    def turned(document_id: int, spans: tuple[Span, ...]) -> list[Span]:
        added, removed = changes[document_id]
        return _with(spans, removed, added) if way == "undo" else _with(spans, added, removed)

    return _each(workspace, scope, changes, turned, action=way, client_edit=client_edit)


def done(
    workspace: Workspace, scope: Scope, batch: str, *, among: set[int] | None = None, but: int | None = None
) -> Done:
    """The counts of a batch, from its events.

    Args:
        among: only these documents. but: leave out this one, which the page saves itself.
    """
    with workspace.reading() as db:
        rows = [
            (added, removed)
            for id_, added, removed in _events(db, scope, batch)
            if id_ != but and (among is None or id_ in among)
        ]
    return Done(len(rows), sum(len(added) for added, _ in rows), sum(len(removed) for _, removed in rows))


def _each(
    workspace: Workspace,
    scope: Scope,
    documents: Iterable[int],
    spans_of: Callable[[int, tuple[Span, ...]], list[Span]],
    *,
    action: str,
    client_edit: str | None,
) -> Done:
    """Save what ``spans_of(document, its spans)`` gives for each document, some per transaction.

    Documents that have left the scope (in the trash, no longer assigned) are skipped.
    """
    checked_client_edit(client_edit)
    changed = added = removed = 0
    for chunk in _chunks(sorted(documents)):
        with workspace.writing() as db:
            for document_id in scope.of(db, chunk):
                annotation = current_for_update(workspace, document_id, scope.annotator)
                before = {span.key for span in annotation.document.spans}
                spans = spans_of(document_id, annotation.document.spans)
                if len(spans) > MOST_SPANS:
                    raise PayloadError(
                        "document {document} would have more than {most} spans",
                        document=document_id,
                        most=MOST_SPANS,
                    )
                save(
                    workspace, document_id, annotation.revision, spans, annotation.rejected,
                    user=scope.user, annotator=scope.annotator, action=action, client_edit=client_edit,
                )  # fmt: skip
                after = {span.key for span in spans}
                changed += before != after
                added, removed = added + len(after - before), removed + len(before - after)
    return Done(changed, added, removed)


def _check_labels(db: sqlite3.Connection, project_id: int, *names: str) -> None:
    listed = label_ids(db, project_id).listed
    for name in names:
        if name not in listed:
            raise UnknownLabelError(name, listed)


def _chunks(items: list[int]) -> Iterator[list[int]]:
    for at in range(0, len(items), DOCUMENTS_AT_ONCE):
        yield items[at : at + DOCUMENTS_AT_ONCE]


def _with(spans: Sequence[Span], added: Iterable[Span], removed: Iterable[Span]) -> list[Span]:
    gone = {span.key for span in removed}
    kept = {span.key: span for span in spans if span.key not in gone}
    for span in added:
        kept.setdefault(span.key, span)
    return list(kept.values())


def _texts(db: sqlite3.Connection, scope: Scope, ids: set[int]) -> dict[int, str]:
    reached = json.dumps(scope.of(db, ids))
    rows = db.execute(
        "SELECT id, text FROM documents WHERE id IN (SELECT value FROM json_each(?))", (reached,)
    )
    return {row[0]: row[1] for row in rows}


def _with_label(
    db: sqlite3.Connection, scope: Scope, label: str, surfaces: frozenset[str] | None, but: int | None
) -> dict[int, set[tuple[int, int]]]:
    """By document, the spans of ``label`` with one of ``surfaces``."""
    labels = json.dumps(label_ids(db, scope.project_id).read_as(label))
    spans = db.execute(
        f'SELECT s.document_id, s.start, s."end" FROM {scope.spans} s '  # noqa: S608 - one of two of ours
        f"JOIN documents d ON d.id = s.document_id WHERE {scope.documents} "
        "AND s.label IN (SELECT value FROM json_each(:labels)) AND d.id IS NOT :but ORDER BY s.document_id",
        scope.values | {"labels": labels, "but": but},
    )
    chosen = (
        spans
        if surfaces is None
        else (span for _, text, span in beside_text(db, spans) if text[span[1] : span[2]] in surfaces)
    )
    places: dict[int, set[tuple[int, int]]] = {}
    for document_id, start, end in chosen:
        places.setdefault(document_id, set()).add((start, end))
    return places


def _events(
    db: sqlite3.Connection, scope: Scope, batch: str
) -> list[tuple[int, tuple[Span, ...], tuple[Span, ...]]]:
    """Document, spans added and spans removed of each event of a batch."""
    names = read_names(db, scope.project_id)
    first, second = ACTIONS
    rows = db.execute(
        "SELECT e.document_id, e.added, e.removed FROM documents d JOIN events e "  # noqa: S608 - ours
        f"ON e.document_id = d.id AND e.annotator = :annotator WHERE {scope.documents} "
        "AND e.client_edit = :batch AND e.action IN (:first, :second)",
        scope.values
        | {
            "annotator": scope.annotator,
            "batch": checked_client_edit(batch),
            "first": first,
            "second": second,
        },
    ).fetchall()
    return [(row[0], load_spans(row[1], names), load_spans(row[2], names)) for row in rows]
