"""The words a biLM predicts, which are the classes of its softmax, and the token types it reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from core.encoders.elmo.tokens import BEGIN_SENTENCE, END_SENTENCE, boundary_row, padded_rows, token_row

BEGIN, END, UNKNOWN = 0, 1, 2
RESERVED = ("<S>", "</S>", "<UNK>")


class BilmVocabulary:
    """Predicted words by descending frequency, after the two boundaries and the unknown word.

    Args:
        words: distinct, in the order of their classes, which start at 3.
        counts: frequency of each class, the three reserved ones first.

    Raises:
        ValueError: a word is empty or occurs twice, or the number of counts is not that of the classes.
    """

    def __init__(self, words: Sequence[str], counts: Sequence[int]) -> None:
        self.words, self.counts = tuple(words), tuple(counts)
        self.rows = {word: row for row, word in enumerate(self.words, start=len(RESERVED))}
        if len(self.rows) != len(self.words) or not all(isinstance(w, str) and w for w in self.words):
            raise ValueError("words must be distinct and not empty")
        if len(self.counts) != len(self) or not all(type(n) is int and n >= 0 for n in self.counts):
            raise ValueError("there must be one count for each class")

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], least_count: int, most_words: int) -> BilmVocabulary:
        """The most frequent words, at most ``most_words``, that occur at least ``least_count`` times."""
        counts: Counter[str] = Counter()
        number = 0
        for sentence in sentences:
            counts.update(sentence)
            number += 1
        # Ties are sorted by word, so that the vocabulary is deterministic.
        ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        kept = [pair for pair in ranked[:most_words] if pair[1] >= least_count]
        unknown = counts.total() - sum(count for _, count in kept)
        return cls([word for word, _ in kept], [number, number, unknown, *(count for _, count in kept)])

    def __len__(self) -> int:
        """Number of classes of the softmax."""
        return len(self.words) + len(RESERVED)

    def characters(self, longest: int, widest: int) -> Tensor:
        """Characters of every class, ``[V, C]``; see :func:`core.encoders.elmo.tokens.padded_rows`."""
        return torch.from_numpy(padded_rows(_rows(self.words, longest), longest, widest))


class TokenTypes:
    """Numbers the distinct tokens of texts; the classes of the vocabulary come first.

    The biLM also reads tokens that it cannot predict, as it reads characters.

    Args:
        vocabulary: the classes. longest: maximum characters of a token. widest: width of the widest filter.
    """

    def __init__(self, vocabulary: BilmVocabulary, longest: int, widest: int) -> None:
        self.vocabulary = vocabulary
        self._longest, self._widest = longest, widest
        self._numbers = dict(vocabulary.rows)

    def numbers(self, tokens: Sequence[str]) -> list[int]:
        """The number of every token; new tokens get new numbers."""
        numbers = self._numbers
        return [numbers.setdefault(token, len(numbers) + len(RESERVED)) for token in tokens]

    def characters(self) -> Tensor:
        """Characters of every type so far, ``[types, C]``."""
        rows = _rows(tuple(self._numbers), self._longest)
        return torch.from_numpy(padded_rows(rows, self._longest, self._widest))


def classes_of(types: Tensor, classes: int) -> Tensor:
    """The class of a type: itself, or the unknown word."""
    return torch.where(types < classes, types, UNKNOWN)


def _rows(words: Sequence[str], longest: int) -> list[list[int]]:
    reserved = [
        boundary_row(BEGIN_SENTENCE),
        boundary_row(END_SENTENCE),
        token_row(RESERVED[UNKNOWN], longest),
    ]
    return [*reserved, *(token_row(word, longest) for word in words)]
