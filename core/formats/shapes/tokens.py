"""Conversion between rows of a column file and running text.

Column files do not record the blanks between tokens. Characters and Chinese words are joined without blanks,
words of alphabetic scripts with one, except around punctuation. Offsets refer to the resulting text. Writing
adds a row for every blank that joining would not restore.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

from core.text import Span
from core.text.tokens import TOKENS, Extent, remembered

# Scripts written without blanks between words, and their punctuation: Thai to Khmer, CJK, kana, full width.
_UNSPACED_RANGES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\ufe30-\ufe4f\uff00-\uffef\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_UNSPACED = re.compile(f"[{_UNSPACED_RANGES}]")
_LETTERS = re.compile(f"(?:(?![{_UNSPACED_RANGES}])[^\\W\\d_]){{2}}")
# The ideographic space is in these ranges but is a blank.
_PIECE = re.compile(f"(?!\\s)[{_UNSPACED_RANGES}]|(?:(?![{_UNSPACED_RANGES}])\\w)+|[^\\w\\s]")
_SPACE = re.compile(r"[ \t\r\n\0]")
_NO_BLANK_BEFORE = frozenset(",.;:!?)]}%'’”»…")
_NO_BLANK_AFTER = frozenset("([{$£€“‘«")


def is_unspaced(text: str) -> bool:
    """Whether the text holds a character of a script written without blanks."""
    return not text.isascii() and _UNSPACED.search(text) is not None


def has_words(tokens: Collection[str]) -> bool:
    """Whether a token is a word of two letters or more in a script that puts blanks between words."""
    longest = max(map(len, tokens), default=0)  # of most files no token is longer than a character
    return longest > 1 and any(len(token) > 1 and _LETTERS.search(token) for token in tokens)


def join(tokens: Sequence[str], assume_words: bool = False) -> tuple[str, list[Extent]]:
    """Join tokens to running text; also returns their offsets.

    Args:
        tokens: non-empty strings; a blank token is a blank of the text.
        assume_words: whether single letters and digits are words where the sentence leaves it open.
    """
    words = has_words(tokens) or (assume_words and not is_unspaced("".join(tokens)))
    if not words:
        ends = list(accumulate(map(len, tokens)))
        return "".join(tokens), list(zip([0, *ends], ends, strict=False))
    parts: list[str] = []
    extents: list[Extent] = []
    end = 0
    last = ""
    for token in tokens:
        if last and _blank_between(last, token[0]):
            parts.append(" ")
            end += 1
        parts.append(token)
        extents.append((end, end + len(token)))
        end += len(token)
        last = token[-1]
    return "".join(parts), extents


def split(text: str) -> list[Extent]:
    """Tokens of a text without given ones: characters for scripts without blanks, else words and marks."""
    if splits_into_characters(text):
        return [(index, index + 1) for index, char in enumerate(text) if not char.isspace()]
    return [match.span() for match in _PIECE.finditer(text)]


def splits_into_characters(text: str) -> bool:
    """Whether at least half of the text's words and marks are characters of a script without blanks."""
    if text.isascii():
        return False
    unspaced = len(_UNSPACED.findall(text))
    return 2 * unspaced >= len(text) or (unspaced > 0 and 2 * unspaced >= len(_PIECE.findall(text)))


def rows(
    text: str, kept: list[Extent] | None, starts: Collection[int], ends: Collection[int]
) -> list[Extent]:
    """The extents to write as rows: tokens, split at span boundaries, and blanks that joining would lose.

    Args:
        kept: the tokens the document came with, or None.
        starts: where spans begin. ends: where they end.
    """
    if kept is None and splits_into_characters(text):
        return [(place, place + 1) for place in range(len(text))]
    edges = set(starts) | set(ends)
    tokens = cut_at(edges, split(text) if kept is None else kept)
    words = has_words([text[start:end] for start, end in tokens])
    uncertain = not words and not is_unspaced(text)  # the rest of the file decides how it is joined
    extents: list[Extent] = []
    end = 0
    for start, stop in tokens:
        gap = text[end:start]
        implied = bool(extents) and _blank_between(text[end - 1], text[start])
        if not gap and implied and (words or uncertain) and kept is None and start not in edges:
            extents[-1] = (extents[-1][0], stop)
        else:
            if not (words and implied and gap == " " and end not in starts and start not in ends):
                extents += [(place, place + 1) for place in range(end, start)]
            extents.append((start, stop))
        end = stop
    return extents + [(place, place + 1) for place in range(end, len(text))]


def tokens_of(text: str, kept: Any, spans: Iterable[Span]) -> tuple[list[Extent], list[str]]:
    """The tokens to write, split at blanks and span boundaries; a blank becomes an ideographic one.

    Args:
        kept: the tokens in ``Document.meta``, if any.
    """
    spans = list(spans)
    original = remembered(text, kept)
    if original is not None and any(_SPACE.search(text[start:end].strip()) for start, end in original):
        original = None
    extents = rows(text, original, {span.start for span in spans}, {span.end for span in spans})
    blanks = _SPACE.search(text) is not None
    tokens = [text[start:end] for start, end in extents]
    return extents, [_SPACE.sub("\u3000", token) for token in tokens] if blanks else tokens


def over_tokens(spans: Iterable[Span], extents: Sequence[Extent]) -> list[Span]:
    """Spans with token offsets instead of character offsets, without scores; they begin and end at tokens."""
    first = {start: number for number, (start, _) in enumerate(extents)}
    after = {end: number + 1 for number, (_, end) in enumerate(extents)}
    return [Span(first[span.start], after[span.end], span.label) for span in spans]


def aligned(text: str, tokens: Iterable[str]) -> list[Extent]:
    """Offsets of the tokens in the text with only blanks between them, up to the first that does not fit."""
    extents: list[Extent] = []
    at = 0
    for token in tokens:
        start = text.find(token, at)
        if start < 0 or text[at:start].strip():
            break
        at = start + len(token)
        extents.append((start, at))
    return extents


def token_meta(text: str, extents: list[Extent]) -> dict[str, Any]:
    """The ``meta`` that remembers the tokens; empty if the text alone gives the same rows."""
    if len(extents) == len(text) and splits_into_characters(text):
        return {}
    return {} if rows(text, None, (), ()) == extents else {TOKENS: [list(extent) for extent in extents]}


def _blank_between(left: str, right: str) -> bool:
    if left.isspace() or right.isspace() or right in _NO_BLANK_BEFORE or left in _NO_BLANK_AFTER:
        return False
    return not is_unspaced(left) and not is_unspaced(right)


def cut_at(edges: set[int], extents: Iterable[Extent]) -> list[Extent]:
    """The extents, those across an edge cut there."""
    pieces: list[Extent] = []
    for start, stop in extents:
        inner = [place for place in range(start + 1, stop) if place in edges] if edges else []
        places = [start, *inner, stop]
        pieces += pairwise(places)
    return pieces
