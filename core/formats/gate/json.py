"""GATE's JSON export: a text, and its annotations by type.

Layout: GATE's user guide, "JSON" (gate.ac.uk), after Twitter's entities. Java counts UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from core.formats.framework.conventions import UTF16
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, WriteOptions
from core.formats.shapes.attributes import IDENTIFIER, is_bare, link_of
from core.formats.shapes.json_lines import Record, dump, label_field, objects_of, text_field
from core.formats.shapes.json_records import Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark, checked_mark
from core.text import Document

_FIELDS = ("text", "entities")


class GateJson(JsonRecords):
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
    confidence = 0.98

    @staticmethod
    def is_record(record: Record) -> bool:
        entities = record.get("entities")
        return (
            isinstance(record.get("text"), str)
            and isinstance(entities, dict)
            and all(
                isinstance(items, list)
                and all(isinstance(item, dict) and "indices" in item for item in items)
                for items in entities.values()
            )
        )

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        field = given.options.text_column or "text"
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
                features += bool(item.keys() - {"indices", IDENTIFIER}) or (
                    IDENTIFIER in item and not mark.link
                )
                if mark.start == mark.end:
                    given.note(
                        "empty", f"line {given.line}: an entity without characters was left out: {item!r:.60}"
                    )
                else:
                    marks.append(mark)
        if features:
            given.note("features", f"line {given.line}: the features of {features} annotations were left out")
        return given.standoff(
            given.id(given.id_column), text, marks, given.rest(*_FIELDS, field, given.id_column)
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
