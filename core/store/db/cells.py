"""Cells of the tables that hold JSON or a word of a few, read back: what cannot be is damage."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from core.store.db.errors import UnreadableCell


def load_json(cell: str) -> Any:
    """The value that a cell holds as JSON.

    Raises:
        UnreadableCell: it is no JSON.
    """
    try:
        return json.loads(cell)
    except (ValueError, TypeError, RecursionError) as error:
        raise UnreadableCell(cell) from error


def one_of(cell: str, words: Collection[str]) -> str:
    """A cell that holds one of a few words.

    Raises:
        UnreadableCell: it holds another, or none.
    """
    if cell not in words:
        raise UnreadableCell(cell)
    return cell
