"""doccano's JSONL: ``[start, end, label]`` triples or the relation form, with offsets of two kinds."""

from __future__ import annotations

from collections import Counter
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
    parse,
    read_records,
    share,
    text_field,
)
from core.formats.source import Source
from core.text import Document, Span, Utf16Offsets

# Written into records with characters above U+FFFF, where a reader could otherwise only guess.
OFFSETS = "offsets"
_CODE_POINTS, _UTF16 = "code points", "UTF-16 units"
_TEXT_NAMES = ("text", "data")
_COMMENTS = ("Comments", "comments")
_LABEL_NAMES = ("label", "labels")

Triple = tuple[int, int, str]


class Doccano(Format):
    """``{"id", "text", "label": [[start, end, label], …]}``, one a line; or ``labels``, ``entities``.

    The triples bring no surfaces to check, and doccano has counted both UTF-16 units and code points. The two
    differ only after characters above U+FFFF; where a file has such, the reading is taken under which more
    spans begin and end sensibly, and a note says which it was. Relations are counted and left out. Other
    fields go into ``meta``.
    """

    name = "doccano"
    title = "doccano JSONL"
    extensions = (".jsonl", ".json", ".json1")
    holds = Holds(ids=True, meta=True)

    def sniff(self, head: str) -> float:
        """Sure when labels are triples or entities have a ``start_offset``."""
        return share(head, _looks_right) * 0.96

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document a record."""
        utf16 = _counts_utf16(source, options)
        prefix = options.id_prefix or source.name
        identifier = options.id_column or "id"
        text_names = (options.text_column,) if options.text_column else _TEXT_NAMES

        def build(ordinal: int, record: Record) -> Document:
            text = text_field(record, *text_names)
            own = record.get(OFFSETS)
            counts_units = own == _UTF16 if own in (_CODE_POINTS, _UTF16) else utf16
            units = Utf16Offsets(text) if counts_units else None
            spans = [_span(triple, text, units) for triple in _triples(record)]
            if record.get("relations"):
                source.notes.add(
                    "relations", f"{len(record['relations'])} relations of record {ordinal} were left out"
                )
            return Document(
                id_field(record, identifier, f"{prefix}-{ordinal}"),
                text,
                tuple(spans),
                _meta(record, identifier),
            )

        return read_records(source, build)

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line, offsets in code points; further fields stand beside the text, as doccano keeps them."""
        lost = self.general_losses(document)
        triples = [[span.start, span.end, span.label] for span in document.spans]
        record: Record = {"id": id_value(document.id), "text": document.text, "label": triples}
        if not document.text.isascii() and max(document.text) > "\uffff":
            record[OFFSETS] = _CODE_POINTS
        kept = {name: value for name, value in document.meta.items() if _survives(name, value)}
        if len(kept) < len(document.meta):
            lost["meta"] = 1
        return dump(record | kept), lost


def _survives(name: str, value: Any) -> bool:
    own = ("id", OFFSETS, "entities", "relations", *_TEXT_NAMES, *_LABEL_NAMES)
    return name not in own and (name not in _COMMENTS or bool(value))


def _meta(record: Record, identifier: str) -> Record:
    return {name: value for name, value in record.items() if name != identifier and _survives(name, value)}


def _triples(record: Record) -> list[Triple]:
    """Start, end and label of every span, as the record counts them."""
    if "entities" in record and not any(name in record for name in _LABEL_NAMES):
        items = record["entities"]
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise RecordError(f"'entities' should be a list of objects, but it is {items!r:.60}")
        raw = [(item.get("start_offset"), item.get("end_offset"), item.get("label")) for item in items]
    else:
        items = next((record[name] for name in _LABEL_NAMES if name in record), None) or []
        if not isinstance(items, list):
            raise RecordError(f"'label' should be a list of [start, end, label], but it is {items!r:.60}")
        for item in items:
            if not isinstance(item, list) or len(item) != 3:
                raise RecordError(f"a label should be [start, end, label], but it is {item!r:.60}")
        raw = [tuple(item) for item in items]
    return [(offset_field(s, "a start"), offset_field(e, "an end"), label_field(name)) for s, e, name in raw]


