"""Records of Argilla 2, nested or flattened, as its ``to_json`` and ``to_datasets`` give them.

Layout: Argilla's documentation of records and of their export (``argilla/records/_io``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, WriteOptions
from core.formats.framework.source import Source
from core.formats.jsonl import TEXT_NAMES
from core.formats.shapes.json_lines import Record, text_field
from core.formats.shapes.json_records import ArrayFormat, Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark, checked_mark
from core.text import Document

_QUESTION = "span"  # the name under which spans are written
_RESPONSES, _SUGGESTION = ".responses", ".suggestion"
_SUBMITTED = "submitted"
_OWN = frozenset(("id", "_server_id", "status", "responses", "suggestions", "fields", "vectors"))


class _Answer(NamedTuple):
    """What a person or a model said to one question."""

    value: Any
    score: Any = None
    status: Any = None


class Argilla(ArrayFormat, JsonRecords):
    """``[{"id", "fields": {"text"}, "responses": {question: [{"value": […], "user_id"}]}, "suggestions"}]``.

    Or flattened: ``{"text", "span.responses": [[…]], "span.suggestion": […]}``. A value is a list of
    ``{"start", "end", "label"}``. Of several responses to a question the first that was submitted is read;
    where there is none, the suggestion, with a note. Answers to other questions go into ``meta``.
    """

    name = "argilla"
    title = "Argilla 2 records"
    extensions = (".json", ".jsonl")
    holds = Holds(scores=True, ids=True)
    label_fields = ("responses", "suggestions")
    confidence = 0.98

    @staticmethod
    def is_record(record: Record) -> bool:
        fields = record.get("fields")
        if isinstance(fields, dict):
            return any(isinstance(value, str) for value in fields.values()) and any(
                isinstance(record.get(name), dict) for name in ("responses", "suggestions")
            )
        return any(isinstance(value, str) for value in record.values()) and any(
            name.endswith((_RESPONSES, _SUGGESTION)) and (value is None or isinstance(value, list))
            for name, value in record.items()
        )

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        nested = isinstance(record.get("fields"), dict)
        fields: Record = record["fields"] if nested else record
        field = _text_name(fields, given.options.text_column)
        text = text_field(fields, field)
        responses, suggestions = (_nested if nested else _flat)(record)
        meta = {
            name: value for name, value in fields.items() if name not in {field, *_OWN} and "." not in name
        }
        if nested:
            meta |= {name: value for name, value in record.items() if name not in {given.id_column, *_OWN}}
        marks: list[Mark] = []
        for question in dict.fromkeys([*responses, *suggestions]):
            answer = _chosen(given.source, given.line, question, responses.get(question, []))
            suggestion = suggestions.get(question)
            if answer is None and suggestion is not None and _are_spans(suggestion.value):
                given.note(
                    "suggestions", f"line {given.line}: {question!r:.40} has suggestions only; they were read"
                )
            answer = answer or suggestion
            if answer is None or answer.value is None:
                continue
            if _are_spans(answer.value):
                marks += _marks(given.source, given.line, answer)
            elif _look_like_spans(answer.value):
                raise RecordError(
                    "the answer to {question} should be a list of spans, but it is {value}",
                    question=repr(question),
                    value=f"{answer.value!r:.60}",
                )
            else:
                meta[question] = answer.value
        meta = {name: value for name, value in meta.items() if value not in (None, {}, [])}
        return given.standoff(given.id(given.id_column), text, marks, meta)

    def element(self, document: Document, options: WriteOptions) -> tuple[Record, Losses]:
        """One record, with the spans as a suggestion: a response would need a user of Argilla."""
        lost = self.general_losses(document)
        suggestion: Record = {
            "value": [{"start": span.start, "end": span.end, "label": span.label} for span in document.spans]
        }
        scores = [span.score for span in document.spans]
        if scores and None not in scores:
            suggestion["score"] = scores
        elif given := sum(score is not None for score in scores):
            lost["scores"] = given  # Argilla takes a score for every span or none
        record: Record = {
            "id": document.id,
            "fields": {"text": document.text},
            "metadata": {},
            "responses": {},
            "suggestions": {_QUESTION: suggestion} if document.spans else {},
        }
        return record, lost


def _text_name(fields: Mapping[str, Any], column: str | None) -> str:
    """The field with the text: the chosen one, a usual name, or the only text that is nothing else.

    Raises:
        RecordError: there are several.
    """
    if column:
        return column
    texts = [
        name
        for name, value in fields.items()
        if isinstance(value, str) and name not in _OWN and "." not in name
    ]
    usual = next((name for name in TEXT_NAMES if name in texts), None)
    if usual is None and len(texts) > 1:
        raise RecordError("there are several texts ({names}); choose the text column", names=texts)
    return usual or (texts[0] if texts else "text")


def _nested(record: Record) -> tuple[dict[str, list[_Answer]], dict[str, _Answer]]:
    responses: dict[str, list[_Answer]] = {}
    for question, given in _objects(record, "responses").items():
        if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
            raise RecordError(
                "{field} should be a list of objects, but it is {items}",
                field=repr(question),
                items=f"{given!r:.60}",
            )
        responses[question] = [_Answer(item.get("value"), None, item.get("status")) for item in given]
    suggestions = {
        question: _Answer(item.get("value"), item.get("score"))
        for question, item in _objects(record, "suggestions").items()
        if isinstance(item, dict)
    }
    return responses, suggestions


def _objects(record: Record, name: str) -> Record:
    value = record.get(name) or {}
    if not isinstance(value, dict):
        raise RecordError(
            "{field} should be an object by question, but it is {value}",
            field=repr(name),
            value=f"{value!r:.60}",
        )
    return value


def _flat(record: Record) -> tuple[dict[str, list[_Answer]], dict[str, _Answer]]:
    responses: dict[str, list[_Answer]] = {}
    suggestions: dict[str, _Answer] = {}
    for name, value in record.items():
        if name.endswith(_SUGGESTION) and value is not None:
            question = name.removesuffix(_SUGGESTION)
            suggestions[question] = _Answer(value, record.get(name + ".score"))
        elif name.endswith(_RESPONSES) and value is not None:
            if not isinstance(value, list):
                raise RecordError(
                    "{field} should be a list, but it is {value}", field=repr(name), value=f"{value!r:.60}"
                )
            states = record.get(name + ".status")
            known = isinstance(states, list) and len(states) == len(value)
            responses[name.removesuffix(_RESPONSES)] = [
                _Answer(item, None, states[place] if known and states else None)
                for place, item in enumerate(value)
            ]
    return responses, suggestions


def _chosen(source: Source, line: int, question: str, answers: list[_Answer]) -> _Answer | None:
    """The first submitted response, else the first that was not discarded."""
    given = [answer for answer in answers if answer.value is not None and answer.status != "discarded"]
    given.sort(key=lambda answer: answer.status not in (_SUBMITTED, None))
    if len(given) > 1 and any(answer.value != given[0].value for answer in given):
        source.notes.add(
            "responses",
            f"line {line}: {question!r:.40} has {len(given)} responses that differ; the first was read",
        )
    return given[0] if given else None


def _are_spans(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict) and {"start", "end", "label"} <= item.keys() for item in value
    )


def _look_like_spans(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) and "start" in item for item in value)


def _marks(source: Source, line: int, answer: _Answer) -> list[Mark]:
    scores = answer.score if isinstance(answer.score, list) else [answer.score] * len(answer.value)
    by_span = len(scores) == len(answer.value)
    marks = []
    for place, item in enumerate(answer.value):
        score = item.get("score")
        if score is None and by_span:
            score = scores[place]
        mark = checked_mark(item["start"], item["end"], item["label"], item.get("text"), score)
        if mark.start == mark.end:
            source.notes.add("empty", f"line {line}: a span without characters was left out: {item!r:.60}")
        else:
            marks.append(mark)
    return marks
