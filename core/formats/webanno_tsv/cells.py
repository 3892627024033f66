"""The cells of a WebAnno TSV 3.3 row: stacked values, their numbers, and escapes.

Layout: INCEpTION's user guide, "WebAnno TSV 3.3 File format".
"""

from __future__ import annotations

import re

NOTHING = "_"  # a unit without an annotation of the layer
NO_VALUE = "*"  # an annotation without a value

VALUE = re.compile(r"([^\\\[]*(?:\\.[^\\\[]*)*)(?:\[(\d{1,9})\])?", re.DOTALL)
_STACKED = re.compile(r"(?:\\.|[^\\|])+", re.DOTALL)
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_TO_ESCAPE = re.compile(r"->|[\\\[\]|_;\t\n\r*]")
_CONTROL = re.compile(r"[\x01-\x1f\\]")
_CONTROLS = {"\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\b": "\\b", "\\": "\\\\"}


def stacked(cell: str) -> list[str]:
    """The values of several annotations on one unit."""
    return _STACKED.findall(cell) if "|" in cell or "\\" in cell else [cell]


def unescaped(value: str) -> str:
    """The value of an escaped cell."""
    if "\\" not in value:
        return value
    return _ESCAPED.sub(lambda match: {"t": "\t", "n": "\n", "r": "\r"}.get(match[1], match[1]), value)


def unescaped_text(value: str) -> str:
    """A piece of text without its escapes."""
    if "\\" not in value:
        return value
    return re.sub(r"\\(.)", lambda match: _LETTERS.get(match[1], match[1]), value)


def escaped(value: str) -> str:
    """A value escaped for a cell."""
    letters = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
    return _TO_ESCAPE.sub(lambda match: letters.get(match[0], "\\" + match[0]), value)


def escaped_text(value: str) -> str:
    """A piece of text escaped for a line."""
    if len(value) == 1 and value > "\\":  # most rows
        return value
    return _CONTROL.sub(lambda match: _CONTROLS.get(match[0], "\\" + match[0]), value)
