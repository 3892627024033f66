"""WebAnno TSV 3.3, as INCEpTION and WebAnno write it: one file per document, rows of tokens and sub-tokens.

Layout: INCEpTION's user guide, "WebAnno TSV 3.3 File format". Offsets are UTF-16 units. A number in brackets
links the rows of an annotation over several units, and distinguishes annotations stacked on one unit.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.formats.framework.attachments import ANNOTATOR, attachments_of, has_both_ends, keys_of
from core.formats.framework.conventions import UTF16
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions, in_order
from core.formats.framework.source import FolderSource, Source, legal_text
from core.formats.shapes.attributes import IDENTIFIER, is_bare, link_of
from core.formats.shapes.file_per_document import FilePerDocument
from core.formats.shapes.standoff import Mark, Record, Standoff
from core.formats.webanno_tsv.cells import NO_VALUE, VALUE, stacked, unescaped, unescaped_text
from core.formats.webanno_tsv.chains import LAYER, RELATION, TYPE, ChainCells
from core.formats.webanno_tsv.files import holds_one, text_of
from core.formats.webanno_tsv.rows import rows
from core.runtime.message import _
from core.text import Document, EntityLink

FORMAT_LINE = "#FORMAT=WebAnno TSV 3."
_NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_CHAINS = f"#T_CH={LAYER}|{TYPE}|{RELATION}\n"
_RELATION = "webanno.custom.Relation"
_HEADER = (
    f"#FORMAT=WebAnno TSV 3.3\n#T_SP={_NAMED_ENTITY}|identifier|value\n"
    f"%s#T_RL={_RELATION}|label|BT_{_NAMED_ENTITY}\n\n\n"
)
# Layers that annotate every token and hold no entities.
OF_TOKENS = ("pos.type.POS", "type.pos.POS", "type.Lemma", "type.Stem", "type.Token", "MorphologicalFeatures")
_ROW = re.compile(r"\d{1,9}-\d{1,9}(?:\.\d{1,9})?\t(\d{1,12})-(\d{1,12})\t.*", re.DOTALL)
# Rows without annotations, which are the most, in blocks: only the start of a sentence's first row matters.
_PLAIN = r"\d{1,9}-\d{1,9}(?:\.\d{1,9})?\t\d{1,12}-\d{1,12}\t[^\t\n]*(?:\t_)*\t?\n"
_PLAIN_ROWS = re.compile(rf"(?=[\d.-]+\t(\d+))(?:{_PLAIN}){{1,500}}")
_LAYER = re.compile(r"#T_(SP|RL|CH)=(.*)")
_REFERENCE = re.compile(r"(\d{1,9}-\d{1,9}(?:\.\d{1,9})?)(?:\[(\d{1,9})_(\d{1,9})\])?")
_LONGEST_ROW = 1 << 20  # parsing its values takes a hundred bytes per character
_MOST_BLANKS = 1 << 20  # between all sentences of a file
_BREAKS = re.compile(r"[\t\r\n]+")


class WebAnnoTsv(FilePerDocument, Standoff):
    """One ``.tsv`` file per document; reads the named entity layer, else the custom span layers."""

    name = "webanno"
    title = "WebAnno TSV 3.3 (INCEpTION)"
    endings = required_extensions = (".tsv",)
    holds = Holds(relations=True, chains=True, links=True, ids=True)
    convention = UTF16

    def sniff(self, head: str) -> float:
        """Sure of its first line."""
        return 1.2 if _begins(head.lstrip("\ufeff")) else 0.0

    def recognises(self, source: Source) -> float:
        """Sure if a ``.tsv`` file begins with the format line."""
        return 0.95 * holds_one(source, _begins)

    def records(self, source: Source, options: ReadOptions) -> Iterator[Record | Refusal]:
        """One record per file."""
        assert isinstance(source, FolderSource)  # matches ``reads``
        for path in source.files(".tsv"):
            content = text_of(path, _begins)
            if path != source.path and not _begins(content):
                continue
            identifier, annotator = source.identify(path)
            try:
                reading = _Reading(content)
                for note in reading.notes:
                    source.notes.add("webanno", f"{path.name}: {note}")
                meta = {ANNOTATOR: annotator} if annotator else {}
                yield reading.record(identifier, meta, content)
            except RecordError as error:
                yield Refusal(1, _("{name}: {reason}", name=path.name, reason=error), content or " ")

    def files(self, document: Document, options: WriteOptions) -> tuple[list[str], Losses]:
        """One file."""
        lost: Counter[str] = Counter(self.general_losses(document))
        text = document.text.replace("\0", " ")
        lost["texts"] += text != document.text
        attached = attachments_of(document)
        keys = keys_of(document.spans)
        relations = [relation for relation in attached.relations if has_both_ends(relation, keys)]
        lost["relations"] += len(attached.relations) - len(relations)
        labels = [span.label.replace("\0", " ") for span in document.spans]
        lost["labels"] += sum(old.label != new for old, new in zip(document.spans, labels, strict=True))
        lost["chains"] += sum(
            any("\0" in word for link in chain.links for word in link[2:]) for chain in attached.chains
        )
        linked = [span.link for span in document.spans if span.link is not None]
        lost["links"] += sum(not is_bare(link) for link in linked)
        content = _HEADER % (_CHAINS if attached.chains else "")
        content += rows(text, document.spans, relations, attached.chains)
        return [content.replace("\0", " ")], in_order(lost)


def _begins(head: str) -> bool:
    return head.startswith(FORMAT_LINE)


class _Layer(NamedTuple):
    """A layer of the header, with its first column; the last column of a relation layer names a unit."""

    kind: str
    name: str
    features: tuple[str, ...]
    first: int

    @property
    def value(self) -> int:
        """The column with the label."""
        names = [name for name in ("value", "label") if name in self.features]
        return self.first + (self.features.index(names[0]) if names else 0)

    def identifiers(self, cells: Sequence[str]) -> list[EntityLink | None]:
        """The links in a row, one for each value; none where the layer has no identifiers."""
        if IDENTIFIER not in self.features or self.value == self.column(IDENTIFIER, 0):
            return []
        found = []
        for piece in stacked(cells[self.column(IDENTIFIER, 0)]):
            match = VALUE.fullmatch(piece)
            told = unescaped(match[1]) if match and match[1] != NO_VALUE else ""
            found.append(link_of(IDENTIFIER, legal_text(told), None))
        return found

    def column(self, feature: str, place: int) -> int:
        """The column of a feature, the one at ``place`` if the header has another name for it."""
        return self.first + (self.features.index(feature) if feature in self.features else place)


@dataclass
class _Annotation:
    start: int
    end: int
    label: str
    units: list[tuple[str, str]] = field(default_factory=list)
    link: EntityLink | None = None


class _Reading:
    """One file, read row by row."""

    def __init__(self, content: str) -> None:
        self.notes: list[str] = []
        self._content = content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self._text: list[str] = []
        self._length = 0  # in UTF-16 units
        self._blanks = 0  # that are only implied by offsets
        self._annotations: list[_Annotation] = []
        self._numbered: dict[int, int] = {}
        self._at_unit: dict[str, list[int]] = defaultdict(list)
        self._relations: list[tuple[str, str, int, int, str]] = []
        at = self._header()
        self._body(at)
        if broken := self._chains.broken:
            links = "1 link of a chain says" if broken == 1 else f"{broken} links of chains say"
            self.notes.append(f"{links} not to which chain and where in it; left out")

    def record(self, identifier: str, meta: dict[str, Any], raw: str) -> Record:
        """The record of the file."""
        text = legal_text("".join(self._text).removesuffix("\n") if self._text else "")
        marks = [
            Mark(
                annotation.start,
                annotation.end,
                legal_text(annotation.label),
                annotation.units[0][1] if len(annotation.units) == 1 else None,
                link=annotation.link,
            )
            for annotation in self._annotations
        ]
        relations = []
        for label, source, source_number, target_number, unit in self._relations:
            start, end = self._find(source, source_number), self._find(unit, target_number)
            if start is None or end is None:
                self.notes.append(f"a relation {label!r:.40} to {unit} joins no entities; left out")
            else:
                relations.append((label, start, end))
        chains = self._chains.chains()
        return Record(1, identifier, text, marks, meta, relations=relations, chains=chains, raw=raw)

    def _find(self, unit: str, number: int) -> int | None:
        if number:
            return self._numbered.get(number)
        return next(iter(self._at_unit[unit]), None)

    def _header(self) -> int:
        if not self._content.startswith(FORMAT_LINE):
            raise RecordError("the first line should begin with {wanted}", wanted=repr(FORMAT_LINE))
        layers: list[_Layer] = []
        first = 3
        at = self._end_of_line(0) + 1
        while (match := _LAYER.match(self._content, at)) is not None:
            name, *features = match[2].split("|")
            features = features or [""]
            layers.append(_Layer(match[1], name, tuple(features), first))
            first += len(features)
            at = match.end() + 1
        spans = [layer for layer in layers if layer.kind == "SP" and not layer.name.endswith(OF_TOKENS)]
        entities = [layer for layer in spans if layer.name.endswith("NamedEntity")]
        self._layers = entities or spans
        self._columns = [(layer.value, layer) for layer in self._layers]  # precomputed, needed for every row
        names = {layer.name for layer in self._layers}
        self._relation_layers = [
            layer
            for layer in layers
            if layer.kind == "RL" and layer.features[-1].removeprefix("BT_") in names
        ]
        chained = [layer for layer in layers if layer.kind == "CH" and len(layer.features) > 1]
        self._chains = ChainCells([(layer.column(TYPE, 0), layer.column(RELATION, 1)) for layer in chained])
        read = {*self._layers, *self._relation_layers, *chained}
        left = [layer.name for layer in layers if layer not in read]
        if left:
            self.notes.append(f"these layers were left out: {', '.join(left)}"[:200])
        return at

    def _end_of_line(self, at: int) -> int:
        end = self._content.find("\n", at)
        return len(self._content) if end < 0 else end

    def _body(self, at: int) -> None:
        """Read everything from ``at`` on; rows without annotations in blocks."""
        content, plain = self._content, _PLAIN_ROWS.match
        sentence: list[str] = []
        while at < len(content):
            if (block := plain(content, at)) is not None:
                self._end_sentence(sentence, int(block[1]))
                at = block.end()
                continue
            end = self._end_of_line(at)
            line = content[at:end]
            if line.startswith("#Text="):
                sentence.append(unescaped_text(line[len("#Text=") :]))
            elif line and not line.startswith("#"):
                row = _ROW.fullmatch(line) if len(line) <= _LONGEST_ROW else None
                if row is None:
                    number = content.count("\n", 0, at) + 1
                    raise RecordError(
                        "line {number}: {line} is not the row of a token",
                        number=number,
                        line=f"{line[:60]!r:.60}",
                    )
                self._end_sentence(sentence, int(row[1]))
                self._row(line.split("\t"), int(row[1]), int(row[2]))
            at = end + 1
        self._end_sentence(sentence, self._length)

    def _end_sentence(self, lines: list[str], start: int) -> None:
        """Add the sentence of these lines, whose first row begins at ``start``."""
        if lines:
            self._add_text("\n".join(lines), start)
            lines.clear()

    def _add_text(self, text: str, start: int) -> None:
        """Add a sentence at the offset of its first token, after a line break or blanks."""
        if self._length > start and self._text and self._text[-1] == "\n":
            self._text.pop()
            self._length -= 1
        blanks = start - self._length
        self._blanks += max(blanks, 0)
        if blanks < 0 or self._blanks > _MOST_BLANKS:
            raise RecordError(
                "a sentence begins at {start}, but the text before it ends at {length}",
                start=start,
                length=self._length,
            )
        self._text += [" " * blanks, text, "\n"]
        self._length = start + _units(text) + 1

    def _row(self, cells: Sequence[str], start: int, end: int) -> None:
        for column, layer in self._columns:
            if column >= len(cells) or cells[column] == "_":
                continue
            identifiers = layer.identifiers(cells)
            for place, piece in enumerate(stacked(cells[column])):
                match = VALUE.fullmatch(piece)
                if match is None:
                    raise RecordError(
                        "{unit}: {piece} is no value of {layer}",
                        unit=cells[0],
                        piece=f"{piece!r:.60}",
                        layer=layer.name,
                    )
                short = layer.name.rpartition(".")[2]
                label = short if match[1] == "*" else unescaped(match[1])
                label = _BREAKS.sub(" ", label).strip()
                self._annotate(cells, start, end, label or short, int(match[2] or 0))
                if place < len(identifiers):
                    self._annotations[self._at_unit[cells[0]][-1]].link = identifiers[place]
        self._chains.row(cells, start, end)
        for layer in self._relation_layers:
            last = layer.first + len(layer.features) - 1
            if last >= len(cells) or cells[last] == "_":
                continue
            labels, references = stacked(cells[layer.value]), stacked(cells[last])
            for label, reference in zip(labels, references, strict=False):
                if (match := _REFERENCE.fullmatch(reference)) is None:
                    raise RecordError(
                        "{unit}: {reference} names no unit", unit=cells[0], reference=f"{reference!r:.60}"
                    )
                plain = VALUE.fullmatch(label)
                name = unescaped(plain[1]) if plain and plain[1] not in ("", "*") else "related"
                self._relations.append((name, match[1], int(match[2] or 0), int(match[3] or 0), cells[0]))

    def _annotate(self, cells: Sequence[str], start: int, end: int, label: str, number: int) -> None:
        place = self._numbered.get(number) if number else None
        if place is None:
            place = len(self._annotations)
            self._annotations.append(_Annotation(start, end, label))
            if number:
                self._numbered[number] = place
        annotation = self._annotations[place]
        annotation.start, annotation.end = min(annotation.start, start), max(annotation.end, end)
        annotation.units.append((cells[0], unescaped_text(cells[2])))
        self._at_unit[cells[0]].append(place)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
