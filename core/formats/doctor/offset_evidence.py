"""Evidence for an offset convention without surfaces: impossible and unlikely boundaries.

Spans rarely begin or end at a blank, at punctuation, inside a Latin word, or inside a grapheme. The
convention with fewer such boundaries is more likely; with equal counts it is undecidable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import regex

from core.formats.framework.conventions import (
    CODE_POINTS,
    GRAPHEMES,
    UTF16,
    Convention,
    converter,
    same_everywhere,
)
from core.formats.framework.format import Refusal
from core.formats.framework.source import Source
from core.formats.shapes.standoff import Record

IMPOSSIBLE = 4  # weight of an impossible span; an odd boundary has less
_CANDIDATES = (CODE_POINTS, UTF16, GRAPHEMES)
_CLUSTER = regex.compile(r"\X")


def faults(record: Record, convention: Convention) -> tuple[int, int]:
    """The number of spans that this convention makes impossible, and of odd boundaries of the others."""
    impossible = odd = 0
    convert = converter(record.text, convention)
    edges = _cluster_edges(record.text)
    for mark in record.marks:
        try:
            start, end = convert(mark.start, mark.end)
        except ValueError:
            impossible += 1
        else:
            odd += _oddities(record.text, start, end, edges)
    return impossible, odd


def verdict(source: Source, records: Iterable[Record | Refusal]) -> Convention:
    """The convention of a file's triples; adds a note on the evidence."""
    counts: Counter[Convention] = Counter()
    distinct = {CODE_POINTS}
    informative = 0
    for record in records:
        if isinstance(record, Refusal) or record.convention is not None:
            continue
        late = _affected_spans(record)
        if not late.marks:
            continue
        informative += 1
        distinct |= {GRAPHEMES} if _cluster_edges(record.text) else set()
        distinct |= {UTF16} if max(record.text) > "\uffff" else set()
        for convention in _CANDIDATES:
            impossible, odd = faults(late, convention)
            counts[convention] += IMPOSSIBLE * impossible + odd
    if not informative:
        source.notes.add(
            "offsets",
            "offsets: no span comes after a character above U+FFFF or a cluster, so all readings agree",
        )
        return CODE_POINTS
    best = min(_CANDIDATES, key=lambda convention: counts[convention])
    alone = all(counts[convention] > counts[best] for convention in distinct if convention != best)
    sure = "found" if alone else "assumed, for another reading fits as well"
    doubts = ", ".join(
        f"{counts[convention]} as {_short(convention)}"
        for convention in _CANDIDATES
        if convention in distinct
    )
    source.notes.add(
        "offsets",
        f"offsets: {_short(best)} ({sure}; {informative} records have spans after characters that tell the "
        f"readings apart and no surfaces; doubtful ends: {doubts})",
    )
    return best


def _short(convention: Convention) -> str:
    return convention.title.split(",")[0]


def _affected_spans(record: Record) -> Record:
    """The record with only the spans after the first character that the conventions count differently."""
    text = record.text
    if not record.marks or all(same_everywhere(text, convention) for convention in (UTF16, GRAPHEMES)):
        return Record(record.line, record.id, text)
    first = len(text)
    for match in _CLUSTER.finditer(text):
        if len(match[0]) > 1 or match[0] > "\uffff":
            first = match.start()
            break
    late: Sequence = [mark for mark in record.marks if mark.end > first]
    return Record(record.line, record.id, text, late)


def _cluster_edges(text: str) -> frozenset[int] | None:
    """Where clusters begin; None where every character is one."""
    if text.isascii():
        return None
    starts = [match.start() for match in _CLUSTER.finditer(text)]
    return None if len(starts) == len(text) else frozenset([*starts, len(text)])


def _oddities(text: str, start: int, end: int, edges: frozenset[int] | None) -> int:
    """Number of unlikely boundaries of the span."""
    odd = sum(
        char.isspace() or (not char.isalnum() and char <= "\uffff" and not _is_combining(char))
        for char in (text[start], text[end - 1])
    )
    for place in (start, end):
        around = text[max(0, place - 1) : place + 1] if place else ""
        odd += len(around) == 2 and around.isascii() and around.isalnum()
        odd += 2 * (edges is not None and place not in edges)
    return odd


def _is_combining(char: str) -> bool:
    return not char.isascii() and regex.match(r"[\p{M}\u200d\ufe0f]", char) is not None
