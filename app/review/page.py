"""The Review page: compare versions of a document, decide their differences, and merge them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import gradio as gr

from app.i18n import _
from app.review import case as review_case
from app.review.bench import review_bench
from app.review.case import case_object, read_case, read_options
from app.services.errors import AppError
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.payload import InvalidPayload, read_count, read_text
from core.store.db.errors import NotFound
from core.store.document import documents
from core.store.project import assignments, members
from core.store.review import adjudications, decisions
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
    frame.texts.bind(
        gr.Markdown(elem_classes="ll-purpose"),
        value=_(
            "Several people annotate the same document; merge their versions into the gold annotation here."
        ),
    )
    functions = [
        frame.server(fn)
        for fn in (
            review_list, review_open, review_decide, review_take_back, review_finish, review_ask_tagger,
            review_merge_unanimous, review_undo,
        )
    ]  # fmt: skip
    return ReviewComponents(review_bench(functions, elem_id="review-bench"))


def wire(components: ReviewComponents, frame: Frame) -> None:
    """Read the page again whenever it is shown, and when project or language change."""
    frame.on_show("review", show, [components.bench])
    frame.on(components.bench.leave, leave, [], [frame.tabs])


def show(session: Session) -> dict[str, Any]:
    """Point the widget at the session's project; it then asks for the list itself."""
    page = {"language": session.language, "project": session.project_id, "visit": next(_visits)}
    return gr.update(page=page)


def leave(session: Session, event: gr.EventData) -> dict[str, Any]:
    """Go to Settings, where documents are assigned."""
    return gr.update(selected="settings") if event.page == "settings" else gr.skip()


def review_list(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Documents in a state, counts of all states, and what can be merged at once or undone."""
    workspace, project_id, user = session.workspace, session.project_id, session.user
    state = read_text(payload, "state")
    offset = read_count(payload, "offset", optional=True)
    page = adjudications.waiting(
        workspace, project_id, by=user, state=state, offset=offset, limit=PAGE_OF_LIST
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


def review_open(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """A document with its versions and differences."""
    return _case(session, payload)


def review_decide(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Accept and reject spans of a document; returns the case."""
    decisions.decide(
        session.workspace, _document(session, payload), _spans(payload, "accept"), _spans(payload, "refuse"),
        by=session.user, category=read_text(payload, "category", optional=True),
        note=_note(payload),
    )  # fmt: skip
    return _case(session, payload)


def review_take_back(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Undo decisions on spans; returns the case."""
    keys = [span.key for span in _spans(payload, "spans")]
    decisions.take_back(session.workspace, _document(session, payload), keys, by=session.user)
    return _case(session, payload)


def review_finish(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a document into the gold annotation.

    The browser sends the revisions it showed, of the versions and of gold; later saves are never merged or
    replaced unseen.
    """
    case = read_case(session, _document(session, payload), read_options(payload))
    shown = payload.get("seen")
    if not isinstance(shown, Mapping) or shown != case.shown:
        raise AppError(
            "Somebody saved while you were reviewing. Nothing was written: check the new differences."
        )
    return {"batch": review_case.finish(session, case), "spans": len(case.merged(with_tagger=True))}


def review_ask_tagger(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Tag a document with the active tagger; its vote stays blind."""
    members.check(session.workspace, session.project_id, session.user, "review")
    document_id = _document(session, payload)
    run = session.workbench.serving_run(session.project_id)
    if run is None:
        raise AppError("This project has no tagger yet. Train one on the Train page.")
    session.workbench.serving.predict(session.project_id, run, [document_id])
    return _case(session, payload)


def review_merge_unanimous(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Merge some of the unanimous documents; the browser repeats the call until none is left."""
    batch = read_count(payload, "batch", optional=True) or adjudications.new_batch()
    merged = adjudications.merge_unanimous(
        session.workspace, session.project_id, by=session.user, batch=batch, limit=MERGED_AT_ONCE
    )
    return {"batch": batch, "merged": merged}


def review_undo(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Undo one of the user's own batches."""
    batch = read_count(payload, "batch")
    undone = adjudications.undo(session.workspace, session.project_id, batch, by=session.user)
    return {"undone": undone.undone, "kept": undone.kept}


def _case(session: Session, payload: Mapping[str, Any]) -> dict[str, Any]:
    case = read_case(session, _document(session, payload), read_options(payload))
    return case_object(session, case) | {"seen": case.shown}


def _document(session: Session, payload: Mapping[str, Any]) -> int:
    """Check that the document belongs to the session's project.

    Raises:
        NotFound: it does not.
    """
    document_id = read_count(payload, "document")
    if documents.project_of(session.workspace, document_id) != session.project_id:
        raise NotFound("document", document_id)
    return document_id


def _spans(payload: Mapping[str, Any], name: str) -> Sequence[Span]:
    items = payload.get(name, [])
    if not isinstance(items, list) or len(items) > 1000:
        raise InvalidPayload(f"{name} must be a list of at most 1000 spans")
    try:
        return [
            Span(read_count(one, "start"), read_count(one, "end"), read_text(one, "label")) for one in items
        ]
    except (AttributeError, ValueError) as error:
        raise InvalidPayload(f"{name} holds something that is no span ({error})") from None


def _note(payload: Mapping[str, Any]) -> str:
    note = payload.get("note", "")
    if not isinstance(note, str):
        raise InvalidPayload("note must be a text")
    return note


def _row_object(row: Waiting) -> dict[str, Any]:
    return {
        "id": row.document_id, "name": row.name, "excerpt": row.excerpt, "handed": row.handed,
        "done": row.done, "unanimous": row.is_unanimous,
    }  # fmt: skip
