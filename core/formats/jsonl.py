"""LatticeLens' own JSONL, which loses nothing, and any JSONL with a text in one of its fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.formats.format import (
    Format,
    FormatError,
    Holds,
    Losses,
    ReadOptions,
    RecordError,
    Refusal,
    WriteOptions,
)
from core.formats.json_lines import (
    Record,
    dump,
    first_records,
    id_field,
    label_field,
    offset_field,
    read_records,
    share,
    text_field,
)
from core.formats.source import Source
from core.text import Document, Span

TEXT_NAMES = ("text", "content", "sentence", "body", "data", "document", "context", "title")
_OWN = frozenset(("id", "text", "spans", "meta"))


class Jsonl(Format):
    """``{"id", "text", "spans": [{"start", "end", "label", "text", "score"?}], "meta"}``, one a line.

    Offsets are code points, end exclusive; a span's ``text`` is checked where it is there. Other fields of a
    record go into ``meta``. In a file that does not call its text ``text``, the field is found by its name,
    else it is the one with the longest texts.
    """

    name = "jsonl"
    title = "JSONL (LatticeLens, or any with a text field)"
    extensions = (".jsonl", ".ndjson", ".json")
    holds = Holds(scores=True, ids=True, meta=True)

    def sniff(self, head: str) -> float:
        """Sure of the own form, half sure of any object with a text in it."""
        own = share(
            head, lambda record: isinstance(record.get("text"), str) and _are_spans(record.get("spans"))
        )
        return max(
            own * 0.98, share(head, lambda r: any(isinstance(value, str) for value in r.values())) * 0.5
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document a record."""
        field = options.text_column or _text_name(source)
        identifier = options.id_column or "id"
        prefix = options.id_prefix or source.name

        def build(ordinal: int, record: Record) -> Document:
            text = text_field(record, field)
            return Document(
                id_field(record, identifier, f"{prefix}-{ordinal}"),
                text,
                tuple(_spans(record.get("spans"), text)),
                _meta(record, field, identifier),
            )

        return read_records(source, build)

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line; nothing is lost."""
        return dump(to_record(document)), self.general_losses(document)


def to_record(document: Document) -> Record:
    """The document as a plain object, as a line of native JSONL holds it."""
    record: Record = {"id": document.id, "text": document.text, "spans": []}
    for span in document.spans:
        item: Record = {
            "start": span.start,
            "end": span.end,
            "label": span.label,
            "text": document.surface(span),
        }
        if span.score is not None:
            item["score"] = span.score
        record["spans"].append(item)
    if document.meta:
        record["meta"] = dict(document.meta)
    return record


def _text_name(source: Source) -> str:
    records = first_records(source.head(), 200)
    for name in TEXT_NAMES:
        if any(isinstance(record.get(name), str) for record in records):
            return _told(source, name)
    lengths: dict[str, int] = {}
    for record in records:
        for name, value in record.items():
            if isinstance(value, str):
                lengths[name] = lengths.get(name, 0) + len(value)
    if not lengths:
        raise FormatError(
            f"{source.path.name}: no record has a field with a text; name it with the text column"
        )
    return _told(source, max(lengths, key=lambda name: lengths[name]))


def _told(source: Source, name: str) -> str:
    if name != "text":
        source.notes.add("columns", f"the text was taken from the field {name!r}")
    return name


def _spans(items: Any, text: str) -> Iterator[Span]:
    if items is None:
        return
    if not isinstance(items, list):
        raise RecordError(f"'spans' should be a list, but it is {items!r:.60}")
    for item in items:
        if not isinstance(item, dict):
            raise RecordError(f"a span should be an object with start, end and label, but it is {item!r:.60}")
        span = Span(
            offset_field(item.get("start"), "a span's start"),
            offset_field(item.get("end"), "a span's end"),
            label_field(item.get("label")),
            _score(item.get("score")),
        )
        surface = item.get("text")
        if isinstance(surface, str) and text[span.start : span.end] != surface:
            raise RecordError(
                f"span {span.label} {span.start}-{span.end} should read {surface!r:.60} "
                f"but the text there is {text[span.start : span.end]!r:.60}"
            )
        yield span


def _score(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise RecordError(f"a span's score should be a number from 0 to 1, but it is {value!r:.60}")
    return float(value)


def _meta(record: Record, field: str, identifier: str) -> Record:
    own = record.get("meta")
    if field == "text" and record.keys() <= _OWN and isinstance(own, dict):
        return own
    taken = {field, "spans"} | (
        {identifier} if not isinstance(record.get(identifier), (dict, list)) else set()
    )
    meta = {name: value for name, value in record.items() if name not in taken}
    if isinstance(own, dict):
        del meta["meta"]
        meta |= own
    return meta


def _are_spans(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict) and {"start", "end"} <= item.keys() for item in value
    )
