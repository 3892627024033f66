"""Text as one array of tokens: characters in scripts such as Chinese, words in alphabetic scripts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.lexicon.word_boundary import has_spaced

BREAK = 0  # a boundary of words: punctuation, blanks, line ends, the end of a text
CODE_POINTS = 0x110000
AT_ONCE = 1_000_000  # characters turned into tokens together
JOINTS = "·•・‧"  # inside a name (列夫·托尔斯泰), never at its end
_INSIDE_WORD = "'’-"
_BREAK, _CHARACTER, _LETTER, _UNKNOWN = 0, 1, 2, 255

Tokens = NDArray[np.int32]


@dataclass(frozen=True)
class TokenStream:
    """The tokens of many texts.

    Args:
        tokens: ``[n]``, numbered from 1 in no particular order; `BREAK` at the end of a text or clause.
        names: code points of characters, and words, by token; ``names[0]`` is empty.
        words: whether a token is a word of an alphabetic script.
        characters: total characters of the texts.
    """

    tokens: Tokens
    names: list[str]
    words: NDArray[np.bool_]
    characters: int

    def surface(self, start: int, length: int) -> str:
        """The text of ``length`` tokens from ``start`` on, with blanks between words only."""
        shown = ""
        is_word = False
        for token in self.tokens[start : start + length].tolist():
            shown += f" {self.names[token]}" if is_word and self.words[token] else self.names[token]
            is_word = bool(self.words[token])
        return shown


def token_stream(texts: Iterable[str]) -> TokenStream:
    """The tokens of these texts, read once and in order.

    A run of letters or digits in a script that separates words by blanks is one token, including apostrophes
    and hyphens inside it; a single blank between two such words is no break. Every other letter is a token by
    itself, and so is the dot inside a transcribed name. A text of more than `AT_ONCE` characters has a break
    every `AT_ONCE` characters.
    """
    numbering: dict[str, int] = {}
    kinds = np.full(CODE_POINTS, _UNKNOWN, np.uint8)
    parts, characters = [np.zeros(1, np.int32)], 0
    for text in _joined(texts):
        characters += len(text)
        parts.append(_tokens(text, kinds, numbering))
    raw = np.concatenate(parts)
    del parts
    return _numbered(raw, list(numbering), characters)


def _joined(texts: Iterable[str]) -> Iterator[str]:
    """The texts joined into chunks, to save a numpy call for every short text."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        for at in range(0, len(text), AT_ONCE):
            waiting.append(text[at : at + AT_ONCE])
            size += len(waiting[-1])
            if size >= AT_ONCE:
                yield "\n".join(waiting)
                waiting, size = [], 0
    if waiting:
        yield "\n".join(waiting)


def _tokens(text: str, kinds: NDArray[np.uint8], numbering: dict[str, int]) -> Tokens:
    """Tokens of one text: code points, words as `CODE_POINTS` and their number, one `BREAK` between."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int32)
    for code in np.unique(codes[kinds[codes] == _UNKNOWN]).tolist():
        kinds[code] = _kind(chr(code))
    kind = kinds[codes]
    tokens = np.where(kind == _BREAK, BREAK, codes)
    dropped = np.zeros(len(codes), np.bool_)
    if (kind == _LETTER).any():
        starts, ends = _words(kind, codes)
        words = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        tokens[starts] = [CODE_POINTS + numbering.setdefault(word, len(numbering)) for word in words]
        dropped = _inside(starts + 1, ends, len(codes))
        between = ends[:-1][(starts[1:] - ends[:-1] == 1) & (codes[ends[:-1]] == ord(" "))]
        dropped[between] = True
    kept = tokens[~dropped]
    ended = np.append(kept, BREAK)
    return ended[(ended != BREAK) | (np.append(ended[1:], 1) != BREAK)]


def _words(kind: NDArray[np.uint8], codes: Tokens) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    letters = kind == _LETTER
    # An apostrophe or hyphen between two letters belongs to the word.
    inner = np.isin(codes[1:-1], [ord(mark) for mark in _INSIDE_WORD])
    letters[1:-1] |= inner & letters[:-2] & letters[2:]
    edges = np.diff(letters.astype(np.int8), prepend=0, append=0)
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)


def _inside(starts: NDArray[np.int64], ends: NDArray[np.int64], length: int) -> NDArray[np.bool_]:
    depth = np.zeros(length + 1, np.int8)
    np.add.at(depth, starts, 1)
    np.add.at(depth, ends, -1)
    return np.cumsum(depth[:-1], dtype=np.int8) > 0


def _kind(character: str) -> int:
    category = unicodedata.category(character)
    if category[0] == "M" and has_spaced(character):
        return _LETTER  # an accent or vowel point belongs to its letter
    if has_spaced(character):
        return _LETTER if character.isalnum() else _BREAK
    return _CHARACTER if category[0] in "LNM" or character in JOINTS else _BREAK


def _numbered(raw: Tokens, words: list[str], characters: int) -> TokenStream:
    """Tokens renumbered without gaps, so that tables over them stay small."""
    used = np.zeros(CODE_POINTS + len(words), np.bool_)
    used[raw] = True
    used[BREAK] = True
    kept = np.flatnonzero(used)
    places = np.zeros(len(used), np.int32)
    places[kept] = np.arange(len(kept), dtype=np.int32)
    names = [
        "" if not code else chr(code) if code < CODE_POINTS else words[code - CODE_POINTS]
        for code in kept.tolist()
    ]
    return TokenStream(places[raw], names, kept >= CODE_POINTS, characters)
