"""Spans as the compact JSON arrays that the columns hold: ``[start, end, label]`` or with a score."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from core.store.db.cells import load_json
from core.store.db.errors import UnreadableCell
from core.text import Span


def dump_spans(spans: Iterable[Span]) -> str:
    """``[[start, end, label], …]``; a score, where there is one, is the fourth item."""
    return json.dumps([dump_item(span) for span in spans], ensure_ascii=False, separators=(",", ":"))


def load_spans(column: str) -> tuple[Span, ...]:
    """What ``dump_spans`` wrote.

    Raises:
        UnreadableCell: it is something else.
    """
    items = load_json(column)
    try:
        return tuple(Span(*item) for item in items)
    except (ValueError, TypeError) as error:
        raise UnreadableCell(column) from error


def dump_span(span: Span | None) -> str | None:
    """One span without its score, or None."""
    return None if span is None else json.dumps(list(span.key), ensure_ascii=False, separators=(",", ":"))


def load_span(column: str | None) -> Span | None:
    """What ``dump_span`` wrote.

    Raises:
        UnreadableCell: it is something else.
    """
    if column is None:
        return None
    item = load_json(column)
    try:
        return Span(*item)
    except (ValueError, TypeError) as error:
        raise UnreadableCell(column) from error


def dump_item(span: Span) -> list[Any]:
    """The array of one span."""
    return list(span.key) if span.score is None else [*span.key, span.score]
