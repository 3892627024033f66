"""Occlusion: replace units of the text by unknown ones, singly and in pairs, and tag again.

Occlusion as in Visualizing and Understanding Convolutional Networks (Zeiler and Fergus, ECCV 2014, section
4.2), on text: the contribution of a position is what is lost if it is unreadable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.inspection.sentence.intervention import Outcome, outcomes
from core.taggers.base.tagger import Tagger
from core.taggers.sequence.character_tagger import CharacterTagger
from core.taggers.sequence.encoder_features import EncoderFeatures
from core.text import Document, Span
from core.text.units import Units

# The geta mark replaces missing characters in print; the others are used if a tagger has a vector for it.
UNKNOWN = ("〓", "␦", "⍰")
# A letter of a script long out of use (Linear B): a word of it is one word, as the one that it replaces.
UNKNOWN_LETTERS = ("𐀀", "𐀁", "𐀂")


@dataclass(frozen=True, slots=True)
class Occlusion(Outcome):
    """The outcome of one predicted span after masking a part of the text.

    Args:
        start, end: the characters, end exclusive.
    """

    start: int
    end: int


def occlude(
    tagger: Tagger, text: str, span: Span, widths: Sequence[int] = (1, 2), before: Sequence[Span] = ()
) -> list[Occlusion]:
    """The outcomes of ``span`` if stretches of these ``widths``, in units, are replaced by unknown ones.

    Dictionary words over them are no longer matched, so this removes more than the characters' vectors.

    Args:
        tagger: any. text: the sentence. span: one of its prediction, with a score.
        before: its whole prediction, see ``outcomes``.

    Returns:
        By width, then from left to right.
    """
    units = tagger.units(Document("sentence", text))
    stretches = [
        range(first, first + width)
        for width in widths
        for first in range(len(units) - width + 1)
        if width > 0
    ]
    places = [(units.starts[stretch[0]], units.ends[stretch[-1]]) for stretch in stretches]
    documents = [Document("sentence", masked(tagger, text, units, stretch)) for stretch in stretches]
    rows = outcomes(tagger, documents, [span], before=before)
    return [
        Occlusion(outcome.span, outcome.becomes, outcome.probability, start, end)
        for (start, end), (outcome,) in zip(places, rows, strict=True)
    ]


def masked(tagger: Tagger, text: str, units: Units, hidden: Sequence[int]) -> str:
    """The text with these units replaced by unknown ones of the same length; blanks between words stay."""
    for signs in (UNKNOWN_LETTERS, UNKNOWN) if units.name == "word" else (UNKNOWN,):
        sign, written = unknown_character(tagger, signs), text
        for unit in hidden:
            start, end = units.starts[unit], units.ends[unit]
            written = written[:start] + sign * (end - start) + written[end:]
        # In place of punctuation a letter would join the words beside it.
        if len(tagger.units(Document("sentence", written))) == len(units):
            return written
    return written


def unknown_character(tagger: Tagger, signs: Sequence[str] = UNKNOWN) -> str:
    """The first of ``signs`` without a vector in the tagger or its transformer, or else the first."""
    encoder = tagger.encoder_part()
    vocabulary = encoder.characters.vocabulary if isinstance(encoder, CharacterTagger) else ()
    features = getattr(encoder, "features", None)
    encoders = [features.encoder] if isinstance(features, EncoderFeatures) else []
    unknown = (s for s in signs if s not in vocabulary and not any(encoder.covers(s) for encoder in encoders))
    return next(unknown, signs[0])
