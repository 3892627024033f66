"""GATE's JSON export: a text, and its annotations by type.

Layout: GATE's user guide, "JSON" (gate.ac.uk), after Twitter's entities. Java counts UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate

from core.formats.framework.conventions import UTF16
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes.attributes import IDENTIFIER, is_bare, link_of
from core.formats.shapes.json_lines import (
    Record,
    dump,
    id_field,
    label_field,
    objects_of,
    read_records,
    share,
    text_field,
)
from core.formats.shapes.standoff import Mark, Standoff, checked_mark
from core.formats.shapes.standoff import Record as StandoffRecord
from core.text import Document

_FIELDS = ("text", "entities")


class GateJson(Standoff):
    """``{"text", "entities": {"Person": [{"indices": [0, 5], …}]}}``, one document a file or a line.

    ``identifier`` of an annotation is its link; other features are left out with a note.
    """

    name = "gate_json"
    title = "GATE JSON"
    extensions = (".json", ".jsonl")
    holds = Holds(links=True, ids=True)
    label_fields = ("entities",)
    convention = UTF16
    sorts_spans = True

    def sniff(self, head: str) -> float:
        """Sure if the entities are lists by type, with indices."""
        return 0.98 * share(head, _is_record)

    def records(self, source: Source, options: ReadOptions) -> Iterator[StandoffRecord | Refusal]:
        """One record per object."""
        prefix = options.id_prefix or source.name
        return read_records(
            source, partial(_record, source, prefix, options.text_column or "text", options.id_column or "id")
        )

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line; indices are UTF-16 units, as GATE reads them."""
        entities: dict[str, list[Record]] = {}
        units = _units(document.text)
        for span in document.spans:
            item: Record = {"indices": [units[span.start], units[span.end]]}
            if span.link is not None:
                item[IDENTIFIER] = span.link.id
            entities.setdefault(span.label, []).append(item)
        record = {"id": document.id, "text": document.text, "entities": entities}
        lost = self.general_losses(document)
        if worded := sum(not is_bare(span.link) for span in document.spans):
            lost["links"] = worded
        return dump(record), lost


def _units(text: str) -> Sequence[int]:
    """The number of UTF-16 units before every character, and before the end."""
    if not text or max(text) <= "\uffff":
        return range(len(text) + 1)
    return [0, *accumulate(1 + (char > "\uffff") for char in text)]


def _is_record(record: Record) -> bool:
    entities = record.get("entities")
    return (
        isinstance(record.get("text"), str)
        and isinstance(entities, dict)
        and all(
            isinstance(items, list) and all(isinstance(item, dict) and "indices" in item for item in items)
            for items in entities.values()
        )
    )


def _record(
    source: Source,
    prefix: str,
    field: str,
    identifier: str,
    ordinal: int,
    line: int,
    raw: str,
    record: Record,
) -> StandoffRecord:
    text = text_field(record, field)
    entities = record.get("entities") or {}
    if not isinstance(entities, dict):
        raise RecordError(
            "'entities' should be an object of lists of annotations, but it is {entities}",
            entities=f"{entities!r:.60}",
        )
    marks = []
    features = 0
    for label, items in entities.items():
        for item in objects_of(items, label):
            mark = _mark(label, item)
            features += bool(item.keys() - {"indices", IDENTIFIER}) or (IDENTIFIER in item and not mark.link)
            if mark.start == mark.end:
                source.notes.add(
                    "empty", f"line {line}: an entity without characters was left out: {item!r:.60}"
                )
            else:
                marks.append(mark)
    if features:
        source.notes.add("features", f"line {line}: the features of {features} annotations were left out")
    return StandoffRecord(
        line,
        id_field(record, identifier, f"{prefix}-{ordinal}"),
        text,
        marks,
        {name: value for name, value in record.items() if name not in {*_FIELDS, field, identifier}},
        raw=raw,
    )


def _mark(label: str, item: Record) -> Mark:
    pair = item.get("indices")
    if not isinstance(pair, list) or len(pair) != 2:
        raise RecordError(
            "'indices' of {label} should be [start, end], but it is {pair}", label=label, pair=f"{pair!r:.60}"
        )
    start, end = pair
    known = item.get(IDENTIFIER)
    link = link_of(IDENTIFIER, known, None) if isinstance(known, str) else None
    return checked_mark(start, end, label_field(label), names=("a start", "an end"))._replace(link=link)
