"""Scores a tagger on labelled documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import tag
from core.text import Document
from core.text.scoring import Scores, score_documents
from core.training.processes import ALONE, Processes


def evaluate(tagger: Tagger, documents: Sequence[Document], processes: Processes = ALONE) -> Scores:
    """Tag the documents and compare with their spans; all documents count, empty ones too.

    Args:
        processes: each tags its share; all get the total scores.
    """
    answers = tag(tagger, [document.with_spans(()) for document in processes.share(documents)])
    return score_documents(documents, processes.gather(answers))


def scores_to_json(scores: Scores) -> dict[str, Any]:
    """``Scores.to_json`` with micro precision, recall and F1 at the top level too."""
    micro = scores.micro
    return {"precision": micro.precision, "recall": micro.recall, "f1": micro.f1, **scores.to_json()}
