"""The rows of a WebAnno TSV 3.3 file as they are written: sentences, their tokens, and parts of tokens.

Layout: INCEpTION's user guide, "WebAnno TSV 3.3 File format". A token in which a span begins or ends is
divided into sub-tokens; an annotation over several units, and each of several on one unit, has a number.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.formats.attachments import Relation
from core.formats.tokens import Extent, split
from core.text import Span, Utf16Offsets

_TO_ESCAPE = re.compile(r"->|[\\\[\]|_;\t\n\r*]")
_CONTROLS = {"\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\b": "\\b", "\\": "\\\\"}


class _Unit(NamedTuple):
    """A row: its id and extent in code points."""

    id: str
    start: int
    end: int


def rows(text: str, spans: Sequence[Span], relations: Sequence[Relation]) -> str:
    """The rows of all sentences."""
    if not text:
        return ""
    layout = _layout(text, spans)
    units_of: list[list[str]] = [[] for _ in spans]
    on_unit: dict[str, list[int]] = defaultdict(list)
    for _, _, rows in layout:
        for unit, covering in rows:
            for number in covering:
                units_of[number].append(unit.id)
                on_unit[unit.id].append(number)
    numbered = _numbers(units_of, on_unit)
    arcs = _arcs(spans, relations, units_of, numbered)
    offsets = Utf16Offsets(text)
    lines: list[str] = []
    for start, end, rows in layout:
        lines += [""] if lines else []
        lines += [f"#Text={_escaped_text(line)}" for line in text[start:end].split("\n")]
        for unit, covering in rows:
            extent = f"{offsets.to_utf16(unit.start)}-{offsets.to_utf16(unit.end)}"
            marks = [f"[{numbered[one]}]" if one in numbered else "" for one in covering]
            names = [_escaped(spans[one].label) for one in covering]
            values = "|".join(name + mark for name, mark in zip(names, marks, strict=True)) or "_"
            empty = "|".join("*" + mark for mark in marks) or "_"
            arc = arcs.get(unit.id, [])
            label, source = ("|".join(cell) for cell in zip(*arc, strict=True)) if arc else ("_", "_")
            surface = _escaped_text(text[unit.start : unit.end])
            lines.append("\t".join((unit.id, extent, surface, empty, values, label, source)) + "\t")
    return "\n".join(lines) + "\n"


def _numbers(units_of: list[list[str]], on_unit: dict[str, list[int]]) -> dict[int, int]:
    """A number for every annotation of several units, or with others on one of its own."""
    wanted = [
        number
        for number, units in enumerate(units_of)
        if len(units) > 1 or any(len(on_unit[unit]) > 1 for unit in units)
    ]
    return {number: place for place, number in enumerate(wanted, 1)}


def _arcs(
    spans: Sequence[Span],
    relations: Sequence[Relation],
    units_of: list[list[str]],
    numbered: dict[int, int],
) -> dict[str, list[tuple[str, str]]]:
    """For the first unit of a relation's target: its label, and where it comes from."""
    place = {span.key: number for number, span in reversed(list(enumerate(spans)))}
    arcs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for relation in relations:
        source, target = place[relation.source], place[relation.target]
        numbers = numbered.get(source, 0), numbered.get(target, 0)
        mark = f"[{numbers[0]}_{numbers[1]}]" if any(numbers) else ""
        arcs[units_of[target][0]].append((_escaped(relation.type), units_of[source][0] + mark))
    return arcs


def _layout(text: str, spans: Sequence[Span]) -> list[tuple[int, int, list[tuple[_Unit, list[int]]]]]:
    """Sentences with their extents and rows, each row with the numbers of the spans it is a unit of."""
    starts, ends = sorted(span.start for span in spans), sorted(span.end for span in spans)
    tokens = split(text)
    sentences = list(_sentences(text, spans))
    begins = [begin for begin, _ in sentences]
    inside: list[list[int]] = [[] for _ in sentences]  # no span goes over the end of a sentence
    for order, span in enumerate(spans):
        inside[bisect_right(begins, span.start) - 1].append(order)
    layout = []
    for number, (begin, stop) in enumerate(sentences, 1):
        extents = _rows(tokens, starts, ends, begin, stop)
        covering = _covering(extents, [(order, spans[order]) for order in inside[number - 1]])
        rows: list[tuple[_Unit, list[int]]] = []
        for place, (start, end) in enumerate(extents):
            parts = covering[place]
            name = f"{number}-{place + 1}"
            rows.append((_Unit(name, start, end), parts.pop((start, end), [])))
            for order, (extent, held) in enumerate(sorted(parts.items()), 1):
                rows.append((_Unit(f"{name}.{order}", *extent), held))
        layout.append((begin, stop, rows))
    return layout


def _covering(extents: list[Extent], spans: Sequence[tuple[int, Span]]) -> list[dict[Extent, list[int]]]:
    """For every row, what spans cover of it: the whole extent or a part, with the spans' numbers."""
    found: list[dict[Extent, list[int]]] = [{} for _ in extents]
    begins = [start for start, _ in extents]
    for number, span in spans:
        place = max(0, bisect_right(begins, span.start) - 1)
        while place < len(extents) and extents[place][0] < span.end:
            start, end = extents[place]
            if span.start < end:
                part = (max(start, span.start), min(end, span.end))
                found[place].setdefault(part, []).append(number)
            place += 1
    return found


def _sentences(text: str, spans: Sequence[Span]) -> Iterator[Extent]:
    """Lines, as far as no span goes over their break and none is empty."""
    covered = {
        match.start() + span.start
        for span in spans
        for match in re.finditer("\n", text[span.start : span.end])
    }
    start = 0
    for match in re.finditer("\n", text):
        at = match.start()
        if at > start and at + 1 < len(text) and text[at + 1] != "\n" and at not in covered:
            yield start, at
            start = at + 1
    yield start, len(text)


def _rows(tokens: list[Extent], starts: list[int], ends: list[int], begin: int, stop: int) -> list[Extent]:
    """Tokens, and the blanks that begin the sentence or in which a span begins or ends."""
    found: list[Extent] = []
    at = begin
    inside = tokens[bisect_left(tokens, (begin, begin)) : bisect_left(tokens, (stop, stop))]
    for start, end in [*inside, (stop, stop)]:
        if at < start:
            begun = bisect_left(starts, start) - bisect_left(starts, at)
            ended = bisect_right(ends, start) - bisect_right(ends, at)
            if at == begin or begun or ended:
                found.append((at, start))
        if start < end:
            found.append((start, end))
        at = end
    return found


def _escaped(value: str) -> str:
    letters = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
    return _TO_ESCAPE.sub(lambda match: letters.get(match[0], "\\" + match[0]), value)


def _escaped_text(value: str) -> str:
    return re.sub(r"[\x01-\x1f\\]", lambda match: _CONTROLS.get(match[0], "\\" + match[0]), value)
