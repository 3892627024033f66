"""Server functions beyond the open document: undo after a reload, comments, occurrences, batches.

Changes to other documents check no right in the current project: a request may have waited in the browser
while the server was down or the person switched projects. The labels are those of the documents' project,
and the store checks the right there.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from pydantic import Field

from app.services.rights import needs
from app.services.session import Session
from app.ui.payload import Count, CountOrNone, EditId, OneDocument, Payload, Text, TextOrEmpty
from app.ui.server_function import Reply
from app.ui.widgets.sentence import span_object
from core.store.annotation import batches, comments, occurrences, surfaces, undo_steps, working
from core.store.annotation.batches import Done, Place
from core.store.annotation.comments import Comment
from core.store.annotation.scope import scope_from
from core.store.annotation.undo_steps import Step
from core.store.db.errors import NotFound
from core.text import Span
from core.text.annotated_regions import Region

OCCURRENCES_AT_ONCE = 50
MAX_COMMENT = 4_000
MAX_PLACES = 5_000
MAX_SURFACES = 5_000
MAX_SURFACE = 2_000  # characters of a surface accepted when replacing a label

_COMMENT_CHANGES = {
    "open": comments.reopen,
    "resolved": comments.resolve,
    "trashed": comments.trash,
    "restored": comments.restore,
}


class AtRevision(Payload):
    """A document at a revision."""

    document: Count
    revision: Count


class NewComment(Payload):
    """A comment on ``start`` to ``end`` of a document, or on the whole document (None)."""

    document: Count
    text: Annotated[str, Field(max_length=MAX_COMMENT)]
    client_edit: EditId
    start: Count | None = None
    end: Count | None = None
    label: TextOrEmpty = ""


class CommentChange(Payload):
    """The new state of a comment."""

    document: Count
    comment: Count
    state: Literal["open", "resolved", "trashed", "restored"]


class PlaceQuery(Payload):
    """A surface to find in all documents but one, from a position on."""

    surface: Text
    but: Count
    document: CountOrNone = 0
    start: CountOrNone = 0


class PlaceFields(Payload):
    """An occurrence to label; the text there must equal ``surface``."""

    document: Count
    start: Count
    end: Count
    surface: Text


class LabelPlaces(Payload):
    """A label for occurrences in other documents; ``client_edit`` names the batch."""

    label: Text
    places: Annotated[list[PlaceFields], Field(min_length=1, max_length=MAX_PLACES, fail_fast=True)]
    client_edit: EditId


class LabelledQuery(Payload):
    """A label, and the document to leave out."""

    label: Text
    but: Count


class ReplaceLabels(Payload):
    """Replace ``label`` by ``new`` (None: remove it) in all documents but one, on ``surfaces`` (or all)."""

    label: Text
    but: Count
    client_edit: EditId
    new: TextOrEmpty = ""
    surfaces: (
        Annotated[
            list[Annotated[str, Field(min_length=1, max_length=MAX_SURFACE)]],
            Field(min_length=1, max_length=MAX_SURFACES),
        ]
        | None
    ) = None


class TurnBatch(Payload):
    """A batch to undo or redo in all documents but one."""

    batch: EditId
    way: Literal["undo", "redo"]
    but: Count
    client_edit: EditId


@needs("annotate")
def read_steps(session: Session, asked: AtRevision) -> Reply:
    """Return the person's undo (``past``) and redo (``future``) steps as edits, the next one last."""
    events = working.history(session.workspace, asked.document, session.user)
    events = [event for event in events if event.revision <= asked.revision]
    marks = working.mark_history(session.workspace, asked.document, session.user)
    steps = undo_steps.steps(events, session.user, marks)
    return {
        # The page keeps edits as they were made, so undo steps are inverted.
        "past": [_edit(step, back=True) for step in reversed(steps.past)],
        "future": [_edit(step, back=False) for step in reversed(steps.future)],
    }


@needs("annotate")
def list_comments(session: Session, asked: OneDocument) -> Reply:
    """Return the document's ``comments``, those in the trash included."""
    return _comments(session, asked.document)


def add_comment(session: Session, comment: NewComment) -> Reply:
    """Add a comment once; return ``comments``."""
    _check_sees(session, comment.document)
    comments.add(
        session.workspace, comment.document, comment.text, user=session.user, start=comment.start,
        end=comment.end, label=comment.label or None, client_edit=comment.client_edit,
    )  # fmt: skip
    return _comments(session, comment.document)


def set_comment(session: Session, change: CommentChange) -> Reply:
    """Change a comment; return ``comments``."""
    _check_sees(session, change.document)
    if change.comment not in {
        comment.id for comment in comments.read_by(session.workspace, change.document, session.user)
    }:
        raise NotFound("comment", change.comment)
    _COMMENT_CHANGES[change.state](session.workspace, change.document, change.comment)
    return _comments(session, change.document)


