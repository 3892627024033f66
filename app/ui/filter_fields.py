"""The filter of documents as the browser sends it, the same for every page."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from app.ui.payload import Count, Payload, Text, TextOrEmpty
from core.store.queue.filter import Filter

EMPTY_IS_NONE = BeforeValidator(lambda value: None if value == "" else value)  # scripts may send ""
State = Annotated[
    Literal["new", "preannotated", "imported", "in_progress", "to_check", "done", "ignored"] | None,
    EMPTY_IS_NONE,
]
Split = Annotated[Literal["train", "dev", "test", "none"] | None, EMPTY_IS_NONE]
ErrorKind = Annotated[Literal["any", "missed", "spurious", "boundary", "type"] | None, EMPTY_IS_NONE]
Share = Annotated[float, Field(ge=0, le=1)]
ShareOrNone = Annotated[float | None, Field(ge=0, le=1)]
Pair = Annotated[list[Text], Field(min_length=2, max_length=2)]


class FilterFields(Payload):
    """Which documents: what is empty or null narrows nothing."""

    status: State = None
    split: Split = None
    label: TextOrEmpty = ""
    annotator: TextOrEmpty = ""
    search: Annotated[str, Field(max_length=1_000)] = ""
    meta: list[Pair] = Field(default_factory=list, max_length=8)
    error: ErrorKind = None
    confidence_from: ShareOrNone = None
    confidence_to: ShareOrNone = None
    commented: bool | None = None
    predicted: bool | None = None
    imported_at: Count | None = None

    def filter(self, **more: Any) -> Filter:
        """The filter of the store. Args: more: further fields of it."""
        fields = self.model_dump() | {"label": self.label or None, "annotator": self.annotator or None}
        return Filter(**(fields | {"meta": tuple((field, value) for field, value in self.meta)} | more))
