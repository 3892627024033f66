"""MSRA as JSONL: a text and its ``entity_list``, ends exclusive."""

from __future__ import annotations

from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, WriteOptions
from core.formats.shapes.json_lines import Record, dump, objects_of, text_field
from core.formats.shapes.json_records import Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark, checked_mark
from core.text import Document

_FIELDS = ("text", "entity_list")


class MsraJsonl(JsonRecords):
    """``{"text", "entity_list": [{"entity_index": {"begin", "end"}, "entity_type", "entity"}]}`` per line."""

    name = "msra_jsonl"
    title = "MSRA JSONL"
    extensions = (".json", ".jsonl")
    holds = Holds()
    label_fields = ("entity_list",)
    confidence = 0.97

    @staticmethod
    def is_record(record: Record) -> bool:
        items = record.get("entity_list")
        return isinstance(record.get("text"), str) and isinstance(items, list)

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        items = objects_of(record.get("entity_list") or [], "entity_list")
        text = text_field(record, given.options.text_column or "text")
        meta = given.rest(*_FIELDS)
        return given.standoff(given.id(), text, [_mark(item) for item in items], meta)

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line."""
        entities = [
            {
                "entity_index": {"begin": span.start, "end": span.end},
                "entity_type": span.label,
                "entity": document.surface(span),
            }
            for span in document.spans
        ]
        return dump({"text": document.text, "entity_list": entities}), self.general_losses(document)


def _mark(item: Record) -> Mark:
    index = item.get("entity_index")
    if not isinstance(index, dict):
        raise RecordError(
            "'entity_index' should be an object with begin and end, but it is {index}", index=f"{index!r:.60}"
        )
    return checked_mark(
        index.get("begin"),
        index.get("end"),
        item.get("entity_type"),
        item.get("entity"),
        names=("begin", "end"),
    )
