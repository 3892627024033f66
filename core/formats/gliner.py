"""GLiNER's training data: tokens, and spans by the numbers of their first and last token.

Layout: GLiNER's documentation and its data processing (github.com/urchade/GLiNER).
"""

from __future__ import annotations

from core.formats.framework.conventions import CODE_POINTS
from core.formats.framework.format import Holds, Losses, WriteOptions
from core.formats.shapes.json_lines import Record
from core.formats.shapes.json_records import ArrayFormat, Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark
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


class Gliner(ArrayFormat, JsonRecords):
    """``[{"tokenized_text": […], "ner": [[first, last, "label"], …]}]``, or one object per line.

    Other fields, such as the labels to ask for (``ner_labels``), go into ``meta``.
    """

    name = "gliner"
    title = "GLiNER JSON"
    extensions = (".json", ".jsonl")
    holds = Holds(ids=True)
    label_fields = ("ner",)
    confidence = 0.99

    @staticmethod
    def is_record(record: Record) -> bool:
        return are_tokens(record.get("tokenized_text")) and isinstance(record.get("ner"), list)

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        found = tokenised(record.get("tokenized_text"), record.get("text"))
        marks = []
        for first, last, label in triples_of(record.get("ner")):
            extent = found.extent_to(first, last, label)
            if extent is None:
                note_empty(given.source, given.line, label)
            else:
                marks.append(Mark(*extent, label))
        meta = given.rest(*_FIELDS) | found.meta
        return given.standoff(given.id("id"), found.text, marks, meta, convention=CODE_POINTS)

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
