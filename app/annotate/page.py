"""The Annotate page: the annotator over the project's documents, with the serving tagger's suggestions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import gradio as gr

from app.annotate.bulk import BulkAnswers
from app.annotate.orders import OrderAnswers, scores_of, sorted_by
from app.annotate.similar import SimilarAnswers
from app.annotate.span_history import SpanHistoryAnswers
from app.annotate.suggesting import SuggestionAnswers, rule_objects
from app.annotate.suggestions import lattice_words, tagger_spans
from app.annotate.widget.annotation_payload import Edit, QueueQuery
from app.annotate.widget.annotator import AnnotatorError, Reply, annotator, page_update
from app.annotate.windows import WindowAnswers
from app.i18n import Language
from app.services import rights
from app.services.errors import sentence
from app.services.session import Session, SessionExpired, Sessions
from app.ui.frame import PAGES, Frame
from app.ui.navigation import asked_document
from app.ui.widgets.sentence import span_object
from core.formats.framework.attachments import attachments_of
from core.store.annotation import comments, working
from core.store.annotation.annotations import Annotation, StaleRevision
from core.store.annotation.events import Event
from core.store.db.errors import NotFound, PayloadError, PeopleError
from core.store.document import documents
from core.store.label import ids as label_ids
from core.store.label import labels
from core.store.project import assignments, members, projects
from core.store.queue import queue
from core.store.run import predictions
from core.store.suggest import distant
from core.text import Span, UnknownLabelError

PAGE_OF_QUEUE = 50
MOST_EVENTS = 200
_visits = count(1)


@dataclass
class AnnotateComponents:
    """One widget: edits must reach the store in order, which events between components cannot promise."""

    annotator: gr.HTML


def layout(frame: Frame) -> AnnotateComponents:
    """Build the page inside its tab."""
    return AnnotateComponents(annotator(ProjectBackend(frame.sessions), elem_id="annotate"))


def wire(components: AnnotateComponents, frame: Frame) -> None:
    """Read the page again whenever it is shown, and when project or language change."""
    frame.on_show("annotate", show, [components.annotator])
    frame.on(components.annotator.leave, leave, [], [frame.tabs])


def show(session: Session) -> dict[str, Any]:
    """Point the widget at the session, and at the document another page asked for."""
    document = asked_document(session)
    return page_update(
        session.token, session.language, project=session.project_id, document=document, visit=next(_visits)
    )


def leave(session: Session, event: gr.EventData) -> dict[str, Any]:
    """Go to the page that the widget names."""
    page = event.page
    return gr.update(selected=page) if page in PAGES else gr.skip()


class ProjectBackend(
    BulkAnswers, OrderAnswers, SimilarAnswers, SpanHistoryAnswers, SuggestionAnswers, WindowAnswers
):
    """Answers the annotator from the store of the session behind the token. See `AnnotatorBackend`."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions

    @contextmanager
    def _session(self, token: str, *, anywhere: bool = False) -> Iterator[Session]:
        """The session of ``token`` for the block; every error in it becomes an `AnnotatorError`.

        Labels, patterns, decisions and the tagger are those of the project on the screen, so the person must
        be one who may annotate there; a document is asked for its own project besides.

        Args:
            anywhere: the project on the screen plays no part: what was done before somebody turned to
                another project is still saved.
        """
        language: Language | None = None  # an expired session leaves it unknown
        try:
            session = self.sessions.find(token)
            language = session.language
            if not anywhere:
                rights.check(session, "annotate")
            yield session
        except AnnotatorError:
            raise
        except SessionExpired as error:
            raise AnnotatorError("session", sentence(error, language)) from error
        except StaleRevision as error:
            current = _conflicting(session, error.current)
            raise AnnotatorError("conflict", sentence(error, language), current=current) from error
        except (PayloadError, UnknownLabelError, NotFound, PeopleError) as error:
            raise AnnotatorError("invalid", sentence(error, language)) from error
        except Exception as error:
            raise AnnotatorError("failed", sentence(error, language)) from error

    def open(self, token: str, document: int | None) -> Reply:
        with self._session(token) as session:
            worker = _worker(session) if document is None else None
            if document is None:
                mine = queue.Filter(worker=worker)
                first = queue.page(session.workspace, session.project_id, mine, limit=1).rows
                document = first[0].id if first else None
            found = None if document is None else _working(session, document)
            return {
                "scope": hashlib.sha256(str(session.workspace.folder).encode()).hexdigest()[:16],
                "labels": labels.get(session.workspace, session.project_id).to_json(),
                "document": found and _document_object(found),
                "handed": worker is not None,
                "suggestions": [],
                "serving": None if found is None else self._serving(session, found.document_id),
                **({} if found is None else self._suggestions(session, found)),
            }

    def words(self, token: str, document: int) -> Reply:
        with self._session(token) as session:
            return {"words": lattice_words(session, _working(session, document).document.text)}

    def save(self, token: str, edit: Edit) -> Reply:
        with self._session(token, anywhere=True) as session:
            try:
                saved = working.save(
                    session.workspace,
                    edit.document,
                    edit.base_revision,
                    edit.spans,
                    edit.rejected,
                    user=session.user,
                    action=edit.action,
                    run=edit.run,
                    status=edit.status,
                    client_edit=edit.client_edit,
                )
            except UnknownLabelError as error:
                raise _labels_gone(session, edit) from error
            return {"revision": saved.revision, "at": saved.at}

    def queue(self, token: str, query: QueueQuery) -> Reply:
        with self._session(token) as session:
            which = queue.Filter(
                status=query.status,
                label=query.label or None,
                search=query.search,
                worker=_worker(session),
                batch=query.batch or None,
            )
            page = queue.page(
                session.workspace,
                session.project_id,
                which,
                **sorted_by(query.order),
                offset=query.offset,
                limit=PAGE_OF_QUEUE,
            )
            scores = scores_of(session, query.order, page)
            said = comments.open_counts(session.workspace, [row.id for row in page.rows], session.user)
            rows = [
                {"id": row.id, "excerpt": row.excerpt, "status": row.status, "confidence": row.least_score}
                | {"comments": said.get(row.id, 0)}
                | scores[row.id]
                for row in page.rows
            ]
            own = which.worker and _own_progress(session)
            return {"rows": rows, "total": page.total, "own": own, "batches": _batches(session)}

    def suggest(self, token: str, document: int, without: tuple[str, ...]) -> Reply:
        with self._session(token) as session:
            found = _working(session, document)
            run = session.workbench.serving.run_of(session.project_id)
            spans, words = tagger_spans(session, found.document, without)
            if not without:
                # Stored, so that what the person says against it can be told as a correction of this run.
                predictions.put_one(session.workspace, run, document, spans)
            known = labels.get(session.workspace, session.project_id)
            return {
                "suggestions": [
                    *_suggestion_objects(spans, known.names, "tagger"),
                    *rule_objects(session, found),
                ],
                "words": words,
                "serving": {"name": run, "answered": True},
            }

    def history(self, token: str, document: int) -> Reply:
        with self._session(token) as session:
            events = working.history(session.workspace, document, session.user)
            latest = events[-1].revision if events else 0
            return {"events": [_event_object(event, latest) for event in reversed(events[-MOST_EVENTS:])]}

    def restore(self, token: str, document: int, revision: int, base_revision: int) -> Reply:
        with self._session(token) as session:
            serving = self._serving(session, document)
            run = serving["name"] if serving and serving["answered"] else None
            saved = working.revert(
                session.workspace, document, revision, base_revision=base_revision, user=session.user, run=run
            )
            return {**self.open(token, document), "at": saved.at}

    def _serving(self, session: Session, document_id: int) -> Reply | None:
        run = projects.get(session.workspace, session.project_id).serving_run
        if run is None:
            return None
        return {"name": run, "answered": predictions.get(session.workspace, run, document_id) is not None}

    def _suggestions(self, session: Session, found: Annotation) -> Reply:
        """``suggestions`` of every source, and what `opening` says of them."""
        known = labels.get(session.workspace, session.project_id).names
        run = projects.get(session.workspace, session.project_id).serving_run
        predicted = predictions.get(session.workspace, run, found.document_id) if run else None
        rules, told = self.opening(session, found)
        return {"suggestions": [*_suggestion_objects(predicted or (), known, "tagger"), *rules], **told}


