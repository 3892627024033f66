"""The sentence in view as one that can be corrected where it stands."""

from __future__ import annotations

from dataclasses import replace

from app.inspect.panel import Look, look_of
from app.services.errors import AppError
from app.services.session import Session
from app.ui.annotation.correcting import Source, Tagged, may_correct
from core.text import Document

TYPED = "typed"  # the name of a document that was typed on this page; the store adds a number


def is_correctable(session: Session, look: Look, sentence: str) -> bool:
    """Whether the person may correct it.

    Args:
        sentence: the whole one, of which the page may draw the beginning: that alone becomes no document.
    """
    whole = look.document is not None or look.trace.text == sentence
    return whole and may_correct(session, look.document)


def _in_view(session: Session, row: int) -> Tagged:
    look = look_of(session)
    if look is None:
        raise AppError("Enter or choose a sentence first.")
    spans = tuple(look.trace.spans)
    return Tagged(look.run, Document(TYPED, look.trace.text, spans), look.document, look.start)


def _adopt(session: Session, row: int, number: int | None) -> None:
    look = look_of(session)
    if look is not None:
        session.memory["inspect"] = replace(look, document=number, start=0)


SOURCE = Source(_in_view, _adopt)
