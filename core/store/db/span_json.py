"""Spans as compact JSON arrays: ``[start, end, label id]``, with a score as fourth and a link as fifth.

A link is ``[id, name, source]``; the score before it may be null.

Readers pass the current ``names`` (id to name, None for a deleted label), writers the ``ids`` of names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.store.db.cells import load_json
from core.store.db.errors import UnreadableCell
from core.text import EntityLink, Span, SpanKey, sort_spans

Names = Mapping[int, "str | None"]
Ids = Mapping[str, int]
Item = list[
    Any
]  # [start, end, label id], [start, end, label id, score] or [start, end, label id, score, link]
_ENCODER = json.JSONEncoder(separators=(",", ":"))  # made once: json.dumps would make one for each call


def dump_items(items: Iterable[Item]) -> str:
    """Dump arrays as JSON."""
    return _ENCODER.encode(list(items))


def dump_spans(spans: Iterable[Span], ids: Ids) -> str:
    """Dump spans as JSON, in reading order.

    Raises:
        KeyError: a label without an id.
    """
    return dump_items(item_of(span, ids) for span in spans)


def load_items(column: str) -> list[Item]:
    """Parse the arrays of a cell.

    Raises:
        UnreadableCell: it holds something else.
    """
    items = load_json(column)
    if not isinstance(items, list):
        raise UnreadableCell(column)
    return items


def load_spans(column: str, names: Names) -> tuple[Span, ...]:
    """Parse the spans of a cell. Spans of deleted labels are dropped; of two merged into one, the linked one
    or else the higher score stays.

    Raises:
        UnreadableCell: it holds something else.
    """
    if column == "[]":
        return ()
    return spans_of(load_items(column), names, column)


def load_keys(column: str, names: Names) -> frozenset[SpanKey]:
    """The keys of ``load_spans``, without their spans: comparing predictions needs no more.

    Raises:
        UnreadableCell: it holds something else.
    """
    try:
        return frozenset(
            [(item[0], item[1], name) for item in load_items(column) if (name := names[item[2]]) is not None]
        )
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise UnreadableCell(column) from error


def spans_of(items: Iterable[Iterable[Any]], names: Names, cell: object = "a span") -> tuple[Span, ...]:
    """As ``load_spans``, from arrays or rows.

    Raises:
        UnreadableCell: an item is malformed; names ``cell``.
    """
    spans: list[Span] = []
    is_sorted, before = True, (-1, 0)
    try:
        for start, end, label, *more in items:
            name = names[label]
            if name is None:
                continue
            if len(more) > 1:
                more[1] = load_link(more[1])
            place = (start, -end)
            is_sorted = is_sorted and before < place
            before = place
            spans.append(Span(start, end, name, *more))
    except (ValueError, TypeError, KeyError) as error:
        raise UnreadableCell(cell) from error
    if is_sorted:
        return tuple(spans)
    # Labels may have been merged or renamed since, which changes the order.
    distinct: dict[SpanKey, Span] = {}
    for span in spans:
        rival = distinct.get(span.key)
        if rival is None or _worth(span) > _worth(rival):
            distinct[span.key] = span
    return sort_spans(distinct.values())


def dump_span(span: Span | None, ids: Ids) -> str | None:
    """Dump one span without its score, or None."""
    return None if span is None else dump_items([span.start, span.end, ids[span.label]])  # type: ignore[list-item]


def load_span(column: str | None, names: Names) -> Span | None:
    """Parse the output of ``dump_span``; None also for a deleted label.

    Raises:
        UnreadableCell: it holds something else.
    """
    if column is None:
        return None
    try:
        start, end, label = load_json(column)
        name = names[label]
        return None if name is None else Span(start, end, name)
    except (ValueError, TypeError, KeyError) as error:
        raise UnreadableCell(column) from error


def item_of(span: Span, ids: Ids) -> Item:
    """The array of one span."""
    item = [span.start, span.end, ids[span.label]]
    if span.link is not None:
        return [*item, span.score, _link_item(span.link)]
    return item if span.score is None else [*item, span.score]


def without_score(item: Item) -> Item:
    """The array with its link and without its score."""
    return item[:3] if len(item) < 5 else [*item[:3], None, item[4]]


def item_of_row(row: Sequence[Any]) -> Item:
    """The array of a row of start, end, label id, score and link."""
    start, end, label, score, link = row
    if link is not None:
        return [start, end, label, score, load_json(link)]
    return [start, end, label] if score is None else [start, end, label, score]


def dump_link(link: EntityLink | None) -> str | None:
    """Dump a link for its column, or None."""
    return None if link is None else _ENCODER.encode(_link_item(link))


def dump_link_of(item: Item) -> str | None:
    """The column of an array's link."""
    return _ENCODER.encode(item[4]) if len(item) > 4 else None


def load_link(value: object) -> EntityLink | None:
    """Parse a link, as a column or as part of an array; None for None.

    Raises:
        UnreadableCell: it holds something else.
    """
    if value is None:
        return None
    parts: Any = load_json(value) if isinstance(value, str) else value
    try:
        return EntityLink(*parts)
    except (ValueError, TypeError) as error:
        raise UnreadableCell(value) from error


def _link_item(link: EntityLink) -> list[str]:
    return [link.id, link.name, link.source]


def _worth(span: Span) -> tuple[bool, float]:
    """Of two spans merged into one the linked one stays, else that with the higher score."""
    return span.link is not None, span.score or 0
