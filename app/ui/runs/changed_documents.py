"""Documents on which two runs differ: gold and predictions one below the other, headed by what changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.i18n import _
from app.services.session import Session
from app.ui.widgets.sentence import sentence_row
from core.inspection.corpus.span_changes import SpanChange, span_changes
from core.store.run.predicted import ComparedDocument
from core.text import Document, Span

CHANGE_NAMES = {
    "new": _("new span"),
    "lost": _("lost span"),
    "boundary": _("boundary moved"),
    "label": _("label changed"),
}

LONGEST = 240  # characters of a document that are drawn
LEAD = 60  # of them before the first difference
MOST_NAMED = 3  # changes named above a document
LONGEST_SURFACE = 60


def document_rows(
    session: Session, document: ComparedDocument, names: Sequence[str], other: int = 1
) -> list[dict[str, Any]]:
    """Rows of a `sentence_view`: gold spans, if any, and each run's spans, of the same part of the text.

    Args:
        names: what stands above the spans of each run of ``document.predicted``.
        other: place of the run whose differences to the first are named.
    """
    changes = span_changes(document.predicted[0], document.predicted[other])
    start, end = stretch(len(document.document.text), changes)
    what = "; ".join(change_name(session, change, document.document) for change in changes[:MOST_NAMED])
    heading = f"{document.document.id} · {what}{' …' if len(changes) > MOST_NAMED else ''}"
    rows = [] if document.gold is None else [(session._("gold"), "person", document.gold)]
    rows += [(name, "tagger", spans) for name, spans in zip(names, document.predicted, strict=True)]
    return [
        sentence_row(
            document.document.text[start:end],
            [_moved(span, start) for span in spans if start <= span.start and span.end <= end],
            source=source,
            id=str(document.document_id),
            note=name if row else f"{heading}\n{name}",
        )
        for row, (name, source, spans) in enumerate(rows)
    ]


def stretch(length: int, changes: Sequence[SpanChange]) -> tuple[int, int]:
    """The part of a long text around the first difference; short texts are shown completely."""
    if length <= LONGEST:
        return 0, length
    first = changes[0].extent[0] if changes else 0
    start = min(max(0, first - LEAD), length - LONGEST)
    return start, start + LONGEST


def change_name(session: Session, change: SpanChange, document: Document) -> str:
    """Describe a change, as "boundary moved · ORG · 岭南钢厂 → 岭南"."""
    spans = [span for span in (change.before, change.after) if span is not None]
    return " · ".join(change_words(session, change, [document.surface(span) for span in spans]))


def change_words(session: Session, change: SpanChange, surfaces: Sequence[str]) -> list[str]:
    """Kind, labels and surfaces of a change: before → after."""
    return [
        session._(CHANGE_NAMES[change.kind]),
        " → ".join(change.labels),
        " → ".join(dict.fromkeys(shortened(surface) for surface in surfaces)),
    ]


def shortened(surface: str) -> str:
    """A surface in one line, cut where it is long."""
    line = " ".join(surface.split())
    return line if len(line) <= LONGEST_SURFACE else line[:LONGEST_SURFACE] + "…"


def _moved(span: Span, start: int) -> Span:
    return Span(span.start - start, span.end - start, span.label, span.score)
