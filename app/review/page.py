"""The Review page: compare versions of a document, decide their differences, and merge them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Annotated, Any

import gradio as gr
from pydantic import Field

from app.i18n import _
from app.review import case as review_case
from app.review.bench import review_bench
from app.review.case import Options, case_object, read_case
from app.services.errors import AppError
from app.services.session import Session
from app.ui.annotation.linking import find_entries
from app.ui.frame import Frame
from app.ui.payload import Count, CountOrNone, Payload, Text, TextOrEmpty, span_list
from app.ui.server_function import Reply
from core.store.db.errors import NotFound
from core.store.document import documents
from core.store.project import assignments, journal, members
from core.store.review import adjudications, decisions, link_choices
from core.store.review.adjudications import Waiting
from core.text import Span

PAGE_OF_LIST = 50
MERGED_AT_ONCE = 50
NAMES_SHOWN = 5
_visits = count(1)


@dataclass
class ReviewComponents:
    """One widget: it asks the server itself."""

    bench: gr.HTML


def layout(frame: Frame) -> ReviewComponents:
    """Build the page inside its tab."""
    frame.texts.purpose(
        _("Several people annotate the same document; merge their versions into the gold annotation here.")
    )
    functions = [
        frame.server(fn)
        for fn in (
            review_list, review_open, review_decide, review_take_back, review_choose_links,
            review_drop_links, review_finish, review_ask_tagger, review_merge_unanimous, review_undo,
            find_entries,
        )
    ]  # fmt: skip
    return ReviewComponents(review_bench(functions, elem_id="review-bench"))


def wire(components: ReviewComponents, frame: Frame) -> None:
    """Read the page again whenever it is shown, and when project or language change."""
    frame.on_show("review", show, [components.bench])


def show(session: Session) -> dict[str, Any]:
    """Point the widget at the session's project; it then asks for the list itself."""
    page = {"language": session.language, "project": session.project_id, "visit": next(_visits)}
    return gr.update(page=page)


SomeSpans = Annotated[tuple[Span, ...], span_list(1_000)]


class ListQuery(Payload):
    """Which documents the list shows, from row ``offset`` on."""

    state: Text
    offset: CountOrNone = 0


class CaseQuery(Options):
    """A document of the project on the screen, and what the reviewer chose."""

    document: Count


class Decision(CaseQuery):
    """Spans to accept and to refuse, with what the reviewer says of them."""

    accept: SomeSpans = ()
    refuse: SomeSpans = ()
    category: TextOrEmpty = ""
    note: str = ""


class SpansQuery(CaseQuery):
    """Spans whose decisions are to be taken back, or whose links are chosen."""

    spans: SomeSpans = ()


class Finish(CaseQuery):
    """``seen``: which revisions the browser showed, of the copies and of the agreed annotation."""

    seen: dict[str, int] = Field(default_factory=dict)


class BatchQuery(Payload):
    """The number of a review of many documents; 0 for a new one."""

    batch: CountOrNone = 0


def review_list(session: Session, asked: ListQuery) -> Reply:
    """The documents in a state, the counts of all states, what can be merged at once and taken back."""
    workspace, project_id, user = session.workspace, session.project_id, session.user
    page = adjudications.waiting(
        workspace, project_id, by=user, state=asked.state, offset=asked.offset, limit=PAGE_OF_LIST
    )
    unanimous = adjudications.unanimous(workspace, project_id, by=user)
    last = adjudications.last_batch(workspace, project_id, by=user)
    return {
        "rows": [_row_object(row) for row in page.rows],
        "counts": page.counts,
        "unanimous": {"count": len(unanimous), "names": [row.name for row in unanimous[:NAMES_SHOWN]]},
        "last": last and {"batch": last[0], "count": last[1]},
        "has_members": bool(members.of(workspace, project_id)),
        "separate": assignments.plan(workspace, project_id).workflow == "separate",
        "categories": list(decisions.categories(workspace, project_id)),
    }


