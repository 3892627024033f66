"""Disagreement of two taggers on the same documents."""

from __future__ import annotations

from core.learning.active_learning.acquisition import Acquisition, MissingForAcquisition, Pool, Progress
from core.learning.active_learning.predictions import predictions
from core.text import Document
from core.text.scoring import score_documents


class Disagreement(Acquisition):
    """One minus the span F1 between two taggers' predictions; the highest comes first.

    Query by committee (Seung, Opper and Sompolinsky, COLT 1992) with two members, measured by the
    F-complement (Ngai and Yarowsky, Rule writing or annotation, ACL 2000, section 3). They agree if neither
    predicts anything.
    """

    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        if pool.second is None:
            raise MissingForAcquisition("second")
        first = predictions(pool, progress)
        return [
            f_complement(document, document.with_spans(spans), document.with_spans(second))
            for document, spans, second in zip(pool.documents, first, pool.second, strict=True)
        ]


def f_complement(document: Document, first: Document, second: Document) -> float:
    """1 - F1 of exact spans, in [0, 1]; symmetric; 0 where both are empty."""
    if not first.spans and not second.spans:
        return 0.0
    return 1.0 - score_documents([first], [second]).micro.f1
