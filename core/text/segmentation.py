"""Splits Chinese and English text into sentences, and into windows no longer than a model can take.

``sentences`` and ``windows`` give ``(start, end)`` pairs that lie end to end from 0 to the length of the
text. Nothing is trimmed or left out, so an offset in a piece plus the piece's start is an offset in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator

from core.runtime.message import ToldValueError

_CLOSERS = "”’」』）〉》】〕］｝)]}»"
# Chinese marks always end a sentence; ASCII ones only before a blank, the end, or a non-ASCII character,
# because "3.5", "a?b=c" and "example.com" continue.
_END = re.compile(rf"(?:(?P<wide>[。！？｡]+|…{{2,}})|[.!?]+)[{re.escape(_CLOSERS)}\"']*|[\r\n\u2028\u2029]+")
_BLANKS = re.compile(r"\s+")
_CLAUSE = re.compile(rf"(?:[，、；：,;:…—][{re.escape(_CLOSERS)}]*)\s*")
_WORD_BEFORE = re.compile(r"[A-Za-z.]+$")
# A full stop after these belongs to the word.
_ABBREVIATIONS = frozenset(
    re.findall(
        r"\S+",
        """mr mrs ms dr prof st jr sr vs etc e.g i.e cf al fig eq no vol pp ed dept inc ltd co corp approx gen
        col lt sgt rev hon jan feb mar apr jun jul aug sep sept oct nov dec mt ft a.m p.m u.s u.k ph.d""",
    )
)
_LONGEST_ABBREVIATION = 8


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Sentences in order, as ``(start, end)`` pairs that cover ``text``.

    Closing quotes, brackets and blanks after a sentence belong to it; a line break always ends one.
    Blanks at the very beginning belong to the first sentence. An empty text has none.
    """
    start = 0
    for match in _END.finditer(text, _after_blanks(text, 0)):
        if match.end() <= start or not _ends_sentence(text, start, match):
            continue
        end = _after_blanks(text, _without_opening_quote(text, start, match))
        if end < len(text):
            yield start, end
            start = end
    if start < len(text):
        yield start, len(text)


def windows(text: str, limit: int) -> list[tuple[int, int]]:
    """Pieces of at most ``limit`` characters, as ``(start, end)`` pairs that cover ``text``.

    Each is as long as possible and ends with a sentence; a sentence longer than ``limit`` is cut after a
    clause mark, else after a blank, else at ``limit``. An empty text has no window.

    Raises:
        ValueError: ``limit`` is less than 1.
    """
    if limit < 1:
        raise ToldValueError("a window needs a limit of at least 1 character, got {limit}", limit=limit)
    if len(text) <= limit:
        return [(0, len(text))] if text else []
    ends = [end for _, end in sentences(text)]
    pieces: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = best_cut(text, start, start + limit, ends)
        pieces.append((start, end))
        start = end
    return pieces


def sentence_groups(
    text: str, usual: int, limit: int, edges: Collection[int] | None = None
) -> list[tuple[int, int]]:
    """Whole sentences, as many at a time as ``usual`` characters hold, as ``(start, end)`` pairs that cover
    ``text``; a longer sentence is alone, and a text of up to twice ``usual`` is one group within ``limit``.

    Args:
        edges: where a group may end; None for every end of a sentence.
    """
    if len(text) <= min(2 * usual, limit):
        return [(0, len(text))] if text else []
    groups: list[tuple[int, int]] = []
    start = end = 0
    for _, stop in sentences(text):
        if edges is not None and stop not in edges and stop < len(text):
            continue
        if end > start and stop - start > usual:
            groups.append((start, end))
            start = end
        end = stop
    return [*groups, (start, end)] if end > start else groups


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    mark = match.group()
    if match.group("wide") or mark[0] in "\r\n\u2028\u2029":
        return True
    after = match.end()
    if after < len(text) and text[after].isascii() and not text[after].isspace():
        return False
    following = _after_blanks(text, after)
    if following < len(text) and text[following].islower():
        return False
    return mark[0] != "." or mark.startswith("..") or not _is_abbreviation(text, start, match.start())


def _is_abbreviation(text: str, start: int, stop: int) -> bool:
    """Whether the full stop at ``stop`` follows an abbreviation or a single initial."""
    word = _WORD_BEFORE.search(text[max(start, stop - _LONGEST_ABBREVIATION) : stop])
    if word is None:
        return False
    return word.group().lower() in _ABBREVIATIONS or (len(word.group()) == 1 and word.group().isupper())


def _after_blanks(text: str, position: int) -> int:
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position


def _without_opening_quote(text: str, start: int, match: re.Match[str]) -> int:
    """The end of the match, without a straight quote that opens the next sentence."""
    end = match.end()
    if text[end - 1] in "\"'" and text.count(text[end - 1], start, end) % 2:
        return end - 1
    return end


def best_cut(text: str, start: int, target: int, ends: list[int]) -> int:
    """The best place in ``(start, target]`` to end a window: a sentence end, a clause mark, a blank, the end.

    Args:
        ends: where the sentences of the text end, in order.
    """
    if target >= len(text):
        return len(text)
    index = bisect_right(ends, target)
    if index and ends[index - 1] > start:
        return ends[index - 1]
    for pattern in (_CLAUSE, _BLANKS):
        places = [match.end() for match in pattern.finditer(text, start, target)]
        if places:
            return places[-1]
    return target
