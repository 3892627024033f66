"""Whether texts are running text, or ids, addresses, dates and categories that nobody wants tagged."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FEW = 0.5  # of the values: a field with fewer distinct ones is a category, not a text
_SIGNS = re.compile(r"(?i)[a-z][a-z+.-]*://\S+|[\w.-]+@[\w.-]+|\d{4}-\d\d-\d\d\S*( \S+){0,3}")


def is_prose(values: Sequence[str]) -> bool:
    """Whether values look like running text: neither ids, addresses, dates nor a few categories."""
    filled = [value for value in values if value.strip()]
    if not filled:
        return False
    if len(filled) >= 4 and len(set(filled)) < _FEW * len(filled):
        return False
    written = sum(_is_written(value) for value in filled)
    return written >= _FEW * len(filled)


def _is_written(value: str) -> bool:
    if _SIGNS.fullmatch(value.strip()):
        return False
    letters = sum(char.isalpha() for char in value)
    if any(char > "\u2e7f" for char in value):  # scripts that need no blanks
        return letters >= 4
    return letters >= _FEW * len(value) and len(value.split()) >= 3
