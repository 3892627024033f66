"""Word boundaries in alphabetic scripts."""

from __future__ import annotations

import re

# Scripts written with blanks between words, by block: Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic and
# the scripts of India (below U+0E00), later Latin and Greek additions, and full-width letters and digits.
SPACED = r"[0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u0dff\u1e00-\u1fff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"
_LETTER = re.compile(SPACED)
_PAIR = re.compile(f"{SPACED}(?={SPACED})")


def is_spaced(character: str) -> bool:
    """Whether the character is a letter or digit of a script that separates words by blanks."""
    return _LETTER.match(character) is not None and character.isalnum()


def has_spaced(text: str) -> bool:
    """Whether any such character occurs; lets callers skip the boundary check for plain Chinese."""
    return _LETTER.search(text) is not None


def on_boundary(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` starts and ends at word boundaries: no ``art`` inside ``party``."""
    if start > 0 and is_spaced(text[start]) and is_spaced(text[start - 1]):
        return False
    return end == len(text) or not (is_spaced(text[end - 1]) and is_spaced(text[end]))


def inner_edges(text: str) -> set[int]:
    """Offsets between two such characters, where no word begins or ends."""
    edges = (match.start() + 1 for match in _PAIR.finditer(text))
    return {at for at in edges if text[at - 1].isalnum() and text[at].isalnum()}
