"""GATE's JSON export: a text, and its annotations by type.

Layout: GATE's user guide, "JSON" (gate.ac.uk), after Twitter's entities. Java counts UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from core.formats.framework.conventions import UTF16
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, WriteOptions
from core.formats.framework.source import legal_text
from core.formats.shapes.attributes import ATTRIBUTES, IDENTIFIER, is_bare, link_of, written_in_order
from core.formats.shapes.json_lines import Record, dump, label_field, objects_of, text_field
from core.formats.shapes.json_records import Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark, checked_mark
from core.text import Document, sort_spans

_FIELDS = ("text", "entities")
_OWN = ("indices", IDENTIFIER)  # what an annotation has beside its features


class GateJson(JsonRecords):
    """``{"text", "entities": {"Person": [{"indices": [0, 5], …}]}}``, one document a file or a line.

    ``identifier`` of an annotation is its link, other features that are texts are attributes; the others are
    left out with a note.
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
        marks: list[Mark] = []
        attributes: list[tuple[str, str, int, None]] = []
        left = 0
        for label, items in entities.items():
            for item in objects_of(items, label):
                mark = _mark(label, item)
                features = {name: value for name, value in item.items() if name not in _OWN}
                left += not all(isinstance(value, str) for value in features.values()) or (
                    IDENTIFIER in item and not mark.link
                )
                if mark.start == mark.end:
                    given.note(
                        "empty", f"line {given.line}: an entity without characters was left out: {item!r:.60}"
                    )
                else:
                    attributes += [
                        (legal_text(name), legal_text(value), len(marks), None)
                        for name, value in features.items()
                        if name and isinstance(value, str)
                    ]
                    marks.append(mark)
        if left:
            given.note("features", f"line {given.line}: features of {left} annotations were left out")
        # In the order of their spans, as they are written.
        attributes.sort(key=lambda one: (marks[one[2]].start, -marks[one[2]].end, marks[one[2]].label))
        meta = given.rest(*_FIELDS, field, given.id_column)
        return given.standoff(given.id(given.id_column), text, marks, meta, attributes=attributes)

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line; indices are UTF-16 units, as GATE reads them."""
        keys = [span.key for span in sort_spans(document.spans)]
        own = written_in_order(document.meta, keys, lambda one: one.text is None and one.name not in _OWN)
        entities: dict[str, list[Record]] = {}
        units = _units(document.text)
        for span in document.spans:
            item: Record = {"indices": [units[span.start], units[span.end]]}
            item |= {one.name: one.value for one in (own or {}).get(span.key, ())}
            if span.link is not None:
                item[IDENTIFIER] = span.link.id
            entities.setdefault(span.label, []).append(item)
        record = {"id": document.id, "text": document.text, "entities": entities}
        lost = self.general_losses(document, (ATTRIBUTES,) if own else ())
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
