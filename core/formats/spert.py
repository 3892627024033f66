"""SpERT's JSON: tokens, entities by token numbers with exclusive ends, and relations between entities.

Layout: SpERT's data sets and ``spert/input_reader.py`` (github.com/lavis-nlp/spert).
"""

from __future__ import annotations

from core.formats.framework.attachments import attachments_of, has_both_ends, keys_of, numbers_of
from core.formats.framework.conventions import CODE_POINTS
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, WriteOptions
from core.formats.shapes.json_lines import Record, id_value, label_field, objects_of, offset_field
from core.formats.shapes.json_records import ArrayFormat, Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark
from core.formats.shapes.token_spans import Numbers, are_tokens, note_empty, tokenised, written_tokens
from core.runtime.message import _
from core.text import Document
from core.text.tokens import TOKENS

_FIELDS = ("orig_id", "text", "tokens", "entities", "relations")


class Spert(ArrayFormat, JsonRecords):
    """``[{"tokens", "entities": [{"type", "start", "end"}], "relations": [{"type", "head", "tail"}]}]``.

    ``head`` and ``tail`` are numbers of entities, ``orig_id`` is the id. One object per line is read, too.
    """

    name = "spert"
    title = "SpERT JSON (tokens, entities, relations)"
    extensions = (".json", ".jsonl")
    holds = Holds(relations=True, ids=True)
    label_fields = ("entities",)
    confidence = 0.98

    @staticmethod
    def is_record(record: Record) -> bool:
        entities = record.get("entities")
        # With a text, entities may have the offsets of characters, unless it is what we wrote.
        if "text" in record and not {"relations", "orig_id"} <= record.keys():
            return False
        return (
            are_tokens(record.get("tokens"))
            and isinstance(entities, list)
            and all(isinstance(item, dict) and {"type", "start", "end"} <= item.keys() for item in entities)
        )

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        found = tokenised(record.get("tokens"), record.get("text"))
        marks: list[Mark] = []
        numbers: list[int | None] = []  # of the mark of every entity
        for entity in objects_of(record.get("entities") or [], "entities"):
            label = label_field(entity.get("type"))
            extent = found.extent(entity.get("start"), entity.get("end"), label)
            numbers.append(None if extent is None else len(marks))
            if extent is None:
                note_empty(given.source, given.line, label)
            else:
                marks.append(Mark(*extent, label))
        relations = []
        for item in objects_of(record.get("relations") or [], "relations"):
            label = label_field(item.get("type"))
            head, tail = (_number(item.get(name), label, numbers) for name in ("head", "tail"))
            if head is None or tail is None:
                given.note(
                    "relations", f"line {given.line}: the relation {label!r:.40} names a span left out"
                )
            else:
                relations.append((label, head, tail))
        identifier = given.options.id_column or "orig_id"
        meta = given.rest(*_FIELDS, identifier)
        return given.standoff(
            given.id(identifier),
            found.text,
            marks,
            meta | found.meta,
            relations=relations,
            convention=CODE_POINTS,
        )

    def element(self, document: Document, options: WriteOptions) -> tuple[Record, Losses]:
        """One object, with the text beside its tokens."""
        extents = written_tokens(document, ((span.start, span.end) for span in document.spans))
        numbers = Numbers(extents)
        lost = self.general_losses(document, {TOKENS})
        given = attachments_of(document).relations
        keys = keys_of(document.spans)
        place = numbers_of(document.spans)
        relations = [relation for relation in given if has_both_ends(relation, keys)]
        if len(relations) < len(given):
            lost["relations"] = len(given) - len(relations)
        record: Record = {
            "text": document.text,
            "tokens": [document.text[start:end] for start, end in extents],
            "entities": [
                {"type": span.label, "start": numbers.first(span.start), "end": numbers.after(span.end)}
                for span in document.spans
            ],
            "relations": [
                {"type": relation.type, "head": place[relation.source], "tail": place[relation.target]}
                for relation in relations
            ],
            "orig_id": id_value(document.id),
        }
        return record, lost


def _number(value: object, label: str, numbers: list[int | None]) -> int | None:
    """The number of the mark of an entity.

    Raises:
        RecordError: there is no such entity.
    """
    place = offset_field(value, _("an entity's number"))
    if not 0 <= place < len(numbers):
        raise RecordError(
            "relation {label} names entity {number}; there are {count}, numbered from 0",
            label=label,
            number=place,
            count=len(numbers),
        )
    return numbers[place]
