"""Prodigy's and spaCy's JSONL: spans with characters and tokens, answers and hashes.

Layout: Prodigy's documentation, "Annotation interfaces" (prodi.gy/docs/api-interfaces, ``ner_manual`` and
``relations``). Offsets are code points, end exclusive; ``token_end`` is the number of the last token.
"""

from __future__ import annotations

from typing import Any

from core.formats.framework.attachments import (
    ANNOTATED_AT,
    ANNOTATOR,
    RELATIONS,
    attachments_of,
    has_both_ends,
    keys_of,
)
from core.formats.framework.format import EVERYTHING, Losses, WriteOptions
from core.formats.shapes.json_lines import Record, dump, id_value, label_field, objects_of, text_field
from core.formats.shapes.json_records import Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark, span_mark
from core.formats.shapes.tokens import split
from core.text import Document, Span, SpanKey
from core.text.tokens import Extent, document_tokens

_FIELDS = ("text", "spans", "tokens", "relations", "answer", "meta", "_annotator_id", "_timestamp")
_KEPT = ("_input_hash", "_task_hash", "_view_id", "_session_id")  # top-level fields here, meta in a Document
_MARKERS = frozenset(("answer", "_input_hash", "_task_hash", "_annotator_id", "_view_id", "_session_id"))


class Prodigy(JsonRecords):
    """``{"text", "tokens", "spans": [{"start", "end", "token_start", "token_end", "label"}], "answer"}``.

    A task that was rejected or ignored is read without its spans, with a note.
    """

    name = "prodigy"
    title = "Prodigy JSONL"
    extensions = (".jsonl",)
    holds = EVERYTHING
    label_fields = ("spans",)
    confidence = 0.99

    @staticmethod
    def is_record(record: Record) -> bool:
        if not isinstance(record.get("text"), str):
            return False
        spans = record.get("spans", [])
        if not isinstance(spans, list) or not all(
            isinstance(item, dict) and "start" in item for item in spans
        ):
            return False
        return bool(_MARKERS & record.keys()) or any("token_start" in item for item in spans)

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        items = objects_of(record.get("spans") or [], "spans")
        answer = record.get("answer", "accept")
        if answer != "accept":
            given.note(
                "answers", f"task {given.ordinal} was answered {answer!r:.20}; its labels were left out"
            )
            items = []
        marks = [span_mark(item) for item in items]
        meta = _meta(record)
        relations, unknown = _relations(record.get("relations") if answer == "accept" else None, marks)
        if unknown:
            given.note(
                "relations", f"{unknown} relations of task {given.ordinal} join no spans of it; left out"
            )
        return given.standoff(
            given.id(given.id_column),
            text_field(record, given.options.text_column or "text"),
            marks,
            meta,
            relations=relations,
        )

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One accepted task, with its tokens."""
        attached = attachments_of(document)
        tokens = document_tokens(document) or split(document.text)
        numbers = _TokenNumbers(tokens)
        meta = dict(document.meta)
        record: Record = {
            "id": id_value(document.id),
            "text": document.text,
            "tokens": _tokens(document.text, tokens),
            "spans": [numbers.span(span) for span in document.spans],
        }
        keys = keys_of(document.spans)
        if attached.relations and all(has_both_ends(relation, keys) for relation in attached.relations):
            record["relations"] = [
                numbers.relation(relation.type, Span(*relation.source), Span(*relation.target))
                for relation in attached.relations
            ]
            del meta[RELATIONS]
        if attached.annotator:
            record["_annotator_id"] = meta.pop(ANNOTATOR)
        if attached.annotated_at.isascii() and attached.annotated_at.isdigit():
            number = id_value(attached.annotated_at)
            if isinstance(number, int):
                record["_timestamp"] = number
                del meta[ANNOTATED_AT]
        record |= {name: meta.pop(name) for name in _KEPT if name in meta}
        return dump(record | {"answer": "accept", "meta": meta}), self.general_losses(document)


class _TokenNumbers:
    """The token numbers of spans; a span that splits a token has none."""

    def __init__(self, tokens: list[Extent]) -> None:
        self._first = {start: number for number, (start, _) in enumerate(tokens)}
        self._last = {end: number for number, (_, end) in enumerate(tokens)}

    def span(self, span: Span) -> Record:
        item: Record = {"start": span.start, "end": span.end, "label": span.label}
        if span.start in self._first and span.end in self._last:
            item |= {"token_start": self._first[span.start], "token_end": self._last[span.end]}
        if span.link is not None:
            item["link"] = span.link.to_json()
        return item if span.score is None else item | {"score": span.score}

    def relation(self, name: str, source: Span, target: Span) -> Record:
        head, child = self.span(source), self.span(target)
        item: Record = {"head_span": head, "child_span": child, "label": name}
        for end, span in (("head", head), ("child", child)):
            if "token_end" in span:
                item[end] = span["token_end"]
        return item


def _tokens(text: str, tokens: list[Extent]) -> list[Record]:
    return [
        {"text": text[start:end], "start": start, "end": end, "id": number, "ws": text[end : end + 1] == " "}
        for number, (start, end) in enumerate(tokens)
    ]


def _meta(record: Record) -> Record:
    further = {name: value for name, value in record.items() if name not in (*_FIELDS, "id")}
    stored = record.get("meta")
    meta = further | (stored if isinstance(stored, dict) else {})
    if isinstance(record.get("_annotator_id"), str) and record["_annotator_id"]:
        meta[ANNOTATOR] = record["_annotator_id"]
    if isinstance(record.get("_timestamp"), int) and not isinstance(record["_timestamp"], bool):
        meta[ANNOTATED_AT] = str(record["_timestamp"])
    return meta


def _relations(items: Any, marks: list[Mark]) -> tuple[list[tuple[str, int, int]], int]:
    """Relations between the record's spans, and the number of other ones."""
    if not isinstance(items, list):
        return [], 0
    numbers = {
        (mark.start, mark.end, mark.label): number for number, mark in reversed(list(enumerate(marks)))
    }
    relations, unknown = [], 0
    for item in items:
        ends = (
            [_key(item.get(name)) for name in ("head_span", "child_span")] if isinstance(item, dict) else []
        )
        places = [numbers.get(end) for end in ends if end is not None]
        if len(places) == 2 and places[0] is not None and places[1] is not None:
            relations.append((label_field(item.get("label")), places[0], places[1]))
        else:
            unknown += 1
    return relations, unknown


def _key(value: Any) -> SpanKey | None:
    if not isinstance(value, dict):
        return None
    start, end, label = value.get("start"), value.get("end"), value.get("label")
    if type(start) is not int or type(end) is not int or not isinstance(label, str):
        return None
    return start, end, label
