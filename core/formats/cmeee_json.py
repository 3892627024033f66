"""CMeEE's JSON: a text and its entities with inclusive ends.

Layout: the corpus in CBLUE (github.com/CBLUEbenchmark/CBLUE, task CMeEE).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from core.formats.framework.conventions import Convention
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes.json_array import ArrayFormat
from core.formats.shapes.json_lines import Record, objects_of, read_records, share, text_field
from core.formats.shapes.standoff import Record as StandoffRecord
from core.formats.shapes.standoff import Standoff, checked_mark
from core.text import Document

_FIELDS = ("text", "entities")


class CmeeeJson(ArrayFormat, Standoff):
    """``[{"text", "entities": [{"start_idx", "end_idx", "type", "entity"}]}]``, or one object per line."""

    name = "cmeee_json"
    title = "CMeEE JSON"
    extensions = (".json",)
    holds = Holds()
    label_fields = ("entities",)
    convention = Convention(inclusive=True)

    def sniff(self, head: str) -> float:
        """Sure if entities have a ``start_idx``."""
        return 0.97 * share(head, _is_record)

    def records(self, source: Source, options: ReadOptions) -> Iterator[StandoffRecord | Refusal]:
        """One record per element."""
        prefix = options.id_prefix or source.name
        return read_records(source, partial(_record, options, prefix))

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


def _is_record(record: Record) -> bool:
    entities = record.get("entities")
    return (
        isinstance(record.get("text"), str)
        and isinstance(entities, list)
        and all(isinstance(item, dict) and {"start_idx", "end_idx"} <= item.keys() for item in entities)
    )


def _record(
    options: ReadOptions, prefix: str, ordinal: int, line: int, raw: str, record: Record
) -> StandoffRecord:
    items = objects_of(record.get("entities") or [], "entities")
    text = text_field(record, options.text_column or "text")
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
    meta = {name: value for name, value in record.items() if name not in _FIELDS}
    return StandoffRecord(line, f"{prefix}-{ordinal}", text, marks, meta, raw=raw)
