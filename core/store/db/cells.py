"""Read cells that hold JSON or one of a few words; anything else is damage."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from core.store.db.errors import UnreadableCell

_DECODER = json.JSONDecoder()


def load_json(cell: str) -> Any:
    """Parse a JSON cell.

    Raises:
        UnreadableCell: it is not valid JSON.
    """
    try:
        # Thousands are read for one page, and `json.loads` looks for white space around each.
        value, end = _DECODER.raw_decode(cell)
        return value if end == len(cell) else json.loads(cell)
    except (ValueError, TypeError, RecursionError) as error:
        raise UnreadableCell(cell) from error


def one_of(cell: str, words: Collection[str]) -> str:
    """Check that a cell holds one of ``words``.

    Raises:
        UnreadableCell: it holds anything else.
    """
    if cell not in words:
        raise UnreadableCell(cell)
    return cell
