"""Word segmentation by jieba: the most likely path over its dictionary, and its HMM for unknown words."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=20_000)  # training reads the same sentences in every epoch
def word_lengths(text: str) -> tuple[int, ...]:
    """The lengths of the words of the text, in order; blanks and punctuation are words too.

    The first call loads jieba's dictionary, which takes about a second.
    """
    import jieba

    jieba.setLogLevel(60)
    return tuple(len(word) for word in jieba.cut(text) if word)


def word_numbers(text: str) -> list[int]:
    """The index of the word of every character, from 0."""
    return [number for number, length in enumerate(word_lengths(text)) for _ in range(length)]
