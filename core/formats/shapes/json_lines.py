"""Shared by JSONL formats: reading records with checked fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from core.formats.framework.errors import RecordError
from core.formats.framework.format import Refusal
from core.formats.framework.source import Source, legal_text
from core.formats.shapes.json_values import elements, first_elements
from core.runtime.message import Message, _, json_fault, message_of, pgettext
from core.text import OffsetError

Record = dict[str, Any]
Marked = TypeVar("Marked")
_LINE_BREAKS = re.compile(r"[\t\r\n]+")
_OFFSETS = {
    "a span's start": _("a span's start"),
    "a span's end": _("a span's end"),
    "a region's start": _("a region's start"),
    "a region's end": _("a region's end"),
    "a start": _("a start"),
    "an end": _("an end"),
    "a token's number": _("a token's number"),
}


def parse(line: str) -> Record:
    """The object on one line.

    Raises:
        RecordError: not JSON, or not an object.
    """
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise RecordError(
            "not JSON: {reason} (column {column})", reason=json_fault(error), column=error.colno
        ) from None
    except RecursionError as error:
        raise RecordError("not JSON that can be read: {reason}", reason=error) from None
    except ValueError:  # the only other one
        raise RecordError("not JSON that can be read: a number has too many digits") from None
    if not isinstance(value, dict):
        raise RecordError(
            'a record must be an object, like {{"text": …}}, but this is {kind}', kind=_kind(value)
        )
    return value


def numbered_records(source: Source) -> Iterator[tuple[int, str, Record | RecordError]]:
    """Line number, original text and value of every record.

    A record is a line, an element of a JSON array, or an object over several lines.
    """
    first = True
    for number, line in source.lines():
        if not line.strip():
            continue
        if first and _spreads(line):
            yield from _of_values(source)
            return
        first = False
        try:
            yield number, line + "\n", parse(line)
        except RecordError as error:
            yield number, line + "\n", error


def _spreads(head: str) -> bool:
    """Whether records are an array, or objects that do not end where their first line does."""
    line = head.lstrip("\ufeff \t\r\n").split("\n", 1)[0].rstrip()
    return line.startswith("[") or (line.startswith("{") and not line.endswith("}"))


def _of_values(source: Source) -> Iterator[tuple[int, str, Record | RecordError]]:
    for element in elements(source):
        raw = element.raw if element.error else json.dumps(element.value, ensure_ascii=False)
        if element.error is None and not isinstance(element.value, dict):
            yield (
                element.line,
                raw + "\n",
                RecordError("a record must be an object, but this is {kind}", kind=_kind(element.value)),
            )
        else:
            yield element.line, raw + "\n", element.error or element.value


def read_records(
    source: Source, build: Callable[[int, int, str, Record], Marked]
) -> Iterator[Marked | Refusal]:
    """Call ``build(ordinal, line, raw, record)`` for every record; an error refuses only that record."""
    ordinal = 0
    for number, raw, record in numbered_records(source):
        ordinal += 1
        if isinstance(record, RecordError):
            yield Refusal(number, record.message, raw)
            continue
        try:
            yield build(ordinal, number, raw, record)
        except (RecordError, OffsetError, ValueError) as error:  # Span's own checks are ValueErrors
            yield Refusal(number, message_of(error), raw)


def text_field(record: Record, *names: str) -> str:
    """The text under the first of ``names`` the record has.

    Raises:
        RecordError: missing field, or not a string.
    """
    for name in names:
        if name in record:
            value = record[name]
            if not isinstance(value, str):
                raise RecordError(
                    "field {name} should be a text, but it is {kind}", name=repr(name), kind=_kind(value)
                )
            return legal_text(value)
    raise RecordError(
        "there is no field {wanted}; the fields are {names}",
        wanted=" or ".join(map(repr, names)),
        names=list(map(repr, record)) or pgettext("fields", "none"),
    )


def objects_of(items: Any, field: str) -> list[Record]:
    """The items of a field that lists objects.

    Raises:
        RecordError: it is something else.
    """
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise RecordError(
            "{field} should be a list of objects, but it is {items}",
            field=repr(field),
            items=f"{items!r:.60}",
        )
    return items


def offset_field(value: Any, what: str | Message) -> int:
    """A whole number, also when written as ``2.0`` or ``"2"``."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RecordError(
            "{what} should be a whole number, but it is {value}",
            what=_OFFSETS.get(what, what) if isinstance(what, str) else what,
            value=f"{value!r:.60}",
        )
    return value


def label_field(value: Any) -> str:
    """A label: any text that is not empty, as one line without outer blanks."""
    if not isinstance(value, str) or not value.strip():
        raise RecordError(
            "a label should be a text that is not empty, but it is {value}", value=f"{value!r:.60}"
        )
    return legal_text(_LINE_BREAKS.sub(" ", value.strip()))


def score_field(value: Any) -> float | None:
    """A confidence from 0 to 1, or None where there is none."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise RecordError(
            "a span's score should be a number from 0 to 1, but it is {value}", value=f"{value!r:.60}"
        )
    return float(value)


def id_field(record: Record, name: str, otherwise: str) -> str:
    """The record's id as text, or ``otherwise`` where it has none."""
    value = record.get(name)
    if value is None or value == "" or isinstance(value, (dict, list)):
        return otherwise
    return legal_text(str(value))


def id_value(identifier: str) -> str | int:
    """An id as a number if it is one and reads back as the same text, else as text."""
    is_number = identifier.isascii() and identifier.isdigit() and len(identifier) < 16
    return int(identifier) if is_number and str(int(identifier)) == identifier else identifier


def first_records(head: str, limit: int = 20) -> list[Record]:
    """The first records of a file's head that can be parsed."""
    if _spreads(head):
        return [value for value in first_elements(head) if isinstance(value, dict)][:limit]
    return list(_first_lines(head, limit))


def share(head: str, fits: Callable[[Record], bool], limit: int = 20) -> float:
    """The share of the first lines (or elements of an array) that are records that fit."""
    if _spreads(head):
        values = first_elements(head)
        return (
            sum(isinstance(value, dict) and fits(value) for value in values) / len(values) if values else 0.0
        )
    lines = [line for line in head.split("\n") if line.strip()][:limit]
    return sum(map(fits, _first_lines(head, limit))) / len(lines) if lines else 0.0


@lru_cache(maxsize=2)
def _first_lines(head: str, limit: int) -> tuple[Record, ...]:
    records: list[Record] = []
    for line in [line for line in head.split("\n") if line.strip()][:limit]:
        try:
            records.append(parse(line))
        except RecordError:
            continue
    return tuple(records)


def dump(record: Mapping[str, Any]) -> str:
    """One line of JSON, line break included; Chinese stays readable."""
    return json.dumps(record, ensure_ascii=False, default=plain_value) + "\n"


def plain_value(value: Any) -> Any:
    """``json`` default for read-only mappings."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} is not a JSON value")


_KINDS = {
    type(None): _("null"),
    bool: _("true or false"),
    int: _("a number"),
    float: _("a number"),
    str: _("a text"),
    list: _("a list"),
}


def _kind(value: Any) -> Message:
    return _KINDS.get(type(value), _("an object"))
