"""Text as long parallel rows that a biLM reads a few tokens at a time, in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.learning.bilm.vocabulary import BEGIN, END


@dataclass(frozen=True, slots=True)
class BilmBatch:
    """The next tokens of every row. Direction 0 reads forwards, direction 1 backwards.

    Args:
        read: input types, ``[2, B, T]``, each direction in its own order. expected: the next type in that
            direction, ``[2, B, T]``. mask: True where there is a token, ``[B, T]``.
    """

    read: Tensor
    expected: Tensor
    mask: Tensor

    def to(self, device: torch.device | str) -> BilmBatch:
        """The same batch on ``device``."""
        return BilmBatch(self.read.to(device), self.expected.to(device), self.mask.to(device))

    def share(self, index: int, count: int) -> BilmBatch:
        """Every ``count``-th row, from number ``index`` on."""
        return BilmBatch(self.read[:, index::count], self.expected[:, index::count], self.mask[index::count])


@dataclass(frozen=True, slots=True)
class BilmStream:
    """Rows of running text.

    Args:
        read: input of the forward direction, ``[B, L]``. expected: what follows it, ``[B, L]``; the backward
            direction reads ``expected`` from its end and expects ``read``.
        lengths: tokens of every row, ``[B]``; they differ by at most one.
    """

    read: NDArray[np.int32]
    expected: NDArray[np.int32]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, documents: Sequence[Sequence[Sequence[int]]], rows: int, unroll: int) -> BilmStream:
        """Distribute the concatenated sentences of all documents over rows.

        Args:
            documents: token types by sentence of every document.
            rows: maximum number of rows; short text gets fewer, so that a row has ``unroll`` tokens.
        """
        told = [sentence for document in documents for sentence in document]
        read = np.fromiter(chain.from_iterable([BEGIN, *sentence] for sentence in told), dtype=np.int32)
        expected = np.fromiter(chain.from_iterable([*sentence, END] for sentence in told), dtype=np.int32)
        rows = max(1, min(rows, len(read) // unroll))
        lengths = np.array([len(part) for part in np.array_split(read, rows)], dtype=np.int64)
        return cls(_in_rows(read, lengths), _in_rows(expected, lengths), lengths)

    @property
    def tokens(self) -> int:
        """Number of predictions in each direction."""
        return int(self.lengths.sum())

    def steps(self, unroll: int) -> int:
        """Number of batches."""
        return -(-self.read.shape[1] // unroll)

    def batches(self, unroll: int, first: int = 0) -> Iterator[BilmBatch]:
        """The batches from number ``first`` on, ``unroll`` tokens of each row; the last may be shorter."""
        for step in range(first, self.steps(unroll)):
            places = np.arange(step * unroll, min((step + 1) * unroll, self.read.shape[1]))
            mask = places < self.lengths[:, None]
            back = np.maximum(self.lengths[:, None] - 1 - places, 0)  # positions of the backward direction
            read = np.stack([self.read[:, places], np.take_along_axis(self.expected, back, 1)])
            expected = np.stack([self.expected[:, places], np.take_along_axis(self.read, back, 1)])
            yield BilmBatch(
                torch.from_numpy(read).long(), torch.from_numpy(expected).long(), torch.from_numpy(mask)
            )


def _in_rows(tokens: NDArray[np.int32], lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    rows = np.zeros((len(lengths), int(lengths.max(initial=0))), dtype=np.int32)
    rows[np.arange(rows.shape[1]) < lengths[:, None]] = tokens
    return rows
