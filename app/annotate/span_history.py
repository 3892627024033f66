"""The annotator's answer about one span: what happened to it, by whom, against which prediction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import asdict

from app.annotate.widget.annotator import Reply
from app.services.session import Session
from app.ui.widgets.sentence import span_object
from core.store.review import span_history
from core.store.review.span_history import Step
from core.text import Span


class SpanHistoryAnswers(ABC):
    """Answers a `SpanHistoryBackend`'s call from the store of the session behind the token."""

    @abstractmethod
    def _session(self, token: str) -> AbstractContextManager[Session]:
        """The session of ``token``; every error in the block becomes an `AnnotatorError`."""

    def span_history(self, token: str, document: int, start: int, end: int, label: str) -> Reply:
        with self._session(token) as session:
            found = span_history.life(session.workspace, document, Span(start, end, label), user=session.user)
            return {"steps": [_step_object(step) for step in found]}


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
