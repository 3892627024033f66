"""Stanford NER's training files: a token and its label per row, without prefixes.

Layout: the FAQ of the Stanford Named Entity Recognizer, "How can I train my own NER model?", with
``map = word=0,answer=1``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from core.formats.column import Column
from core.formats.framework.errors import FormatError
from core.formats.framework.format import ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source
from core.formats.shapes import io_tags
from core.formats.shapes.rows import Sentences, Survey, is_tag, split_row
from core.text import Document, Span
from core.text.tag_schemes import SchemeName

_LABEL = re.compile(r"[^\W\d_][\w .:/-]{0,40}")
_MOST_LABELS = 100
_FEWEST_OUTSIDE = 0.2  # of the rows; in a list of words with their types no word is outside
_SURVEYED = 5000


class StanfordNer(Column):
    """``token<TAB>label``, with ``O`` outside; neighbours of one label are one span.

    Raises:
        FormatError: the labels are numbers.
    """

    name = "stanford_ner"

    def __init__(self) -> None:
        super().__init__("BIO")
        self.name = "stanford_ner"
        self.title = "Stanford NER (token TAB label, no prefixes)"
        self.extensions = (".tsv", *Column.extensions)

    def sniff(self, head: str) -> float:
        """Sure if rows are a token and one of few labels without a prefix, many of them ``O``."""
        rows = [line.split("\t") for line in head.split("\n") if line.strip()][:_SURVEYED]
        pairs = [row for row in rows if len(row) == 2 and row[0]]
        if not pairs or len(pairs) < 0.95 * len(rows):
            return 0.0
        tags = Counter(row[1].strip(" ") for row in pairs)
        labels = set(tags) - {io_tags.OUTSIDE}
        few = len(labels) <= min(_MOST_LABELS, 2 + len(pairs) / 4)
        fitting = all(not is_tag(label) and _LABEL.fullmatch(label) for label in labels)
        sure = labels and few and fitting and tags[io_tags.OUTSIDE] >= _FEWEST_OUTSIDE * len(pairs)
        return 0.97 if sure else 0.0

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per sentence; ids count the sentences of the file."""
        rows = (split_row(line) for line in source.head().split("\n"))
        refuse_numbers(source, {row[1] for row in rows if row is not None})
        return super().read(source, options)

    def sentences(self, source: Source) -> Sentences:
        """The sentences with ``I-`` before each label."""
        return Sentences(source, _with_prefix)

    def note_scheme(self, source: Source, survey: Survey, scheme: SchemeName) -> None:
        """Note that tags have no prefixes, unless some have."""
        if set(survey.prefixes) <= {"I"}:
            source.notes.add("scheme", "tags have no prefixes: neighbours of one label were read as one span")
        else:
            super().note_scheme(source, survey, scheme)

    def separator(self, options: WriteOptions) -> str:
        """A tab, regardless of the options."""
        return "\t"

    def row(self, token: str, tag: str, options: WriteOptions) -> str:
        """One row."""
        return f"{token}\t{tag}\n"

    def tags(self, spans: list[Span], count: int) -> list[str]:
        """Labels without prefixes."""
        return io_tags.bare(spans, count)

    def relabelled(self, spans: list[Span], separator: str, lost: Counter[str]) -> list[Span]:
        """The spans with labels that are neither a tag nor a number."""
        told_apart = io_tags.relabelled(spans, lost)
        return super().relabelled(told_apart, separator, lost)

    def joined(self, spans: list[Span]) -> int:
        """Spans that touch one of their label."""
        return io_tags.joined(spans)


def refuse_numbers(source: Source, tags: set[str]) -> None:
    """Refuse a file whose tags are numbers.

    Raises:
        FormatError: they are, all that are not ``O``.
    """
    named = tags - {io_tags.OUTSIDE}
    if named and all(map(io_tags.is_number, named)):
        raise FormatError(
            "{name}: the tags are numbers, and the file does not say what they stand for; write the names "
            "instead",
            name=source.path.name,
        )


@lru_cache(maxsize=1 << 16)
def _with_prefix(row: str) -> str:
    cells = split_row(row)
    return row if cells is None else f"{cells[0]}\t{io_tags.with_prefix(cells[1])}"
