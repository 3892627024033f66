"""What the JSONL formats share: records line by line, their fields checked, refusals with their lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from core.formats.format import FormatError, RecordError, Refusal
from core.formats.source import Source, legal_text
from core.text import Document, OffsetError

Record = dict[str, Any]
_LINE_BREAKS = re.compile(r"[\t\r\n]+")


def parse(line: str) -> Record:
    """The object on one line.

    Raises:
        RecordError: not JSON, or not an object.
    """
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not readable JSON: {error}") from None
    if not isinstance(value, dict):
        raise RecordError(f'a record must be an object, like {{"text": …}}, but this is {_kind(value)}')
    return value


def read_records(source: Source, build: Callable[[int, Record], Document]) -> Iterator[Document | Refusal]:
    """Every record through ``build(ordinal, record)``, whose errors refuse just that record.

    Raises:
        FormatError: the file is one JSON array instead of one object a line.
    """
    ordinal = 0
    for number, line in source.lines():
        if not line.strip():
            continue
        ordinal += 1
        if ordinal == 1 and line.lstrip().startswith("["):
            raise FormatError(
                f"{source.path.name} is one JSON array; LatticeLens reads JSONL, one object on each line: "
                "write each element of the array on a line of its own"
            )
        try:
            yield build(ordinal, parse(line))
        except (RecordError, OffsetError) as error:
            yield Refusal(number, str(error), line + "\n")
        except ValueError as error:  # Span's own checks
            yield Refusal(number, str(error), line + "\n")


def text_field(record: Record, *names: str) -> str:
    """The text under the first of ``names`` the record has.

    Raises:
        RecordError: it has none of them, or what it has is no readable text.
    """
    for name in names:
        if name in record:
            value = record[name]
            if not isinstance(value, str):
                raise RecordError(f"field {name!r} should be a text, but it is {_kind(value)}")
            return legal_text(value)
    wanted = " or ".join(repr(name) for name in names)
    raise RecordError(f"there is no field {wanted}; the fields are {', '.join(map(repr, record)) or 'none'}")


def offset_field(value: Any, what: str) -> int:
    """A whole number, also when written as ``2.0`` or ``"2"``."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RecordError(f"{what} should be a whole number, but it is {value!r:.60}")
    return value


def label_field(value: Any) -> str:
    """A label: any text that is not empty, as one line without outer blanks."""
    if not isinstance(value, str) or not value.strip():
        raise RecordError(f"a label should be a text that is not empty, but it is {value!r:.60}")
    return legal_text(_LINE_BREAKS.sub(" ", value.strip()))


def id_field(record: Record, name: str, otherwise: str) -> str:
    """The record's id as text, or ``otherwise`` where it has none."""
    value = record.get(name)
    if value is None or value == "" or isinstance(value, (dict, list)):
        return otherwise
    return legal_text(str(value))


def id_value(identifier: str) -> str | int:
    """An id as tools wrote it: a number where it was one, so that it reads back as the same text."""
    is_number = identifier.isascii() and identifier.isdigit() and len(identifier) < 16
    return int(identifier) if is_number and str(int(identifier)) == identifier else identifier


def first_records(head: str, limit: int = 20) -> list[Record]:
    """The first records of a file's head that can be parsed."""
    records: list[Record] = []
    for line in [line for line in head.split("\n") if line.strip()][:limit]:
        try:
            records.append(parse(line))
        except RecordError:
            continue
    return records


def share(head: str, fits: Callable[[Record], bool], limit: int = 20) -> float:
    """Which share of the first lines are records that fit."""
    lines = [line for line in head.split("\n") if line.strip()][:limit]
    return sum(map(fits, first_records(head, limit))) / len(lines) if lines else 0.0


def dump(record: Mapping[str, Any]) -> str:
    """One line of JSON, line break included; Chinese stays readable."""
    return json.dumps(record, ensure_ascii=False, default=_plain) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} is not a JSON value")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}
    return names.get(type(value), "an object")
