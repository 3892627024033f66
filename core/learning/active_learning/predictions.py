"""The spans of the serving tagger, asked for where nobody has asked before."""

from __future__ import annotations

from collections.abc import Sequence

from core.learning.active_learning.strategy import MissingForStrategy, Pool, Watch
from core.taggers.base.tagging import tag
from core.text import Span


def predictions(pool: Pool, watch: Watch) -> Sequence[Sequence[Span]]:
    """The tagger's spans on every document of the pool, with their probabilities as scores.

    Raises:
        MissingForStrategy: there is neither a tagger nor anything it has said. ScoringStopped: by ``watch``.
    """
    if pool.predicted is not None:
        return pool.predicted
    if pool.tagger is None:
        raise MissingForStrategy("tagger")
    blank = [document.with_spans(()) for document in pool.documents]
    answers = tag(pool.tagger, blank, progress=lambda done, total: watch(done / total))
    return [answer.spans for answer in answers]
