"""WebAnno TSV 3.3, as INCEpTION and WebAnno write it: one file a document, rows of tokens and sub-tokens.

Layout: INCEpTION's user guide, "WebAnno TSV 3.3 File format". Offsets are UTF-16 units. An annotation over
several units, and every one of several on one unit, carries a number in brackets by which its rows belong
together.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from core.formats.attachments import ANNOTATOR, Relation, attachments_of, ends_known
from core.formats.conventions import UTF16
from core.formats.file_per_document import FilePerDocument
from core.formats.format import Holds, Losses, ReadOptions, RecordError, Refusal, WriteOptions
from core.formats.source import FolderSource, Source, legal_text, read_text
from core.formats.standoff import Mark, Record, Standoff
from core.formats.tokens import Extent, split
from core.text import Document, Span, Utf16Offsets

FORMAT_LINE = "#FORMAT=WebAnno TSV 3."
_NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_RELATION = "webanno.custom.Relation"
_HEADER = (
    f"#FORMAT=WebAnno TSV 3.3\n#T_SP={_NAMED_ENTITY}|identifier|value\n"
    f"#T_RL={_RELATION}|label|BT_{_NAMED_ENTITY}\n\n\n"
)
# Layers every token has; they say nothing of entities.
_OF_TOKENS = (
    "pos.type.POS",
    "type.pos.POS",
    "type.Lemma",
    "type.Stem",
    "type.Token",
    "MorphologicalFeatures",
)
_ROW = re.compile(r"(\d{1,9})-(\d{1,9})(?:\.(\d{1,9}))?")
_REFERENCE = re.compile(r"(\d{1,9}-\d{1,9}(?:\.\d{1,9})?)(?:\[(\d{1,9})_(\d{1,9})\])?")
_VALUE = re.compile(r"((?:\\.|[^\\\[])*)(?:\[(\d{1,9})\])?", re.DOTALL)
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_TO_ESCAPE = re.compile(r"->|[\\\[\]|_;\t\n\r*]")
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_CONTROLS = {"\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\b": "\\b", "\\": "\\\\"}


class WebAnnoTsv(FilePerDocument, Standoff):
    """One ``.tsv`` file a document; the named entity layer is read, or the span layers of one's own."""

    name = "webanno"
    title = "WebAnno TSV 3.3 (INCEpTION)"
    endings = (".tsv",)
    holds = Holds(relations=True, ids=True)
    convention = UTF16

    def sniff(self, head: str) -> float:
        """Sure of its first line."""
        return 1.2 if head.lstrip("\ufeff").startswith(FORMAT_LINE) else 0.0

    def recognises(self, source: Source) -> float:
        """Sure where a ``.tsv`` begins with its first line."""
        if not isinstance(source, FolderSource):
            return 0.0
        return 0.95 * any(_is_webanno(path) for path in source.files(".tsv")[:50])

    def records(self, source: Source, options: ReadOptions) -> Iterator[Record | Refusal]:
        """One record a file."""
        assert isinstance(source, FolderSource)  # what ``reads`` asks for
        for path in source.files(".tsv"):
            if path != source.path and not _is_webanno(path):
                continue
            content = read_text(path)
            identifier, annotator = source.identify(path)
            try:
                reading = _Reading(content)
                for note in reading.notes:
                    source.notes.add("webanno", f"{path.name}: {note}")
                meta = {ANNOTATOR: annotator} if annotator else {}
                yield reading.record(identifier, meta, content)
            except RecordError as error:
                yield Refusal(1, f"{path.name}: {error}", content or " ")

    def files(self, document: Document, options: WriteOptions) -> tuple[list[str], Losses]:
        """One file."""
        lost: Counter[str] = Counter(self.general_losses(document))
        text = document.text.replace("\0", " ")
        lost["texts"] += text != document.text
        relations = []
        for relation in attachments_of(document).relations:
            if ends_known(relation, document.spans):
                relations.append(relation)
            else:
                lost["relations"] += 1
        labels = [span.label.replace("\0", " ") for span in document.spans]
        lost["labels"] += sum(old.label != new for old, new in zip(document.spans, labels, strict=True))
        content = _HEADER + _body(text, document.spans, relations)
        return [content.replace("\0", " ")], {name: count for name, count in lost.items() if count}


