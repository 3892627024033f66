"""Occlusion: replace characters by an unknown one, singly and in pairs, and tag again.

Occlusion as in Visualizing and Understanding Convolutional Networks (Zeiler and Fergus, ECCV 2014, section
4.2), on text: the contribution of a position is what is lost if it is unreadable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.inspection.sentence.intervention import Outcome, outcomes
from core.taggers.base.character_tagger import CharacterTagger
from core.taggers.base.encoder_features import EncoderFeatures
from core.taggers.base.tagger import Tagger
from core.text import Document, Span

# The geta mark replaces missing characters in print; the others are used if a tagger has a vector for it.
UNKNOWN = ("〓", "␦", "⍰")


@dataclass(frozen=True, slots=True)
class Occlusion(Outcome):
    """The outcome of one predicted span after masking characters.

    Args:
        start, end: the characters, end exclusive.
    """

    start: int
    end: int


def occlude(
    tagger: Tagger, text: str, span: Span, widths: Sequence[int] = (1, 2), before: Sequence[Span] = ()
) -> list[Occlusion]:
    """The outcomes of ``span`` if stretches of these ``widths`` are replaced by unknown characters.

    Dictionary words over them are no longer matched, so this removes more than the characters' vectors.

    Args:
        tagger: any. text: the sentence. span: one of its prediction, with a score.
        before: its whole prediction, see ``outcomes``.

    Returns:
        By width, then from left to right.
    """
    sign = unknown_character(tagger)
    places = [
        (start, start + width) for width in widths for start in range(len(text) - width + 1) if width > 0
    ]
    documents = [
        Document("sentence", text[:start] + sign * (end - start) + text[end:]) for start, end in places
    ]
    rows = outcomes(tagger, documents, [span], before=before)
    return [
        Occlusion(outcome.span, outcome.becomes, outcome.probability, start, end)
        for (start, end), (outcome,) in zip(places, rows, strict=True)
    ]


def unknown_character(tagger: Tagger) -> str:
    """The first of ``UNKNOWN`` without a vector in the tagger or its transformer, or else the first."""
    encoder = tagger.encoder_part()
    vocabulary = encoder.characters.vocabulary if isinstance(encoder, CharacterTagger) else ()
    features = getattr(encoder, "features", None)
    encoders = [features.encoder] if isinstance(features, EncoderFeatures) else []
    unknown = (
        s for s in UNKNOWN if s not in vocabulary and not any(encoder.covers(s) for encoder in encoders)
    )
    return next(unknown, UNKNOWN[0])
