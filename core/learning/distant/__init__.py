"""Distant supervision: labels from a dictionary of typed words. Imports no torch."""

from core.learning.distant.labelling import AMBIGUOUS, Ambiguous, distant_corpus, distant_labels, span_sources
from core.learning.distant.measure import DictionaryMeasure, measure
from core.learning.distant.typed_surfaces import TypedSurface, typed_surfaces
from core.learning.distant.typed_words import TypedWords

__all__ = [
    "AMBIGUOUS",
    "Ambiguous",
    "DictionaryMeasure",
    "TypedSurface",
    "TypedWords",
    "distant_corpus",
    "distant_labels",
    "measure",
    "span_sources",
    "typed_surfaces",
]
