"""Successive JSON values with their lines: the elements of an array, or values separated by blanks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from core.formats.framework.errors import RecordError
from core.formats.framework.source import Source
from core.runtime.message import json_fault

_BETWEEN = re.compile(r"[\s,]*")
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_DECODER = json.JSONDecoder()


class Element(NamedTuple):
    """One value: its first line (from 1), the value or why it cannot be read, and its text."""

    line: int
    value: Any
    error: RecordError | None
    raw: str


def elements(source: Source, start: int = 0) -> Iterator[Element]:
    """The values of a file; reading continues after invalid ones, which are reported."""
    with source.open() as stream:
        text = stream.read()
    return _elements(text.lstrip("\ufeff"), start)


@lru_cache(maxsize=2)
def first_elements(head: str, limit: int = 20) -> tuple[Any, ...]:
    """The first values of a file's head that can be read."""
    records: list[Any] = []
    if head.lstrip("\ufeff \t\r\n")[:1] not in ("[", "{"):
        return ()
    for element in _elements(head.lstrip("\ufeff"), 0):
        if element.error is not None or len(records) == limit:
            break
        records.append(element.value)
    return tuple(records)


def _elements(text: str, at: int) -> Iterator[Element]:
    line = 1 + text.count("\n", 0, at)
    entered = False
    while True:
        place = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty string, too
        line += text.count("\n", at, place)
        at = place
        if at >= len(text):
            return
        if not entered and text[at] == "[":
            entered, at = True, at + 1
            continue
        if entered and text[at] == "]":
            at += 1
            continue
        value, error, end = _decoded(text, at)
        yield Element(line, value, error, text[at:end])
        line += text.count("\n", at, end)
        at = end


def _decoded(text: str, at: int) -> tuple[Any, RecordError | None, int]:
    try:
        value, end = _DECODER.raw_decode(text, at)
        return value, None, end
    except json.JSONDecodeError as error:
        return None, RecordError("not JSON: {reason}", reason=json_fault(error)), _end_of_broken(text, at)
    except RecursionError as error:
        return (
            None,
            RecordError("not JSON that can be read: {reason}", reason=error),
            _end_of_broken(text, at),
        )
    except ValueError:  # the only other one
        too_long = RecordError("not JSON that can be read: a number has too many digits")
        return None, too_long, _end_of_broken(text, at)


def _end_of_broken(text: str, at: int) -> int:
    """The end of a broken value: where its brackets close, or before the next line that begins like it."""
    depth = 0
    closes = len(text)
    for match in _STRUCTURE.finditer(text, at):
        if match[0] in "[{":
            depth += 1
        elif match[0] in "]}":
            depth -= 1
            if depth <= 0:
                closes = match.end()
                break
    begin = text.rfind("\n", 0, at) + 1
    alike = text.find("\n" + text[begin:at] + text[at], at) if not text[begin:at].strip() else -1
    end = min(closes, alike if alike >= 0 else closes)
    return max(end, at + 1)
