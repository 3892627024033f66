"""Server functions for the queue: which documents to label, in which order."""

from __future__ import annotations

from dataclasses import replace

from app.annotate.orders import Order, scores_of, sorted_by
from app.services.rights import needs, worker_of
from app.services.session import Session
from app.ui.filter_fields import FilterFields
from app.ui.payload import Count, CountOrNone, Payload
from app.ui.server_function import Reply
from core.store.annotation import comments
from core.store.document import metadata
from core.store.project import assignments
from core.store.queue import queue
from core.store.queue.filter import Filter
from core.store.suggest import distant

PAGE_OF_QUEUE = 50


class QueueQuery(Payload):
    """A page of the queue from row ``offset`` on.

    Args:
        batch: a batch of distant labels, or 0 for all. with_meta: whether rows have their metadata.
    """

    order: Order = "position"
    filter: FilterFields = FilterFields()
    offset: CountOrNone = 0
    batch: CountOrNone = 0
    with_meta: bool = False


class Neighbour(QueueQuery):
    """A document, in the queue or not, and the direction to look in."""

    document: Count
    backwards: bool = False


@needs("annotate")
def list_queue(session: Session, query: QueueQuery) -> Reply:
    """``rows`` (``id``, ``excerpt``, ``status``, ``reason``, ``confidence``, ``comments``, ``score``,
    ``apart``, ``meta``) and ``total``, with ``more`` where not all are counted; the person's ``own``
    progress; the ``batches`` to filter by."""
    which = filter_of(session, query)
    page = queue.page(
        session.workspace,
        session.project_id,
        which,
        **sorted_by(query.order),
        offset=query.offset,
        limit=PAGE_OF_QUEUE,
    )
    scores = scores_of(session, query.order, page)
    numbers = [row.id for row in page.rows]
    comment_counts = comments.open_counts(session.workspace, numbers, session.user)
    meta = metadata.of_documents(session.workspace, numbers) if query.with_meta else {}
    rows = [
        {"id": row.id, "excerpt": row.excerpt, "status": row.status, "reason": row.reason}
        | {"confidence": row.least_score, "comments": comment_counts.get(row.id, 0)}
        | {"meta": [list(pair) for pair in meta.get(row.id, ())]}
        | scores[row.id]
        for row in page.rows
    ]
    progress = which.worker and _own_progress(session)
    return {
        "rows": rows, "total": page.total, "more": page.more, "own": progress, "batches": _batches(session),
    }  # fmt: skip


@needs("annotate")
def find_neighbour(session: Session, query: Neighbour) -> Reply:
    """Return ``document``: the next one of the queue, or the one before; None at its end."""
    found = queue.neighbour(
        session.workspace,
        session.project_id,
        query.document,
        filter_of(session, query),
        backwards=query.backwards,
        **sorted_by(query.order),
    )
    return {"document": found}


FUNCTIONS = (list_queue, find_neighbour)


def filter_of(session: Session, query: QueueQuery) -> Filter:
    """The documents of the query that this person may see."""
    worker = worker_of(session)
    which = query.filter.filter(worker=worker, batch=query.batch or None)
    # Whose documents are handed to them do not learn who else worked on which.
    return which if worker is None else replace(which, annotator=None)


def _own_progress(session: Session) -> Reply:
    """How many documents are assigned to this person, and how many of them are done."""
    loads = assignments.loads(session.workspace, session.project_id)
    workload = next((load for load in loads if load.user == session.user), None)
    return {"handed": workload.handed if workload else 0, "done": workload.done if workload else 0}


def _batches(session: Session) -> list[Reply]:
    """The active batches of distant labels, newest first, to filter the queue by."""
    return [
        {"id": batch.id, "at": batch.at, "documents": batch.documents}
        for batch in distant.batches(session.workspace, session.project_id)
        if batch.documents and batch.undone is None
    ]
