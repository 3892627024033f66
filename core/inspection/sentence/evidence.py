"""What the confidence in a span is based on: the contributions of words, units and pairs of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from core.taggers.base.trace import Array, Trace
from core.text import Span
from core.text.units import Units

if TYPE_CHECKING:
    from core.inspection.sentence.attribution import Attribution
    from core.inspection.sentence.intervention import Outcome
    from core.inspection.sentence.occlusion import Occlusion
    from core.inspection.sentence.word_ablation import WordAblation
    from core.taggers.base.tagger import Tagger

Method = Literal["words", "gradients", "occlusion"]
METHODS: tuple[Method, ...] = get_args(Method)
MOST_ITEMS = 8
# A pair of characters is listed if its loss is this much greater than that of either.
PAIR_GAIN = 0.05
# Number of weights times characters from which a method is slow on a CPU.
SLOW = 5e8


@dataclass(frozen=True, slots=True)
class WordContribution:
    """A dictionary word and its contribution to a span.

    Args:
        word: its surface. head, tail: first and last unit of the sentence, inclusive.
        value: its contribution; positive values support the span.
    """

    word: str
    head: int
    tail: int
    value: float


@dataclass(frozen=True, slots=True)
class Item:
    """A part of the sentence and its contribution to a span.

    Args:
        surface: the part. is_word: whether it is a dictionary word or units of the text.
        value: its contribution; positive values support the span.
        outcome: the span without the part; None if it was not removed.
    """

    surface: str
    is_word: bool
    value: float
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Contributions to one predicted span; positive ones support it.

    Args:
        method: how they were computed. text: the sentence. span: the span, with its score.
        items: the parts with the largest contributions first.
        places: the units of the sentence that the tagger reads, characters or words.
        worth: contribution of each unit, ``[T]``; None if only dictionary words were considered.
        words: contribution of each word of the lattice that has one.
        attribution: with its error, for the method ``gradients``.
    """

    method: Method
    text: str
    span: Span
    items: tuple[Item, ...]
    places: Units
    worth: Array | None
    words: tuple[WordContribution, ...]
    attribution: Attribution | None = None

    @property
    def shading(self) -> Array:
        """The value that colours each character: that of its unit, or the largest of a word over it.

        Empty without either.
        """
        if self.worth is not None:
            return np.array([0.0 if at < 0 else self.worth[at] for at in self.places.owners()])
        if not self.words:
            return np.zeros(0)
        over = [_strongest(self.words, at) for at in range(len(self.places))]
        return np.array([0.0 if at < 0 else over[at] for at in self.places.owners()])


def methods_of(tagger: Tagger) -> tuple[Method, ...]:
    """The methods available for this tagger."""
    has_words = tagger.uses_lexicon and tagger.lexicon is not None
    return tuple(m for m in METHODS if (has_words if m == "words" else tagger.has_span_probabilities))


def is_slow(tagger: Tagger, text: str) -> bool:
    """Whether methods other than ``words`` are so slow that they should only run on request."""
    from torch import nn

    if tagger.device.type != "cpu":
        return False
    tables = {id(m.weight) for m in tagger.modules() if isinstance(m, nn.Embedding)}
    weights = sum(p.numel() for p in tagger.parameters() if id(p) not in tables)
    return weights * len(text) > SLOW


def find_evidence(tagger: Tagger, trace: Trace, span: Span, method: Method) -> Evidence:
    """Compute the evidence for a span of a trace.

    Raises:
        ValueError: with ``gradients``, the tagger gives spans no probability.
    """
    if method == "gradients":
        from core.inspection.sentence.attribution import integrated_gradients

        return gradient_evidence(trace, span, integrated_gradients(tagger, trace.text, span))
    if method == "occlusion":
        from core.inspection.sentence.occlusion import occlude

        return occlusion_evidence(trace, span, occlude(tagger, trace.text, span, before=trace.spans))
    from core.inspection.sentence.word_ablation import ablate_words

    return word_evidence(trace, span, ablate_words(tagger, trace.text, [span], trace.spans))


def word_evidence(trace: Trace, span: Span, ablations: Sequence[WordAblation]) -> Evidence:
    """Every dictionary word at the span, in the order of ``ablations``."""
    items = tuple(Item(row.word, True, -(row.change or 0.0), row) for row in ablations)
    lost = {row.word: -row.change for row in ablations if row.change is not None}
    words = [WordContribution(*place, lost[place[0]]) for place in _word_places(trace) if place[0] in lost]
    return Evidence("words", trace.text, span, items, trace.places, None, tuple(words))


def gradient_evidence(trace: Trace, span: Span, attribution: Attribution) -> Evidence:
    """The units and words with the greatest shares of the span's log-probability."""
    shares = attribution.words.tolist()
    words = [WordContribution(*word, value) for word, value in zip(_word_places(trace), shares, strict=False)]
    units = zip(trace.tokens, attribution.tokens.tolist(), strict=True)
    items = [Item(unit, False, value) for unit, value in units]
    items += [Item(word.word, True, word.value) for word in words]
    return Evidence(
        "gradients",
        trace.text,
        span,
        _greatest(items),
        trace.places,
        attribution.tokens,
        tuple(words),
        attribution,
    )


def occlusion_evidence(trace: Trace, span: Span, occlusions: Sequence[Occlusion]) -> Evidence:
    """The units whose occlusion lowers confidence most, and pairs that lower it more than either."""
    text, places = trace.text, trace.places
    lost = {(row.start, row.end): -(row.change or 0.0) for row in occlusions}
    single = np.array([lost[extent] for extent in zip(places.starts, places.ends, strict=True)])
    items = []
    for row in occlusions:
        value = lost[row.start, row.end]
        covered = places.touched(Span(row.start, row.end, span.label))
        assert covered is not None
        if len(covered) == 1 or value > single[covered.start : covered.end].max() + PAIR_GAIN:
            items.append(Item(text[row.start : row.end], False, value, row))
    return Evidence("occlusion", text, span, _greatest(items), places, single, ())


def _greatest(items: Sequence[Item]) -> tuple[Item, ...]:
    return tuple(sorted(items, key=lambda item: -abs(item.value))[:MOST_ITEMS])


def _strongest(words: Sequence[WordContribution], at: int) -> float:
    """The largest contribution of a word over a unit, 0 without any."""
    over = [word.value for word in words if word.head <= at <= word.tail]
    return max(over, key=abs, default=0.0)


def _word_places(trace: Trace) -> list[tuple[str, int, int]]:
    """Every word of the lattice: surface, first and last unit."""
    lattice = trace.lattice
    if lattice is None:
        return []
    first = lattice.characters
    return list(
        zip(lattice.nodes[first:], lattice.head[first:].tolist(), lattice.tail[first:].tolist(), strict=True)
    )
