"""CMeEE's JSON: a text and its entities with inclusive ends.

Layout: the corpus in CBLUE (github.com/CBLUEbenchmark/CBLUE, task CMeEE).
"""

from __future__ import annotations

from core.formats.framework.conventions import Convention
from core.formats.framework.format import Holds, Losses, WriteOptions
from core.formats.shapes.json_lines import Record, objects_of, text_field
from core.formats.shapes.json_records import ArrayFormat, Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import checked_mark
from core.text import Document

_FIELDS = ("text", "entities")


class CmeeeJson(ArrayFormat, JsonRecords):
    """``[{"text", "entities": [{"start_idx", "end_idx", "type", "entity"}]}]``, or one object per line."""

    name = "cmeee_json"
    title = "CMeEE JSON"
    extensions = (".json",)
    holds = Holds()
    label_fields = ("entities",)
    convention = Convention(inclusive=True)
    confidence = 0.97

    @staticmethod
    def is_record(record: Record) -> bool:
        entities = record.get("entities")
        return (
            isinstance(record.get("text"), str)
            and isinstance(entities, list)
            and all(isinstance(item, dict) and {"start_idx", "end_idx"} <= item.keys() for item in entities)
        )

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        items = objects_of(record.get("entities") or [], "entities")
        text = text_field(record, given.options.text_column or "text")
        marks = [
            checked_mark(
                item.get("start_idx"),
                item.get("end_idx"),
                item.get("type"),
                item.get("entity"),
                names=("start_idx", "end_idx"),
            )
            for item in items
        ]
        return given.standoff(given.id(), text, marks, given.rest(*_FIELDS))

    def element(self, document: Document, options: WriteOptions) -> tuple[Record, Losses]:
        """One object."""
        entities = [
            {
                "start_idx": span.start,
                "end_idx": span.end - 1,
                "type": span.label,
                "entity": document.surface(span),
            }
            for span in document.spans
        ]
        return {"text": document.text, "entities": entities}, self.general_losses(document)
