"""Similar labelled sentences as the scripts take them."""

from __future__ import annotations

from typing import Any

from app.services.indexes.similar_sentences import SimilarSentences
from app.ui.widgets.sentence import span_object
from core.retrieval import bigrams
from core.retrieval.terms import shared
from core.text import LabelSet


def similar_rows(found: SimilarSentences, labels: LabelSet) -> list[dict[str, Any]]:
    """A row has ``document``, ``name``, ``start`` (of the sentence there), ``text``, ``spans``, ``shared``
    (both counted from its beginning); spans with a label that the project lacks are left out."""
    asked, names = bigrams(found.sentence), set(labels.names)
    return [
        {
            "document": row.document,
            "name": row.name,
            "start": row.start,
            "text": row.text,
            "spans": [span_object(span) for span in row.spans if span.label in names],
            "shared": [list(place) for place in shared(asked, bigrams(row.text))],
        }
        for row in found.rows or ()
    ]
