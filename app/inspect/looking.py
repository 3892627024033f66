"""Looking into a sentence through a run, and at one of its spans; what is in view is kept in the session."""

from __future__ import annotations

from dataclasses import replace

import gradio as gr

from app.inspect import opening
from app.inspect.panel import Look, look_of
from app.services import in_project
from app.services.errors import AppError
from app.services.session import Session
from core.inspection.sentence.span_prediction import MOST_CHARACTERS
from core.text import Document

LATEST = "inspect-latest"  # the request that was made last: the answer to an earlier one comes too late


def take(
    session: Session,
    run: str | None,
    sentence: str | None,
    document: int | None,
    asked: opening.Asked | None = None,
) -> Look | None:
    """Trace the sentence and make it the current one; None if another one was requested meanwhile.

    Args:
        asked: the request, if it was not made in this tab.

    Raises:
        AppError: no sentence, or no run.
    """
    if not sentence or not sentence.strip():
        raise AppError("Enter or choose a sentence first.")
    if not run:
        raise AppError("No tagger of this project can be opened yet. Train one first.")
    session.memory[LATEST] = mine = object()
    text = sentence[:MOST_CHARACTERS]
    with session.workbench.taggers.tagger(session.project_id, run) as tagger:
        trace = tagger.trace(tagger.collate([Document("sentence", text)]).to(tagger.device))[0]
    if session.memory.get(LATEST) is not mine:
        return None
    start = None if document is None else _start(session, document, sentence)
    if asked is not None and asked.document is not None:
        document, start = asked.document, asked.start
    focus = opening.least_sure(trace.spans) if asked is None else asked.focus(trace.spans)
    look = Look(run, trace, None if start is None else document, focus, start or 0)
    session.memory["inspect"] = look
    return look


def _start(session: Session, document: int, sentence: str) -> int | None:
    """Where the sentence begins in its document; None if that is not sure."""
    text, look = in_project.document(session, document).text, look_of(session)
    if look is not None and look.document == document and text.startswith(sentence, look.start):
        return look.start
    return text.find(sentence) if text.count(sentence) == 1 else None


def focused(session: Session, event: gr.SelectData) -> Look | None:
    """The look with the clicked span in focus; None if the click hit no predicted span."""
    look, picked = look_of(session), event.value
    if look is None or not isinstance(picked, dict):
        return None
    start, end = picked.get("start"), picked.get("end")
    hit = [span for span in look.trace.spans if span.start == start and span.end == end]
    if picked.get("kind") == "character" and isinstance(start, int):
        hit = [span for span in look.trace.spans if span.start <= start < span.end]
    chosen = next((span for span in hit if span.label == picked.get("label")), next(iter(hit), None))
    if chosen is None or chosen == look.focus:
        return None
    fresh = replace(look, focus=chosen)
    session.memory["inspect"] = fresh
    return fresh
