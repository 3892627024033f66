"""JSON or JSONL with a text and a list of entities, in the forms that tools and data sets give it.

spaCy's ``Doc.to_json`` and displaCy (``ents``), PubAnnotation (``denotations``,
pubannotation.org/docs/annotation-format), Dataturks (``annotation`` with ``points``), UBIAI, Argilla 1
(``annotation`` of ``[label, start, end]``), and the many data sets with ``entities`` of objects or triples.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from core.formats.framework.conventions import Convention, every_convention
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, WriteOptions
from core.formats.jsonl import TEXT_NAMES
from core.formats.shapes.attributes import IDENTIFIER, link_of
from core.formats.shapes.json_lines import Record, dump, label_field, text_field
from core.formats.shapes.json_records import Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark, checked_mark
from core.text import Document

# Names of the list, the surer ones first.
LISTS = (
    "entities", "ents", "denotations", "annotations", "annotation", "spans", "labels", "label", "ner", "tags",
)  # fmt: skip
_SURE = LISTS[:3]  # what is listed there is an entity, also where the list is empty
STARTS = ("start", "begin", "start_offset", "start_char", "start_idx", "start_pos", "startOffset", "from")
ENDS = ("end", "end_offset", "end_char", "end_idx", "end_pos", "endOffset", "stop", "to")
PAIRS = ("span", "position", "pos", "indices", "offsets", "offset")
LABELS = (
    "label", "type", "entity_type", "entity_label", "entity_group", "category", "tag", "class", "obj",
    "label_", "labels", "ner", "entity",
)  # fmt: skip
SURFACES = ("text", "word", "surface", "value", "mention", "entity", "name")
_SCORES = ("score", "confidence", "probability")
_IDS = ("id", "entity_id", "tid")
_RELATIONS = ("relations", "relation")
_SOURCES = ("from_id", "subj", "head", "arg1", "from")
_TARGETS = ("to_id", "obj", "tail", "child", "arg2", "to")
_RELATION_TYPES = ("type", "label", "pred", "relation")
# Dataturks: the end of ``points`` is the last character.
_INCLUSIVE = Convention(inclusive=True)


class EntitiesJson(JsonRecords):
    """``{"text", "entities": [{"start", "end", "label"}]}``, or under other usual names.

    One object per line, or an array of them. An entity is an object, a triple of start, end and label in
    either order, or one with ``points``. A surface that is given is checked, and finds out whether ends are
    inclusive. An entity without characters is dropped with a note. Relations that name entities by their ids
    are kept; other fields go into ``meta``.
    """

    name = "entities"
    title = "JSON or JSONL with text and entities (spaCy Doc, PubAnnotation, Dataturks, …)"
    extensions = (".json", ".jsonl", ".ndjson")
    holds = Holds(scores=True, ids=True)
    fallbacks = every_convention()
    label_fields = LISTS
    confidence = 0.7

    def labels_read(self, record: Record) -> Collection[str]:
        """The list of entities."""
        return (entity_list(record) or next((name for name in LISTS if record.get(name)), ""),)

    @staticmethod
    def is_record(record: Record) -> bool:
        return (
            any(isinstance(record.get(name), str) for name in TEXT_NAMES) and entity_list(record) is not None
        )

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        texts = (given.options.text_column,) if given.options.text_column else TEXT_NAMES
        text_name = next((name for name in texts if isinstance(record.get(name), str)), texts[0])
        text = text_field(record, text_name)
        listed = entity_list(record) or next((name for name in LISTS if record.get(name)), None)
        items = record[listed] if listed else []
        if not isinstance(items, list):
            raise RecordError(
                "{field} should be a list of entities, but it is {items}",
                field=repr(listed),
                items=f"{items!r:.60}",
            )
        marks: list[Mark] = []
        numbers: dict[str, int] = {}
        for item in items:
            found = [mark for mark in _marks(item) if not _is_empty(mark, item)]
            if not found:
                given.note(
                    "empty", f"line {given.line}: an entity without characters was left out: {item!r:.60}"
                )
            elif isinstance(item, dict) and _first(item, _IDS) is not None:
                numbers[str(_first(item, _IDS))] = len(marks)
            marks += found
        relations, unknown = _relations(record, numbers)
        for relation in unknown:
            given.note("relations", f"relation {relation!r:.80} names an entity the record does not have")
        used = {text_name, listed, *(_RELATIONS if relations else ())}
        if not isinstance(record.get(given.id_column), (dict, list)):
            used.add(given.id_column)
        return given.standoff(
            given.id(given.id_column),
            text,
            marks,
            given.rest(*used),
            relations=relations,
            convention=_INCLUSIVE
            if any(isinstance(item, dict) and "points" in item for item in items)
            else None,
        )

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line with ``entities`` as objects, offsets in code points, end exclusive."""
        entities = []
        for span in document.spans:
            entity: Record = {
                "start": span.start, "end": span.end, "label": span.label, "text": document.surface(span),
            }  # fmt: skip
            entities.append(entity if span.score is None else {**entity, "score": span.score})
        record = {"id": document.id, "text": document.text, "entities": entities}
        return dump(record), self.general_losses(document)


