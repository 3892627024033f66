"""A spaCy pipeline: its entities (``doc.ents``), or the groups of spans it predicts (``doc.spans``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.runtime.message import _
from core.runtime.optional_packages import MissingPackage, load
from core.sources.contract import Answer, Context, SourceError
from core.text import Span, sort_spans
from core.text.segmentation import windows

BATCH = 16
WINDOW = 20_000  # characters at once, for the memory a parse takes
_PREDICTING = ("ner", "entity_ruler", "span_ruler", "spancat", "spancat_singlelabel")


class SpacyPipeline:
    """A pipeline by the name of its package or by its folder.

    Raises:
        SourceError: spaCy or the pipeline is missing, or it finds no entities.
    """

    def __init__(self, target: str, context: Context) -> None:
        try:
            spacy = load("spacy", "spacy", _("A spaCy pipeline"))
        except MissingPackage as error:
            raise SourceError(error.message) from None
        try:
            self._pipeline: Any = spacy.load(Path(target) if Path(target).is_dir() else target)
        except Exception as error:  # each component has errors of its own
            raise SourceError(
                "The spaCy pipeline {target} cannot be opened. Give its folder, or install its package into "
                "the environment of LatticeLens.",
                target=repr(target[:100]),
            ) from error
        self._context = context
        components = dict(self._pipeline.pipeline)
        self.labels: tuple[str, ...] = tuple(
            dict.fromkeys(
                str(label)
                for name in self._pipeline.pipe_names
                if self._pipeline.get_pipe_meta(name).factory in _PREDICTING
                for label in getattr(components[name], "labels", ())
            )
        )
        if not self.labels:
            raise SourceError(
                "The spaCy pipeline {target} has no component that finds entities. Choose one with ner or "
                "spancat.",
                target=repr(target[:100]),
            )

    def suggest(self, texts: Sequence[str]) -> Iterator[Answer]:
        """As `Source.suggest`. The scores are those of a span categorizer; ``ner`` gives none."""
        for text in texts:
            self._context.pause()
            pieces = windows(text, min(WINDOW, self._pipeline.max_length))
            docs = self._pipeline.pipe([text[start:end] for start, end in pieces], batch_size=BATCH)
            spans = [
                span for (start, _), doc in zip(pieces, docs, strict=True) for span in _spans(doc, start)
            ]
            yield Answer(sort_spans(spans))


def _spans(doc: Any, offset: int) -> list[Span]:
    scores: dict[tuple[int, int, str], float | None] = {_key(span): None for span in doc.ents}
    for group in doc.spans.values():
        given = group.attrs.get("scores")
        for place, span in enumerate(group):
            scores[_key(span)] = None if given is None else min(1.0, max(0.0, float(given[place])))
    return [
        Span(start + offset, end + offset, label, score)
        for (start, end, label), score in scores.items()
        if start < end and label
    ]


def _key(span: Any) -> tuple[int, int, str]:
    return span.start_char, span.end_char, span.label_
