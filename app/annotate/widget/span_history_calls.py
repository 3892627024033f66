"""What the annotator's browser side may ask about the life of one span."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from app.ui.payload import InvalidPayload, read_count, read_object, read_text

Reply = dict[str, Any]


class SpanHistoryBackend(Protocol):
    """Asked like `AnnotatorBackend`: a method may raise `AnnotatorError` and returns plain JSON values."""

    def span_history(self, token: str, document: int, start: int, end: int, label: str) -> Reply:
        """``steps``, oldest first, with the fields of ``core.store.review.span_history.Step``."""


def span_history_functions(backend: SpanHistoryBackend) -> Iterable[Callable[[Any], Reply]]:
    """The functions by the names the browser calls, each with one object."""

    def read_span_history(payload: Any) -> Reply:
        fields = read_object(payload)
        start, end = read_count(fields, "start"), read_count(fields, "end")
        if end <= start:
            raise InvalidPayload(f"a span ends after it begins, got {start} to {end}")
        document, label = read_count(fields, "document"), read_text(fields, "label")
        return backend.span_history(read_text(fields, "session"), document, start, end, label)

    return (read_span_history,)
