"""What the annotator's browser side may call about sentences: similar labelled ones, and key ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from app.ui.payload import read_count, read_object, read_text

Reply = dict[str, Any]


class SimilarBackend(Protocol):
    """Asked like `AnnotatorBackend`: a method may raise `AnnotatorError` and returns plain JSON values."""

    def similar(self, token: str, document: int, at: int) -> Reply:
        """Labelled sentences like the one at a character: ``rows``; ``start`` and ``end`` of that one.

        A row has ``document``, ``name``, ``start`` (of the sentence there), ``text``, ``spans``, ``shared``
        (both counted from its beginning). ``pending`` instead of rows: the project is being read; ask again.
        """

    def key_sentences(self, token: str, document: int) -> Reply:
        """``rows``, the highest rank first: ``start``, ``end``, ``rank``; none where the text is short."""


def similar_functions(backend: SimilarBackend) -> Iterable[Callable[[Any], Reply]]:
    """The functions by the names the browser calls, each with one object."""

    def find_similar(payload: Any) -> Reply:
        fields = read_object(payload)
        token, document = read_text(fields, "session"), read_count(fields, "document")
        return backend.similar(token, document, read_count(fields, "at"))

    def list_key_sentences(payload: Any) -> Reply:
        fields = read_object(payload)
        return backend.key_sentences(read_text(fields, "session"), read_count(fields, "document"))

    return find_similar, list_key_sentences
