"""Ablation of words: remove one dictionary word from the lattice and tag again.

Attention shows where a tagger looked, ablation what it needed, without retraining: the lexicon is an input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.inspection.sentence.intervention import Outcome, outcomes
from core.lexicon import Lattice
from core.taggers.base.tagger import Tagger
from core.taggers.sequence.lexicon_tagger import LexiconTagger
from core.text import Document, Span


@dataclass(frozen=True, slots=True)
class WordAblation(Outcome):
    """The outcome of one predicted span without a word.

    Args:
        word: the word, removed everywhere in the sentence.
    """

    word: str


def ablate_words(
    tagger: Tagger, text: str, spans: Sequence[Span], before: Sequence[Span] = ()
) -> list[WordAblation]:
    """For every predicted span and every dictionary word at it: the prediction without that word.

    All variants, each with its own lexicon, are tagged together.

    Args:
        tagger: without a lexicon there is nothing to remove. text: the sentence.
        spans: some of its prediction, with scores. before: all of it, see ``outcomes``.

    Returns:
        In the order of ``spans``, the most damaging words first (lost, changed, then by fall in confidence).
    """
    lexicon = tagger.lexicon if tagger.uses_lexicon else None
    if lexicon is None:
        return []
    document, encoder = Document("sentence", text), tagger.encoder_part()
    lattice = encoder.lattice(document) if isinstance(encoder, LexiconTagger) else Lattice.of(text, lexicon)
    at_span = {span: words_at(lattice, span) for span in spans}
    words = sorted(set().union(*at_span.values()))
    without = [lexicon.without_words([word]) for word in words]
    rows = outcomes(tagger, [document] * len(words), list(at_span), without, before)
    ablations = {
        (word, outcome.span): WordAblation(outcome.span, outcome.becomes, outcome.probability, word)
        for word, row in zip(words, rows, strict=True)
        for outcome in row
    }
    return [
        row
        for span in spans
        for row in sorted((ablations[word, span] for word in at_span[span]), key=lambda row: row.damage)
    ]


def words_at(lattice: Lattice, span: Span) -> list[str]:
    """The distinct dictionary words that share a character (or a word that is tagged) with ``span`` or adjoin
    it, in reading order."""
    at = span if lattice.units is None else lattice.units.touched(span)
    if at is None:
        return []
    return list(dict.fromkeys(m.word for m in lattice.words if m.head <= at.end and at.start <= m.tail + 1))
