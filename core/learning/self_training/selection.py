"""Which of a tagger's predictions on raw text it learns from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.text import Document, Span
from core.text.annotated_regions import REGIONS, without


def raw_texts(unlabelled: Iterable[Document], annotated: Iterable[Document]) -> list[Document]:
    """Texts without labels, each once, but none that is annotated, used for evaluation or corrected.

    So what people said of a text always wins over a prediction.

    Args:
        annotated: documents of every other part.
    """
    seen, kept = {document.text for document in annotated}, []
    for document in unlabelled:
        if document.text not in seen and not document.text.isspace():
            seen.add(document.text)
            kept.append(document.with_spans(()))
    return kept


def confident(predicted: Sequence[Document], least: float) -> list[Document]:
    """The texts with a span of this confidence or more, as training documents.

    A span below it is no label, and neither is its absence: its characters are outside the annotated regions,
    so nothing is learned there. Elsewhere the text counts as annotated. A text without a confident span
    is left out: it would be learned as a text without entities.

    Args:
        predicted: with scores. least: confidence, from 0 to 1.
    """
    chosen = []
    for document in predicted:
        sure = [span for span in document.spans if span.score is not None and span.score >= least]
        if not sure:
            continue
        regions: tuple[tuple[int, int], ...] = ((0, len(document.text)),)
        for span in set(document.spans) - set(sure):
            regions = without(regions, span.start, span.end)
        spans = tuple(Span(*span.key) for span in sure)
        meta = {**document.meta, REGIONS: [list(region) for region in regions]}
        chosen.append(Document(document.id, document.text, spans, meta))
    return chosen