def _is_webanno(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(64).removeprefix(b"\xef\xbb\xbf").startswith(FORMAT_LINE.encode())


class _Layer(NamedTuple):
    """A layer of the header: its columns stand in ``columns``; a relation layer's last one names a unit."""

    kind: str
    name: str
    features: tuple[str, ...]
    first: int

    @property
    def value(self) -> int:
        """The column with the label."""
        wanted = [name for name in ("value", "label") if name in self.features]
        return self.first + (self.features.index(wanted[0]) if wanted else 0)


@dataclass
class _Annotation:
    start: int
    end: int
    label: str
    units: list[tuple[str, str]] = field(default_factory=list)


class _Reading:
    """One file, read row by row."""

    def __init__(self, content: str) -> None:
        self.notes: list[str] = []
        self._lines = re.split(r"\r\n|\n|\r", content.removeprefix("\ufeff"))
        self._text: list[str] = []
        self._length = 0  # in UTF-16 units
        self._annotations: list[_Annotation] = []
        self._numbered: dict[int, int] = {}
        self._at_unit: dict[str, list[int]] = defaultdict(list)
        self._relations: list[tuple[str, str, int, int, str]] = []
        at = self._header()
        self._body(at)

    def record(self, identifier: str, meta: dict[str, Any], raw: str) -> Record:
        """What the file holds."""
        text = legal_text("".join(self._text).removesuffix("\n") if self._text else "")
        marks = [
            Mark(one.start, one.end, legal_text(one.label), one.units[0][1] if len(one.units) == 1 else None)
            for one in self._annotations
        ]
        relations = []
        for label, source, source_number, target_number, unit in self._relations:
            start, end = self._find(source, source_number), self._find(unit, target_number)
            if start is None or end is None:
                self.notes.append(f"a relation {label!r:.40} to {unit} joins no entities; left out")
            else:
                relations.append((label, start, end))
        return Record(1, identifier, text, marks, meta, relations=relations, raw=raw)

    def _find(self, unit: str, number: int) -> int | None:
        if number:
            return self._numbered.get(number)
        return next(iter(self._at_unit[unit]), None)

    def _header(self) -> int:
        if not self._lines[0].startswith(FORMAT_LINE):
            raise RecordError(f"the first line should begin with {FORMAT_LINE!r}")
        layers: list[_Layer] = []
        first = 3
        at = 1
        while at < len(self._lines) and (match := re.match(r"#T_(SP|RL|CH)=(.*)", self._lines[at])):
            name, *features = match[2].split("|")
            features = features or [""]
            layers.append(_Layer(match[1], name, tuple(features), first))
            first += len(features)
            at += 1
        spans = [layer for layer in layers if layer.kind == "SP" and not layer.name.endswith(_OF_TOKENS)]
        entities = [layer for layer in spans if layer.name.endswith("NamedEntity")]
        self._layers = entities or spans
        names = {layer.name for layer in self._layers}
        self._relation_layers = [
            layer
            for layer in layers
            if layer.kind == "RL" and layer.features[-1].removeprefix("BT_") in names
        ]
        left = [layer.name for layer in layers if layer not in self._layers + self._relation_layers]
        if left:
            self.notes.append(f"these layers were left out: {', '.join(left)}"[:200])
        return at

    def _body(self, at: int) -> None:
        sentence: list[str] = []
        for number, line in enumerate(self._lines[at:], at + 1):
            if line.startswith("#Text="):
                sentence.append(_unescaped_text(line[len("#Text=") :]))
            elif line.startswith("#") and not _ROW.match(line):
                continue
            elif line:
                cells = line.split("\t")
                match = _ROW.fullmatch(cells[0])
                extent = re.fullmatch(r"(\d{1,12})-(\d{1,12})", cells[1]) if len(cells) > 2 else None
                if match is None or extent is None:
                    raise RecordError(f"line {number}: {line!r:.60} is no row of a token")
                if sentence:
                    self._add_text("\n".join(sentence), int(extent[1]))
                    sentence = []
                self._row(cells, int(extent[1]), int(extent[2]))
        if sentence:
            self._add_text("\n".join(sentence), self._length)

    def _add_text(self, text: str, start: int) -> None:
        """A sentence begins where its first token does; between two of them is a line break, or blanks."""
        if self._length > start and self._text and self._text[-1] == "\n":
            self._text.pop()
            self._length -= 1
        if self._length > start or start - self._length > 1 << 20:
            raise RecordError(f"a sentence begins at {start}, but the text before it ends at {self._length}")
        self._text += [" " * (start - self._length), text, "\n"]
        self._length = start + _units(text) + 1

    def _row(self, cells: Sequence[str], start: int, end: int) -> None:
        for layer in self._layers:
            column = layer.value
            if column >= len(cells) or cells[column] == "_":
                continue
            for piece in _stacked(cells[column]):
                match = _VALUE.fullmatch(piece)
                if match is None:
                    raise RecordError(f"{cells[0]}: {piece!r:.60} is no value of {layer.name}")
                short = layer.name.rpartition(".")[2]
                label = short if match[1] == "*" else _unescaped(match[1])
                label = re.sub(r"[\t\r\n]+", " ", label).strip()
                self._annotate(cells, start, end, label or short, int(match[2] or 0))
        for layer in self._relation_layers:
            last = layer.first + len(layer.features) - 1
            if last >= len(cells) or cells[last] == "_":
                continue
            labels, references = _stacked(cells[layer.value]), _stacked(cells[last])
            for label, reference in zip(labels, references, strict=False):
                if (match := _REFERENCE.fullmatch(reference)) is None:
                    raise RecordError(f"{cells[0]}: {reference!r:.60} names no unit")
                plain = _VALUE.fullmatch(label)
                name = _unescaped(plain[1]) if plain and plain[1] not in ("", "*") else "related"
                self._relations.append((name, match[1], int(match[2] or 0), int(match[3] or 0), cells[0]))

    def _annotate(self, cells: Sequence[str], start: int, end: int, label: str, number: int) -> None:
        place = self._numbered.get(number) if number else None
        if place is None:
            place = len(self._annotations)
            self._annotations.append(_Annotation(start, end, label))
            if number:
                self._numbered[number] = place
        one = self._annotations[place]
        one.start, one.end = min(one.start, start), max(one.end, end)
        one.units.append((cells[0], _unescaped_text(cells[2])))
        self._at_unit[cells[0]].append(place)


def _units(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)


def _stacked(cell: str) -> list[str]:
    """The values of several annotations on one unit."""
    return re.findall(r"(?:\\.|[^\\|])+", cell, re.DOTALL)


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda match: {"t": "\t", "n": "\n", "r": "\r"}.get(match[1], match[1]), value)


def _unescaped_text(value: str) -> str:
    return re.sub(r"\\(.)", lambda match: _LETTERS.get(match[1], match[1]), value)


def _escaped(value: str) -> str:
    letters = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
    return _TO_ESCAPE.sub(lambda match: letters.get(match[0], "\\" + match[0]), value)


def _escaped_text(value: str) -> str:
    return re.sub(r"[\x01-\x1f\\]", lambda match: _CONTROLS.get(match[0], "\\" + match[0]), value)


class _Unit(NamedTuple):
    """A row: its id and extent in code points."""

    id: str
    start: int
    end: int


def _body(text: str, spans: Sequence[Span], relations: Sequence[Relation]) -> str:
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
