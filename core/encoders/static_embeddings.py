"""Embedding tables for characters, bigrams and words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from core.encoders.subword_vectors import with_subword_vectors
from core.encoders.vocabulary import PADDING, RESERVED, UNKNOWN, Vocabulary
from core.encoders.word_vectors import WordVectors, read_vectors
from core.runtime.message import ToldValueError


class StaticEmbedding(nn.Module):
    """One vector per token of a vocabulary. In training some tokens are replaced by the unknown one.

    That trains the vector of the unknown token, so that unseen characters and words added to the lexicon
    after training contribute information instead of noise.

    Args:
        vocabulary: rows of the table. dimension: width D of a vector.
        unknown_rate: share of tokens replaced by the unknown one in training.
    """

    def __init__(self, vocabulary: Vocabulary, dimension: int, unknown_rate: float = 0.0) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.dimension = dimension
        self.unknown_rate = unknown_rate
        bound = math.sqrt(3.0 / dimension)  # unit expected length, as Lattice LSTM and FLAT start from
        weight = torch.empty(len(vocabulary), dimension).uniform_(-bound, bound)
        weight[PADDING] = 0.0
        # Not nn.Embedding(...): its normal_() takes over a second on the "meta" device, which load() uses.
        self.table = nn.Embedding.from_pretrained(weight, freeze=False, padding_idx=PADDING)

    @classmethod
    def build(
        cls,
        tokens: Iterable[str],
        dimension: int,
        *,
        source: str = "",
        least: int = 1,
        unknown_rate: float = 0.0,
        keep: Callable[[str], bool] | None = None,
    ) -> StaticEmbedding:
        """A table for the tokens of the training documents.

        Args:
            tokens: every occurrence in the training documents.
            dimension: width of a vector, unless ``source`` has its own.
            source: ``""`` for random vectors; ``"jieba"`` or a ``.vec`` path for those vectors. If fastText's
                subword vectors lie beside the file, tokens missing from it are initialised from their
                subwords.
            least: minimum count of a token for a vector of its own.
            keep: selects further tokens of ``source`` to get a row, even if no training document has them.

        Raises:
            VectorsError: the source cannot be read.
        """
        counts = Counter(tokens)
        # Sorted, so that one corpus gives one table whatever the order of its documents.
        seen = sorted(token for token, count in counts.items() if count >= least)
        if not source:
            return cls(Vocabulary(seen), dimension, unknown_rate)
        vectors = read_vectors(source, lambda token: token in counts or (keep is not None and keep(token)))
        vectors = with_subword_vectors(vectors, source, seen)
        listed = dict.fromkeys(seen)
        listed.update(dict.fromkeys(vectors.tokens))
        embedding = cls(Vocabulary(listed), vectors.dimension, unknown_rate)
        embedding.initialise_from(vectors)
        return embedding

    @torch.no_grad()
    def initialise_from(self, vectors: WordVectors) -> None:
        """Copy the vectors of the vocabulary's tokens, scaled together to the length of fresh vectors.

        Raises:
            ValueError: the widths differ.
        """
        if vectors.dimension != self.dimension:
            raise ToldValueError(
                "vectors have {dimension} dimensions, the table has {wanted}",
                dimension=vectors.dimension,
                wanted=self.dimension,
            )
        pairs = [
            (row, index) for index, row in enumerate(self.vocabulary.rows(vectors.tokens)) if row >= RESERVED
        ]
        if not pairs:
            return
        rows, indices = zip(*pairs, strict=True)
        values = torch.from_numpy(vectors.values[list(indices)])
        # shape: (rows, D); one factor for all, so that directions and relative lengths stay.
        length = values.norm(dim=1).mean().clamp(min=1e-6)
        self.table.weight[list(rows)] = values / length

    def forward(self, rows: Tensor) -> Tensor:
        """Vectors ``[..., D]`` of table rows ``[...]``; padding rows give zeros."""
        if self.training and self.unknown_rate > 0:
            unknown = (torch.rand(rows.shape, device=rows.device) < self.unknown_rate) & (rows != PADDING)
            rows = rows.masked_fill(unknown, UNKNOWN)
        vectors: Tensor = self.table(rows)
        return vectors
