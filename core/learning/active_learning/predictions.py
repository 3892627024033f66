"""Predictions of the active tagger."""

from __future__ import annotations

from collections.abc import Sequence

from core.learning.active_learning.acquisition import MissingForAcquisition, Pool, Progress
from core.taggers.base.tagging import tag
from core.text import Span


def predictions(pool: Pool, progress: Progress) -> Sequence[Sequence[Span]]:
    """The tagger's spans on every document of the pool, with their probabilities as scores.

    Raises:
        MissingForAcquisition: there is no tagger and no prediction.
        Also whatever ``progress`` raises.
    """
    if pool.predicted is not None:
        return pool.predicted
    if pool.tagger is None:
        raise MissingForAcquisition("tagger")
    blank = [document.with_spans(()) for document in pool.documents]
    tagged = tag(pool.tagger, blank, progress=lambda done, total: progress(done / total))
    return [document.spans for document in tagged]
