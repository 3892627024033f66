"""The annotator's answers beyond the one document: undo after a reload, comments, occurrences, batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager

from app.annotate.widget.annotator import Reply
from app.annotate.widget.bulk_payload import (
    CommentState,
    LabelPlaces,
    NewComment,
    PlaceQuery,
    ReplaceLabels,
    Way,
)
from app.services.session import Session
from app.ui.widgets.sentence import span_object
from core.store.annotation import batches, comments, occurrences, surfaces, undo_steps, working
from core.store.annotation.batches import Done, Place
from core.store.annotation.comments import Comment
from core.store.annotation.scope import around
from core.store.annotation.undo_steps import Step
from core.store.db.errors import NotFound
from core.text import Span
from core.text.annotated_regions import Region

OCCURRENCES_AT_ONCE = 50

_COMMENT_CHANGES = {
    "open": comments.reopen,
    "resolved": comments.resolve,
    "trashed": comments.trash,
    "restored": comments.restore,
}


class BulkAnswers(ABC):
    """Answers the annotator from the store of the session behind the token. See `BulkBackend`."""

    @abstractmethod
    def _session(self, token: str, *, anywhere: bool = False) -> AbstractContextManager[Session]:
        """The session of ``token`` for the block; every error in it becomes an `AnnotatorError`."""

    def steps(self, token: str, document: int, revision: int) -> Reply:
        with self._session(token) as session:
            events = working.history(session.workspace, document, session.user)
            events = [event for event in events if event.revision <= revision]
            marks = working.mark_history(session.workspace, document, session.user)
            found = undo_steps.steps(events, session.user, marks)
            return {
                # The page keeps edits as they were made, so a step back is told the other way round.
                "past": [_edit(step, back=True) for step in reversed(found.past)],
                "future": [_edit(step, back=False) for step in reversed(found.future)],
            }

    def comments(self, token: str, document: int) -> Reply:
        with self._session(token) as session:
            return _comments(session, document)

    def add_comment(self, token: str, comment: NewComment) -> Reply:
        with self._session(token, anywhere=True) as session:
            _check_sees(session, comment.document)
            comments.add(
                session.workspace, comment.document, comment.text, user=session.user, start=comment.start,
                end=comment.end, label=comment.label or None, client_edit=comment.client_edit,
            )  # fmt: skip
            return _comments(session, comment.document)

    def set_comment(self, token: str, document: int, comment: int, state: CommentState) -> Reply:
        with self._session(token, anywhere=True) as session:
            _check_sees(session, document)
            if comment not in {
                known.id for known in comments.read_by(session.workspace, document, session.user)
            }:
                raise NotFound("comment", comment)
            _COMMENT_CHANGES[state](session.workspace, document, comment)
            return _comments(session, document)

    def occurrences(self, token: str, query: PlaceQuery) -> Reply:
        with self._session(token) as session:
            scope = around(session.workspace, query.but, session.user)
            page = occurrences.page(
                session.workspace, scope, query.surface, but=query.but,
                since=(query.document, query.start), limit=OCCURRENCES_AT_ONCE,
            )  # fmt: skip
            total, in_documents = occurrences.count(session.workspace, scope, query.surface, but=query.but)
            rows = [
                {
                    "document": row.document_id, "name": row.name, "start": row.start, "end": row.end,
                    "before": row.before, "after": row.after, "labels": list(row.labels),
                    "inside": row.inside_word,
                }
                for row in page.rows
            ]  # fmt: skip
            return {"rows": rows, "then": page.then, "total": total, "documents": in_documents}

    def label_places(self, token: str, order: LabelPlaces) -> Reply:
        with self._session(token, anywhere=True) as session:
            places = [Place(*place) for place in order.places]
            # An order may have waited in the browser while the server was gone or while somebody turned to
            # another project: its own documents tell whose labels it is about, not what is on the screen now.
            scope = around(session.workspace, places[0].document_id, session.user)
            return _done(
                batches.label_places(session.workspace, scope, places, order.label, batch=order.batch)
            )

    def labelled(self, token: str, label: str, but: int) -> Reply:
        with self._session(token) as session:
            scope = around(session.workspace, but, session.user)
            found = surfaces.labelled(session.workspace, scope, label, but=but)
            rows = [
                {"surface": row.surface, "times": row.times, "documents": row.documents,
                 "name": row.name, "before": row.before, "after": row.after}
                for row in found
            ]  # fmt: skip
            return {"rows": rows}

    def replace_labels(self, token: str, order: ReplaceLabels) -> Reply:
        with self._session(token, anywhere=True) as session:
            scope = around(session.workspace, order.but, session.user)
            return _done(
                batches.replace(
                    session.workspace, scope, order.label, order.new, order.surfaces,
                    batch=order.batch, but=order.but,
                )
            )  # fmt: skip

    def turn(self, token: str, batch: str, way: Way, but: int, client_edit: str) -> Reply:
        with self._session(token, anywhere=True) as session:
            scope = around(session.workspace, but, session.user)
            return _done(batches.turn(session.workspace, scope, batch, way, client_edit=client_edit, but=but))


def _check_sees(session: Session, document: int) -> None:
    """Raises: NotAllowed where the person may not work on the document. NotFound."""
    working.annotator(session.workspace, document, session.user)


def _comments(session: Session, document: int) -> Reply:
    _check_sees(session, document)
    found = comments.read_by(session.workspace, document, session.user)
    return {"comments": [_comment_object(comment) for comment in found]}


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

    told = {
        "spans": change(step.added, step.removed),
        "rejected": change(step.rejected, step.unrejected),
        "batch": step.batch,
    }
    if not step.marked and not step.unmarked:
        return told
    this, other = _stretches(step.marked, step.unmarked), _stretches(step.unmarked, step.marked)
    return told | {"annotated": {"back": this if back else other, "again": other if back else this}}


def _stretches(marked: tuple[Region, ...], unmarked: tuple[Region, ...]) -> list[Reply]:
    return [
        {"start": start, "end": end, "annotated": annotated}
        for regions, annotated in ((unmarked, False), (marked, True))
        for start, end in regions
    ]