def review_open(session: Session, asked: CaseQuery) -> Reply:
    """A document with its versions and differences."""
    return _case(session, asked)


def review_decide(session: Session, asked: Decision) -> Reply:
    """Accept and reject spans of a document; returns the case."""
    decisions.decide(
        session.workspace, _document(session, asked), asked.accept, asked.refuse,
        by=session.user, category=asked.category, note=asked.note,
    )  # fmt: skip
    return _case(session, asked)


def review_take_back(session: Session, asked: SpansQuery) -> Reply:
    """Undo decisions on spans; returns the case."""
    keys = [span.key for span in asked.spans]
    decisions.withdraw(session.workspace, _document(session, asked), keys, by=session.user)
    return _case(session, asked)


def review_choose_links(session: Session, asked: SpansQuery) -> Reply:
    """Link spans in the merge as they are linked here, to nothing where they are not; returns the case."""
    link_choices.choose(session.workspace, _document(session, asked), asked.spans, by=session.user)
    return _case(session, asked)


def review_drop_links(session: Session, asked: SpansQuery) -> Reply:
    """Undo the choice of links of spans, which then have the one that most gave; returns the case."""
    keys = [span.key for span in asked.spans]
    link_choices.withdraw(session.workspace, _document(session, asked), keys, by=session.user)
    return _case(session, asked)


def review_finish(session: Session, asked: Finish) -> Reply:
    """Merge a document into the gold annotation.

    The browser sends the revisions it showed, of the versions and of gold; later saves are never merged or
    replaced unseen.
    """
    case = read_case(session, _document(session, asked), asked)
    if asked.seen != case.shown:
        raise AppError(
            "Somebody saved while you were reviewing. Nothing was written: check the new differences."
        )
    return {"batch": review_case.finish(session, case), "spans": len(case.merged(with_tagger=True))}


def review_ask_tagger(session: Session, asked: CaseQuery) -> Reply:
    """Tag a document with the active tagger; its vote stays blind."""
    members.check(session.workspace, session.project_id, session.user, "review")
    document_id = _document(session, asked)
    run = session.workbench.active_run(session.project_id)
    if run is None:
        raise AppError("This project has no tagger yet. Train one on the Train page.")
    session.workbench.taggers.predict(session.project_id, run, [document_id])
    return _case(session, asked)


def review_merge_unanimous(session: Session, asked: BatchQuery) -> Reply:
    """Merge some of the unanimous documents; the browser repeats the call until none is left."""
    batch, merged = adjudications.merge_unanimous(
        session.workspace, session.project_id, by=session.user, batch=asked.batch or None,
        limit=MERGED_AT_ONCE,
    )  # fmt: skip
    return {"batch": batch, "merged": merged}


def review_undo(session: Session, asked: BatchQuery) -> Reply:
    """Take a review of one's own back."""
    members.check(session.workspace, session.project_id, session.user, "review")
    undone: adjudications.Undone = journal.undo(
        session.workspace, session.project_id, asked.batch, user=session.user, kinds=[adjudications.KIND]
    )
    return {"undone": undone.undone, "kept": undone.kept}


def _case(session: Session, asked: CaseQuery) -> Reply:
    case = read_case(session, _document(session, asked), asked)
    return case_object(session, case) | {"seen": case.shown}


def _document(session: Session, asked: CaseQuery) -> int:
    """The document, where it belongs to the project on the screen.

    Raises:
        NotFound: it does not.
    """
    if documents.project_of(session.workspace, asked.document) != session.project_id:
        raise NotFound("document", asked.document)
    return asked.document


def _row_object(row: Waiting) -> dict[str, Any]:
    return {
        "id": row.document_id, "name": row.name, "excerpt": row.excerpt, "handed": row.handed,
        "done": row.done, "unanimous": row.is_unanimous,
    }  # fmt: skip
