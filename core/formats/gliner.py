"""GLiNER's training data: tokens, and spans by the numbers of their first and last token.

Layout: GLiNER's documentation and its data processing (github.com/urchade/GLiNER).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from core.formats.framework.conventions import CODE_POINTS
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes.json_array import ArrayFormat
from core.formats.shapes.json_lines import Record, id_field, read_records, share
from core.formats.shapes.standoff import Mark, Standoff
from core.formats.shapes.standoff import Record as StandoffRecord
from core.formats.shapes.token_spans import (
    Numbers,
    are_tokens,
    note_empty,
    tokenised,
    triples_of,
    written_tokens,
)
from core.text import Document
from core.text.tokens import TOKENS

_FIELDS = ("id", "text", "tokenized_text", "ner", TOKENS)


class Gliner(ArrayFormat, Standoff):
    """``[{"tokenized_text": […], "ner": [[first, last, "label"], …]}]``, or one object per line.

    Other fields, such as the labels to ask for (``ner_labels``), go into ``meta``.
    """

    name = "gliner"
    title = "GLiNER JSON"
    extensions = (".json", ".jsonl")
    holds = Holds(ids=True)
    label_fields = ("ner",)

    def sniff(self, head: str) -> float:
        """Sure if records have a tokenised text."""
        return 0.99 * share(head, _is_record)

    def records(self, source: Source, options: ReadOptions) -> Iterator[StandoffRecord | Refusal]:
        """One record per object."""
        return read_records(source, partial(_record, source, options.id_prefix or source.name))

    def element(self, document: Document, options: WriteOptions) -> tuple[Record, Losses]:
        """One object, with the text beside its tokens."""
        extents = written_tokens(document, ((span.start, span.end) for span in document.spans))
        numbers = Numbers(extents)
        record: Record = {
            "id": document.id,
            "text": document.text,
            "tokenized_text": [document.text[start:end] for start, end in extents],
            "ner": [
                [numbers.first(span.start), numbers.last(span.end), span.label] for span in document.spans
            ],
        }
        return record, self.general_losses(document, {TOKENS})


def _is_record(record: Record) -> bool:
    return are_tokens(record.get("tokenized_text")) and isinstance(record.get("ner"), list)


def _record(source: Source, prefix: str, ordinal: int, line: int, raw: str, record: Record) -> StandoffRecord:
    found = tokenised(record.get("tokenized_text"), record.get("text"))
    marks = []
    for first, last, label in triples_of(record.get("ner")):
        extent = found.extent_to(first, last, label)
        if extent is None:
            note_empty(source, line, label)
        else:
            marks.append(Mark(*extent, label))
    meta = {name: value for name, value in record.items() if name not in _FIELDS}
    identifier = id_field(record, "id", f"{prefix}-{ordinal}")
    return StandoffRecord(
        line, identifier, found.text, marks, meta | found.meta, convention=CODE_POINTS, raw=raw
    )
