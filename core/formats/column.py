"""Column files: a token and its tag a row, a blank line between sentences (BIO, BIOES, BMES, BILOU)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from core.formats.framework.attachments import attachments_of
from core.formats.framework.format import (
    Format,
    Holds,
    Losses,
    ReadOptions,
    Refusal,
    WriteOptions,
    flat_spans,
)
from core.formats.framework.rows import (
    DOCSTART,
    Sentences,
    Survey,
    is_tag,
    read_sentence,
    scheme_of,
    split_row,
)
from core.formats.framework.source import Source
from core.formats.framework.tokens import TOKENS, Extent, join, remembered, rows, splits_into_characters
from core.text import Document, Span
from core.text.tag_schemes import SchemeName, encode

_LETTERS_OF: dict[SchemeName, frozenset[str]] = {
    "BIO": frozenset("BI"),
    "BIOES": frozenset("BIES"),
    "BMES": frozenset("BMES"),
    "BILOU": frozenset("BILU"),
}
_FEW_TAGS, _MANY_TAGS = 0.2, 0.5
_BREAKS = re.compile(r"[\t\r\n\0]")


class Column(Format):
    """Column files of one tag scheme.

    Every instance reads every scheme, for real files mix them; ``scheme`` is what it writes. Tokens become
    running text as ``framework.tokens`` says; where the text alone would not give the same rows back, the
    tokens are remembered in ``meta``. Tags that spell no legal span are repaired as conlleval reads them (or
    dropped, ``ReadOptions.malformed``), each noted with its line; a row without a tag refuses its sentence.
    """

    extensions: tuple[str, ...] = (
        ".bmes",
        ".bio",
        ".bioes",
        ".bilou",
        ".conll",
        ".iob",
        ".iob2",
        ".ner",
        ".txt",
    )
    holds = Holds(nested=False, crossing=False, line_breaks=False, empty_texts=False)

    def __init__(self, scheme: SchemeName) -> None:
        self.scheme = scheme
        self.name = scheme.lower()
        self.title = f"Column file, {scheme}"

    def sniff(self, head: str) -> float:
        """The share of rows that end in a tag; half that for another scheme than this instance's."""
        lines = [line for line in head.split("\n") if line.strip()][:2000]
        cells = [split_row(line) for line in lines]
        tags = [row[1] for row in cells if row is not None and is_tag(row[1])]
        prefixes = {tag[0] for tag in tags if tag != "O"}
        share = len(tags) / len(lines) if lines else 0.0
        if share < (_FEW_TAGS if prefixes else _MANY_TAGS):
            return 0.0
        # Other words beside tags, like UNK, still say column file: rather refused with a reason than read
        # as text.
        sure = 0.95 * max(share, _MANY_TAGS)
        return sure if scheme_of(prefixes) == self.scheme else sure / 2

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document a sentence; ids count the sentences of the file."""
        survey = Survey.over(Sentences(source))
        scheme = scheme_of(set(survey.prefixes))
        self._note_scheme(source, survey, scheme)
        prefix = options.id_prefix or source.name
        for number, sentence in enumerate(Sentences(source), 1):
            result = read_sentence(sentence, survey, scheme, options.malformed, source.notes)
            yield result if isinstance(result, Refusal) else self._document(f"{prefix}-{number}", *result)

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """Rows and a blank line; an empty text has no rows."""
        if not document.text:
            return "", {"documents": 1}
        separator = self.separator(options)
        lost: Counter[str] = Counter(self._general(document))
        spans, flattened = flat_spans(document.spans)
        lost.update(flattened)
        kept = remembered(document.text, document.meta.get(TOKENS))
        if kept is not None and separator == " " and any(" " in document.text[a:b].strip() for a, b in kept):
            kept = None  # a token with a blank would be read as two columns
        extents = rows(document.text, kept, {span.start for span in spans}, {span.end for span in spans})
        tokens = [document.text[start:end] for start, end in extents]
        if _BREAKS.search(document.text):
            tokens = [_BREAKS.sub(" ", token) for token in tokens]
        if tokens[0] == DOCSTART:  # it would separate documents, not be one
            tokens[0] = DOCSTART.replace("-", "_")
        labels = {span.label: writable(span.label, separator) for span in spans}
        lost["labels"] += sum(labels[span.label] != span.label for span in spans)
        tags = self.tags(self._over_tokens(spans, extents, labels), len(tokens))
        lost["texts"] += not _reads_back(tokens, document.text)
        lines = [self.row(token, tag, options) for token, tag in zip(tokens, tags, strict=True)]
        return "".join(lines) + "\n", {name: count for name, count in lost.items() if count}

    def separator(self, options: WriteOptions) -> str:
        """The separator of columns."""
        return options.separator

    def row(self, token: str, tag: str, options: WriteOptions) -> str:
        """One row with its line break."""
        return f"{token}{options.separator}{tag}\n"

    def tags(self, spans: list[Span], count: int) -> list[str]:
        """The tags of spans over tokens."""
        return encode(spans, count, self.scheme)

    @staticmethod
    def _document(identifier: str, text: str, extents: list[Extent], spans: list[Span]) -> Document:
        meta = {} if tokens_are_implied(text, extents) else {TOKENS: [list(extent) for extent in extents]}
        return Document(identifier, text, tuple(spans), meta)

    def _general(self, document: Document) -> Losses:
        lost = self.general_losses(document)
        if lost.get("meta") and set(attachments_of(document).rest or ()) <= {TOKENS}:
            del lost["meta"]
        return lost

    @staticmethod
    def _over_tokens(spans: list[Span], extents: list[Extent], labels: dict[str, str]) -> list[Span]:
        first = {start: index for index, (start, _) in enumerate(extents)}
        after = {end: index + 1 for index, (_, end) in enumerate(extents)}
        return [Span(first[span.start], after[span.end], labels[span.label]) for span in spans]

    @staticmethod
    def _note_scheme(source: Source, survey: Survey, scheme: SchemeName) -> None:
        iob1 = ", IOB1: B- only where two spans of one label touch" if survey.iob1 else ""
        source.notes.add("scheme", f"tag scheme: {scheme}{iob1}")
        if {"I", "M"} <= set(survey.prefixes):
            source.notes.add("scheme", "the file mixes I- and M-; both were read as inside a span")
        if survey.digits:
            source.notes.add("scheme", "every token ends in a segmentation digit, which was cut off")


def tokens_are_implied(text: str, extents: list[tuple[int, int]]) -> bool:
    """Whether writing this text without remembered tokens gives the same rows."""
    if len(extents) == len(text) and splits_into_characters(text):
        return True
    return rows(text, None, (), ()) == extents


def writable(label: str, separator: str) -> str:
    """A label that reads back: no outer blanks, no tab or line break, and no blank between blank columns."""
    blanks = r"[\s\0]+" if separator == " " else r"[\t\r\n\0]+|^ +| +$"
    return re.sub(blanks, "_", label)


def blocks_lost(tokens: list[str], text: str) -> bool:
    """Whether tokens between blanks, joined again, are another text than the one they came from."""
    return not _reads_back(tokens, text)


def _reads_back(tokens: list[str], text: str) -> bool:
    return all(join(tokens, words)[0] == text for words in (False, True))
