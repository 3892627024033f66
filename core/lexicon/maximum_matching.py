"""Segmentation by maximum matching: at every step the longest word of the dictionary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, get_args

Direction = Literal["forward", "backward", "bidirectional"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
Extent = tuple[int, int]


def segment(length: int, words: Iterable[Extent], direction: Direction = "bidirectional") -> list[Extent]:
    """Cut a text into words and single characters.

    ``forward`` goes on from the start of the text with the longest word that begins where the last one ended,
    ``backward`` from its end with the longest that ends where the last one began; where no word fits, one
    character goes alone. ``bidirectional`` makes both and keeps the one of fewer segments, then of fewer
    single characters, then the backward one, which is right more often in Chinese.

    Args:
        length: characters of the text. words: start and end of every occurrence of a word, in any order.

    Returns:
        Segments in reading order, each beginning where the one before ends.
    """
    return _CUTS[direction](length, list(words))


def _forward(length: int, words: list[Extent]) -> list[Extent]:
    longest = list(range(1, length + 1))
    for start, end in words:
        longest[start] = max(longest[start], end)
    segments, position = [], 0
    while position < length:
        segments.append((position, longest[position]))
        position = longest[position]
    return segments


def _backward(length: int, words: list[Extent]) -> list[Extent]:
    mirrored = _forward(length, [(length - end, length - start) for start, end in words])
    return [(length - end, length - start) for start, end in reversed(mirrored)]


def _bidirectional(length: int, words: list[Extent]) -> list[Extent]:
    forward, backward = _forward(length, words), _backward(length, words)
    return forward if _cost(forward) < _cost(backward) else backward


def _cost(segments: list[Extent]) -> tuple[int, int]:
    return len(segments), sum(end - start == 1 for start, end in segments)


_CUTS: dict[Direction, Callable[[int, list[Extent]], list[Extent]]] = {
    "forward": _forward,
    "backward": _backward,
    "bidirectional": _bidirectional,
}
