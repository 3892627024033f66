"""What happened in the project since a number, for programs that follow it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from app.api.access import allowed
from app.api.errors import ToldRoute
from app.api.payloads import LARGEST
from app.services.session import Session
from core.store.project import event_log

router = APIRouter(route_class=ToldRoute, tags=["events"])


class LoggedEventReply(BaseModel):
    """One event.

    Args:
        id: its number; numbers grow and have gaps. at: ms since 1970, UTC.
        kind: documents.imported (with ``count``), document.saved and document.done (with document, annotator
            and revision; annotator is empty for the gold annotation), run.finished and run.active (with run).
    """

    id: int
    kind: str
    at: int
    user: str
    document: int | None
    annotator: str
    revision: int | None
    run: str | None
    count: int | None


class EventsReply(BaseModel):
    """Events, oldest first; ``last`` is the ``since`` of the next call."""

    events: list[LoggedEventReply]
    last: int


@router.get("/events")
def list_events(
    session: Annotated[Session, allowed("see_documents")],
    since: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, Query(ge=1, le=event_log.MOST)] = 200,
    kind: Annotated[list[str] | None, Query(max_length=len(event_log.KINDS))] = None,
) -> EventsReply:
    """The events after number ``since``. None is left out between two calls."""
    kinds = kind or event_log.KINDS
    events = event_log.since(session.workspace, session.project_id, since, limit=limit, kinds=kinds)
    return EventsReply(
        events=[event_reply(event) for event in events], last=events[-1].id if events else since
    )


def event_reply(event: event_log.LoggedEvent) -> LoggedEventReply:
    """An event as programs read it."""
    return LoggedEventReply(
        id=event.id,
        kind=event.kind,
        at=event.at,
        user=event.user,
        document=event.document_id,
        annotator=event.annotator,
        revision=event.revision,
        run=event.run,
        count=event.count,
    )
