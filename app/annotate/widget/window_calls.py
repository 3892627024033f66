"""What the annotator's browser side may call about a part of a long document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from app.ui.payload import read_count, read_object, read_text, read_words

Reply = dict[str, Any]


class WindowBackend(Protocol):
    """Asked like `AnnotatorBackend`: a method may raise `AnnotatorError` and returns plain JSON values."""

    def words_between(self, token: str, document: int, start: int, end: int) -> Reply:
        """``words``: lattice words of a stretch as ``[start, end]``; ``until`` where they were read."""

    def tag_from(self, token: str, document: int, start: int, without: tuple[str, ...]) -> Reply:
        """``spans`` of the tagger in a part of the text: from ``from``, at or before ``start``, to ``until``;
        and the ``length`` of the text.

        Asked from 0 on, each time with the last ``until``, it keeps the whole prediction in the end and tells
        ``serving``. Stopping needs no call: a prediction that was not finished is not kept.
        """


def window_functions(backend: WindowBackend) -> Iterable[Callable[[Any], Reply]]:
    """The functions by the names the browser calls, each with one object."""

    def list_words_between(payload: Any) -> Reply:
        fields = read_object(payload)
        start, end = read_count(fields, "start"), read_count(fields, "end")
        return backend.words_between(read_text(fields, "session"), read_count(fields, "document"), start, end)

    def tag_from(payload: Any) -> Reply:
        fields = read_object(payload)
        start, without = read_count(fields, "start"), read_words(fields, "without")
        return backend.tag_from(read_text(fields, "session"), read_count(fields, "document"), start, without)

    return list_words_between, tag_from
