"""The units of a text that a tagger gives tags: its characters, or its words.

Words are those of Unicode's default word boundaries (UAX #29), without blanks, and cut further where an
entity may end: before an English enclitic (``Microsoft|'s``), after a Romance elision (``l'|Oréal``), at a
colon. Every ideograph is a word by itself. A document that was imported with tokens has these as words.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import regex

from core.text.document import Document
from core.text.outermost import outermost
from core.text.span import Span
from core.text.tokens import document_tokens

UnitName = Literal["character", "word"]
# Scripts written without blanks: Han (with its extensions), kana, bopomofo, Thai, Lao, Khmer, Myanmar.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# Korean has blanks, but particles adjoin names: its entities end inside what stands between blanks.
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_BY_CHARACTER = re.compile(f"[{UNSPACED}{_HANGUL}]")
_SPACED_WORD = re.compile(rf"[^\W\d_{UNSPACED}{_HANGUL}]+")
_BOUNDARY = regex.compile(r"(?w)\b")
_INNER_CUT = re.compile(
    r"(?<=\w)(?=['’](?:s|m|d|re|ve|ll)$)"  # Microsoft's
    r"|(?<=^[cdjlmnst]['’])(?=\w)|(?<=^(?:qu|un)['’])(?=\w)|(?<=^(?:all)['’])(?=\w)"  # l'Oréal, all'Aquila
    r"|(?<=^(?:dell|nell|dall|sull)['’])(?=\w)"
    r"|(?=:)|(?<=:)",
    re.IGNORECASE,
)
# A longer word is read by its characters, so that no cut of a long text (`core.text.overlap`) falls into one.
LONGEST_WORD = 28
# How much of the training texts decides between characters and words, and spans that words must fit.
_MOST_READ = 100_000
_LEAST_FITTING = 0.95


@dataclass(frozen=True, slots=True)
class Units:
    """The units of one text, in order; they do not overlap, and blanks may lie between them.

    Args:
        name: what they are. starts, ends: offsets in the text, end exclusive, ``[T]``.
        length: characters of the text.
    """

    name: UnitName
    starts: Sequence[int]
    ends: Sequence[int]
    length: int

    def __len__(self) -> int:
        return len(self.starts)

    def surfaces(self, text: str) -> tuple[str, ...]:
        """The text of every unit, ``[T]``."""
        return tuple(text[start:end] for start, end in zip(self.starts, self.ends, strict=True))

    def touched(self, span: Span) -> Span | None:
        """The units that share a character with a span of the text, counted in units; None if it is all
        blanks."""
        if self.name == "character":
            return span
        first = bisect_right(self.ends, span.start)
        last = bisect_left(self.starts, span.end)
        return Span(first, last, span.label, span.score) if first < last else None

    def exactly(self, span: Span) -> Span | None:
        """A span of the text counted in units; None if it does not begin and end at edges of units."""
        units = self.touched(span)
        if units is None or self.in_text(units).key != span.key:
            return None
        return units

    def in_text(self, units: Span) -> Span:
        """A span counted in units as a span of the text."""
        if self.name == "character":
            return units
        return Span(self.starts[units.start], self.ends[units.end - 1], units.label, units.score)

    def owners(self) -> list[int]:
        """The unit of every character, ``[length]``; -1 for blanks between words."""
        owners = [-1] * self.length
        for unit, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            owners[start:end] = [unit] * (end - start)
        return owners


def characters(text: str) -> Units:
    """Every code point of a text."""
    return Units("character", range(len(text)), range(1, len(text) + 1), len(text))


@lru_cache(maxsize=1 << 13)
def words(text: str) -> Units:
    """The words of a text. Words longer than ``LONGEST_WORD`` come as their characters."""
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _parts(text):
        if end - start > LONGEST_WORD:
            # The blanks in a long run of them are no units.
            inside = [at for at in range(start, end) if not text[at].isspace()]
            starts += inside
            ends += [at + 1 for at in inside]
        elif not text[start:end].isspace():
            starts.append(start)
            ends.append(end)
    return Units("word", starts, ends, len(text))


def words_of(document: Document) -> Units:
    """The tokens that a document came with, without blank ones, or else the words of its text."""
    kept = document_tokens(document)
    if kept is None:
        return words(document.text)
    places = [place for place in kept if not document.text[slice(*place)].isspace()]
    return Units("word", [start for start, _ in places], [end for _, end in places], len(document.text))


def units_of(document: Document, name: UnitName) -> Units:
    """The units of this name."""
    return words_of(document) if name == "word" else characters(document.text)


def boundaries(text: str) -> list[int]:
    """Where a text may be cut so that its parts have the same words as the whole, ends included."""
    if not text:
        return [0]
    return sorted({0, len(text), *(match.start() for match in _BOUNDARY.finditer(text))})


def preferred_unit(documents: Iterable[Document]) -> UnitName:
    """The unit for a tagger of these labelled documents.

    Words, if the texts have more words of scripts that separate them by blanks than characters of the others,
    and nearly all labelled spans begin and end at edges of words. Hangul, whose particles adjoin names,
    counts as a script without blanks.
    """
    spaced = others = fitting = spans = 0
    for document in documents:
        if spaced + others < _MOST_READ:
            others += len(_BY_CHARACTER.findall(document.text))
            spaced += len(_SPACED_WORD.findall(document.text))
        if document.spans:
            units = words_of(document)
            spans += len(document.spans)
            fitting += sum(units.exactly(span) is not None for span in document.spans)
    return "word" if spaced > others and fitting >= _LEAST_FITTING * spans else "character"


def in_units(units: Units, spans: Iterable[Span]) -> tuple[list[Span], int, int]:
    """The outermost spans of a text, counted in units.

    A span that begins or ends inside a word is widened to it. Where spans then overlap, the longest is kept.

    Returns:
        the spans, how many of them were moved to edges of words, and how many are left out.
    """
    flat, left_out = outermost(spans)
    kept: list[Span] = []
    moved, lost = 0, len(left_out)
    for span in sorted(flat, key=len, reverse=True):
        found = units.touched(span)
        if found is None or any(found.overlaps(other) for other in kept):
            lost += 1
            continue
        moved += units.in_text(found).key != span.key
        kept.append(found)
    return sorted(kept, key=lambda span: span.start), moved, lost


def _parts(text: str) -> Iterable[tuple[int, int]]:
    """Words and what lies between them."""
    edges = boundaries(text)
    for start, end in pairwise(edges):
        if end - start == 1 or end - start > LONGEST_WORD:
            yield start, end
            continue
        cuts = [start, *(start + match.start() for match in _INNER_CUT.finditer(text[start:end])), end]
        yield from ((low, high) for low, high in pairwise(cuts) if low < high)
