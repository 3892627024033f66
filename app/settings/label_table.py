"""The labels of a project as rows of a table a person edits, and back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from app.services.errors import AppError
from core.text import LABEL_COLOURS, Label, LabelSet
from core.text.labels import HOTKEYS

_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")


def rows_of(labels: LabelSet) -> list[list[str]]:
    """Name, colour, hotkey and guideline of every label."""
    return [[label.name, label.colour, label.hotkey, label.description] for label in labels]


def labels_of(rows: Sequence[Sequence[Any]]) -> LabelSet:
    """Parse labels from rows; empty rows are skipped, missing colours chosen.

    Raises:
        AppError: an invalid row; names it. ValueError: two rows share a name or a key.
    """
    labels: list[Label] = []
    for number, row in enumerate(rows, start=1):
        name, colour, hotkey, description = (_cell(row, index) for index in range(4))
        if not any((name, colour, hotkey, description)):
            continue
        colour = colour or LABEL_COLOURS[len(labels) % len(LABEL_COLOURS)]
        if not _COLOUR.fullmatch(colour):
            raise AppError(
                "{value} is not a colour; use # and six digits, such as #0072B2", value=repr(colour)
            )
        if hotkey and (len(hotkey) != 1 or hotkey.lower() not in HOTKEYS):
            raise AppError(
                "the key {value} must be one letter or digit other than j and k", value=repr(hotkey)
            )
        try:
            labels.append(Label(name, colour, hotkey.lower(), description))
        except ValueError as error:
            raise AppError("Row {row} of the labels: {reason}.", row=number, reason=error) from error
    return LabelSet(labels)


def _cell(row: Sequence[Any], index: int) -> str:
    value = row[index] if index < len(row) else ""
    # An empty cell comes back as None or NaN.
    return "" if value is None or value != value else str(value).strip()
