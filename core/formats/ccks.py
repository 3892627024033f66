"""The JSON lines of the CCKS tasks on clinical records.

Layout: the data of CCKS 2019 and 2020, task 1 (medical entities and attributes): code points, end exclusive.
"""

from __future__ import annotations

from core.formats.framework.format import Holds, Losses, WriteOptions
from core.formats.shapes.json_lines import Record, dump, objects_of, text_field
from core.formats.shapes.json_records import Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark, checked_mark
from core.text import Document

_FIELDS = ("originalText", "entities")
# Where an entity has no ``label_type``, the field of its surface says what it is.
_SURFACES = ("drug", "entity")


class Ccks(JsonRecords):
    """``{"originalText", "entities": [{"label_type", "overlap", "start_pos", "end_pos"}]}``, one per line.

    An entity may have its surface under ``entity`` or ``drug``, which is checked and is the label where there
    is no ``label_type``. ``overlap`` is left out, because the spans say it.
    """

    name = "ccks"
    title = "CCKS clinical JSONL"
    extensions = (".txt", ".json", ".jsonl")
    holds = Holds(ids=True)
    label_fields = ("entities",)
    confidence = 0.98

    @staticmethod
    def is_record(record: Record) -> bool:
        entities = record.get("entities")
        return (
            isinstance(record.get("originalText"), str)
            and isinstance(entities, list)
            and all(isinstance(item, dict) for item in entities)
        )

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        marks = []
        for item in objects_of(record.get("entities") or [], "entities"):
            mark = _mark(item)
            if mark.start == mark.end and not mark.surface:
                given.note(
                    "empty", f"line {given.line}: an entity without characters was left out: {item!r:.60}"
                )
            else:
                marks.append(mark)
        return given.standoff(
            given.id(given.id_column),
            text_field(record, "originalText"),
            marks,
            given.rest(*_FIELDS, given.id_column),
        )

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line; ``overlap`` is 1 for a span that overlaps the one before it."""
        entities = []
        end = 0
        for span in document.spans:
            entities.append(
                {
                    "label_type": span.label,
                    "overlap": int(span.start < end),
                    "start_pos": span.start,
                    "end_pos": span.end,
                }
            )
            end = max(end, span.end)
        record = {"id": document.id, "originalText": document.text, "entities": entities}
        return dump(record), self.general_losses(document)


def _mark(item: Record) -> Mark:
    named = next((name for name in _SURFACES if isinstance(item.get(name), str)), None)
    return checked_mark(
        item.get("start_pos"),
        item.get("end_pos"),
        item["label_type"] if item.get("label_type") is not None else named,
        item[named] if named else None,
        names=("a start", "an end"),
    )
