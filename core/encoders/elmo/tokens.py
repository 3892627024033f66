"""The input of an ELMo: the tokens of a text, each as its UTF-8 bytes between two boundary markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from typing_extensions import Self

from core.text.units import UNSPACED

# The rows of the published character table: 0 to 255 are bytes.
BEGIN_SENTENCE, END_SENTENCE, BEGIN_TOKEN, END_TOKEN, NO_CHARACTER = 256, 257, 258, 259, 260
CHARACTERS = 261
UNITS = ("word", "character")
# A run of letters and digits with the marks on them; else a single character that is no blank.
_WORD = re.compile(rf"(?:(?![{UNSPACED}_])\w)+|\S")


def token_offsets(text: str, unit: str) -> list[tuple[int, int]]:
    """Tokens of a text as ``(start, end)``.

    ``"character"``: every code point, blanks too. ``"word"``: runs of letters and digits in scripts that
    separate words by blanks, every other character by itself, blanks left out.
    """
    if unit == "character":
        return [(index, index + 1) for index in range(len(text))]
    return [match.span() for match in _WORD.finditer(text)]


def token_row(token: str, longest: int) -> list[int]:
    """A token as rows of the character table, unpadded: at most ``longest``, the two markers included."""
    # Input may hold lone surrogates, which have no UTF-8; they are encoded like any other character.
    encoded = token.encode("utf-8", "surrogatepass")[: longest - 2]
    return [BEGIN_TOKEN, *encoded, END_TOKEN]


def byte_owners(token: str, longest: int) -> list[int | None]:
    """The character of the token behind each position of its ``token_row``; None at markers."""
    owners = [at for at, character in enumerate(token) for _ in character.encode("utf-8", "surrogatepass")]
    return [None, *owners[: longest - 2], None]


def boundary_row(mark: int) -> list[int]:
    """The token that begins or ends a sentence."""
    return [BEGIN_TOKEN, mark, END_TOKEN]


def padded_rows(rows: Sequence[Sequence[int]], longest: int, widest: int) -> Tensor:
    """Token rows as ``[U, C]``, padded with ``NO_CHARACTER``.

    The published model pads every token to ``longest``, and its filters see the padding. A window of padding
    alone gives the same value at every position, so padding by the width of the widest filter is enough.
    """
    length = min(longest, max(map(len, rows), default=0) + widest)
    filled = [[*row, *[NO_CHARACTER] * (length - len(row))] for row in rows]
    return torch.tensor(filled, dtype=torch.long).view(len(rows), length)


@dataclass(frozen=True, slots=True)
class ElmoInput:
    """Sentences with boundary tokens. B sentences of at most T tokens, U distinct tokens.

    Args:
        rows: characters of every distinct token, ``[U, C]``. tokens: index of the token at each position,
            ``[B, T + 2]``; 0 at padding. lengths: tokens of every sentence and its two boundaries, ``[B]``.
    """

    rows: Tensor
    tokens: Tensor
    lengths: Tensor

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]], longest: int, widest: int) -> Self:
        """Add boundaries to sentences and collect their distinct tokens.

        Args:
            longest: maximum rows of a token. widest: width of the widest filter.
        """
        rows = [boundary_row(BEGIN_SENTENCE), boundary_row(END_SENTENCE)]
        row_of: dict[str, int] = {}
        indexed = []
        for sentence in sentences:
            row = [0]
            for token in sentence:
                if token not in row_of:
                    row_of[token] = len(rows)
                    rows.append(token_row(token, longest))
                row.append(row_of[token])
            indexed.append([*row, 1])
        width = max(map(len, indexed), default=2)
        tokens = torch.tensor([[*row, *[0] * (width - len(row))] for row in indexed], dtype=torch.long)
        lengths = torch.tensor([len(row) for row in indexed], dtype=torch.long)
        return cls(padded_rows(rows, longest, widest), tokens.view(len(indexed), width), lengths)

    @property
    def mask(self) -> Tensor:
        """True at tokens and boundaries, ``[B, T + 2]``."""
        return torch.arange(self.tokens.shape[1], device=self.lengths.device) < self.lengths[:, None]

    def with_separate_rows(self) -> Self:
        """The same sentences with separate rows for every position, ``U = B (T + 2)``, in reading order."""
        positions = torch.arange(self.tokens.numel(), device=self.tokens.device).view_as(self.tokens)
        return type(self)(self.rows[self.tokens.flatten()], positions, self.lengths)

    def to(self, device: torch.device | str) -> Self:
        """The same input on ``device``."""
        return type(self)(self.rows.to(device), self.tokens.to(device), self.lengths.to(device))