@needs("annotate")
def find_occurrences(session: Session, query: PlaceQuery) -> Reply:
    """Find a surface: ``rows``, ``then`` (start of the next page, or None), ``total``, ``documents``."""
    scope = scope_from(session.workspace, query.but, session.user)
    page = occurrences.page(
        session.workspace, scope, query.surface, but=query.but,
        since=(query.document, query.start), limit=OCCURRENCES_AT_ONCE,
    )  # fmt: skip
    total, in_documents = occurrences.count(session.workspace, scope, query.surface, but=query.but)
    rows = [
        {
            "document": row.document_id, "name": row.name, "start": row.start, "end": row.end,
            "before": row.before, "after": row.after, "labels": list(row.labels),
            "overlapping": [f"{surface} {label}" for surface, label in row.overlapping],
            "inside": row.inside_word,
        }
        for row in page.rows
    ]  # fmt: skip
    return {"rows": rows, "then": page.then, "total": total, "documents": in_documents}


def label_occurrences(session: Session, order: LabelPlaces) -> Reply:
    """Label occurrences, once per batch; return ``documents``, ``added`` and ``removed``."""
    places = [Place(place.document, place.start, place.end, place.surface) for place in order.places]
    scope = scope_from(session.workspace, places[0].document_id, session.user)
    return _done(batches.label_places(session.workspace, scope, places, order.label, batch=order.client_edit))


@needs("annotate")
def list_labelled(session: Session, asked: LabelledQuery) -> Reply:
    """Return ``rows``: surfaces of a label in the other documents, with counts and one context each."""
    scope = scope_from(session.workspace, asked.but, session.user)
    page = surfaces.labelled(session.workspace, scope, asked.label, but=asked.but)
    rows = [
        {"surface": row.surface, "times": row.times, "documents": row.documents,
         "name": row.name, "before": row.before, "after": row.after}
        for row in page
    ]  # fmt: skip
    return {"rows": rows}


def replace_labels(session: Session, order: ReplaceLabels) -> Reply:
    """Replace a label, once per batch; return ``documents``, ``added`` and ``removed``."""
    scope = scope_from(session.workspace, order.but, session.user)
    return _done(
        batches.replace(
            session.workspace, scope, order.label, order.new or None, order.surfaces,
            batch=order.client_edit, but=order.but,
        )
    )  # fmt: skip


def turn_batch(session: Session, asked: TurnBatch) -> Reply:
    """Undo or redo a batch; return ``documents``, ``added`` and ``removed``."""
    scope = scope_from(session.workspace, asked.but, session.user)
    return _done(
        batches.turn(
            session.workspace, scope, asked.batch, asked.way, client_edit=asked.client_edit, but=asked.but
        )
    )


FUNCTIONS = (
    read_steps, list_comments, add_comment, set_comment, find_occurrences, label_occurrences, list_labelled,
    replace_labels, turn_batch,
)  # fmt: skip


def _check_sees(session: Session, document: int) -> None:
    """Raises: NotAllowed: the person may not edit the document. NotFound."""
    working.annotator(session.workspace, document, session.user)


def _comments(session: Session, document: int) -> Reply:
    _check_sees(session, document)
    readable = comments.read_by(session.workspace, document, session.user)
    return {"comments": [_comment_object(comment) for comment in readable]}


def _comment_object(comment: Comment) -> Reply:
    return {
        "id": comment.id, "start": comment.start, "end": comment.end, "label": comment.label,
        "text": comment.text, "user": comment.user, "at": comment.at,
        "resolved": comment.resolved is not None, "trashed": comment.trashed is not None,
    }  # fmt: skip


def _done(done: Done) -> Reply:
    return {"documents": done.documents, "added": done.added, "removed": done.removed}


def _edit(step: Step, *, back: bool) -> Reply:
    def change(come: tuple[Span, ...], go: tuple[Span, ...]) -> Reply:
        came, gone = (go, come) if back else (come, go)
        return {"came": [span_object(span) for span in came], "gone": [span_object(span) for span in gone]}

    edit: Reply = {
        "spans": change(step.added, step.removed),
        "rejected": change(step.rejected, step.unrejected),
        "batch": step.batch,
    }
    if step.standing is not None:
        gone, came = (asdict(standing) for standing in step.standing)
        edit["standing"] = {"gone": came, "came": gone} if back else {"gone": gone, "came": came}
    if not step.marked and not step.unmarked:
        return edit
    this, other = _stretches(step.marked, step.unmarked), _stretches(step.unmarked, step.marked)
    return edit | {"annotated": {"back": this if back else other, "again": other if back else this}}


def _stretches(marked: tuple[Region, ...], unmarked: tuple[Region, ...]) -> list[Reply]:
    return [
        {"start": start, "end": end, "annotated": annotated}
        for regions, annotated in ((unmarked, False), (marked, True))
        for start, end in regions
    ]
