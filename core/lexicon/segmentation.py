"""Text cut into words by jieba: its dictionary's most likely path, and its HMM where no word fits."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=20_000)  # a training reads the same sentences at every epoch
def word_lengths(text: str) -> tuple[int, ...]:
    """How many characters each word of the text has, in order; blanks and signs are words too.

    The first call reads jieba's dictionary, about a second.
    """
    import jieba

    jieba.setLogLevel(60)
    return tuple(len(word) for word in jieba.cut(text) if word)


def word_numbers(text: str) -> list[int]:
    """The number of the word every character is in, from 0."""
    return [number for number, length in enumerate(word_lengths(text)) for _ in range(length)]
