"""The annotation of a document, saved with the revision it was read at: nobody overwrites unseen work."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.api.access import allowed
from app.api.documents import Number, check_sees
from app.api.errors import ToldRoute
from app.api.payloads import AnnotationReply, Body, Offset, SpanBody, SpanList
from app.services.session import Session
from core.store.annotation import working
from core.store.db.payload import LONGEST_REASON

router = APIRouter(route_class=ToldRoute, tags=["annotations"])

Annotator = Annotated[Session, allowed("annotate")]
ACTION = "api"  # in the history of the annotation


class AnnotationBody(Body):
    """A save: all spans of the document after it.

    Args:
        base_revision: the revision that was read. rejected: suggestions that a person refused.
        status: the new status; left out, an untouched document is in progress and another keeps its own.
        reason: why the document is ignored. run: the run whose suggestions were shown.
        client_edit: an id of this save, of letters, digits and ``_.:-``; sent twice it is applied once.
    """

    base_revision: Offset
    spans: SpanList
    rejected: SpanList = Field(default_factory=list)
    status: Literal["new", "in_progress", "to_check", "done", "ignored"] | None = None
    reason: Annotated[str, Field(max_length=LONGEST_REASON)] | None = None
    run: Annotated[str, Field(max_length=80)] | None = None
    client_edit: Annotated[str, Field(max_length=64)] | None = None


class SavedReply(BaseModel):
    """The revision that a save made; ``at`` in ms since 1970, UTC."""

    document: int
    revision: int
    at: int


class EventReply(BaseModel):
    """One save in the history of an annotation.

    Args:
        at: ms since 1970, UTC. action: what was done. added, removed: spans. status: afterwards.
    """

    revision: int
    user: str
    at: int
    action: str
    added: list[SpanBody]
    removed: list[SpanBody]
    status: str
    run: str | None


class HistoryReply(BaseModel):
    """The history of an annotation, oldest first."""

    document: int
    events: list[EventReply]


@router.get("/documents/{document}/annotation")
def read_annotation(session: Annotator, document: Number) -> AnnotationReply:
    """The current annotation: one's own version where annotators have some, else the gold one."""
    check_sees(session, document)
    return AnnotationReply.of(working.current(session.workspace, document, session.user))


@router.put("/documents/{document}/annotation")
def save_annotation(session: Annotator, document: Number, body: AnnotationBody) -> SavedReply:
    """Save an annotation. If somebody has saved since ``base_revision``, nothing is written, and the answer
    is 409 with ``current``."""
    check_sees(session, document)
    standing = working.current(session.workspace, document, session.user).document.spans
    links = {span.key: span.link for span in standing}
    saved = working.save(
        session.workspace,
        document,
        body.base_revision,
        [span.said(links) for span in body.spans],
        [span.said({}) for span in body.rejected],
        user=session.user,
        action=ACTION,
        run=body.run,
        status=body.status,
        reason=body.reason,
        client_edit=body.client_edit,
    )
    return SavedReply(document=document, revision=saved.revision, at=saved.at)


@router.get("/documents/{document}/history")
def read_history(session: Annotator, document: Number) -> HistoryReply:
    """Every save of the annotation, oldest first."""
    check_sees(session, document)
    events = working.history(session.workspace, document, session.user)
    return HistoryReply.model_construct(
        document=document,
        events=[
            EventReply.model_construct(
                revision=event.revision,
                user=event.user,
                at=event.at,
                action=event.action,
                added=[SpanBody.of(span) for span in event.added],
                removed=[SpanBody.of(span) for span in event.removed],
                status=event.status,
                run=event.run,
            )
            for event in events
        ],
    )
