"""A BM25 index over a changing collection of texts."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.retrieval.collection_statistics import Statistics
from core.retrieval.terms import Cut, bigrams

if TYPE_CHECKING:
    from core.retrieval.segment import Segment

Key = TypeVar("Key", bound=Hashable)
Floats = NDArray[np.float32]

MOST_TERMS = 2000  # per text; more do not improve the similarity of long texts
MOST_ASKED = 500  # terms of a query
FRESH = 0.05  # share of new and removed texts above which everything is rescored
FEW_FRESH = 64


class Hit(NamedTuple, Generic[Key]):
    """A text and its score, which is above 0."""

    key: Key
    score: float


@dataclass(frozen=True)
class _View(Generic[Key]):
    """The immutable view that queries read; it is replaced as a whole, so queries never block.

    The vocabulary may grow meanwhile; a segment ignores newer terms.
    """

    vocabulary: dict[str, int]
    parts: tuple[tuple[Segment, Sequence[Key], Floats], ...] = ()  # 0 for removed texts, else 1


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
        self._statistics = Statistics.of([], 0)
        self._base: tuple[Segment, list[Key]] | None = None
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
            parts.append((self._segment_of(texts), list(self._fresh), np.ones(len(texts), dtype=np.float32)))
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
        self._statistics = Statistics.of(texts, len(self._vocabulary))
        self._base = (self._segment_of(texts), keys)
        self._places = {key: place for place, key in enumerate(keys)}
        self._fresh = {}

    def _segment_of(self, texts: Sequence[Sequence[int]]) -> Segment:
        from core.retrieval.segment import Segment

        return Segment(texts, len(self._vocabulary), self._statistics)

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
