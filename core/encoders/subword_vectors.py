"""Vectors of unseen words from their subwords: fastText (Bojanowski et al., TACL 2017)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.encoders.word_vectors import LARGEST_DIMENSION, VectorsError, WordVectors
from core.runtime.message import ToldValueError, damage_of

SUFFIX = ".parts.safetensors"  # beside NAME.vec
LONGEST_SUBWORD = 20
_FNV_OFFSET, _FNV_PRIME, _MASK = 2166136261, 16777619, 0xFFFFFFFF


def subwords_file(vectors: Path) -> Path:
    """The path of the subword vectors that belong to a ``.vec`` file."""
    return vectors.with_name(vectors.name.removesuffix(".vec") + SUFFIX)


def subwords(word: str, shortest: int, longest: int) -> list[str]:
    """Every character n-gram of ``<word>`` of these lengths, the boundary markers included."""
    marked = f"<{word}>"
    return [
        marked[start : start + length]
        for length in range(shortest, min(longest, len(marked)) + 1)
        for start in range(len(marked) - length + 1)
    ]


def bucket_of(subword: str, buckets: int) -> int:
    """The hash bucket of a subword: FNV-1a over its bytes, taken as signed, as in fastText."""
    value = _FNV_OFFSET
    for byte in subword.encode("utf-8", "surrogatepass"):
        # The published program sign-extends bytes, which fills the upper bits of those above 127.
        value = ((value ^ (byte | 0xFFFFFF00 if byte > 127 else byte)) * _FNV_PRIME) & _MASK
    return value % buckets


@dataclass(frozen=True)
class SubwordVectors:
    """The vectors of the subwords in the training text.

    Args:
        rows: buckets with a vector, ascending, ``[N]``. values: their vectors, ``[N, D]`` float32.
        shortest, longest: characters of a subword. buckets: total number of buckets.
    """

    rows: NDArray[np.int64]
    values: NDArray[np.float32]
    shortest: int
    longest: int
    buckets: int

    def vector(self, word: str) -> NDArray[np.float32] | None:
        """The mean of the vectors of a word's subwords, ``[D]``; None if the training text had none of them.

        The published program keeps the random initial vectors of unseen subwords; here they are ignored.
        """
        buckets = [bucket_of(part, self.buckets) for part in subwords(word, self.shortest, self.longest)]
        if not buckets or not len(self.rows):
            return None
        indices = np.searchsorted(self.rows, buckets).clip(max=len(self.rows) - 1)
        present = indices[self.rows[indices] == buckets]
        return self.values[present].mean(0) if len(present) else None

    def vectors(self, words: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of the words that have one."""
        pairs = ((word, self.vector(word)) for word in words)
        return {word: vector for word, vector in pairs if vector is not None}

    def write(self, path: Path) -> None:
        """Write the file as safetensors.

        Raises:
            OSError, SafetensorError: there is no room.
        """
        from safetensors.numpy import save_file

        # As a tensor, because the order of metadata in the file is not deterministic.
        head = np.array([self.shortest, self.longest, self.buckets], dtype=np.int64)
        save_file({"head": head, "rows": self.rows, "values": self.values}, path)


def read_subwords(path: Path) -> SubwordVectors:
    """What ``SubwordVectors.write`` wrote.

    Raises:
        VectorsError: the file is damaged.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "numpy") as file:
            rows, values = file.get_tensor("rows"), file.get_tensor("values")
            shortest, longest, buckets = map(int, file.get_tensor("head"))
        sizes = rows.dtype == np.int64 and values.dtype == np.float32 and rows.ndim == 1 and values.ndim == 2
        if not sizes or len(rows) != len(values) or not 1 <= values.shape[1] <= LARGEST_DIMENSION:
            raise ToldValueError("its tables do not fit together")
        if not (1 <= shortest <= longest <= LONGEST_SUBWORD) or buckets < 1:
            raise ToldValueError(
                "its sizes are {shortest}, {longest} and {buckets}",
                shortest=shortest,
                longest=longest,
                buckets=buckets,
            )
        if (np.diff(rows) <= 0).any() or not np.isfinite(values).all():
            raise ToldValueError("its rows do not rise, or hold other than finite numbers")
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        raise VectorsError(
            "{path} is damaged ({reason}); copy it again, or train the vectors anew",
            path=path,
            reason=damage_of(error),
        ) from None
    return SubwordVectors(rows, values, shortest, longest, buckets)


def with_subword_vectors(vectors: WordVectors, source: str, tokens: Iterable[str]) -> WordVectors:
    """``vectors``, extended by subword vectors of missing tokens if they lie beside ``source``.

    Raises:
        VectorsError: the subword vectors are damaged, or of another width.
    """
    path = subwords_file(Path(source))
    if not source.endswith(".vec") or not path.is_file():
        return vectors
    subwords = read_subwords(path)
    if subwords.values.shape[1] != vectors.dimension:
        raise VectorsError(
            "{path} has {width} dimensions and {source} {dimension}: they are not of one "
            "training; copy both again",
            path=path,
            width=subwords.values.shape[1],
            source=source,
            dimension=vectors.dimension,
        )
    stored = set(vectors.tokens)
    added = subwords.vectors(token for token in dict.fromkeys(tokens) if token not in stored)
    if not added:
        return vectors
    values = np.concatenate([vectors.values, np.stack(list(added.values()))])
    return WordVectors((*vectors.tokens, *added), values)
