"""Writes the rows of a WebAnno TSV 3.3 file: sentences, tokens, and sub-tokens.

Layout: INCEpTION's user guide, "WebAnno TSV 3.3 File format". A token in which a span begins or ends has
sub-tokens; annotations over several units, and those stacked on one unit, have a number.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.formats.framework.attachments import Chain, Link, Relation, numbers_of
from core.formats.shapes.tokens import split
from core.formats.webanno_tsv.cells import NO_VALUE, escaped, escaped_text
from core.formats.webanno_tsv.chains import Cells, chain_cells
from core.text import Span, Utf16Offsets
from core.text.tokens import Extent


class _Unit(NamedTuple):
    """A row: its id and extent in code points."""

    id: str
    start: int
    end: int


Sentence = tuple[int, int, list[tuple[_Unit, list[int]]]]  # extent, and rows with the numbers of spans


def rows(
    text: str, spans: Sequence[Span], relations: Sequence[Relation], chains: Sequence[Chain] = ()
) -> str:
    """The rows of all sentences, with two columns for chains if there are any."""
    if not text:
        return ""
    linked = chain_cells(chains)
    layout = _layout(text, [*spans, *(Span(link.start, link.end, "link") for link, _ in linked)])
    cells = _CellsOf(spans, relations, layout, linked)
    offsets, same = Utf16Offsets(text), max(text) <= "\uffff"
    plain = "\t_" * (6 if linked else 4) + "\t"
    lines: list[str] = []
    for start, end, rows in layout:
        lines += [""] if lines else []
        lines += [f"#Text={escaped_text(line)}" for line in text[start:end].split("\n")]
        for unit, covering in rows:
            begin, stop = (unit.start, unit.end) if same else map(offsets.to_utf16, unit[1:])
            surface = escaped_text(text[unit.start : unit.end])
            values = cells.of(unit.id, covering) if covering else plain
            lines.append(f"{unit.id}\t{begin}-{stop}\t{surface}{values}")
    return "\n".join(lines) + "\n"


class _CellsOf:
    """The cells of annotated units, for entities, chains and relations.

    Args:
        linked: the links of chains with their cells; their numbers in ``layout`` follow those of the spans.
    """

    def __init__(
        self,
        spans: Sequence[Span],
        relations: Sequence[Relation],
        layout: Sequence[Sentence],
        linked: Sequence[tuple[Link, Cells]],
    ) -> None:
        units_of: list[list[str]] = [[] for _ in spans]
        on_unit: dict[str, list[int]] = defaultdict(list)
        for _, _, rows in layout:
            for unit, covering in rows:
                for number in covering:
                    if number < len(spans):
                        units_of[number].append(unit.id)
                        on_unit[unit.id].append(number)
        self._names = [escaped(span.label) for span in spans]
        self._ids = [escaped(span.link.id) if span.link else NO_VALUE for span in spans]
        self._linked = linked
        self._numbered = _numbers(units_of, on_unit)
        self._arcs = _arcs(spans, relations, units_of, self._numbered)

    def of(self, unit: str, covering: Sequence[int]) -> str:
        """The cells after the surface of an annotated unit, tabs included."""
        spans = [number for number in covering if number < len(self._names)]
        marks = [f"[{self._numbered[span]}]" if span in self._numbered else "" for span in spans]
        names = [self._names[span] + mark for span, mark in zip(spans, marks, strict=True)]
        ids = [self._ids[span] + mark for span, mark in zip(spans, marks, strict=True)]
        cells = ["|".join(ids), "|".join(names)]
        if self._linked:
            links = [self._linked[number - len(self._names)][1] for number in covering[len(spans) :]]
            cells += ["|".join(cell) for cell in zip(*links, strict=True)] or ["", ""]
        arcs = self._arcs.get(unit)
        cells += ["|".join(cell) for cell in zip(*arcs, strict=True)] if arcs else ["", ""]
        return "".join(f"\t{cell or '_'}" for cell in cells) + "\t"


def _numbers(units_of: list[list[str]], on_unit: dict[str, list[int]]) -> dict[int, int]:
    """A number for every annotation over several units or stacked with others."""
    numbered = [
        number
        for number, units in enumerate(units_of)
        if len(units) > 1 or any(len(on_unit[unit]) > 1 for unit in units)
    ]
    return {number: place for place, number in enumerate(numbered, 1)}


def _arcs(
    spans: Sequence[Span], relations: Sequence[Relation], units_of: list[list[str]], numbered: dict[int, int]
) -> dict[str, list[tuple[str, str]]]:
    """By the first unit of a relation's target: its label and its source."""
    place = numbers_of(spans)
    arcs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for relation in relations:
        source, target = place[relation.source], place[relation.target]
        numbers = numbered.get(source, 0), numbered.get(target, 0)
        mark = f"[{numbers[0]}_{numbers[1]}]" if any(numbers) else ""
        arcs[units_of[target][0]].append((escaped(relation.type), units_of[source][0] + mark))
    return arcs


def _layout(text: str, spans: Sequence[Span]) -> list[Sentence]:
    """Sentences with their extents and rows, each row with the numbers of the spans that cover it."""
    starts, ends = sorted(span.start for span in spans), sorted(span.end for span in spans)
    tokens = split(text)
    sentences = list(_sentences(text, spans))
    begins = [begin for begin, _ in sentences]
    inside: list[list[int]] = [[] for _ in sentences]  # no span crosses the end of a sentence
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
            if not parts:
                rows.append((_Unit(name, start, end), []))
                continue
            rows.append((_Unit(name, start, end), parts.pop((start, end), [])))
            for order, (extent, held) in enumerate(sorted(parts.items()), 1):
                rows.append((_Unit(f"{name}.{order}", *extent), held))
        layout.append((begin, stop, rows))
    return layout


def _covering(extents: list[Extent], spans: Sequence[tuple[int, Span]]) -> list[dict[Extent, list[int]]]:
    """For every row the parts of it that spans cover, with the spans' numbers."""
    covering: list[dict[Extent, list[int]]] = [{} for _ in extents]
    begins = [start for start, _ in extents]
    for number, span in spans:
        place = max(0, bisect_right(begins, span.start) - 1)
        while place < len(extents) and extents[place][0] < span.end:
            start, end = extents[place]
            if span.start < end:
                part = (max(start, span.start), min(end, span.end))
                covering[place].setdefault(part, []).append(number)
            place += 1
    return covering


def _sentences(text: str, spans: Sequence[Span]) -> Iterator[Extent]:
    """Lines, joined where a span crosses their break or one is empty."""
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
    """Tokens, and blanks at the start of the sentence or where a span begins or ends."""
    extents: list[Extent] = []
    at = begin
    inside = tokens[bisect_left(tokens, (begin, begin)) : bisect_left(tokens, (stop, stop))]
    for start, end in [*inside, (stop, stop)]:
        if at < start:
            begun = bisect_left(starts, start) - bisect_left(starts, at)
            ended = bisect_right(ends, start) - bisect_right(ends, at)
            if at == begin or begun or ended:
                extents.append((at, start))
        if start < end:
            extents.append((start, end))
        at = end
    return extents
