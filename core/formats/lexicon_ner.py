"""LexiconNER's rows: a word, its tag, and whether a dictionary labels it.

Layout: the data of Peng et al. 2019, "Distantly Supervised Named Entity Recognition using Positive-Unlabeled
Learning" (github.com/v-mipeng/LexiconNER).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from core.formats.column import Column
from core.formats.framework.errors import RecordError
from core.formats.framework.format import ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes import io_tags
from core.formats.shapes.rows import Sentences, is_tag
from core.formats.stanford_ner import refuse_numbers
from core.text import Document

_ROW = re.compile(r"([^\t]*?)[ \t]([^ \t]+)[ \t](-?[0-9]+)[ \t]*")
_SURVEYED = 2000


class LexiconNer(Column):
    """``word tag 0``: the number says whether a dictionary labels the word. It is left out, and written as 0.

    Raises:
        FormatError: the tags are numbers, too.
    """

    name = "lexicon_ner"

    def __init__(self) -> None:
        super().__init__("BIO")
        self.name = "lexicon_ner"
        self.title = "LexiconNER (word, tag, number)"
        self.extensions = (".txt", *(ending for ending in Column.extensions if ending != ".txt"))

    def sniff(self, head: str) -> float:
        """The share of rows of a word, a tag and a number; numbers as tags only with blank lines."""
        lines = head.rstrip("\n").split("\n")[:_SURVEYED]
        rows = [line for line in lines if line.strip()]
        tags = [found[2] for row in rows if (found := _ROW.fullmatch(row)) and found[1]]
        fitting = sum(map(is_tag, tags))
        numbers = sum(map(io_tags.is_number, tags))
        parted = len(rows) < len(lines) and not any(io_tags.is_number(row[:1]) for row in rows[:1])
        share = (fitting + (numbers if parted else 0)) / max(1, len(rows))
        return 0.97 * share if share > 0.5 else 0.0

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per sentence; ids count the sentences of the file."""
        found = map(_ROW.fullmatch, source.head().split("\n"))
        refuse_numbers(source, {row[2] for row in found if row is not None})
        source.notes.add("columns", "the number at the end of each row was left out")
        return super().read(source, options)

    def sentences(self, source: Source) -> Sentences:
        """The sentences without the number."""
        return Sentences(source, _without_number, _malformed)

    def separator(self, options: WriteOptions) -> str:
        """A blank, regardless of the options."""
        return " "

    def row(self, token: str, tag: str, options: WriteOptions) -> str:
        """One row, not labelled by a dictionary."""
        return f"{token} {tag} 0\n"


@lru_cache(maxsize=1 << 16)
def _without_number(row: str) -> str | None:
    found = _ROW.fullmatch(row)
    return None if found is None else f"{found[1]}\t{found[2]}"


def _malformed(row: str, line: int) -> RecordError:
    return RecordError(
        "line {line}: {row} should be a word, a tag and a number", line=line, row=repr(row[:40])
    )
