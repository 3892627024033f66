"""The types that all packages share: documents, spans, labels, tag schemes, offsets, scores."""

from core.text.document import Document, OffsetError
from core.text.entity_link import EntityLink
from core.text.labels import LABEL_COLOURS, Label, LabelSet, UnknownLabelError
from core.text.offsets import Utf16Offsets
from core.text.span import Span, SpanKey, sort_spans

__all__ = [
    "LABEL_COLOURS",
    "Document",
    "EntityLink",
    "Label",
    "LabelSet",
    "OffsetError",
    "Span",
    "SpanKey",
    "UnknownLabelError",
    "Utf16Offsets",
    "sort_spans",
]
