"""A text with its labelled spans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from core.runtime.message import ToldValueError
from core.text.span import Span


class OffsetError(ToldValueError):
    """A span does not fit its document; the message names document, offsets and both strings."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its spans, kept in the order given.

    Args:
        id: unique within a corpus; never empty.
        text: any string; offsets count its code points.
        spans: legal spans of ``text``; nested and overlapping ones are allowed.
        meta: further data to keep (JSON values only); read-only.

    Raises:
        OffsetError: a span ends beyond the text.
    """

    id: str
    text: str
    spans: tuple[Span, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spans", tuple(self.spans))
        object.__setattr__(self, "meta", MappingProxyType(dict(self.meta)))
        for span in self.spans:
            if span.end > len(self.text):
                raise OffsetError(
                    "document {document}: span {label} {start}-{end} ends after the text, "
                    "which has {length} characters",
                    document=repr(self.id),
                    label=span.label,
                    start=span.start,
                    end=span.end,
                    length=len(self.text),
                )

    def __reduce__(self) -> tuple[type[Document], tuple[Any, ...]]:
        return (Document, (self.id, self.text, self.spans, dict(self.meta)))

    def surface(self, span: Span) -> str:
        """The text under ``span``."""
        return self.text[span.start : span.end]

    def check_surface(self, span: Span, surface: str) -> None:
        """Check that the text under ``span`` is ``surface``.

        Raises:
            OffsetError: it is not; names the document, the offsets and both strings.
        """
        actual = self.surface(span)
        if actual != surface:
            raise OffsetError(
                "document {document}: span {label} {start}-{end} should read {surface} but the "
                "text there is {found}",
                document=repr(self.id),
                label=span.label,
                start=span.start,
                end=span.end,
                surface=repr(surface),
                found=repr(actual),
            )

    def with_spans(self, spans: Iterable[Span]) -> Document:
        """The same text with other spans."""
        return replace(self, spans=tuple(spans))
