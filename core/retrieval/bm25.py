"""A BM25 index over a changing collection of texts."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar

import bm25s
import numpy as np
from numpy.typing import NDArray

from core.retrieval.terms import Cut, bigrams

Key = TypeVar("Key", bound=Hashable)
Floats = NDArray[np.float32]

K1, B = 1.5, 0.75  # Robertson and Zaragoza 2009, section 3.4.4: 1.2 < k1 < 2, 0.5 < b < 0.8
MOST_TERMS = 2000  # per text; more do not improve the similarity of long texts
MOST_ASKED = 500  # terms of a query
FRESH = 0.05  # share of new and removed texts above which everything is rescored
FEW_FRESH = 64


class Hit(NamedTuple, Generic[Key]):
    """A text and its score, which is above 0."""

    key: Key
    score: float


@dataclass(frozen=True)
class _Statistics:
    """Statistics of a collection: number of texts, mean terms per text, document frequency of each term."""

    texts: int
    average: float
    having: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]], terms: int) -> _Statistics:
        sizes = [len(text) for text in texts]
        once = np.fromiter(chain.from_iterable(set(text) for text in texts), dtype=np.int64)
        average = sum(sizes) / len(sizes) if sizes else 0.0
        return cls(len(sizes), average or 1.0, np.bincount(once, minlength=terms))

    def rarity(self, terms: int) -> NDArray[np.float64]:
        """The inverse document frequency ``log(1 + (N - n + 0.5) / (n + 0.5))`` of the first ``terms`` terms.

        Robertson and Spärck Jones' weight (equation 3.3) with 1 added, as in Lucene: otherwise terms in more
        than half of the texts would have negative weights, and one or two texts could not be searched.
        """
        having = np.zeros(terms)
        counted = min(terms, len(self.having))
        having[:counted] = self.having[:counted]
        weights: NDArray[np.float64] = np.log1p((self.texts - having + 0.5) / (having + 0.5))
        return weights


class _Segment(bm25s.BM25):
    """bm25s over part of a collection, scored with the statistics of the whole.

    The library computes statistics from the texts it indexes, so a few new texts would be scored on another
    scale. Scores are computed when indexing; a query only sums them.
    """

    def __init__(self, texts: Sequence[Sequence[int]], terms: int, statistics: _Statistics) -> None:
        super().__init__(k1=K1, b=B, method="lucene", backend="numpy", csc_backend="numpy")
        self.statistics = statistics
        self.nonoccurrence_array = None
        self.terms = terms
        self.scores = self.build_index_from_ids(range(terms), texts)

    def build_index_from_ids(
        self,
        unique_token_ids: Sequence[int],
        corpus_token_ids: Sequence[Sequence[int]],
        show_progress: bool = False,
        leave_progress: bool = False,
    ) -> dict[str, Any]:
        """``tf / (k1 ((1 - b) + b dl / avdl) + tf)`` times the inverse document frequency, for every term of
        every text.

        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, equation 3.15.
        """
        width = max(self.terms, 1)
        sizes = np.array([len(text) for text in corpus_token_ids], dtype=np.int64)
        flat = np.fromiter(chain.from_iterable(corpus_token_ids), dtype=np.int64, count=int(sizes.sum()))
        rows = np.repeat(np.arange(len(sizes)), sizes)
        places, counts = np.unique(flat * len(sizes) + rows, return_counts=True)  # by term, then by text
        terms, rows = np.divmod(places, max(len(sizes), 1))
        length = (1 - self.b) + self.b * sizes[rows] / self.statistics.average
        weights = self.statistics.rarity(width)[terms] * counts / (self.k1 * length + counts)
        starts = np.zeros(width + 1, dtype=np.int64)
        np.cumsum(np.bincount(terms, minlength=width), out=starts[1:])
        return {
            "data": weights.astype(self.dtype),
            "indices": rows.astype(self.int_dtype),
            "indptr": starts,
            "num_docs": len(sizes),
        }

    def weigh(self, terms: Sequence[int]) -> Floats:
        """The score of every text for these terms, counted with repetitions."""
        weights: Floats = self.get_scores_from_ids([term for term in terms if term < self.terms])
        return weights


@dataclass(frozen=True)
class _View(Generic[Key]):
    """The immutable view that queries read; it is replaced as a whole, so queries never block.

    The vocabulary may grow meanwhile; a segment ignores newer terms.
    """

    vocabulary: dict[str, int]
    parts: tuple[tuple[_Segment, Sequence[Key], Floats], ...] = ()  # 0 for removed texts, else 1


class Bm25Index(Generic[Key]):
    """An index of texts by key, searched by shared terms.

    One thread at a time adds and removes texts, which `apply_pending` puts into effect; any thread may
    search meanwhile. New texts are in a small segment with the statistics of the large one, until `FRESH` of
    all are new or removed; then everything is rescored, without tokenising again.

    Args:
        cut: text to terms.
    """

    def __init__(self, cut: Cut = bigrams) -> None:
        self._cut = cut
        self._texts: dict[Key, array[int]] = {}
        self._vocabulary: dict[str, int] = {}
        self._statistics = _Statistics.of([], 0)
        self._base: tuple[_Segment, list[Key]] | None = None
        self._places: dict[Key, int] = {}  # in the base, of unchanged texts
        self._fresh: dict[Key, None] = {}
        self._view: _View[Key] = _View({})

    def __len__(self) -> int:
        return len(self._texts)

    def __contains__(self, key: Key) -> bool:
        return key in self._texts

    def add(self, key: Key, text: str) -> None:
        """Add a text, replacing one with the same key."""
        self.remove(key)
        numbers = (
            self._vocabulary.setdefault(term.text, len(self._vocabulary))
            for term in self._cut(text)[:MOST_TERMS]
        )
        self._texts[key] = array("i", numbers)
        self._fresh[key] = None

    def remove(self, key: Key) -> None:
        """Remove a text; a missing one is ignored."""
        self._texts.pop(key, None)
        self._fresh.pop(key, None)
        self._places.pop(key, None)

    def apply_pending(self) -> None:
        """Make additions and removals visible to queries."""
        removed = (len(self._base[1]) if self._base else 0) - len(self._places)
        if len(self._fresh) + removed > max(FEW_FRESH, FRESH * len(self._texts)) or self._base is None:
            self._rebuild()
        assert self._base is not None
        base, keys = self._base
        alive = np.zeros(len(keys), dtype=np.float32)
        alive[list(self._places.values())] = 1.0
        parts = [(base, keys, alive)]
        if self._fresh:
            texts = [self._texts[key] for key in self._fresh]
            segment = _Segment(texts, len(self._vocabulary), self._statistics)
            parts.append((segment, list(self._fresh), np.ones(len(texts), dtype=np.float32)))
        self._view = _View(self._vocabulary, tuple(parts))

    def search(
        self, text: str, count: int, accept: Callable[[Key], bool] = lambda key: True
    ) -> list[Hit[Key]]:
        """The texts most similar to ``text``, best first, at most ``count`` that ``accept`` accepts.

        Ties are in order of addition. Texts without a common term are not returned.
        """
        view = self._view
        query = [view.vocabulary.get(term.text, -1) for term in self._cut(text)[:MOST_ASKED]]
        terms = [term for term in query if term >= 0]
        if not terms or not view.parts:
            return []
        scores = np.concatenate([segment.weigh(terms) * alive for segment, _, alive in view.parts])
        keys = [names for _, names, _ in view.parts]
        hits: list[Hit[Key]] = []
        for place in _descending(scores, count):
            key = keys[0][place] if place < len(keys[0]) else keys[1][place - len(keys[0])]
            if accept(key):
                hits.append(Hit(key, float(scores[place])))
                if len(hits) == count:
                    break
        return hits

    def _rebuild(self) -> None:
        keys = list(self._texts)
        self._compact()
        texts = [self._texts[key] for key in keys]
        self._statistics = _Statistics.of(texts, len(self._vocabulary))
        self._base = (_Segment(texts, len(self._vocabulary), self._statistics), keys)
        self._places = {key: place for place, key in enumerate(keys)}
        self._fresh = {}

    def _compact(self) -> None:
        """Drop terms that no text has any more, and renumber the rest."""
        used = np.zeros(len(self._vocabulary), dtype=bool)
        for numbers in self._texts.values():
            used[numbers] = True
        moved = np.cumsum(used) - 1
        self._vocabulary = {
            term: int(moved[number]) for term, number in self._vocabulary.items() if used[number]
        }
        self._texts = {key: array("i", moved[numbers].tolist()) for key, numbers in self._texts.items()}


def _descending(scores: Floats, count: int) -> Iterable[int]:
    """Indices of positive scores, highest first; sorted lazily in portions, because few are needed."""
    some = int((scores > 0).sum())
    done, size = 0, max(4 * count, 16)
    while done < some:
        size = min(size, some)
        top = np.argpartition(-scores, size - 1)[:size] if size < len(scores) else np.arange(len(scores))
        # Include all ties with the last one, or the order would depend on the portion size.
        top = np.flatnonzero(scores >= scores[top].min()) if size < some else np.flatnonzero(scores > 0)
        order = top[np.lexsort((top, -scores[top]))]
        yield from order[done:].tolist()
        done, size = len(order), size * 8
