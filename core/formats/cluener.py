"""CLUENER's JSONL: spans by label and surface, with inclusive ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.formats.format import Format, Holds, Losses, ReadOptions, RecordError, Refusal, WriteOptions
from core.formats.json_lines import (
    Record,
    dump,
    id_field,
    id_value,
    label_field,
    offset_field,
    read_records,
    share,
    text_field,
)
from core.formats.source import Notes, Source
from core.text import Document, Span, Utf16Offsets, sort_spans

_OWN = frozenset(("text", "label", "id"))
# How the pairs of a record may count, tried in this order; only the first is CLUENER's own.
_READINGS = (
    "inclusive ends",
    "inclusive ends in UTF-16 units",
    "exclusive ends",
    "exclusive ends in UTF-16 units",
)


class Cluener(Format):
    """``{"text": …, "label": {"name": {"surface": [[first, last], …]}}}``, one a line; ``id`` may be there.

    Every pair is checked against its surface. Records whose pairs fit only as UTF-16 units or as exclusive
    ends are read so, and a note says it; where no reading fits, the record is refused.
    """

    name = "cluener"
    title = "CLUENER JSONL"
    extensions = (".json", ".jsonl")
    holds = Holds(ids=True)

    def sniff(self, head: str) -> float:
        """Sure when labels are objects of objects of pairs."""
        return (
            share(head, lambda record: isinstance(record.get("text"), str) and _is_label(record.get("label")))
            * 0.97
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document a record."""
        prefix = options.id_prefix or source.name
        identifier = options.id_column or "id"

        def build(ordinal: int, record: Record) -> Document:
            text = text_field(record, options.text_column or "text")
            spans = _spans(record.get("label"), text, source.notes)
            meta = {name: value for name, value in record.items() if name not in _OWN | {identifier}}
            return Document(
                id_field(record, identifier, f"{prefix}-{ordinal}"), text, sort_spans(spans), meta
            )

        return read_records(source, build)

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line; the order of the spans becomes that of their labels."""
        label: dict[str, dict[str, list[list[int]]]] = {}
        for span in document.spans:
            pairs = label.setdefault(span.label, {}).setdefault(document.surface(span), [])
            pairs.append([span.start, span.end - 1])
        record = {"id": id_value(document.id), "text": document.text, "label": label}
        return dump(record), self.general_losses(document)


def _spans(label: Any, text: str, notes: Notes) -> list[Span]:
    if label is None:
        return []
    if not isinstance(label, dict):
        raise RecordError(f"'label' should be an object of labels, but it is {label!r:.60}")
    pairs = list(_pairs(label))
    for reading in _READINGS:
        spans = _under(reading, pairs, text)
        if spans is not None:
            if reading != _READINGS[0]:
                notes.add("offsets", f"{text[:20]!r}: the pairs fit their surfaces only as {reading}")
            return spans
    raise RecordError(_mismatch(pairs, text))


def _pairs(label: dict[str, Any]) -> Iterator[tuple[str, str, int, int]]:
    for name, surfaces in label.items():
        if not isinstance(surfaces, dict):
            raise RecordError(
                f"label {name!r} should hold surfaces and their pairs, but it is {surfaces!r:.60}"
            )
        for surface, places in surfaces.items():
            if not isinstance(places, list):
                raise RecordError(f"{surface!r:.60} should have a list of pairs, but it has {places!r:.60}")
            for place in places:
                if not isinstance(place, list) or len(place) != 2:
                    raise RecordError(
                        f"{surface!r:.60} should have pairs [first, last], but it has {place!r:.60}"
                    )
                first, last = (offset_field(value, f"an offset of {surface!r:.60}") for value in place)
                yield label_field(name), surface, first, last


def _under(reading: str, pairs: list[tuple[str, str, int, int]], text: str) -> list[Span] | None:
    """The spans under one reading of the pairs, or None when a surface does not fit."""
    if "UTF-16" in reading and (text.isascii() or max(text) <= "\uffff"):
        return None
    units = Utf16Offsets(text) if "UTF-16" in reading else None
    spans: list[Span] = []
    for name, surface, first, last in pairs:
        end = last + 1 if reading.startswith("inclusive") else last
        try:
            start, stop = (units.to_code_point(first), units.to_code_point(end)) if units else (first, end)
        except ValueError:
            return None
        if not 0 <= start < stop <= len(text) or text[start:stop] != surface:
            return None
        spans.append(Span(start, stop, name))
    return spans


def _mismatch(pairs: list[tuple[str, str, int, int]], text: str) -> str:
    for name, surface, first, last in pairs:
        found = text[first : last + 1] if 0 <= first <= last else ""
        if found != surface or last >= len(text):
            return (
                f"span {name} {first}-{last} (end inclusive) should read {surface!r:.60} "
                f"but the text there is {found!r:.60}"
            )
    return "the pairs do not fit their surfaces"


def _is_label(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, dict) for item in value.values())
