"""LatticeLens' lossless JSONL, and any JSONL with a text field."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import EVERYTHING, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes.json_lines import (
    Record,
    dump,
    first_records,
    id_field,
    read_records,
    share,
    text_field,
)
from core.formats.shapes.prose import is_prose
from core.formats.shapes.standoff import Mark, Standoff, span_mark
from core.formats.shapes.standoff import Record as StandoffRecord
from core.text import Document

TEXT_NAMES = ("text", "content", "sentence", "body", "data", "document", "context", "title")
_FIELDS = frozenset(("id", "text", "spans", "meta"))


class Jsonl(Standoff):
    """``{"id", "text", "spans": [{"start", "end", "label", "text", "score"?, "link"?}], "meta"}`` per line.

    Offsets are code points, end exclusive; a span's ``text`` is checked if present. Other fields go into
    ``meta``. If there is no ``text``, another usual name is taken, else the field with the longest texts.
    """

    name = "jsonl"
    title = "JSONL (LatticeLens, or any with a text field)"
    extensions = (".jsonl", ".ndjson", ".json")
    holds = EVERYTHING
    label_fields = ("spans",)

    def sniff(self, head: str) -> float:
        """Sure of LatticeLens' form, half sure of any object with a text."""
        native = share(
            head, lambda record: isinstance(record.get("text"), str) and _are_spans(record.get("spans"))
        )
        texts = share(
            head,
            lambda record: (
                not is_pattern(record) and any(isinstance(value, str) for value in record.values())
            ),
        )
        return max(native * 0.98, texts * 0.5)

    def records(self, source: Source, options: ReadOptions) -> Iterator[StandoffRecord | Refusal]:
        """One record per line."""
        if all(map(is_pattern, first := first_records(source.head(), 20))) and first:
            raise FormatError(
                "{name} holds match patterns, not texts: they belong to a word list", name=source.path.name
            )
        field = options.text_column or _text_name(source)
        prefix = options.id_prefix or source.name
        return read_records(source, partial(_record, field, options.id_column or "id", prefix))

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line; lossless."""
        return dump(to_record(document)), {}


def to_record(document: Document) -> Record:
    """The document as an object of native JSONL."""
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
        if span.link is not None:
            item["link"] = span.link.to_json()
        record["spans"].append(item)
    if document.meta:
        record["meta"] = dict(document.meta)
    return record


def is_pattern(record: Record) -> bool:
    """Whether this is a line of a Prodigy or spaCy pattern file: a label and a pattern."""
    return set(record) <= {"label", "pattern", "id"} and {"label", "pattern"} <= set(record)


def _record(
    field: str, identifier: str, prefix: str, ordinal: int, line: int, raw: str, record: Record
) -> StandoffRecord:
    text = text_field(record, field)
    return StandoffRecord(
        line,
        id_field(record, identifier, f"{prefix}-{ordinal}"),
        text,
        tuple(_marks(record.get("spans"))),
        _meta(record, field, identifier),
        raw=raw,
    )


def _text_name(source: Source) -> str:
    records = first_records(source.head(), 200)
    for name in TEXT_NAMES:
        if any(isinstance(record.get(name), str) for record in records):
            return _note_column(source, name)
    values: dict[str, list[str]] = {}
    for record in records:
        for name, value in record.items():
            if isinstance(value, str):
                values.setdefault(name, []).append(value)
    texts = [name for name, found in values.items() if is_prose(found)]
    if not texts:
        raise FormatError(
            "{name}: no record has a field with a text, other than ids and categories; "
            "choose the text column",
            name=source.path.name,
        )
    return _note_column(source, max(texts, key=lambda name: sum(map(len, values[name]))))


def _note_column(source: Source, name: str) -> str:
    if name != "text":
        source.notes.add("columns", f"the text was taken from the field {name!r}")
    return name


def _marks(items: Any) -> Iterator[Mark]:
    if items is None:
        return
    if not isinstance(items, list):
        raise RecordError("'spans' should be a list, but it is {items}", items=f"{items!r:.60}")
    for item in items:
        if not isinstance(item, dict):
            raise RecordError(
                "a span should be an object with start, end and label, but it is {item}", item=f"{item!r:.60}"
            )
        yield span_mark(item)


def _meta(record: Record, field: str, identifier: str) -> Record:
    stored = record.get("meta")
    if field == "text" and record.keys() <= _FIELDS and isinstance(stored, dict):
        return stored
    taken = {field, "spans"} | (
        {identifier} if not isinstance(record.get(identifier), (dict, list)) else set()
    )
    meta = {name: value for name, value in record.items() if name not in taken}
    if isinstance(stored, dict):
        del meta["meta"]
        meta |= stored
    return meta


def _are_spans(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict) and {"start", "end"} <= item.keys() for item in value
    )
