"""CoNLL-2003's four columns with IOB1 tags, and CoNLL-2002's two columns with IOB2 tags.

Layout: Tjong Kim Sang 2002 and Tjong Kim Sang and De Meulder 2003, "Introduction to the CoNLL shared task".
"""

from __future__ import annotations

from core.formats.column import Column
from core.formats.framework.format import WriteOptions
from core.formats.shapes.rows import DOCSTART, split_row
from core.text import Span
from core.text.tag_schemes import encode


class Conll2003(Column):
    """``token POS chunk tag``, separated by blanks; B- only begins a span right after one of its label."""

    name = "conll2003"

    def __init__(self) -> None:
        super().__init__("BIO")
        self.name = "conll2003"
        self.title = "CoNLL-2003 (four columns, IOB1)"
        self.extensions = (".conll", ".conll03", ".txt", ".testa", ".testb", ".train")

    def sniff(self, head: str) -> float:
        """As for BIO, and a little more if rows have four cells."""
        return _with_bonus(super().sniff(head), head, 4)

    def header(self, options: WriteOptions) -> str:
        """The first row of a file."""
        return f"{DOCSTART} -X- -X- O\n\n"

    def separator(self, options: WriteOptions) -> str:
        """A blank, regardless of the options."""
        return " "

    def row(self, token: str, tag: str, options: WriteOptions) -> str:
        """One row; part of speech and chunk are unknown."""
        return f"{token} -X- -X- {tag}\n"

    def tags(self, spans: list[Span], count: int) -> list[str]:
        """IOB1."""
        tags = encode(spans, count, "BIO")
        before = "O"
        for number, tag in enumerate(tags):
            if tag.startswith("B-") and before[2:] != tag[2:]:
                tags[number] = f"I-{tag[2:]}"
            before = tag
        return tags


class Conll2002(Column):
    """``token tag``, separated by a blank, IOB2."""

    name = "conll2002"

    def __init__(self) -> None:
        super().__init__("BIO")
        self.name = "conll2002"
        self.title = "CoNLL-2002 (two columns, IOB2)"
        self.extensions = (".conll", ".conll02", ".txt", ".esp", ".ned")

    def sniff(self, head: str) -> float:
        """As for BIO, and a little more if rows have two cells."""
        return _with_bonus(super().sniff(head), head, 2)

    def separator(self, options: WriteOptions) -> str:
        """A blank, regardless of the options."""
        return " "

    def row(self, token: str, tag: str, options: WriteOptions) -> str:
        """Two cells."""
        return f"{token} {tag}\n"


def _with_bonus(sure: float, head: str, cells: int) -> float:
    rows = [line for line in head.split("\n") if line.strip()][:200]
    fitting = [
        row for row in rows if "\t" not in row and split_row(row) is not None and row.count(" ") == cells - 1
    ]
    return sure + 0.02 if sure and rows and len(fitting) >= 0.5 * len(rows) else sure * 0.9
