"""A gensim model whose state can be saved and restored after every epoch, without pickle."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.encoders.subword_vectors import SubwordVectors, subwords
from core.learning.vectors.config import WORK, VectorsConfig
from core.runtime.message import ToldValueError
from core.runtime.optional_packages import load

BATCH = 10_000  # tokens of one job of gensim
ROOM = 20  # buckets per distinct subword: few enough collisions that more buckets would change nothing
_ARRAYS = ("vectors", "vectors_vocab", "vectors_ngrams")


class VectorsModel:
    """word2vec or fastText of one unit, with one worker so that the seed makes it deterministic.

    Args:
        sentences: the text. counts: of its tokens. config: of the training.
    """

    def __init__(
        self, sentences: Sequence[Sequence[str]], counts: Counter[str], config: VectorsConfig
    ) -> None:
        gensim = load("gensim.models", "gensim", WORK)
        self._sentences, self._config = sentences, config
        options: dict[str, Any] = {
            "vector_size": config.dimension,
            "sg": int(config.architecture == "skipgram"),
            "negative": config.negative,
            "window": config.window,
            "sample": config.sampling,
            "min_count": config.least_count,
            "seed": config.seed,
            "workers": 1,
            "batch_words": BATCH,
        }
        self._subwords = config.model == "fasttext"
        if self._subwords:
            options |= {
                "min_n": config.shortest_part,
                "max_n": config.longest_part,
                "bucket": buckets_for(counts, config),
            }
        self._model = (gensim.FastText if self._subwords else gensim.Word2Vec)(**options)
        self._model.build_vocab(sentences)
        if self._subwords:
            self._model.wv.adjust_vectors()

    @property
    def tokens(self) -> list[str]:
        """The tokens that have vectors, the most frequent first."""
        return list(self._model.wv.index_to_key)

    @property
    def counts(self) -> list[int]:
        """The frequency of each token."""
        return [int(self._model.wv.get_vecattr(token, "count")) for token in self.tokens]

    @property
    def input_vectors(self) -> NDArray[np.float32]:
        """Vectors of input tokens, ``[V, D]``: what a tagger starts from."""
        return np.asarray(self._model.wv.vectors)

    @property
    def output_vectors(self) -> NDArray[np.float32]:
        """Vectors of predicted tokens, ``[V, D]``."""
        return np.asarray(self._model.syn1neg)

    def run_epoch(self, epoch: int, advance: Callable[[int], bool]) -> bool:
        """One pass over the text; True if it was stopped.

        Args:
            epoch: 0-based; determines the learning rate. advance: called with the number of sentences read
                since the last call; returns whether to stop. What it raises is raised here.
        """
        stopped: list[bool] = []
        raised: list[Exception] = []

        def until_stopped() -> Iterator[Sequence[str]]:
            for sentence in self._sentences:
                try:
                    stop = advance(1)
                except Exception as error:  # raised in gensim's thread, it would leave the others waiting
                    raised.append(error)
                    return
                if stop:
                    stopped.append(True)
                    return
                yield sentence

        start, end = self._config.learning_rate, self._config.last_rate
        fall = (start - end) / self._config.epochs
        self._model.min_alpha_yet_reached = start  # otherwise gensim warns that alpha increases
        self._model.train(
            _Restartable(until_stopped),
            total_examples=len(self._sentences),
            epochs=1,
            start_alpha=start - epoch * fall,
            end_alpha=start - (epoch + 1) * fall,
        )
        if raised:
            raise raised[0]
        return bool(stopped)

    def state(self) -> dict[str, NDArray[Any]]:
        """All learned arrays and the state of the random generator."""
        kind, keys, position, has_gauss, gauss = self._model.random.get_state()
        learned = {name: getattr(self._model.wv, name, None) for name in _ARRAYS}
        arrays = {name: np.ascontiguousarray(array) for name, array in learned.items() if array is not None}
        rest = json.dumps([kind, int(position), int(has_gauss), float(gauss)]).encode()
        return {
            **arrays,
            "told": np.ascontiguousarray(self._model.syn1neg),
            "random": np.asarray(keys, dtype=np.uint32),
            "random_rest": np.frombuffer(rest, dtype=np.uint8),
        }

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Restore what ``state`` returned.

        Raises:
            ValueError, KeyError: it belongs to another model.
        """
        for name in _ARRAYS:
            array = getattr(self._model.wv, name, None)
            if array is not None:
                _fill(array, state[name])
        _fill(self._model.syn1neg, state["told"])
        kind, position, has_gauss, gauss = json.loads(state["random_rest"].tobytes())
        self._model.random.set_state((kind, state["random"], position, has_gauss, gauss))

    def subword_vectors(self) -> SubwordVectors | None:
        """The vectors of the subwords of its tokens; None for word2vec."""
        if not self._subwords:
            return None
        wv = self._model.wv
        used = [np.asarray(row, dtype=np.int64) for row in wv.buckets_word if len(row)]
        rows = np.unique(np.concatenate(used)) if used else np.zeros(0, dtype=np.int64)
        values = np.ascontiguousarray(wv.vectors_ngrams[rows], dtype=np.float32)
        return SubwordVectors(
            rows, values, self._config.shortest_part, self._config.longest_part, int(wv.bucket)
        )

    def write(self, path: Path) -> None:
        """Write the vectors as text, ``count dimension`` first.

        Raises:
            OSError: the disk is full.
        """
        with path.open("w", encoding="utf-8", newline="\n") as file:
            vectors = self.input_vectors
            file.write(f"{len(vectors)} {vectors.shape[1]}\n")
            for token, vector in zip(self.tokens, vectors, strict=True):
                # Nine digits represent every float32 exactly.
                file.write(f"{token} {' '.join(f'{value:.9g}' for value in vector.tolist())}\n")


class _Restartable:
    """A corpus as gensim needs it: iterable more than once."""

    def __init__(self, make: Callable[[], Iterator[Sequence[str]]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[Sequence[str]]:
        return self._make()


def buckets_for(counts: Counter[str], config: VectorsConfig) -> int:
    """Number of rows for subwords: that of the config, or fewer if the text has few distinct ones."""
    different = {
        part
        for token, count in counts.items()
        if count >= config.least_count
        for part in subwords(token, config.shortest_part, config.longest_part)
    }
    return min(config.buckets, max(1000, ROOM * len(different)))


def _fill(array: NDArray[Any], stored: NDArray[Any]) -> None:
    if array.shape != stored.shape:
        raise ToldValueError(
            "its tables are {shape}, not {wanted}", shape=str(stored.shape), wanted=str(array.shape)
        )
    array[:] = stored
