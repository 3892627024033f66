"""Server functions for the open document: open, save, tag, history."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from app.annotate.suggesting import opening, rule_objects
from app.annotate.suggestions import lattice_words, tagger_spans
from app.services import in_project
from app.services.rights import needs, worker_of
from app.services.session import Session
from app.ui.annotation.saving import document_object, label_objects, reporting_conflicts, save_edit
from app.ui.payload import Count, OneDocument, Payload, Words
from app.ui.server_function import Reply
from app.ui.widgets.sentence import span_object
from core.store.annotation import working
from core.store.annotation.annotations import Annotation
from core.store.annotation.events import Event
from core.store.annotation.undo_steps import ASIDE
from core.store.label import labels
from core.store.project import nesting, projects
from core.store.queue import queue
from core.store.queue.filter import Filter
from core.store.run import predictions
from core.text import Span

MOST_EVENTS = 200
_NOTHING: Reply = {"document": None, "suggestions": [], "active_run": None}


class OpenDocument(Payload):
    """A document, or None for the first of the queue."""

    document: Count | None = None


class Without(Payload):
    """A document, and words to leave out of the tagger's lexicon for this request."""

    document: Count
    without: Words


class Restore(Payload):
    """A revision to restore; ``base_revision`` is the one on the page."""

    document: Count
    revision: Count
    base_revision: Count


@needs("annotate")
def open_document(session: Session, asked: OpenDocument) -> Reply:
    """The state of a document: ``scope``, ``labels``, ``nested``, ``document``, ``suggestions``,
    ``active_run``, ``view`` of the sources, ``pending`` (then call `find_suggestions`), ``more`` and
    ``annotated``."""
    number = asked.document
    worker = worker_of(session) if number is None else None
    if number is None:
        mine = Filter(worker=worker, ignored=False)
        first = (
            queue.page(session.workspace, session.project_id, mine, limit=1).rows
            or queue.page(session.workspace, session.project_id, replace(mine, ignored=True), limit=1).rows
        )
        number = first[0].id if first else None
    annotation = None if number is None else in_project.annotation(session, number)
    return {
        "scope": hashlib.sha256(str(session.workspace.folder).encode()).hexdigest()[:16],
        "labels": label_objects(labels.get(session.workspace, session.project_id)),
        "handed": worker is not None,
        **(_NOTHING if annotation is None else state_of(session, annotation)),
    }


def state_of(session: Session, annotation: Annotation, *, patient: bool = False) -> Reply:
    """Of `open_document` what is the document's own. Args: patient: as `rule_suggestions` has it."""
    return {
        "nested": nesting.is_nested(session.workspace, session.project_id),
        "document": document_object(annotation) | _set_aside(session, annotation),
        "active_run": _active_run(session, annotation.document_id),
        **_suggestions(session, annotation, patient=patient),
    }


@needs("annotate")
def list_words(session: Session, asked: OneDocument) -> Reply:
    """Return ``words``, lattice words as ``[start, end]``, and whether the active tagger has ``read`` them;
    called once the document is displayed."""
    words = lattice_words(session, in_project.without_spans(session, asked.document).text)
    return {"words": words.places, "read": words.read}


@needs("annotate")
def suggest_spans(session: Session, asked: Without) -> Reply:
    """Tag the document without some words: ``suggestions``, how many ``more``, ``words`` and whether the
    tagger has ``read`` them, ``active_run``."""
    annotation = in_project.annotation(session, asked.document)
    run = session.workbench.taggers.run_of(session.project_id)
    spans, words = tagger_spans(session, annotation.document, asked.without)
    if not asked.without:
        # Stored so that edits against it count as corrections of this run.
        predictions.put_one(session.workspace, run, asked.document, spans)
    label_set = labels.get(session.workspace, session.project_id)
    rules, more = rule_objects(session, annotation)
    return {
        "suggestions": [*_suggestion_objects(spans, label_set.names, "tagger"), *rules],
        "more": more,
        "words": words.places,
        "read": words.read,
        "active_run": {"name": run, "answered": True},
    }


@needs("annotate")
def read_history(session: Session, asked: OneDocument) -> Reply:
    """Return ``events``, newest first."""
    events = working.history(session.workspace, asked.document, session.user)
    latest = events[-1].revision if events else 0
    return {"events": [_event_object(event, latest) for event in reversed(events[-MOST_EVENTS:])]}


@needs("annotate")
def restore_revision(session: Session, asked: Restore) -> Reply:
    """Restore a revision; return the state of `open_document` and ``at``. Raises: as `save_edit`."""
    in_project.check_document(session, asked.document)
    active = _active_run(session, asked.document)
    run = active["name"] if active and active["answered"] else None
    with reporting_conflicts(session):
        saved = working.revert(
            session.workspace,
            asked.document,
            asked.revision,
            base_revision=asked.base_revision,
            user=session.user,
            run=run,
        )
    return {**open_document(session, OpenDocument(document=asked.document)), "at": saved.at}


FUNCTIONS = (
    open_document, list_words, save_edit, suggest_spans, read_history, restore_revision,
)  # fmt: skip


def _active_run(session: Session, document_id: int) -> Reply | None:
    run = projects.get(session.workspace, session.project_id).active_run
    if run is None:
        return None
    return {"name": run, "answered": predictions.get(session.workspace, run, document_id) is not None}


def _suggestions(session: Session, annotation: Annotation, *, patient: bool) -> Reply:
    """``suggestions`` of all sources, and the state returned by `opening`."""
    label_names = labels.get(session.workspace, session.project_id).names
    run = projects.get(session.workspace, session.project_id).active_run
    predicted = predictions.get(session.workspace, run, annotation.document_id) if run else None
    rules, state = opening(session, annotation, patient=patient)
    return {"suggestions": [*_suggestion_objects(predicted or (), label_names, "tagger"), *rules], **state}


def _set_aside(session: Session, annotation: Annotation) -> Reply:
    """Of a document that is ignored or flagged: ``returns_to``, its status before."""
    if annotation.status not in ASIDE:
        return {}
    events = working.history(session.workspace, annotation.document_id, session.user)
    before = (event.status for event in reversed(events) if event.status not in ASIDE)
    return {"returns_to": next(before, "new")}


def _suggestion_objects(spans: Sequence[Span], label_names: Sequence[str], source: str) -> list[Reply]:
    """Suggestions with labels of the project; others could be neither accepted nor rejected."""
    return [span_object(span, source) for span in spans if span.label in label_names]


def _event_object(event: Event, latest: int) -> Reply:
    return {
        "revision": event.revision,
        "at": event.at,
        "user": event.user,
        "action": event.action,
        "reason": event.reason,
        "added": [span_object(span) for span in event.added],
        "removed": [span_object(span) for span in event.removed],
        "rejected": [span_object(span) for span in event.rejected],
        "called": dict(event.called),
        "current": event.revision == latest,
    }
