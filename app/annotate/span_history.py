"""Server function for the history of a span: what happened, by whom, against which prediction."""

from __future__ import annotations

from dataclasses import asdict

from app.services.rights import needs
from app.services.session import Session
from app.ui.payload import Count, Payload, Text
from app.ui.server_function import Reply
from app.ui.widgets.sentence import span_object
from core.store.review import span_history
from core.store.review.span_history import Step
from core.text import Span


class SpanQuery(Payload):
    """A span of a document."""

    document: Count
    start: Count
    end: Count
    label: Text


@needs("annotate")
def read_span_history(session: Session, asked: SpanQuery) -> Reply:
    """Return ``steps``, oldest first, with the fields of ``core.store.review.span_history.Step``."""
    span = Span(asked.start, asked.end, asked.label)
    steps = span_history.history(session.workspace, asked.document, span, user=session.user)
    return {"steps": [_step_object(step) for step in steps]}


FUNCTIONS = (read_span_history,)


def _step_object(step: Step) -> Reply:
    return {
        "kind": step.kind,
        "at": step.at,
        "user": step.user,
        "span": span_object(step.span),
        "before": step.before and span_object(step.before),
        "run": step.run,
        "said": step.said and span_object(step.said),
        "text": step.text,
        "source": step.source and asdict(step.source),
    }