def entity_list(record: Record) -> str | None:
    """The name of the record's list of entities; None if it has none."""
    for name in LISTS:
        items = record.get(name)
        if isinstance(items, list) and (items or name in _SURE) and all(map(_is_entity, items)):
            return name
    return None


def _is_entity(item: Any) -> bool:
    if isinstance(item, list):
        return _triple(item) is not None
    if not isinstance(item, dict) or _first(item, LABELS) is None:
        return False
    return _extents(item) is not None


def _marks(item: Any) -> list[Mark]:
    """The marks of one entity: one for each of its labels and extents.

    Raises:
        RecordError: it is no entity.
    """
    if isinstance(item, list) and (triple := _triple(item)) is not None:
        start, end, label, surface, score = triple
        return [checked_mark(start, end, label, surface, score)]
    extents = _extents(item) if isinstance(item, dict) else None
    if extents is None:
        raise RecordError(
            "an entity should have a start, an end and a label, but it is {item}", item=f"{item!r:.60}"
        )
    labels = _first(item, LABELS)
    surface = next((item[name] for name in SURFACES if isinstance(item.get(name), str)), None)
    if surface is not None and surface == labels:
        surface = None  # the only text of the entity is its label
    known = item.get("kb_id")  # spaCy
    link = link_of(IDENTIFIER, known, None) if isinstance(known, str) else None
    return [
        checked_mark(
            start, end, label_field(label), own if own is not None else surface, _first(item, _SCORES)
        )._replace(link=link)
        for label in (labels if isinstance(labels, list) else [labels])
        for start, end, own in extents
    ]


def _is_empty(mark: Mark, item: Any) -> bool:
    return mark.start == mark.end and not mark.surface and not (isinstance(item, dict) and "points" in item)


def _triple(item: list[Any]) -> tuple[Any, Any, Any, str | None, Any] | None:
    """Start, end, label, surface and score of ``[start, end, label]`` or ``[label, start, end]`` and more."""
    if len(item) < 3:
        return None
    first, second, third, *more = item
    if _is_number(first) and _is_number(second) and isinstance(third, str):
        start, end, label = first, second, third
    elif isinstance(first, str) and _is_number(second) and _is_number(third):
        label, start, end = first, second, third
    else:
        return None
    surface = next((value for value in more if isinstance(value, str)), None)
    score = next((value for value in more if isinstance(value, float)), None)
    return start, end, label, surface, score


def _extents(item: Mapping[str, Any]) -> list[tuple[Any, Any, str | None]] | None:
    """Start, end and surface, if it has its own, of every place of an entity; None if it has no place."""
    points = item.get("points")
    if isinstance(points, list) and points and all(isinstance(point, dict) for point in points):
        return [(point.get("start"), point.get("end"), point.get("text")) for point in points]
    start, end = _first(item, STARTS), _first(item, ENDS)
    if start is not None and end is not None:
        return [(start, end, None)]
    for name in PAIRS:
        pair = item.get(name)
        if isinstance(pair, dict):
            start, end = _first(pair, STARTS), _first(pair, ENDS)
            if start is not None and end is not None:
                return [(start, end, None)]
        if isinstance(pair, list) and len(pair) == 2 and all(map(_is_number, pair)):
            return [(pair[0], pair[1], None)]
    return None


def _relations(record: Record, numbers: Mapping[str, int]) -> tuple[list[tuple[str, int, int]], list[Any]]:
    """The relations between entities known by id, and those that name others."""
    items: list[Any] = next((record[name] for name in _RELATIONS if isinstance(record.get(name), list)), [])
    found, unknown = [], []
    for item in items:
        if not numbers or not isinstance(item, dict):
            continue  # they do not name entities by id: they stay among the other fields
        source, target = (numbers.get(str(_first(item, names))) for names in (_SOURCES, _TARGETS))
        label = _first(item, _RELATION_TYPES)
        if source is None or target is None or not isinstance(label, str):
            unknown.append(item)
        else:
            found.append((label_field(label), source, target))
    return found, unknown


def _first(item: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
