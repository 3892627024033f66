"""Segmentation by maximum matching: the longest dictionary word at every step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, get_args

Direction = Literal["forward", "backward", "bidirectional"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
Extent = tuple[int, int]


def segment(length: int, words: Iterable[Extent], direction: Direction = "bidirectional") -> list[Extent]:
    """Segment a text into words and single characters.

    ``forward`` takes the longest word at each position from the start of the text, ``backward`` the longest
    one ending at each position from its end; where no word matches, a single character. ``bidirectional``
    computes both and prefers fewer segments, then fewer single characters, then backward, which is more often
    right in Chinese.

    Args:
        length: of the text. words: start and end of all word occurrences, in any order.

    Returns:
        Consecutive segments in reading order.
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
