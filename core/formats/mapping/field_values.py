"""Values of fields as texts and lists, also where a cell of a table holds a list as text."""

from __future__ import annotations

import ast
import json
from typing import Any

from core.formats.framework.errors import RecordError
from core.formats.framework.source import legal_text

_LONGEST = 1_000_000  # characters of a cell that is read as a list


def list_in(value: Any) -> list[Any] | None:
    """The list that a value is, or that a text spells in JSON or as Python prints it; None if it is none."""
    if isinstance(value, list):
        return value
    if not isinstance(value, str) or value.strip()[:1] != "[" or len(value) > _LONGEST:
        return None
    for read in (json.loads, ast.literal_eval):  # neither runs anything
        try:
            found = read(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return _as_lists(found) if isinstance(found, list) else None
    return None


def words_in(value: Any, path: str, number_of: str = "") -> list[str]:
    """The tokens or tags at a path: a list of texts, or a text with blanks between them.

    Args:
        number_of: what to say where numbers stand for names; empty: numbers become texts.

    Raises:
        RecordError: it is something else.
    """
    found = list_in(value)
    if found is None:
        if not isinstance(value, str):
            raise RecordError(
                "{path} should be a list of texts, but it is {value}", path=repr(path), value=f"{value!r:.60}"
            )
        found = value.split()
    if number_of and any(isinstance(each, (int, float)) for each in found):
        raise RecordError(
            "{path} has numbers, and the file does not say which tags they stand for; write the tags instead",
            path=repr(path),
        )
    if not all(isinstance(each, (str, int, float)) and not isinstance(each, bool) for each in found):
        raise RecordError(
            "{path} should be a list of texts, but it is {value}", path=repr(path), value=f"{value!r:.60}"
        )
    return [legal_text(str(each)) for each in found]


def single(value: Any) -> Any:
    """The value itself; of a column of a group, its first cell that is not empty."""
    if not isinstance(value, list):
        return value
    return next((each for each in value if each not in (None, "")), None)


def _as_lists(value: Any) -> Any:
    """Tuples, sets and keys as JSON has them: what Python prints has more kinds."""
    if isinstance(value, (list, tuple)):
        return [_as_lists(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _as_lists(each) for name, each in value.items()}
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)
