"""Server functions for the open document: open, save, tag, history."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from app.annotate.guideline import label_objects
from app.annotate.suggesting import opening, rule_objects
from app.annotate.suggestions import lattice_words, tagger_spans
from app.services.errors import AppError
from app.services.rights import needs, worker_of
from app.services.session import Session
from app.ui.filter_fields import EMPTY_IS_NONE
from app.ui.payload import Count, EditId, OneDocument, Payload, Spans, TextOrEmpty, Words
from app.ui.server_function import Reply, ServerError
from app.ui.widgets.sentence import span_object
from core.formats.framework.attachments import attachments_of
from core.store.annotation import working
from core.store.annotation.annotations import Annotation, StaleRevision
from core.store.annotation.events import Event
from core.store.annotation.undo_steps import ASIDE
from core.store.db.payload import LONGEST_REASON
from core.store.document import documents
from core.store.label import ids as label_ids
from core.store.label import labels
from core.store.project import nesting, projects
from core.store.queue import queue
from core.store.queue.filter import Filter
from core.store.run import predictions
from core.text import Span, UnknownLabelError

MOST_EVENTS = 200
_NOTHING: Reply = {"document": None, "suggestions": [], "active_run": None}
Action = Literal[
    "label", "relabel", "accept", "accept_all", "reject", "delete", "move", "undo", "redo", "done", "reopen",
    "ignore", "restore", "to_check",
    "keep_mine", "merge", "label_others", "replace_labels",
]  # fmt: skip


class OpenDocument(Payload):
    """A document, or None for the first of the queue."""

    document: Count | None = None


class Edit(Payload):
    """A save: the document's spans and rejected suggestions after an action.

    Args:
        base_revision: the revision the page had before the action.
        client_edit: unique id of the edit; a repeated edit is applied once.
        status: the document's new status, or None to keep it.
        reason: why it is ignored, or None to keep what was said.
        run: the run whose suggestions were shown; "" if none were.
    """

    document: Count
    base_revision: Count
    client_edit: EditId
    action: Action
    spans: Spans
    rejected: Spans
    status: Annotated[Literal["new", "in_progress", "to_check", "done", "ignored"] | None, EMPTY_IS_NONE] = (
        None
    )
    reason: Annotated[str, Field(max_length=LONGEST_REASON)] | None = None
    run: TextOrEmpty = ""


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
    annotation = None if number is None else _working(session, number)
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
        "document": _document_object(annotation) | _set_aside(session, annotation),
        "active_run": _active_run(session, annotation.document_id),
        **_suggestions(session, annotation, patient=patient),
    }


@needs("annotate")
def list_words(session: Session, asked: OneDocument) -> Reply:
    """Return ``words``, lattice words as ``[start, end]``, and whether the active tagger has ``read`` them;
    called once the document is displayed."""
    words = lattice_words(session, _working(session, asked.document).document.text)
    return {"words": words.places, "read": words.read}


# Checks no right in the current project: edits made before switching projects are still saved. The store
# checks the right in the document's project.
def save_edit(session: Session, edit: Edit) -> Reply:
    """Apply ``edit`` once; return ``revision`` and ``at`` (UTC ms).

    Raises:
        ServerError: ``conflict`` (somebody saved first; with ``current``), or ``labels_gone`` (with ``gone``,
            what each became or None, and ``labels``).
    """
    with _reporting_conflicts(session):
        try:
            saved = working.save(
                session.workspace,
                edit.document,
                edit.base_revision,
                edit.spans,
                edit.rejected,
                user=session.user,
                action=edit.action,
                run=edit.run or None,
                status=edit.status,
                reason=edit.reason,
                client_edit=edit.client_edit,
            )
        except UnknownLabelError as error:
            raise _labels_gone(session, edit) from error
    return {"revision": saved.revision, "at": saved.at}


@needs("annotate")
def suggest_spans(session: Session, asked: Without) -> Reply:
    """Tag the document without some words: ``suggestions``, how many ``more``, ``words`` and whether the
    tagger has ``read`` them, ``active_run``."""
    annotation = _working(session, asked.document)
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
    active = _active_run(session, asked.document)
    run = active["name"] if active and active["answered"] else None
    with _reporting_conflicts(session):
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


@contextmanager
def _reporting_conflicts(session: Session) -> Iterator[None]:
    """Send the current state along when somebody else saved first."""
    try:
        yield
    except StaleRevision as error:
        raise ServerError("conflict", error, current=_conflicting(session, error.current)) from error


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


def _labels_gone(session: Session, edit: Edit) -> ServerError:
    """Labels of the edit were deleted or merged; the page keeps the edit and lets the person choose."""
    project_id = documents.project_of(session.workspace, edit.document)
    names = (span.label for span in (*edit.spans, *edit.rejected))
    gone = label_ids.successors(session.workspace, project_id, names)
    reason = AppError(
        "The label {label} no longer exists, so the edit is not saved yet. Nothing is lost.",
        label=next(iter(gone), ""),
    )
    left = label_objects(labels.get(session.workspace, project_id))
    return ServerError("labels_gone", reason, gone=gone, labels=left)


def _working(session: Session, document: int) -> Annotation:
    """The annotation this person edits: their own version, or gold."""
    return working.current(session.workspace, document, session.user)


def _document_object(annotation: Annotation) -> Reply:
    attached = attachments_of(annotation.document)
    return {
        "id": annotation.document_id,
        "text": annotation.document.text,
        "spans": [span_object(span) for span in annotation.document.spans],
        "rejected": [span_object(span) for span in annotation.rejected],
        "discontinuous": [span.to_json() for span in attached.discontinuous],
        "chains": [chain.to_json() for chain in attached.chains],
        "relations": [relation.to_json() for relation in attached.relations],
        "revision": annotation.revision,
        "status": annotation.status,
        "reason": annotation.reason,
    }


def _set_aside(session: Session, annotation: Annotation) -> Reply:
    """Of a document that is ignored or flagged: ``returns_to``, its status before."""
    if annotation.status not in ASIDE:
        return {}
    events = working.history(session.workspace, annotation.document_id, session.user)
    before = (event.status for event in reversed(events) if event.status not in ASIDE)
    return {"returns_to": next(before, "new")}


def _conflicting(session: Session, current: Annotation) -> Reply:
    events = working.history(session.workspace, current.document_id, session.user)
    last = events[-1] if events else None
    somebody = {"user": session._("somebody"), "at": 0}
    by = {"user": last.user, "at": last.at} if last else somebody
    return _document_object(current) | by


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
