"""Saving what a person says of a document: the one way from a script to the store, on every page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from pydantic import Field

from app.services.errors import AppError
from app.services.session import Session
from app.ui.filter_fields import EMPTY_IS_NONE
from app.ui.markdown import markdown_parts
from app.ui.payload import Count, EditId, Payload, Spans, TextOrEmpty
from app.ui.server_function import Reply, ServerError
from app.ui.widgets.sentence import span_object
from core.formats.framework.attachments import attachments_of
from core.store.annotation import working
from core.store.annotation.annotations import Annotation, StaleRevision
from core.store.db.payload import LONGEST_REASON
from core.store.document import documents
from core.store.label import ids as label_ids
from core.store.label import labels
from core.text import LabelSet, UnknownLabelError

Action = Literal[
    "label", "relabel", "link", "accept", "accept_all", "reject", "delete", "move", "undo", "redo", "done",
    "reopen", "ignore", "restore", "to_check", "keep_mine", "merge", "label_others", "replace_labels",
]  # fmt: skip


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


# Checks no right in the current project: edits made before switching projects are still saved. The store
# checks the right in the document's project.
def save_edit(session: Session, edit: Edit) -> Reply:
    """Apply ``edit`` once; return ``revision`` and ``at`` (UTC ms).

    Raises:
        ServerError: ``conflict`` (somebody saved first; with ``current``), or ``labels_gone`` (with ``gone``,
            what each became or None, and ``labels``); both with the document's ``project``.
    """
    with reporting_conflicts(session):
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


@contextmanager
def reporting_conflicts(session: Session) -> Iterator[None]:
    """Send the current state along when somebody else saved first."""
    try:
        yield
    except StaleRevision as error:
        current = _conflicting(session, error.current)
        project_id = documents.project_of(session.workspace, error.current.document_id)
        raise ServerError("conflict", error, current=current, project=project_id) from error


def document_object(annotation: Annotation) -> Reply:
    """A document as the scripts take it."""
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


def label_objects(label_set: LabelSet) -> list[dict[str, Any]]:
    """The labels for the page, each with its ``guideline`` as `markdown_parts`."""
    return [
        {
            "name": label.name,
            "colour": label.colour,
            "hotkey": label.hotkey,
            "guideline": markdown_parts(label.description),
        }
        for label in label_set
    ]


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
    return ServerError("labels_gone", reason, gone=gone, labels=left, project=project_id)


def _conflicting(session: Session, current: Annotation) -> Reply:
    events = working.history(session.workspace, current.document_id, session.user)
    last = events[-1] if events else None
    somebody = {"user": session._("somebody"), "at": 0}
    by = {"user": last.user, "at": last.at} if last else somebody
    return document_object(current) | by