def _labels_gone(session: Session, edit: Edit) -> AnnotatorError:
    """The page had labels that are no more; it keeps the edit and asks what becomes of their spans."""
    project_id = documents.project_of(session.workspace, edit.document)
    names = (span.label for span in (*edit.spans, *edit.rejected))
    gone = label_ids.successors(session.workspace, project_id, names)
    message = session._(
        "The label {label} no longer exists, so the edit is not saved yet. Nothing is lost.",
        label=next(iter(gone), ""),
    )
    known = labels.get(session.workspace, project_id).to_json()
    return AnnotatorError("labels_gone", message, gone=gone, labels=known)


def _working(session: Session, document: int) -> Annotation:
    """What this person works on: a version of their own, or the gold annotation."""
    return working.current(session.workspace, document, session.user)


def _worker(session: Session) -> str | None:
    """Whose documents the queue holds: this person's where documents are handed out, else (None) everybody's.

    Raises:
        NotAllowed: the person is no member of a project that has members.
    """
    workspace, project_id, user = session.workspace, session.project_id, session.user
    members.check(workspace, project_id, user, "annotate")
    if assignments.plan(workspace, project_id).workflow == "together":
        return None
    sees_all = members.may(workspace, project_id, user, "see_documents")
    return user if not sees_all or assignments.has_any(workspace, project_id, user) else None


