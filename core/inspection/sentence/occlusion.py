"""Occlusion: replace characters by an unknown one, singly and in pairs, and tag again.

Occlusion as in Visualizing and Understanding Convolutional Networks (Zeiler and Fergus, ECCV 2014, section
4.2), on text: what a place is worth is what is lost when it cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.inspection.sentence.intervention import Outcome, outcomes
from core.taggers.base.character_tagger import CharacterTagger
from core.taggers.base.encoder_features import EncoderFeatures
from core.taggers.base.tagger import Tagger
from core.text import Document, Span

# The geta mark stands in print for a character that the type case lacks; the others should it be known.
UNKNOWN = ("〓", "␦", "⍰")


@dataclass(frozen=True, slots=True)
class Occlusion(Outcome):
    """Characters made illegible and what became of one predicted span.

    Args:
        start, end: which characters, end exclusive.
    """

    start: int
    end: int


def occlude(tagger: Tagger, text: str, span: Span, widths: Sequence[int] = (1, 2)) -> list[Occlusion]:
    """What becomes of ``span`` when stretches of so many characters are replaced by an unknown one each.

    Dictionary words over them are no longer matched, so this takes more away than a character's own vector.

    Args:
        tagger: any. text: the sentence. span: one of its prediction, with a score.

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
    rows = outcomes(tagger, documents, [span])
    return [
        Occlusion(outcome.span, outcome.becomes, outcome.probability, start, end)
        for (start, end), (outcome,) in zip(places, rows, strict=True)
    ]


def unknown_character(tagger: Tagger) -> str:
    """The first of ``UNKNOWN`` that the tagger has no vector for, nor its transformer; else the first one."""
    encoder = tagger.encoder_part()
    vocabulary = encoder.characters.vocabulary if isinstance(encoder, CharacterTagger) else ()
    features = getattr(encoder, "features", None)
    encoders = [features.encoder] if isinstance(features, EncoderFeatures) else []
    unknown = (
        s for s in UNKNOWN if s not in vocabulary and not any(encoder.knows(s) for encoder in encoders)
    )
    return next(unknown, UNKNOWN[0])
