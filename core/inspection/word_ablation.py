"""Why this span: take one dictionary word out of the lattice and tag again.

Attention shows where a tagger looked; ablation shows what it needed. No retraining: the lexicon is an input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from core.lexicon import Lexicon
from core.taggers.tagger import Tagger
from core.taggers.tagging import tag
from core.text import Document, Span


@dataclass(frozen=True, slots=True)
class WordAblation:
    """One word taken out and what became of one predicted span.

    Args:
        word: the word. span: the span as predicted with the whole lexicon.
        becomes: the span of the new prediction that overlaps ``span`` most, or None where it is lost.
    """

    word: str
    span: Span
    becomes: Span | None

    @property
    def kept(self) -> bool:
        """Whether the very same span is still predicted."""
        return self.becomes is not None and self.becomes.key == self.span.key

    @property
    def change(self) -> float | None:
        """New confidence minus old, where the same span is still predicted and both are known."""
        if not self.kept or self.becomes is None or self.becomes.score is None or self.span.score is None:
            return None
        return self.becomes.score - self.span.score


def ablate_words(tagger: Tagger, text: str, spans: Sequence[Span]) -> list[WordAblation]:
    """For every predicted span and every dictionary word that touches it: the prediction without that word.

    Args:
        tagger: its lexicon is changed during the call and put back before it returns, so nobody else may
            use it meanwhile; one without a lexicon has nothing to take out.
        text: the sentence. spans: its prediction, with scores.

    Returns:
        In the order of ``spans``, the most damaging word of each first (lost, then changed, then by fall).
    """
    if not tagger.uses_lexicon or tagger.lexicon is None:
        return []
    words = {span: words_under(tagger.lexicon, text, span) for span in spans}
    without = {word: _tag_without(tagger, text, word) for word in sorted(set().union(*words.values()))}
    rows = []
    for span in spans:
        found = [WordAblation(word, span, _closest(span, without[word])) for word in words[span]]
        rows += sorted(found, key=_damage)
    return rows


def words_under(lexicon: Lexicon, text: str, span: Span) -> list[str]:
    """The distinct dictionary words that share a character with ``span``, in reading order."""
    return list(
        dict.fromkeys(m.word for m in lexicon.match(text) if m.head < span.end and span.start <= m.tail)
    )


def _tag_without(tagger: Tagger, text: str, word: str) -> tuple[Span, ...]:
    assert tagger.lexicon is not None
    with _lexicon(tagger, tagger.lexicon.without_words([word])):
        return tag(tagger, [Document("sentence", text)])[0].spans


@contextmanager
def _lexicon(tagger: Tagger, lexicon: Lexicon) -> Iterator[None]:
    before = tagger.lexicon
    tagger.lexicon = lexicon
    try:
        yield
    finally:
        tagger.lexicon = before


def _closest(span: Span, candidates: Sequence[Span]) -> Span | None:
    overlapping = [other for other in candidates if other.overlaps(span)]
    return max(
        overlapping,
        key=lambda other: (other.key == span.key, min(other.end, span.end) - max(other.start, span.start)),
        default=None,
    )


def _damage(row: WordAblation) -> tuple[int, float]:
    if row.becomes is None:
        return (0, 0.0)
    if not row.kept:
        return (1, 0.0)
    return (2, row.change if row.change is not None else 0.0)