def _span(triple: Triple, text: str, units: Utf16Offsets | None) -> Span:
    """The span of a triple that counts code points, or UTF-16 units where ``units`` are given."""
    start, end, label = triple
    if units is not None:
        try:
            start, end = units.to_code_point(start), units.to_code_point(end)
        except ValueError as error:
            raise RecordError(
                f"span {label} {triple[0]}-{triple[1]} does not fit the text: {error}"
            ) from None
    if not 0 <= start < end <= len(text):
        raise RecordError(
            f"span {label} {start}-{end} does not lie in the text, which has {len(text)} characters"
        )
    return Span(start, end, label)


def _counts_utf16(source: Source, options: ReadOptions) -> bool:
    """Whether the file's offsets count UTF-16 units; takes a note of how that was found."""
    if options.offsets != "auto":
        return options.offsets == "utf16"
    faults: Counter[str] = Counter()
    records = 0
    for _, line in source.lines():
        # Most lines hold no such character, raw or escaped, and need no parsing.
        if (line.isascii() and "\\u" not in line) or not line.strip():
            continue
        if "\\u" in line or max(line) > "\uffff":
            found = _faults(line)
            records += found is not None
            faults.update(found or {})
    return _verdict(source, faults, records)


def _faults(line: str) -> dict[str, int] | None:
    """Implausible ends under either reading, or None where the two readings do not differ."""
    try:
        record = parse(line)
        text = text_field(record, *_TEXT_NAMES)
        triples = _triples(record)
    except RecordError:
        return None
    if not text or max(text) <= "\uffff" or OFFSETS in record:
        return None
    first = next(index for index, char in enumerate(text) if char > "\uffff")
    late = [triple for triple in triples if triple[1] > first]
    if not late:
        return None
    faults = {_CODE_POINTS: 0, _UTF16: 0}
    units = {_CODE_POINTS: None, _UTF16: Utf16Offsets(text)}
    for triple in late:
        for reading in faults:
            try:
                span = _span(triple, text, units[reading])
            except RecordError:
                faults[reading] += 4  # impossible weighs more than odd
            else:
                faults[reading] += _oddities(span, text)
    return faults


def _oddities(span: Span, text: str) -> int:
    """How many ends of the span stand where nobody puts one: at a blank or mark, or inside a Latin word."""
    inside = [text[span.start], text[span.end - 1]]
    odd = sum(char.isspace() or (not char.isalnum() and char <= "\uffff") for char in inside)
    for place in (span.start, span.end):
        around = text[max(0, place - 1) : place + 1] if place else ""
        odd += len(around) == 2 and around.isascii() and around.isalnum()
    return odd


def _verdict(source: Source, faults: Counter[str], records: int) -> bool:
    if not records:
        source.notes.add(
            "offsets", "offsets: no span comes after a character above U+FFFF, so all readings agree"
        )
        return False
    utf16 = faults[_UTF16] < faults[_CODE_POINTS]
    found = _UTF16 if utf16 else _CODE_POINTS
    sure = "assumed, for both readings fit as well" if faults[_UTF16] == faults[_CODE_POINTS] else "found"
    source.notes.add(
        "offsets",
        f"offsets: {found} ({sure}; {records} records have spans after characters above U+FFFF and no "
        f"surfaces; doubtful ends: {faults[_CODE_POINTS]} as code points, {faults[_UTF16]} as UTF-16 units)",
    )
    return utf16


def _looks_right(record: Record) -> bool:
    if not isinstance(record.get("text", record.get("data")), str):
        return False
    if isinstance(entities := record.get("entities"), list):
        return all(isinstance(item, dict) and "start_offset" in item for item in entities)
    label = record.get("label", record.get("labels"))
    return isinstance(label, list) and all(isinstance(item, list) and len(item) == 3 for item in label)
