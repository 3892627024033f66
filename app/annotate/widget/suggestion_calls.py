"""What the annotator's browser side may call about suggestions, patterns and annotated regions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, cast, get_args

from app.ui.payload import InvalidPayload, read_count, read_object, read_text
from core.store.annotation.regions import MOST_STRETCHES, WAYS, Stretch, Way

Reply = dict[str, Any]
PatternChange = Literal["enable", "disable", "trash", "restore"]
LONGEST_PATTERN = 2_000  # as sent; the store allows fewer, and says so itself


class SuggestionBackend(Protocol):
    """Asked like `AnnotatorBackend`: a method may raise `AnnotatorError` and returns plain JSON values."""

    def rules(self, token: str, document: int) -> Reply:
        """``suggestions`` of dictionary, patterns and earlier decisions, with those that were not ready when
        the document opened, and the ``stopped`` and ``cut`` patterns."""

    def set_view(self, token: str, view: Any) -> Reply:
        """Nothing, after the project remembers which sources are shown and from which confidence on."""

    def patterns(self, token: str) -> Reply:
        """``patterns`` and ``deleted``."""

    def try_pattern(self, token: str, document: int, pattern: str) -> Reply:
        """``hits`` in the document with what is around, ``count``, ``cut``, ``stopped``; or ``problem``."""

    def add_pattern(self, token: str, pattern: str, label: str) -> Reply:
        """``patterns`` and ``deleted`` with it; or ``problem``."""

    def change_pattern(self, token: str, pattern: int, change: PatternChange) -> Reply:
        """``patterns`` and ``deleted`` after one of them changed."""

    def annotated_regions(self, token: str, document: int) -> Reply:
        """``annotated``: ``whole``, ``regions``, ``marked``, and whether it is one's ``own`` version."""

    def set_annotated_regions(
        self, token: str, document: int, stretches: Sequence[Stretch], way: Way
    ) -> Reply:
        """Mark or unmark annotated regions as one step; ``annotated`` afterwards."""


def suggestion_functions(backend: SuggestionBackend) -> Iterable[Callable[[Any], Reply]]:
    """The functions by the names the browser calls, each with one object."""

    def find_suggestions(payload: Any) -> Reply:
        return backend.rules(_token(payload), _document(payload))

    def set_suggestion_view(payload: Any) -> Reply:
        return backend.set_view(_token(payload), read_object(payload).get("view"))

    def list_patterns(payload: Any) -> Reply:
        return backend.patterns(_token(payload))

    def try_pattern(payload: Any) -> Reply:
        return backend.try_pattern(_token(payload), _document(payload), _pattern(payload))

    def add_pattern(payload: Any) -> Reply:
        label = read_text(read_object(payload), "label")
        return backend.add_pattern(_token(payload), _pattern(payload), label)

    def change_pattern(payload: Any) -> Reply:
        fields = read_object(payload)
        change = fields.get("change")
        if change not in get_args(PatternChange):
            raise InvalidPayload(f"change must be one of {', '.join(get_args(PatternChange))}")
        return backend.change_pattern(
            _token(payload), read_count(fields, "pattern"), cast(PatternChange, change)
        )

    def read_annotated_regions(payload: Any) -> Reply:
        return backend.annotated_regions(_token(payload), _document(payload))

    def set_annotated_regions(payload: Any) -> Reply:
        way = read_object(payload).get("way", "mark")
        if way not in WAYS:
            raise InvalidPayload(f"way must be one of {', '.join(WAYS)}")
        return backend.set_annotated_regions(
            _token(payload), _document(payload), _stretches(payload), cast(Way, way)
        )

    return (
        find_suggestions, set_suggestion_view, list_patterns, try_pattern, add_pattern, change_pattern,
        read_annotated_regions, set_annotated_regions,
    )  # fmt: skip


def _token(payload: Any) -> str:
    return read_text(read_object(payload), "session")


def _document(payload: Any) -> int:
    return read_count(read_object(payload), "document")


def _stretches(payload: Any) -> list[Stretch]:
    items = read_object(payload).get("changes")
    if not isinstance(items, list) or not 0 < len(items) <= MOST_STRETCHES:
        raise InvalidPayload(f"changes must be a list of 1 to {MOST_STRETCHES} stretches")
    return [_stretch(read_object(item)) for item in items]


def _stretch(fields: Mapping[str, Any]) -> Stretch:
    annotated = fields.get("annotated")
    if not isinstance(annotated, bool):
        raise InvalidPayload("annotated must be true or false")
    return Stretch(read_count(fields, "start"), read_count(fields, "end"), annotated)


def _pattern(payload: Any) -> str:
    fields: Mapping[str, Any] = read_object(payload)
    pattern = fields.get("pattern")
    if not isinstance(pattern, str) or len(pattern) > LONGEST_PATTERN:
        raise InvalidPayload(f"pattern must be a text of at most {LONGEST_PATTERN} characters")
    return pattern
