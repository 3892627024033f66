"""Edits of many documents at once that are one step to the person who makes them, forwards and back.

Every document gets an event of its own; what belongs together carries the batch's name as ``client_edit``.
That makes a repeated request harmless, and finds the documents again when the step is taken back.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.store.annotations import current_for_update, save
from core.store.errors import NotFound, PayloadError
from core.store.labels import label_set
from core.store.payload import MOST_SPANS, checked_client_edit
from core.store.projects import checked_id, row_of
from core.store.span_json import load_spans
from core.store.workspace import Workspace
from core.text import Span

ACTIONS = ("label_others", "replace_labels")
MOST_PLACES = 5_000
DOCUMENTS_AT_ONCE = 50  # per transaction, so that other people's saves come in between


@dataclass(frozen=True, slots=True)
class Place:
    """Where a label is to go: a stretch of a document and the surface that must stand there."""

    document_id: int
    start: int
    end: int
    surface: str


@dataclass(frozen=True, slots=True)
class Done:
    """What a batch changed: how many documents, spans added and spans removed."""

    documents: int = 0
    added: int = 0
    removed: int = 0


def label_places(
    workspace: Workspace, project_id: int, places: Sequence[Place], label: str, *, user: str, batch: str
) -> Done:
    """Put ``label`` on every place; where it is already, nothing changes.

    Raises:
        PayloadError: too many places, or another surface stands at one (names document and offsets).
        UnknownLabelError, NotFound: nothing was saved.
    """
    if len(places) > MOST_PLACES:
        raise PayloadError(f"{len(places)} places; at most {MOST_PLACES} are labelled at once")
    wanted: dict[int, list[Span]] = {}
    with workspace.reading() as db:
        row_of(db, project_id)
        label_set(db, project_id)[label]
        texts = _texts(db, project_id, {place.document_id for place in places})
    for place in places:
        text = texts.get(place.document_id)
        if text is None:
            raise NotFound("document", place.document_id)
        standing = text[place.start : place.end]
        if standing != place.surface:
            raise PayloadError(
                f"document {place.document_id}: {place.surface!r} is not at {place.start}-{place.end}, "
                f"{standing!r} is; search again"
            )
        wanted.setdefault(place.document_id, []).append(Span(place.start, place.end, label))

    def with_label(document_id: int, spans: tuple[Span, ...]) -> list[Span]:
        return _with(spans, wanted[document_id], ())

    _each(workspace, wanted, with_label, user=user, action="label_others", client_edit=batch)
    return done(workspace, project_id, batch, among=set(wanted))


def replace(
    workspace: Workspace,
    project_id: int,
    label: str,
    new: str | None,
    surfaces: Iterable[str] | None = None,
    *,
    user: str,
    batch: str,
    but: int | None = None,
) -> Done:
    """Change ``label`` to ``new`` (None: remove it) on every span that carries it.

    Args:
        surfaces: only spans of these; None means all.
        but: a document that is left alone.

    Raises:
        UnknownLabelError, PayloadError, NotFound: nothing was saved.
    """
    chosen = None if surfaces is None else frozenset(surfaces)
    with workspace.reading() as db:
        row_of(db, project_id)
        known = label_set(db, project_id)
        known[label]
        if new is not None:
            known[new]
        if new == label:
            raise PayloadError(f"label {label!r} is already {new!r}; choose another")
        targets = _with_label(db, project_id, label, chosen, but)

    def replaced(document_id: int, spans: tuple[Span, ...]) -> list[Span]:
        old = [
            span for span in spans if span.label == label and (span.start, span.end) in targets[document_id]
        ]
        return _with(spans, [Span(s.start, s.end, new) for s in old] if new is not None else [], old)

    _each(workspace, targets, replaced, user=user, action="replace_labels", client_edit=batch)
    return done(workspace, project_id, batch, but=but)


def turn(
    workspace: Workspace,
    project_id: int,
    batch: str,
    way: Literal["undo", "redo"],
    *,
    user: str,
    client_edit: str | None = None,
    but: int | None = None,
) -> Done:
    """Take a batch back in every document it changed, or do it again.

    What was edited there since stays: only the spans of the batch go and come. Doing either twice changes
    nothing more, and a batch that changed nothing has nothing to take back.

    Args:
        but: a document that is left alone.

    Raises:
        PayloadError: no such way. NotFound: no such project.
    """
    if way not in ("undo", "redo"):
        raise PayloadError(f"way must be undo or redo, got {str(way)[:40]!r}")
    with workspace.reading() as db:
        row_of(db, project_id)
        changes = {row[0]: (load_spans(row[1]), load_spans(row[2])) for row in _events(db, project_id, batch)}
    if but is not None:
        changes.pop(but, None)

    def turned(document_id: int, spans: tuple[Span, ...]) -> list[Span]:
        added, removed = changes[document_id]
        return _with(spans, removed, added) if way == "undo" else _with(spans, added, removed)

    return _each(workspace, changes, turned, user=user, action=way, client_edit=client_edit)


def done(
    workspace: Workspace,
    project_id: int,
    batch: str,
    *,
    among: set[int] | None = None,
    but: int | None = None,
) -> Done:
    """What the events of ``batch`` say it did, however often it was asked for.

    Args:
        among: only these documents. but: not this one: its part of the step was saved with the page.
    """
    with workspace.reading() as db:
        rows = [
            (load_spans(row[1]), load_spans(row[2]))
            for row in _events(db, project_id, batch)
            if row[0] != but and (among is None or row[0] in among)
        ]
    return Done(len(rows), sum(len(added) for added, _ in rows), sum(len(removed) for _, removed in rows))


def _each(
    workspace: Workspace,
    documents: Iterable[int],
    spans_of: Callable[[int, tuple[Span, ...]], list[Span]],
    *,
    user: str,
    action: str,
    client_edit: str | None,
) -> Done:
    """Save what ``spans_of(document, its spans)`` gives for each document, some per transaction."""
    checked_client_edit(client_edit)
    changed = added = removed = 0
    for chunk in _chunks(sorted(documents)):
        with workspace.writing():
            for document_id in chunk:
                stands = current_for_update(workspace, document_id)
                before = {span.key for span in stands.document.spans}
                wanted = spans_of(document_id, stands.document.spans)
                if len(wanted) > MOST_SPANS:
                    raise PayloadError(f"document {document_id} would have more than {MOST_SPANS} spans")
                save(
                    workspace, document_id, stands.revision, wanted, stands.rejected,
                    user=user, action=action, client_edit=client_edit,
                )  # fmt: skip
                after = {span.key for span in wanted}
                changed += before != after
                added, removed = added + len(after - before), removed + len(before - after)
    return Done(changed, added, removed)


def _chunks(items: list[int]) -> Iterator[list[int]]:
    for at in range(0, len(items), DOCUMENTS_AT_ONCE):
        yield items[at : at + DOCUMENTS_AT_ONCE]


def _with(spans: Sequence[Span], added: Iterable[Span], removed: Iterable[Span]) -> list[Span]:
    gone = {span.key for span in removed}
    kept = {span.key: span for span in spans if span.key not in gone}
    for span in added:
        kept.setdefault(span.key, span)
    return list(kept.values())


def _texts(db: sqlite3.Connection, project_id: int, ids: set[int]) -> dict[int, str]:
    rows = db.execute(
        "SELECT id, text FROM documents WHERE project_id = ? AND trashed IS NULL AND id IN "
        "(SELECT value FROM json_each(?))",
        (project_id, json.dumps([checked_id(id_) for id_ in ids])),
    )
    return {row[0]: row[1] for row in rows}


def _with_label(
    db: sqlite3.Connection, project_id: int, label: str, surfaces: frozenset[str] | None, but: int | None
) -> dict[int, set[tuple[int, int]]]:
    """By document, where ``label`` stands on one of ``surfaces``."""
    rows = db.execute(
        'SELECT s.document_id, s.start, s."end", substr(d.text, s.start + 1, s."end" - s.start) FROM spans s '
        "JOIN documents d ON d.id = s.document_id WHERE d.project_id = ? AND d.trashed IS NULL "
        "AND s.label = ? AND d.id IS NOT ?",
        (project_id, label, but),
    )
    places: dict[int, set[tuple[int, int]]] = {}
    for document_id, start, end, surface in rows:
        if surfaces is None or surface in surfaces:
            places.setdefault(document_id, set()).add((start, end))
    return places


def _events(db: sqlite3.Connection, project_id: int, batch: str) -> list[sqlite3.Row]:
    return db.execute(
        "SELECT e.document_id, e.added, e.removed FROM documents d JOIN events e ON e.document_id = d.id "
        "WHERE d.project_id = ? AND d.trashed IS NULL AND e.client_edit = ? AND e.action IN (?, ?)",
        (checked_id(project_id), checked_client_edit(batch), *ACTIONS),
    ).fetchall()
