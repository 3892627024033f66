"""Where the layers of an HM-LSTM end a segment, beside the words of jieba and of a dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.lexicon import Lexicon
from core.lexicon.maximum_matching import segment
from core.lexicon.segmentation import word_lengths
from core.taggers.base.trace import Trace

Source = Literal["forwards", "backwards", "jieba", "dictionary"]


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A sentence cut into segments.

    Args:
        source: the network's direction, or whose words they are. layer: of the network, from 1; else 0.
        ends: True at a unit after which a segment ends, ``[T]``.
        shared: how many segments but the last end where a word of jieba does.
    """

    source: Source
    layer: int
    ends: NDArray[np.bool_]
    shared: int

    @property
    def segments(self) -> list[tuple[int, int]]:
        """First unit and the one behind the last, of every segment."""
        stops = (np.flatnonzero(self.ends) + 1).tolist()
        return list(zip([0, *stops[:-1]], stops, strict=False))

    @property
    def boundaries(self) -> int:
        """Segments but the last, which ends with the sentence whatever cuts it."""
        return max(int(self.ends.sum()) - 1, 0)


@dataclass(frozen=True, slots=True)
class SegmentsView:
    """The segmentations of a sentence: the layers forwards, then backwards, jieba, the dictionary.

    Args:
        tokens: the units, ``[T]``. rows: the segmentations.
    """

    tokens: tuple[str, ...]
    rows: tuple[SegmentRow, ...]


def segments_view(trace: Trace, lexicon: Lexicon) -> SegmentsView:
    """The segmentations of a sentence that an HM-LSTM has read.

    Args:
        lexicon: its words are found by maximum matching in both directions.
    """
    segments = trace.segments
    assert segments is not None
    words = _ends(trace, np.cumsum(word_lengths(trace.text)).tolist())
    matches = [(word.head, word.tail + 1) for word in lexicon.match(trace.text)]
    listed = _ends(trace, [end for _, end in segment(len(trace.text), matches)])
    rows: list[tuple[Source, int, NDArray[np.bool_]]] = [
        *(("forwards", layer, row) for layer, row in enumerate(segments.forwards, start=1)),
        *(("backwards", layer, row) for layer, row in enumerate(segments.backwards, start=1)),
        ("jieba", 0, words),
        ("dictionary", 0, listed),
    ]
    return SegmentsView(
        trace.tokens,
        tuple(
            SegmentRow(source, layer, ends, int((ends & words)[:-1].sum())) for source, layer, ends in rows
        ),
    )


def _ends(trace: Trace, offsets: Sequence[int]) -> NDArray[np.bool_]:
    """The units after which a word ends, ``[T]``; the last unit always does.

    Args:
        offsets: at which words end, and blanks where they count as words.
    """
    units = trace.places
    stops, ends = set(offsets), np.zeros(len(units), dtype=np.bool_)
    for at in range(len(units)):
        # A blank behind a unit belongs to neither word.
        following = units.starts[at + 1] if at + 1 < len(units) else units.length
        ends[at] = any(end in stops for end in range(units.ends[at], following + 1))
    ends[-1:] = True
    return ends
