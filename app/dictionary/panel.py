"""What the tabs of the Dictionary page with widgets of their own have in common with each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import gradio as gr

from app.dictionary import word_changes
from app.services import in_project
from app.services.background_work import BackgroundWork
from app.services.errors import sentence
from app.services.session import Session
from app.ui.frame import PAGES
from app.ui.navigation import open_document
from app.ui.payload import InvalidPayload, read_text


def place_object(session: Session) -> dict[str, Any]:
    """The language and the project of an answer: a widget begins anew where either has changed."""
    return {"language": session.language, "project": session.project_id}


def work_object(session: Session, work: BackgroundWork | None) -> dict[str, Any] | None:
    """How work in the background stands, for a widget's bar; None where there was none."""
    if work is None:
        return None
    error = "" if work.error is None else sentence(work.error, session.language)
    return {
        "running": work.running, "doing": work.doing, "fraction": work.fraction,
        "stopped": work.stopped and not work.rows, "error": error,
    }  # fmt: skip


def last_object(session: Session) -> dict[str, Any] | None:
    """The step that undo would take back."""
    step = word_changes.last(session)
    return None if step is None else {"kind": step.kind, "count": step.count, "word": step.word}


def number(payload: Mapping[str, Any], name: str) -> float:
    """A number that is one.

    Raises:
        InvalidPayload: it is none.
    """
    value = payload.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InvalidPayload(f"{name} must be a number, got {str(value)[:40]!r}")
    return float(value)


def texts_of(payload: Mapping[str, Any], name: str, most: int) -> list[str]:
    """A list of 1 to ``most`` short texts.

    Raises:
        InvalidPayload: it is none.
    """
    value = payload.get(name)
    if not isinstance(value, list) or not 0 < len(value) <= most:
        raise InvalidPayload(f"{name} must be a list of 1 to {most} texts")
    return [read_text({name: one}, name) for one in value]


def go_to(session: Session, event: gr.EventData) -> dict[str, Any]:
    """Open the document, or the page, that a widget names."""
    document, page = getattr(event, "document", None), getattr(event, "page", None)
    if isinstance(document, int) and not isinstance(document, bool):
        in_project.document(session, document)
        open_document(session, document)
        return gr.update(selected="annotate")
    return gr.update(selected=page) if page in PAGES else gr.skip()
