"""MSRA as JSONL: a text and its ``entity_list``, ends exclusive."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes.json_lines import Record, dump, objects_of, read_records, share, text_field
from core.formats.shapes.standoff import Mark, Standoff, checked_mark
from core.formats.shapes.standoff import Record as StandoffRecord
from core.text import Document

_FIELDS = ("text", "entity_list")


class MsraJsonl(Standoff):
    """``{"text", "entity_list": [{"entity_index": {"begin", "end"}, "entity_type", "entity"}]}`` per line."""

    name = "msra_jsonl"
    title = "MSRA JSONL"
    extensions = (".json", ".jsonl")
    holds = Holds()
    label_fields = ("entity_list",)

    def sniff(self, head: str) -> float:
        """Sure if records have an entity list."""
        return 0.97 * share(head, _is_record)

    def records(self, source: Source, options: ReadOptions) -> Iterator[StandoffRecord | Refusal]:
        """One record per line."""
        prefix = options.id_prefix or source.name
        return read_records(source, partial(_record, options, prefix))

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


def _is_record(record: Record) -> bool:
    items = record.get("entity_list")
    return isinstance(record.get("text"), str) and isinstance(items, list)


def _record(
    options: ReadOptions, prefix: str, ordinal: int, line: int, raw: str, record: Record
) -> StandoffRecord:
    items = objects_of(record.get("entity_list") or [], "entity_list")
    text = text_field(record, options.text_column or "text")
    meta = {name: value for name, value in record.items() if name not in _FIELDS}
    return StandoffRecord(line, f"{prefix}-{ordinal}", text, [_mark(item) for item in items], meta, raw=raw)


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
