"""WebAnno TSV 1 and 2, which WebAnno wrote before version 3: one file per document, a row per token.

Layout: WebAnno's user guide, "WebAnno TSV 1 (WebAnno 1.x)" and "WebAnno TSV 2 (WebAnno 2.x)". Version 2
begins with a line of its layers; version 1 has no header and its columns are those of CoNLL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.formats.framework.attachments import ANNOTATOR
from core.formats.framework.conventions import CODE_POINTS, Convention
from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import Holds, ReadOnlyFormat, ReadOptions, Refusal
from core.formats.framework.source import FolderSource, Source, legal_text
from core.formats.shapes.json_lines import label_field
from core.formats.shapes.standoff import Mark, Record, Standoff
from core.formats.webanno_tsv.files import holds_one, text_of
from core.formats.webanno_tsv.format import OF_TOKENS
from core.runtime.message import _

_BEGINNING = re.compile(
    r"\s*(?:#FORMAT=WebAnno TSV [12]\b|#\s*(?:webanno\.custom|de\.tudarmstadt)\.|#id=\S+\r?\n#text=)"
)
_UNIT = re.compile(r"(?:\d{1,9}-)?\d{1,9}(?:\.\d{1,9})?")
_PREFIXED = re.compile(r"([BIO])-(.*)", re.DOTALL)
_ATTACHED = "AttachTo"  # begins the last column of a relation
_NONE = ("", "_", "O")

_Row = tuple[int, list[str]]  # its line; number, token and values
_NOT_SPANS = ("CoreferenceLink", "CoreferenceChain", "Dependency", "ChunkLink")


class WebAnnoTsvOld(ReadOnlyFormat, Standoff):
    """Rows of number, token and a column per feature, where ``B-PER`` begins a span and ``I-PER`` goes on.

    A value without a prefix is a span of one token; ``|`` separates several. Sentences stand in lines of
    their own, tokens where ``#text=`` has them. The named entity layer is read, else the other span layers;
    without a header the columns whose values have prefixes.
    """

    name = "webanno_old"
    title = "WebAnno TSV 1/2"
    extensions = (".tsv",)
    reads = "folder"
    required_extensions = (".tsv",)
    holds = Holds(ids=True)

    def sniff(self, head: str) -> float:
        """Sure of the line of layers, and of a sentence with its number."""
        return 1.2 if _begins(head.lstrip("\ufeff")) else 0.0

    def recognises(self, source: Source) -> float:
        """Sure if a ``.tsv`` file begins so."""
        return 0.94 * holds_one(source, _begins)

    def chosen_convention(self, source: Source, options: ReadOptions) -> Convention:
        """Tokens are looked for in the text."""
        return CODE_POINTS

    def records(self, source: Source, options: ReadOptions) -> Iterator[Record | Refusal]:
        """One record per file."""
        assert isinstance(source, FolderSource)  # matches ``reads``
        for path in source.files(".tsv") or [source.path] * source.is_single:
            content = text_of(path, _begins)
            if not source.is_single and not _begins(content):
                continue
            identifier, annotator = source.identify(path)
            try:
                reading = _Reading(content)
                for note in reading.notes:
                    source.notes.add("webanno", f"{path.name}: {note}")
                yield Record(
                    1,
                    identifier,
                    legal_text("\n".join(reading.sentences)),
                    reading.marks,
                    {ANNOTATOR: annotator} if annotator else {},
                    convention=CODE_POINTS,
                    raw=content,
                )
            except RecordError as error:
                if source.is_single:  # the only file
                    raise FormatError("{name}: {reason}", name=path.name, reason=error) from None
                yield Refusal(1, _("{name}: {reason}", name=path.name, reason=error), content or " ")


def _begins(head: str) -> bool:
    return _BEGINNING.match(head) is not None


class _Reading:
    """One file: its sentences, and its spans in their lines.

    Attributes:
        notes: what was left out.
    """

    def __init__(self, content: str) -> None:
        self.notes: list[str] = []
        self.sentences: list[str] = []
        self.marks: list[Mark] = []
        self._length = 0
        header: list[str] = []
        blocks: list[tuple[str | None, list[_Row]]] = []
        text: str | None = None
        rows: list[_Row] = []
        is_unit = _UNIT.fullmatch
        for number, line in enumerate(re.split(r"\r\n|\n|\r", content.removeprefix("\ufeff")), 1):
            cells = line.split("\t")
            if len(cells) > 1 and is_unit(cells[0]) is not None:
                rows.append((number, cells))
            elif line.startswith("#text="):
                if rows or text is not None:
                    blocks.append((text, rows))
                text, rows = line[len("#text=") :], []
            elif line.lstrip().startswith("#"):
                header += [] if blocks or rows or text is not None else [line]
            elif not line.strip():
                if rows:
                    blocks.append((text, rows))
                    text, rows = None, []
            else:
                raise RecordError(
                    "line {number}: {line} is not the row of a token",
                    number=number,
                    line=f"{line[:60]!r:.60}",
                )
        if rows or text is not None:
            blocks.append((text, rows))
        if not blocks:
            raise RecordError("there is no sentence in the file")
        columns = self._layers(header) or _tagged_columns([row for block in blocks for row in block[1]])
        if not columns:
            self.notes.append("no column holds tags; the texts have no spans")
        for text, rows in blocks:
            self._sentence(text, rows, columns)

    def _layers(self, header: Sequence[str]) -> list[tuple[int, str]]:
        """Column and short name of every layer to read; none if the header names no layer."""
        layers = []
        at = 2
        for piece in "".join(header).split("#"):
            name, *features = [part.strip() for part in piece.split("|")]
            if "." not in name or " " in name or "=" in name:
                continue
            wanted = [feature for feature in ("value", "label") if feature in features]
            value = at + (features.index(wanted[0]) if wanted else 0)
            layers.append((value, name, any(feature.startswith(_ATTACHED) for feature in features)))
            at += max(1, len(features))
        spans = [
            (value, name)
            for value, name, attached in layers
            if not attached and not name.endswith((*OF_TOKENS, *_NOT_SPANS))
        ]
        chosen = [pair for pair in spans if pair[1].endswith("NamedEntity")] or spans
        left = [layer[1] for layer in layers if layer[:2] not in chosen]
        if left:
            self.notes.append(f"these layers were left out: {', '.join(left)}"[:200])
        return [(value, name.rpartition(".")[2]) for value, name in chosen]

    def _sentence(self, text: str | None, rows: Sequence[_Row], columns: Sequence[tuple[int, str]]) -> None:
        """Add a sentence and its spans."""
        if text is None:
            text = " ".join(cells[1] for _line, cells in rows if "." not in cells[0])
        before = self._length + bool(self.sentences)
        self.sentences.append(text)
        self._length = before + len(text)
        extents = _extents(text, rows)
        for column, name in columns:
            held: dict[str, int] = {}  # the spans that the next row may continue
            last = 0
            tagged = [
                (place, cells[column])
                for place, (_line, cells) in enumerate(rows)
                if len(cells) > column and cells[column] not in _NONE
            ]
            for place, value in tagged:
                start, end = extents[place]
                held = held if place == last + 1 else {}
                held = self._values(value, name, before + start, before + end, held)
                last = place

    def _values(self, value: str, layer: str, start: int, end: int, held: dict[str, int]) -> dict[str, int]:
        """Add or continue the spans that a cell names; returns those that the next row may continue."""
        going: dict[str, int] = {}
        for piece in value.split("|") if value not in _NONE else ():
            match = _PREFIXED.fullmatch(piece)
            prefix, named = (match[1], match[2]) if match else ("", piece)
            if not match and named in _NONE:
                continue
            label = label_field(layer if named in ("", "_", "*") else named)
            if prefix == "I" and label in held:
                number = held[label]
                self.marks[number] = self.marks[number]._replace(end=end)
            else:
                number = len(self.marks)
                self.marks.append(Mark(start, end, label))
            if prefix in ("B", "I"):
                going[label] = number
        return going


def _extents(text: str, rows: Sequence[_Row]) -> list[tuple[int, int]]:
    """Where the tokens of a sentence stand.

    Raises:
        RecordError: a token is not the next word of the text.
    """
    extents = []
    at = end = 0
    for number, (unit, token, *_values) in rows:
        if "." in unit:  # a part of the token before
            place = at = text.find(token, at, end)
        else:
            place = end if text.startswith(token, end) else text.find(token, end)
            if place > end and text[end:place].strip():
                place = -1
            at, end = place, place + len(token)
        if place < 0 or not token:
            raise RecordError(
                "line {line}: the token {token} is not the next one of its sentence",
                line=number,
                token=f"{token!r:.40}",
            )
        extents.append((place, place + len(token)))
    return extents


def _tagged_columns(rows: Sequence[_Row]) -> list[tuple[int, str]]:
    """The columns with nothing but tags and at least one that begins a span."""
    found = []
    for column in range(2, max((len(cells) for _line, cells in rows), default=0)):
        values = {cells[column] for _line, cells in rows if column < len(cells)} - set(_NONE)
        pieces = [_PREFIXED.fullmatch(piece) for value in values for piece in value.split("|")]
        if pieces and all(pieces) and any(match is not None and match[1] == "B" for match in pieces):
            found.append((column, "span"))
    return found
