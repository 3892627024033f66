"""A tagger's scores on documents whose spans are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import tag
from core.text import Document
from core.text.scoring import Scores, score_documents
from core.training.processes import ALONE, Processes


def evaluate(tagger: Tagger, documents: Sequence[Document], processes: Processes = ALONE) -> Scores:
    """Tag the texts and compare with their spans; every document counts, empty ones too.

    Args:
        processes: each tags its share; all get the scores of the whole.
    """
    training = tagger.training
    tagger.eval()
    try:
        answers = tag(tagger, [document.with_spans(()) for document in processes.share(documents)])
    finally:
        tagger.train(training)
    return score_documents(documents, processes.gather(answers))


def scores_to_json(scores: Scores) -> dict[str, Any]:
    """``Scores.to_json`` with the micro precision, recall and F1 also on top, where a reader looks first."""
    micro = scores.micro
    return {"precision": micro.precision, "recall": micro.recall, "f1": micro.f1, **scores.to_json()}
