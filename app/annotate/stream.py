"""Server function for the stream: the documents of the queue with suggestions, read ahead of the person."""

from __future__ import annotations

import time
from dataclasses import replace

from app.annotate.document import state_of
from app.annotate.orders import sorted_by
from app.annotate.queue import QueueQuery, filter_of
from app.services.rights import needs
from app.services.session import Session
from app.ui.payload import Count
from app.ui.server_function import Reply
from core.store.annotation import working
from core.store.queue import queue

MOST_DOCUMENTS = 40  # with suggestions, per reply
MOST_CHARACTERS = 100_000  # of their texts; one longer document comes alone
LOOKED_THROUGH = 500  # documents per reply, where few have suggestions
SECONDS = 0.25  # after which a reply is sent with what has been found


class StreamQuery(QueueQuery):
    """Where to go on: after the document ``after``, or from the beginning of the queue."""

    after: Count | None = None


@needs("annotate")
def read_stream(session: Session, query: StreamQuery) -> Reply:
    """The next ``documents`` with suggestions, each as `open_document` describes one, and the document to go
    on ``after``, None at the end of the queue.

    Documents that are done or ignored are left out, unless the filter asks for them.
    """
    which = replace(filter_of(session, query), ignored=False, done=False)
    numbers = queue.following(
        session.workspace,
        session.project_id,
        query.after,
        which,
        limit=LOOKED_THROUGH,
        **sorted_by(query.order),
    )
    until = time.monotonic() + SECONDS
    found: list[Reply] = []
    characters = 0
    for number in numbers:
        state = state_of(session, working.current(session.workspace, number, session.user), patient=True)
        if state["suggestions"]:
            found.append(state)
            characters += len(state["document"]["text"])
        full = len(found) == MOST_DOCUMENTS or characters >= MOST_CHARACTERS
        if full or time.monotonic() > until:
            break
    else:
        return {"documents": found, "after": numbers[-1] if len(numbers) == LOOKED_THROUGH else None}
    return {"documents": found, "after": number}


FUNCTIONS = (read_stream,)
