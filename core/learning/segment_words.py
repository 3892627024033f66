"""Words that a tagger's HM-LSTM cuts out of raw text: the segments between its boundaries, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.layers.evaluating import evaluating
from core.lexicon.discovery.new_words import Thresholds, is_word
from core.lexicon.discovery.token_stream import token_stream
from core.lexicon.entry import LONGEST_WORD
from core.lexicon.word_boundary import on_boundary
from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import batches_by_cost, disjoint_pieces
from core.taggers.sequence.segments import capture_segments
from core.text import Document
from core.text.units import Units


@dataclass(frozen=True, slots=True)
class SegmentWord:
    """A surface and how often it is a segment."""

    surface: str
    count: int


class SegmentCounts:
    """How often each surface is a segment of an HM-LSTM, over texts that are read part by part.

    A piece of text is a segment if it lies between two neighbouring boundaries of any layer in either
    direction; one that several layers cut out counts once.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def read(self, tagger: Tagger, documents: Sequence[Document]) -> None:
        """Count the segments of these texts; without an HM-LSTM in the tagger there are none.

        Long texts are read in windows without overlap, and no segment crosses the end of one.
        """
        with evaluating(tagger), torch.inference_mode():
            for group in batches_by_cost(disjoint_pieces(tagger, documents)):
                texts = [piece.text for piece in group]
                with capture_segments(tagger) as captured:
                    tagger.decode(tagger.collate(texts).to(tagger.device))
                if captured:
                    for text, ends in zip(texts, captured[0].cpu(), strict=True):
                        self._counts.update(segments(text.text, tagger.units(text), ends))

    def words(self, thresholds: Thresholds, excluded: Container[str] = frozenset()) -> list[SegmentWord]:
        """Segments that can be words, the most frequent first, then by spelling.

        They have two tokens or more (characters in Chinese, words in alphabetic scripts), no punctuation
        inside, and are not in ``excluded``. Of the thresholds, ``count`` and ``longest`` are asked for.
        """
        words = [
            SegmentWord(surface, count)
            for surface, count in self._counts.items()
            if count >= thresholds.count and surface not in excluded and _fits(surface, thresholds.longest)
        ]
        return sorted(words, key=lambda word: (-word.count, word.surface))


def segments(text: str, units: Units, ends: Tensor) -> Iterator[str]:
    """The distinct segments of a text of more than one character, none cutting a word of an alphabet.

    Args:
        units: of the text, T of them. ends: as `Bidirectional.segment_ends`, ``[T or more, R]``.
    """
    places: set[tuple[int, int]] = set()
    for row in ends[: len(units)].T:
        first = 0
        for last in row.nonzero()[:, 0].tolist():
            places.add((units.starts[first], units.ends[last]))
            first = last + 1
    for start, end in sorted(places):
        if 1 < end - start <= LONGEST_WORD and on_boundary(text, start, end):
            yield text[start:end]


def _fits(surface: str, longest: int) -> bool:
    stream = token_stream([surface])
    tokens = len(stream.tokens) - 2  # a stream begins and ends with a break
    # Punctuation or a blank, at an end or inside, is lost in the stream.
    return 2 <= tokens <= longest and stream.surface(1, tokens) == surface and is_word(surface)
