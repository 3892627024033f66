"""Word vectors of a tagger that reads words: trained with it, or from a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import count

import torch
from torch import Tensor

from core.encoders.static_embeddings import StaticEmbedding
from core.encoders.subword_vectors import with_subword_vectors
from core.encoders.vocabulary import PADDING, RESERVED, UNKNOWN, Vocabulary, fold
from core.encoders.word_vectors import read_vectors

# Words of a file that no training text has; files list the most frequent first.
MOST_FURTHER = 100_000


class WordEmbedding(StaticEmbedding):
    """One vector per word, case and digits folded; in training, words seen once are at times read as unknown.

    So the unknown word's vector learns what rare words have in common (Lample et al., NAACL 2016).

    Args:
        vocabulary: rows of the table. dimension: width D of a vector.

    Attributes:
        rates: for every row, the chance to be read as unknown in training, ``[V]``.
    """

    rates: Tensor

    def __init__(self, vocabulary: Vocabulary, dimension: int) -> None:
        super().__init__(vocabulary, dimension)
        self.register_buffer("rates", torch.zeros(len(vocabulary)))

    @classmethod
    def learn(
        cls, words: Iterable[str], dimension: int, *, source: str = "", unknown_rate: float = 0.0
    ) -> WordEmbedding:
        """A table for the words of the training documents.

        Args:
            words: every occurrence. dimension: width of a vector, unless ``source`` has its own.
            source: empty for random vectors; else the path of a ``.vec``, GloVe or word2vec text file, whose
                most frequent words get a row even if no training document has them. fastText's subword
                vectors beside it give vectors to words that it lacks.
            unknown_rate: chance that a word seen once, without a vector in the file, is read as unknown.

        Raises:
            VectorsError: the file cannot be read.
        """
        written = Counter(words)
        folded: Counter[str] = Counter()
        for word, times in written.items():
            folded[fold(word)] += times
        seen = sorted(folded)
        if not source:
            embedding = cls(Vocabulary(seen), dimension)
            stored: set[str] = set()
        else:
            wanted = {*written, *seen, *(word.lower() for word in written)}
            further = count()
            vectors = read_vectors(source, lambda word: word in wanted or next(further) < MOST_FURTHER)
            vectors = with_subword_vectors(vectors, source, seen)
            embedding = cls(Vocabulary(dict.fromkeys([*seen, *vectors.tokens])), vectors.dimension)
            embedding.initialise_from(vectors)
            stored = set(vectors.tokens)
        once = [row for row, word in enumerate(seen, RESERVED) if folded[word] == 1 and word not in stored]
        embedding.rates[once] = unknown_rate
        return embedding

    def forward(self, rows: Tensor) -> Tensor:
        """Vectors ``[..., D]`` of table rows ``[...]``; padding rows give zeros."""
        if self.training:
            unknown = (torch.rand(rows.shape, device=rows.device) < self.rates[rows]) & (rows != PADDING)
            rows = rows.masked_fill(unknown, UNKNOWN)
        vectors: Tensor = self.table(rows)
        return vectors
