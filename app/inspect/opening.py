"""What the tab of one sentence looks into unasked: by its address, for another tab, or at first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.inspect.panel import Look
from app.services import in_project
from app.services.errors import AppError
from app.services.session import Session
from core.inspection.sentence.span_prediction import window_around
from core.store.db.errors import StoreError
from core.store.queue import queue
from core.store.run import predictions
from core.text import Span

# Where a request waits in the session's memory until the page asks for its answer.
MEMORY = "inspect-asked"


@dataclass(frozen=True)
class Asked:
    """A request to look into a sentence.

    Args:
        document: of the sentence, or None. start: where the sentence begins in it.
        sentence: at most as long as the tab draws. extent: of the span to explain, in the sentence, if any.
        is_shown: whether the sentence stands in the page already. yields: to whatever the person has
            written meanwhile.
    """

    document: int | None
    start: int
    sentence: str
    extent: tuple[int, int] | None = None
    is_shown: bool = False
    yields: bool = False

    def is_of(self, look: Look | None, run: str) -> bool:
        """Whether this is what a person looks at through ``run``."""
        if look is None or (look.run, look.document, look.start) != (run, self.document, self.start):
            return False
        extent = look.focus and (look.focus.start, look.focus.end)
        return look.trace.text == self.sentence and self.extent in (None, extent)

    def focus(self, spans: Sequence[Span]) -> Span | None:
        """The predicted span to explain: the one asked for, else one over it, else the least sure."""
        if self.extent is not None:
            start, end = self.extent
            over = [span for span in spans if span.start < end and start < span.end]
            if over:
                return min(over, key=lambda span: abs(span.start - start) + abs(span.end - end))
        return least_sure(spans)


def ask_about(session: Session, document: int, at: int = 0) -> None:
    """Request this document in the tab of one sentence when it is shown next.

    Args:
        at: the character to include if the document is longer than the tab draws.

    Raises:
        NotFound: no such document in this project.
    """
    session.memory[MEMORY] = in_document(session, document, (at, at))


def in_document(
    session: Session, document: int, place: tuple[int, int], explains: bool = False, run: str | None = None
) -> Asked:
    """The request for the sentences around a place of a document.

    Args:
        explains: whether the place is a span to explain. run: whose tagger will look; None: the active one.

    Raises:
        NotFound: no such document in this project. ValueError: it has no such place.
    """
    text = in_project.document(session, document).text
    left, right = window_around(text, *place, usual=_usual_length(session, run))
    extent = (place[0] - left, place[1] - left) if explains else None
    return Asked(document, left, text[left:right], extent)


def _usual_length(session: Session, run: str | None) -> int | None:
    try:
        return session.workbench.taggers.usual_length(session.project_id, run)
    except (AppError, StoreError):  # no run: there is nothing to look with
        return None


def by_address(session: Session, run: str, document: str, sentence: str, span: str) -> Asked | None:
    """The request that an address makes; None if it makes none or asks for what is not there.

    Args:
        run: whose tagger will look. document: its number. sentence: if there is no document.
        span: ``start-end``, in the one or the other.
    """
    matched = re.fullmatch("([0-9]{1,9})-([0-9]{1,9})", span)
    extent = (int(matched[1]), int(matched[2])) if matched else None
    try:
        if re.fullmatch("[0-9]{1,15}", document):
            return in_document(session, int(document), extent or (0, 0), extent is not None, run)
        if sentence.strip():
            left, right = window_around(sentence, *(extent or (0, 0)))
            moved = extent and (extent[0] - left, extent[1] - left)
            return Asked(None, 0, sentence[left:right], moved)
    except (StoreError, ValueError):
        pass  # a document that was deleted, a text that has changed
    return None


def at_first(session: Session, run: str) -> Asked | None:
    """The least certain sentence of the project under ``run``; before it has predicted any, the first one."""
    rows = queue.page(session.workspace, session.project_id, order="least confident", limit=1, run=run).rows
    if not rows or not rows[0].length:
        return None
    least = least_sure(predictions.get(session.workspace, run, rows[0].id) or ())
    place = (0, 0) if least is None else (least.start, least.end)
    return in_document(session, rows[0].id, place, least is not None, run)


def least_sure(spans: Sequence[Span]) -> Span | None:
    """The span with the lowest confidence; the first if none has one."""
    return min(spans, key=lambda span: 1.0 if span.score is None else span.score, default=None)