def _own_progress(session: Session) -> Reply:
    """How many documents are handed to this person, and how many of them are done."""
    loads = assignments.loads(session.workspace, session.project_id)
    own = next((load for load in loads if load.user == session.user), None)
    return {"handed": own.handed if own else 0, "done": own.done if own else 0}


def _batches(session: Session) -> list[Reply]:
    """The batches of distant labels that stand, newest first: what the queue can be narrowed to."""
    return [
        {"id": one.id, "at": one.at, "documents": one.documents}
        for one in distant.batches(session.workspace, session.project_id)
        if one.documents and one.undone is None
    ]


def _document_object(found: Annotation) -> Reply:
    attached = attachments_of(found.document)
    return {
        "id": found.document_id,
        "text": found.document.text,
        "spans": [span_object(span) for span in found.document.spans],
        "rejected": [span_object(span) for span in found.rejected],
        "discontinuous": [one.to_json() for one in attached.discontinuous],
        "chains": [one.to_json() for one in attached.chains],
        "relations": [one.to_json() for one in attached.relations],
        "revision": found.revision,
        "status": found.status,
    }


def _conflicting(session: Session, current: Annotation) -> Reply:
    events = working.history(session.workspace, current.document_id, session.user)
    last = events[-1] if events else None
    somebody = {"user": session._("somebody"), "at": 0}
    by = {"user": last.user, "at": last.at} if last else somebody
    return _document_object(current) | by


def _suggestion_objects(spans: Sequence[Span], known: Sequence[str], source: str) -> list[Reply]:
    """Suggestions of labels that the project has: another could be neither accepted nor rejected."""
    return [span_object(span, source) for span in spans if span.label in known]


def _event_object(event: Event, latest: int) -> Reply:
    return {
        "revision": event.revision,
        "at": event.at,
        "user": event.user,
        "action": event.action,
        "added": [span_object(span) for span in event.added],
        "removed": [span_object(span) for span in event.removed],
        "rejected": [span_object(span) for span in event.rejected],
        "called": dict(event.called),
        "current": event.revision == latest,
    }
