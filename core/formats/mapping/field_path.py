"""Paths to the fields of a record: names and positions in lists, joined by dots (``data.text``)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_STEP = re.compile(r"((?:[^.\\]|\\.)*)(\.|$)", re.DOTALL)
_MISSING = object()


def path_of(steps: Iterable[str]) -> str:
    """The path with these steps; a dot or a backslash inside a name is escaped by a backslash."""
    return ".".join(step.replace("\\", "\\\\").replace(".", "\\.") for step in steps)


def steps_of(path: str) -> list[str]:
    """The inverse of `path_of`."""
    steps = []
    at = 0
    while match := _STEP.match(path, at):
        steps.append(re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL))
        at = match.end()
        if not match[2]:
            break
    return steps


def value_at(value: Any, path: str, otherwise: Any = None) -> Any:
    """The value at a path, or ``otherwise`` where there is none."""
    if isinstance(value, dict) and path in value and "." not in path and "\\" not in path:
        return value[path]
    for step in steps_of(path):
        value = _inside(value, step)
        if value is _MISSING:
            return otherwise
    return value


def has(value: Any, path: str) -> bool:
    """Whether there is a value at the path, be it null."""
    return value_at(value, path, _MISSING) is not _MISSING


def without(record: dict[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    """The record without the values at these paths, and without the objects that this leaves empty."""
    rest = dict(record)
    for path in paths:
        _remove(rest, steps_of(path))
    return rest


def _inside(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step, _MISSING)
    if isinstance(value, (list, tuple)) and step.isdecimal() and step.isascii() and len(step) < 10:
        return value[int(step)] if int(step) < len(value) else _MISSING
    return _MISSING


def _remove(rest: dict[str, Any], steps: list[str]) -> None:
    """Remove one value; objects on the way are copied, because the record is not ours."""
    first, *others = steps
    if first not in rest:
        return
    if not others:
        del rest[first]
        return
    inner = rest[first]
    if isinstance(inner, dict):
        rest[first] = inner = dict(inner)
        _remove(inner, others)
        if not inner:
            del rest[first]
    elif isinstance(inner, list) and others[0].isdecimal() and int(others[0]) < len(inner):
        place = int(others[0])
        held = {others[0]: inner[place]}
        _remove(held, others)
        kept = [*inner[:place], *held.values(), *inner[place + 1 :]]
        if kept:
            rest[first] = kept
        else:
            del rest[first]
