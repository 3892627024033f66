"""Kaggle's ``ner_dataset.csv``: a word per row, the sentence named on its first row only.

Layout: "Annotated Corpus for Named Entity Recognition" on Kaggle, ``Sentence #,Word,POS,Tag``. The file is
Latin-1 with a few characters beyond ASCII.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from core.formats.column import Column
from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import Losses, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes.rows import Sentence, Sentences
from core.text import Document

_HEADER = ("Sentence #", "Word", "POS", "Tag")
_SENTENCES = ("sentence #", "sentence", "sentence_id", "sentence_idx")
_WORDS, _TAGS = ("word", "token"), ("tag", "ner", "ner_tag")
_BREAKS = re.compile(r"[%\t\r\n\0]")
_QUOTED = re.compile('[",]')
# A word that a spreadsheet would take for a formula that calls something; "-5" or "=" is left alone.
_FORMULA = re.compile(r"'*[=+\-@＝＋－＠].*[(|!]", re.DOTALL)
_UNKNOWN = "_"  # the part of speech in what we write
_SURROGATE = re.compile("[\udc80-\udcff]")


class KaggleNer(Column):
    """``Sentence #,Word,POS,Tag``; a row without a sentence belongs to that of the row above.

    What is written is safe to open in a spreadsheet: a word that it would take for a formula gets an
    apostrophe before it, which is taken off where the part of speech is ours, ``_``.
    """

    name = "kaggle_ner"

    def __init__(self) -> None:
        super().__init__("BIO")
        self.name = "kaggle_ner"
        self.title = "Kaggle NER CSV (Sentence #, Word, POS, Tag)"
        self.extensions = (".csv",)

    def sniff(self, head: str) -> float:
        """Sure if the first row names sentence, word and tag."""
        return 0.99 if _columns(head.lstrip("\ufeff").split("\n", 1)[0]) else 0.0

    def sentences(self, source: Source) -> Sentences:
        """The sentences as rows of word and tag.

        Raises:
            FormatError: the first row does not name the columns.
        """
        return _Sentences(source)

    def refused_header(self, source: Source) -> str:
        """The row that names the columns."""
        return source.head().lstrip("\ufeff").split("\n", 1)[0] + "\n"

    def header(self, options: WriteOptions) -> str:
        """The row that names the columns."""
        return _row(_HEADER)

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """The rows of a sentence, which has the document's id as its name; the part of speech is unknown."""
        tokens, tags, lost = self.cells(document, options)
        name = _BREAKS.sub(lambda found: f"%{ord(found[0]):02X}", f"Sentence: {document.id}")
        names = [name, *[""] * len(tokens)]
        words = (f"'{token}" if _FORMULA.match(token) else token for token in tokens)
        rows = (_row((names[at], word, _UNKNOWN, tags[at])) for at, word in enumerate(words))
        return "".join(rows), lost

    def separator(self, options: WriteOptions) -> str:
        """A tab does not occur in cells that are read."""
        return "\t"


class _Sentences(Sentences):
    """Iterates over the sentences of a CSV file."""

    def __init__(self, source: Source) -> None:
        columns = _columns(source.head().lstrip("\ufeff").split("\n", 1)[0])
        if columns is None:
            raise FormatError(
                "{name}: the first row should name the columns: {columns}",
                name=source.path.name,
                columns=",".join(_HEADER),
            )
        self._source = source
        self._sentence, self._word, self._tag, self._count = columns
        self.is_numbered = False

    def __iter__(self) -> Iterator[Sentence]:
        first, name, before = 0, "", ""
        rows: list[str] = []
        originals: list[str] = []
        fault: RecordError | None = None
        lines = self._source.lines()
        next(lines, None)
        for number, line in lines:
            # What few lines need is asked before anything is called: there is a line for every word.
            if line[:1] in " \t" and not line.strip(" \t"):
                continue
            if not line.isascii() and _SURROGATE.search(line):
                line = self._decoded(line)
            broken = None
            try:
                cells = self._cells(line, number)
                cell = cells[self._sentence].strip()
            except RecordError as error:
                broken, cells, cell = error, [], line.partition(",")[0].strip('" ')
            if cell and (cell != name or not before) and originals:
                yield Sentence(first, rows, originals=originals, fault=fault)
                rows, originals, fault = [], [], None
            if not originals:
                first = number
            name, before = cell or name, cell
            fault = fault or broken
            originals.append(line)
            if cells:
                word = cells[self._word]
                if word[0] == "'":
                    word = self._bare(cells)
                rows.append(f"{word}\t{cells[self._tag].strip()}")
        if originals:
            yield Sentence(first, rows, originals=originals, fault=fault)

    def _cells(self, line: str, number: int) -> list[str]:
        if '"' not in line:
            cells = line.split(",")
        else:
            try:
                cells = next(csv.reader([line], strict=True))
            except csv.Error:
                cells = []
        if len(cells) != self._count or "\t" in cells[self._word] or not cells[self._word]:
            raise RecordError(
                "line {line}: the number of cells in {row} should be {count}, and its word not empty",
                line=number,
                row=repr(line[:40]),
                count=self._count,
            )
        return cells

    def _bare(self, cells: Sequence[str]) -> str:
        """The word that begins with a quote as it was before that kept it from being a formula."""
        word = cells[self._word]
        return word[1:] if _UNKNOWN in cells and _FORMULA.match(word) else word

    def _decoded(self, line: str) -> str:
        """The line, which has bytes that are not UTF-8, read as Windows-1252: Latin-1 with more marks."""
        self._source.notes.add("latin-1", "a line that is not UTF-8 was read as Windows-1252 (Latin-1)")
        return line.encode("utf-8", "surrogateescape").decode("cp1252", "replace")


def _columns(header: str) -> tuple[int, int, int, int] | None:
    """The places of sentence, word and tag, and the number of columns; None if one is not named."""
    names = [cell.strip(' "\r').lower() for cell in header.split(",")]
    found = [
        next((names.index(name) for name in wanted if name in names), None)
        for wanted in (_SENTENCES, _WORDS, _TAGS)
    ]
    sentence, word, tag = found
    return None if sentence is None or word is None or tag is None else (sentence, word, tag, len(names))


def _row(cells: Sequence[str]) -> str:
    return ",".join(map(_quoted, cells)) + "\n"


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell
