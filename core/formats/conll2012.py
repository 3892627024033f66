"""CoNLL-2012 (OntoNotes 5): brackets of names in one column, those of coreference in the last.

Layout: Pradhan et al. 2012, "CoNLL-2012 Shared Task", section "Data": document, part, word number, word, part
of speech, parse, lemma, frameset, sense, speaker, names, arguments of each predicate, coreference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from core.formats.framework.attachments import to_meta
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Format, Holds, Losses, ReadOptions, Refusal, WriteOptions, in_order
from core.formats.framework.source import Source, legal_text
from core.formats.shapes.brackets import Brackets, Opened, chains_of
from core.formats.shapes.spaced_rows import is_one_line
from core.formats.shapes.tokens import has_words, join, over_tokens, rows, token_meta
from core.runtime.message import message_of
from core.text import Document, Span, sort_spans
from core.text.tokens import TOKENS, Extent, document_tokens

_BEGIN = re.compile(r"#begin document (.*?)(?:;\s*part\s+(\d+))?\s*")
_END = "#end document"
_WORD, _NAMES, _FEWEST = 3, 10, 12
_NAME = re.compile(r"\(([^()*]+)|(\))|\*")
_MENTION = re.compile(r"(\()?([^()|]+)(\))?")
_NOTHING = ("*", "-", "_")
_LABEL_BREAKS = re.compile(r"[\s\0()*]+")
_BLANK = re.compile(r"[ \t\r\n\0]")
_ONE = "names"  # names close without saying which, so all of them have one stack


@dataclass
class _Block:
    """The lines of a document, its id, and the rows of its sentences with the line of each."""

    line: int
    id: str
    raw: list[str] = field(default_factory=list)
    sentences: list[list[tuple[int, str]]] = field(default_factory=lambda: [[]])


class Conll2012(Format):
    """A document is a part of a file, from ``#begin document`` on, and a sentence a line of its text.

    Names may lie inside names. Coreference becomes chains; written files have none.
    """

    name = "conll2012"
    title = "CoNLL-2012 (OntoNotes)"
    extensions = (".conll", ".v4_gold_conll", ".v4_auto_conll", ".gold_conll", ".txt")
    holds = Holds(crossing=False, ids=True, line_breaks=False, empty_texts=False)

    def sniff(self, head: str) -> float:
        """Sure if a document begins."""
        return 0.99 if head.lstrip("\ufeff \n").startswith("#begin document") else 0.0

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per part."""
        prefix = options.id_prefix or source.name
        source.notes.add("columns", "of the columns, words, names and coreference were read")
        for number, block in enumerate(_blocks(source), 1):
            try:
                yield _document(block, f"{prefix}-{number}")
            except RecordError as error:
                yield Refusal(block.line, message_of(error), "".join(block.raw))

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """The document as part 0, without parse, speakers and coreference."""
        lost: Counter[str] = Counter(self.general_losses(document, {TOKENS}))
        spans = _nested(document.spans, lost)
        sentences = _sentences(document, spans)
        if not sentences:
            return "", {"documents": 1}
        extents = [extent for sentence in sentences for extent in sentence]
        words = [[_word(document.text[start:end]) for start, end in sentence] for sentence in sentences]
        lost["texts"] += _joined(words)[0] != document.text
        opening: list[list[str]] = [[] for _ in extents]
        closing = [0] * len(extents)
        for span in over_tokens(spans, extents):
            opening[span.start].append(f"({span.label}")
            closing[span.end - 1] += 1
        named = is_one_line(document.id)
        lost["ids"] += not named
        lines = [f"#begin document ({document.id if named else ''}); part 000\n"]
        name = re.sub(r"\s|\0|^#", "_", document.id)
        at = 0
        for sentence in words:
            for number, word in enumerate(sentence):
                cell = "".join(opening[at]) + ("" if opening[at] and closing[at] else "*") + ")" * closing[at]
                lines.append(f"{name} 0 {number} {word} - * - - - - {cell} -\n")
                at += 1
            lines.append("\n")
        return "".join(lines) + f"{_END}\n", in_order(lost)


def _blocks(source: Source) -> Iterator[_Block]:
    block = _Block(0, "")
    for number, line in source.lines():
        begin = _BEGIN.fullmatch(line) if line.startswith("#") else None
        if begin is not None and any(block.sentences):
            yield block
        if begin is not None:
            block = _Block(number, _identifier(begin[1], begin[2]))
        block.line = block.line or number
        block.raw.append(line + "\n")
        if not line.strip(" \t"):
            block.sentences.append([])
        elif not line.startswith(("#begin document", _END)):
            block.sentences[-1].append((number, line))
    if any(block.sentences):
        yield block


def _identifier(name: str, part: str | None) -> str:
    """``(bc/cctv/00/cctv_0001)`` and part 2: ``bc/cctv/00/cctv_0001-2``."""
    bare = name[1:-1] if name.startswith("(") and name.endswith(")") else name
    return f"{bare}-{int(part)}" if part and int(part) else bare


def _document(block: _Block, generated: str) -> Document:
    words: list[list[str]] = []
    names, coreference = Brackets(), Brackets()
    spans: list[tuple[int, int, str]] = []
    mentions: list[tuple[str, int, int, str]] = []
    at = 0
    for sentence in block.sentences:
        if sentence:
            words.append([])
        for line, row in sentence:
            cells = [cell for cell in row.replace("\t", " ").split(" ") if cell]
            if len(cells) < _FEWEST:
                raise RecordError(
                    "line {line}: the number of cells in {row} should be {count} or more",
                    line=line,
                    row=repr(row[:40]),
                    count=_FEWEST,
                )
            words[-1].append(cells[_WORD])
            if cells[_NAMES] not in _NOTHING:
                opening, closing = _names(cells[_NAMES], line)
                for label in opening:
                    names.open(Opened(_ONE, at, line, label))
                for _ in range(closing):
                    opened = names.close(_ONE, line)
                    spans.append((opened.first, at + 1, opened.label))
            if cells[-1] not in _NOTHING:
                for opens, entity, closes in _mentions(cells[-1], line):
                    if opens:
                        coreference.open(Opened(entity, at, line))
                    if closes:
                        mentions.append((entity, coreference.close(entity, line).first, at + 1, ""))
            at += 1
    names.finish()
    coreference.finish()
    text, extents = _joined(words)
    found = [Span(extents[first][0], extents[after - 1][1], label) for first, after, label in spans]
    meta = to_meta(chains=chains_of(mentions, extents)) | token_meta(legal_text(text), extents)
    return Document(legal_text(block.id).strip() or generated, text, tuple(sort_spans(found)), meta)


def _joined(sentences: Sequence[Sequence[str]]) -> tuple[str, list[Extent]]:
    """The text, a line for each sentence, and the extents of all words."""
    spaced = any(map(has_words, sentences))
    texts: list[str] = []
    extents: list[Extent] = []
    start = 0
    for words in sentences:
        text, found = join(words, spaced)
        extents += [(start + a, start + b) for a, b in found]
        texts.append(text)
        start += len(text) + 1
    return "\n".join(texts), extents


def _names(cell: str, line: int) -> tuple[tuple[str, ...], int]:
    """The labels that open on a word, and how many brackets close there."""
    found = _brackets(cell)
    if found is None:
        raise _no_brackets(cell, line)
    return found


@lru_cache(maxsize=1 << 14)
def _brackets(cell: str) -> tuple[tuple[str, ...], int] | None:
    pieces = list(_NAME.finditer(cell))
    if "".join(piece[0] for piece in pieces) != cell:
        return None
    return tuple(label for piece in pieces if (label := (piece[1] or "").strip())), cell.count(")")


def _mentions(cell: str, line: int) -> list[tuple[bool, str, bool]]:
    """The mentions that begin or end on a word: whether it opens, the entity, whether it closes."""
    mentions = []
    for piece in cell.split("|"):
        found = _MENTION.fullmatch(piece)
        if found is None or not (found[1] or found[3]):
            raise _no_brackets(cell, line)
        mentions.append((bool(found[1]), found[2], bool(found[3])))
    return mentions


def _no_brackets(cell: str, line: int) -> RecordError:
    return RecordError("line {line}: {cell} is not a list of brackets", line=line, cell=repr(cell[:40]))


def _nested(spans: Sequence[Span], lost: Counter[str]) -> list[Span]:
    """The spans that brackets without names can hold, with writable labels."""
    kept: list[Span] = []
    around: list[Span] = []
    for span in sort_spans(spans):
        while around and around[-1].end <= span.start:
            around.pop()
        if around and around[-1].end < span.end:
            lost["crossing_spans"] += 1
            continue
        around.append(span)
        label = _LABEL_BREAKS.sub("_", span.label)
        lost["labels"] += label != span.label
        kept.append(Span(span.start, span.end, label))
    return kept


def _sentences(document: Document, spans: Sequence[Span]) -> list[list[Extent]]:
    """The extents of the words of each line; a line break at the edge of a span is a word."""
    text = document.text
    if not text:
        return []
    kept = document_tokens(document)
    if kept is not None and any(_BLANK.search(text[start:end]) for start, end in kept):
        kept = None  # a token with a blank would be read as two columns
    starts, ends = {span.start for span in spans}, {span.end for span in spans}
    sentences: list[list[Extent]] = [[]]
    for start, end in rows(text, kept, starts, ends):
        if text[start:end] == "\n" and start not in starts and end not in ends:
            sentences.append([])
        else:
            sentences[-1].append((start, end))
    return [sentence for sentence in sentences if sentence]


def _word(token: str) -> str:
    return _BLANK.sub("\u3000", token)
