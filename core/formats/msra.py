"""MSRA's lines: characters and tags, both separated by blanks, with a tab between (BMES with NR, NS and NT).

Layout: the common character-level variant of the SIGHAN 2006 corpus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from core.formats.column import Column, reads_back, relabelled
from core.formats.framework.format import (
    Holds,
    Losses,
    ReadOptions,
    Refusal,
    WriteOptions,
    flat_spans,
    in_order,
)
from core.formats.framework.source import Source
from core.formats.shapes.rows import Sentence, Survey, is_tag, read_sentence, scheme_of
from core.formats.shapes.tokens import over_tokens, tokens_of
from core.runtime.message import _
from core.text import Document
from core.text.tag_schemes import encode
from core.text.tokens import TOKENS


class Msra(Column):
    """``拜 登 在<TAB>B-NR E-NR O``, one sentence per line; reads any scheme, writes BMES.

    A blank is written as an ideographic space, which counts as a loss.
    """

    name = "msra"
    title = "MSRA lines (characters TAB tags)"
    extensions = (".txt", ".tsv")
    holds = Holds(nested=False, crossing=False, line_breaks=False, empty_texts=False)

    def __init__(self) -> None:
        self.scheme = "BMES"
        self.name = "msra"
        self.title = "MSRA lines (characters TAB tags)"

    def sniff(self, head: str) -> float:
        """The share of lines with a tag for every character."""
        lines = [line for line in head.split("\n") if line.strip()][:500]
        cells = [_cells(line) for line in lines]
        long = [cell for cell in cells if cell is not None and len(cell[0]) > 1]
        fitting = sum(cell is not None for cell in cells)
        return 0.98 * fitting / len(lines) if lines and 2 * len(long) >= len(lines) else 0.0

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per line."""
        survey = Survey.over(item for item in _sentences(source) if isinstance(item, Sentence))
        scheme = scheme_of(set(survey.prefixes))
        self.note_scheme(source, survey, scheme)
        prefix = options.id_prefix or source.name
        for number, item in enumerate(_sentences(source), 1):
            result = (
                item
                if isinstance(item, Refusal)
                else read_sentence(item, survey, scheme, options.malformed, source.notes)
            )
            if isinstance(result, Refusal):
                yield result
                continue
            yield self._document(f"{prefix}-{number}", *result)

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line; an empty text has none."""
        if not document.text:
            return "", {"documents": 1}
        lost: Counter[str] = Counter(self.general_losses(document, {TOKENS}))
        spans, flattened = flat_spans(document.spans)
        lost.update(flattened)
        extents, tokens = tokens_of(document.text, document.meta.get(TOKENS), spans)
        tags = encode(over_tokens(relabelled(spans, " ", lost), extents), len(tokens), "BMES")
        lost["texts"] += not reads_back(tokens, document.text)
        return f"{' '.join(tokens)}\t{' '.join(tags)}\n", in_order(lost)


def _cells(line: str) -> tuple[list[str], list[str]] | None:
    left, tab, right = line.rstrip("\n").partition("\t")
    tokens, tags = left.strip(" ").split(" "), right.strip(" \t").split(" ")
    return (tokens, tags) if tab and len(tokens) == len(tags) and all(map(is_tag, tags)) else None


def _sentences(source: Source) -> Iterator[Sentence | Refusal]:
    for number, line in source.lines():
        if not line.strip():
            continue
        left, tab, right = line.partition("\t")
        tokens, tags = left.strip(" ").split(" "), right.strip(" \t").split(" ")
        if not tab or len(tokens) != len(tags):
            yield Refusal(
                number,
                _(
                    "{characters} characters and {tags} tags: their numbers must be equal",
                    characters=len(tokens),
                    tags=len(tags) if tab else 0,
                ),
                line + "\n",
            )
            continue
        rows = [f"{token}\t{tag}" for token, tag in zip(tokens, tags, strict=True)]
        yield Sentence(number, rows, line + "\n")
