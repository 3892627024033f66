"""Labels as the rows a person edits: what the browser sends, and the editor's choices of colours and keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from app.i18n import Message, _
from app.services.errors import AppError
from app.ui.payload import MAX_TEXT, Payload
from app.ui.server_function import Reply, ServerError
from core.text import LABEL_COLOURS, Label, LabelSet
from core.text.labels import HOTKEYS

MOST_LABELS = 1_000
LONGEST_GUIDELINE = 20_000
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")

_Cell = Annotated[str, Field(max_length=MAX_TEXT)]


class LabelRow(Payload):
    """One row; empty cells are filled in or left empty by `labels_of`."""

    name: _Cell
    colour: _Cell
    hotkey: _Cell
    description: Annotated[str, Field(max_length=LONGEST_GUIDELINE)]


LabelRows = Annotated[list[LabelRow], Field(max_length=MOST_LABELS)]


def editor_choices() -> Reply:
    """What every editor of labels offers: ``colours``, ``keys`` in the order they are given out."""
    return {"colours": list(LABEL_COLOURS), "keys": HOTKEYS}


def labels_of(rows: Sequence[LabelRow]) -> LabelSet:
    """The labels of these rows; those without name and guideline are skipped, missing colours chosen.

    Raises:
        ServerError: an invalid cell; its details are ``row`` (from 0) and ``field``.
    """
    labels: list[Label] = []
    for number, row in enumerate(rows):
        name, colour, hotkey = row.name.strip(), row.colour.strip(), row.hotkey.strip().lower()
        description = row.description.strip()
        if not name and not description:
            continue
        _check_name(number, name, labels)
        colour = colour or LABEL_COLOURS[len(labels) % len(LABEL_COLOURS)]
        if not _COLOUR.fullmatch(colour):
            raise _wrong(
                number,
                "colour",
                _("{value} is not a colour; use # and six digits, such as #0072B2", value=repr(colour)),
            )
        _check_key(number, hotkey, labels)
        labels.append(Label(name, colour, hotkey, description))
    return LabelSet(labels)


def _check_name(number: int, name: str, labels: Sequence[Label]) -> None:
    if not name:
        raise _wrong(number, "name", _("This label has no name. Give it one, or remove the row."))
    if any(label.name == name for label in labels):
        raise _wrong(number, "name", _("There is another label {name}.", name=name))
    try:
        Label(name)
    except ValueError as error:
        raise _wrong(number, "name", _("Invalid name: {reason}.", reason=error)) from error


def _check_key(number: int, hotkey: str, labels: Sequence[Label]) -> None:
    if hotkey and (len(hotkey) != 1 or hotkey not in HOTKEYS):
        raise _wrong(
            number,
            "hotkey",
            _("the key {value} must be one letter or digit other than j and k", value=repr(hotkey)),
        )
    for label in labels:
        if hotkey and label.hotkey == hotkey:
            taken = _("{name} has the key {key} already.", name=label.name, key=hotkey)
            raise _wrong(number, "hotkey", taken)


def _wrong(row: int, field: str, message: Message) -> ServerError:
    return ServerError("invalid", AppError(message), row=row, field=field)
