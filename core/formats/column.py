"""Column files: one token and tag per row, a blank line between sentences (BIO, BIOES, BMES, BILOU)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from core.formats.framework.format import (
    Format,
    Holds,
    Losses,
    ReadOptions,
    Refusal,
    WriteOptions,
    flat_spans,
    in_order,
)
from core.formats.framework.source import Source
from core.formats.shapes.rows import DOCSTART, Sentences, Survey, is_tag, read_sentence, scheme_of, split_row
from core.formats.shapes.tokens import join, over_tokens, rows, token_meta
from core.text import Document, Span
from core.text.segmentation import sentences
from core.text.tag_schemes import SchemeName, encode
from core.text.tokens import TOKENS, Extent, cut_tokens, document_tokens

_FEW_TAGS, _MANY_TAGS = 0.2, 0.5
_BREAKS = re.compile(r"[\t\r\n\0]")


class Column(Format):
    """Column files of one tag scheme.

    Every instance reads every scheme, because real files mix them; ``scheme`` is the one it writes. Tokens
    are joined as described in ``framework.tokens``, and remembered in ``meta`` if the text alone would give
    other rows. Invalid tag sequences are repaired as conlleval reads them (or dropped,
    ``ReadOptions.malformed``), with a note for each line; a sentence with an untagged row is refused.
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
        """The share of rows that end in a tag; half of it if they have another scheme than this instance."""
        lines = [line for line in head.split("\n") if line.strip()][:2000]
        cells = [split_row(line) for line in lines]
        tags = [row[1] for row in cells if row is not None and is_tag(row[1])]
        prefixes = {tag[0] for tag in tags if tag != "O"}
        share = len(tags) / len(lines) if lines else 0.0
        if share < (_FEW_TAGS if prefixes else _MANY_TAGS):
            return 0.0
        # With some other words, such as UNK, it is still a column file: better refused than read as text.
        sure = 0.95 * max(share, _MANY_TAGS)
        return sure if scheme_of(prefixes) == self.scheme else sure / 2

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per sentence; ids count the sentences of the file."""
        sentences = self.sentences(source)
        survey = Survey.over(sentences, sentences.is_numbered)
        scheme = scheme_of(set(survey.prefixes))
        if sentences.is_numbered:
            source.notes.add("columns", "the first column numbers the tokens; it was left out")
        self.note_scheme(source, survey, scheme)
        prefix = options.id_prefix or source.name
        for number, sentence in enumerate(sentences, 1):
            result = read_sentence(sentence, survey, scheme, options.malformed, source.notes)
            yield result if isinstance(result, Refusal) else self._document(f"{prefix}-{number}", *result)

    def sentences(self, source: Source) -> Sentences:
        """The sentences of a file, as rows of token and tag."""
        return Sentences(source)

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """Rows and a blank line, for each sentence if asked; an empty text has no rows."""
        tokens, tags, lost = self.cells(document, options)
        if options.sentences and len(pieces := sentences_of(document)) > 1:
            blocks = [self._block(*self.cells(piece, options)[:2], options) for piece in pieces]
            several = sum(map(bool, blocks)) > 1
            return "".join(blocks), {**lost, "sentences": 1} if several else lost
        return self._block(tokens, tags, options), lost

    def _block(self, tokens: list[str], tags: list[str], options: WriteOptions) -> str:
        lines = [self.row(token, tag, options) for token, tag in zip(tokens, tags, strict=True)]
        return "".join(lines) + "\n" * bool(lines)

    def cells(self, document: Document, options: WriteOptions) -> tuple[list[str], list[str], Losses]:
        """Tokens, their tags, and what they lose of the document."""
        if not document.text:
            return [], [], {"documents": 1}
        separator = self.separator(options)
        lost: Counter[str] = Counter(self.general_losses(document, {TOKENS}))
        spans, flattened = flat_spans(document.spans)
        lost.update(flattened)
        kept = document_tokens(document)
        if kept is not None and separator == " " and any(" " in document.text[a:b].strip() for a, b in kept):
            kept = None  # a token with a blank would be read as two columns
        every = rows(document.text, kept, {span.start for span in spans}, {span.end for span in spans})
        tokens = [document.text[start:end] for start, end in every]
        if _BREAKS.search(document.text):
            tokens = [_BREAKS.sub(" ", token) for token in tokens]
        # Other tools stumble over a token that is a blank.
        extents = [extent for extent, token in zip(every, tokens, strict=True) if not token.isspace()]
        tokens = [token for token in tokens if not token.isspace()]
        if not tokens:
            return [], [], {"documents": 1}
        trimmed = _over(spans, extents)
        if tokens[0] == DOCSTART:  # would be read as a separator
            tokens[0] = DOCSTART.replace("-", "_")
        renamed = self.relabelled(trimmed, separator, lost)
        lost["joined_spans"] += self.joined(renamed)
        tags = self.tags(over_tokens(renamed, extents), len(tokens))
        lost["texts"] += trimmed != spans or not reads_back(tokens, document.text)
        return tokens, tags, in_order(lost)

    def separator(self, options: WriteOptions) -> str:
        """The separator of columns."""
        return options.separator

    def row(self, token: str, tag: str, options: WriteOptions) -> str:
        """One row with its line break."""
        return f"{token}{options.separator}{tag}\n"

    def tags(self, spans: list[Span], count: int) -> list[str]:
        """The tags of spans over tokens."""
        return encode(spans, count, self.scheme)

    def relabelled(self, spans: list[Span], separator: str, lost: Counter[str]) -> list[Span]:
        """The spans with labels that read back; changed ones are counted in ``lost``."""
        return relabelled(spans, separator, lost)

    def joined(self, spans: list[Span]) -> int:
        """How many flat spans, in reading order, the tags cannot tell from the one beside them."""
        return 0

    @staticmethod
    def _document(identifier: str, text: str, extents: list[Extent], spans: list[Span]) -> Document:
        return Document(identifier, text, tuple(spans), token_meta(text, extents))

    def note_scheme(self, source: Source, survey: Survey, scheme: SchemeName) -> None:
        """Note how the tags were read."""
        iob1 = ", IOB1: B- only where two spans of one label touch" if survey.iob1 else ""
        source.notes.add("scheme", f"tag scheme: {scheme}{iob1}")
        if {"I", "M"} <= set(survey.prefixes):
            source.notes.add("scheme", "the file mixes I- and M-; both were read as inside a span")
        if survey.nested:
            source.notes.add("columns", "two columns of tags were read, of outer and of inner spans")
        if survey.other:
            source.notes.add(
                "columns",
                f"the last column but one holds tags, too ({', '.join(survey.other[:5])}); "
                "only the last was read",
            )
        if survey.digits:
            source.notes.add("scheme", "every token ends in a segmentation digit, which was cut off")


def sentences_of(document: Document) -> list[Document]:
    """A document for each sentence, with its tokens and spans; sentences with a span across stay together."""
    crossed = {place for span in document.spans for place in range(span.start + 1, span.end)}
    ends = [end for _, end in sentences(document.text) if end not in crossed]
    kept = document_tokens(document)
    return [
        Document(
            document.id,
            document.text[start:end],
            tuple(
                replace(span, start=span.start - start, end=span.end - start)
                for span in document.spans
                if start <= span.start and span.end <= end
            ),
            cut_tokens(kept, start, end),
        )
        for start, end in pairwise([0, *ends])
    ]


def _over(spans: list[Span], extents: list[Extent]) -> list[Span]:
    """Flat spans without blanks at their edges, which are no tokens; without those that are nothing else."""
    starts, ends = [start for start, _ in extents], [end for _, end in extents]
    trimmed = []
    for span in spans:
        first, after = bisect_left(starts, span.start), bisect_right(ends, span.end)
        if first < after:
            trimmed.append(replace(span, start=starts[first], end=ends[after - 1]))
    return trimmed


def writable(label: str, separator: str) -> str:
    """A label that reads back: no tabs, line breaks or outer blanks, nor blanks if they separate columns."""
    blanks = r"[\s\0]+" if separator == " " else r"[\t\r\n\0]+|^ +| +$"
    return re.sub(blanks, "_", label)


def relabelled(spans: list[Span], separator: str, lost: Counter[str]) -> list[Span]:
    """The spans with ``writable`` labels; changed ones are counted in ``lost``."""
    renamed = [Span(span.start, span.end, writable(span.label, separator)) for span in spans]
    lost["labels"] += sum(old.label != new.label for old, new in zip(spans, renamed, strict=True))
    return renamed


def reads_back(tokens: list[str], text: str) -> bool:
    """Whether joining the tokens gives the text they came from."""
    return all(join(tokens, words)[0] == text for words in (False, True))
