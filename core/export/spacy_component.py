"""A trained run as a component of spaCy: ``nlp.add_pipe("latticelens", config={"model": "runs/first"})``.

spaCy finds it by the entry point ``spacy_factories`` of the installed package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import filter_spans

from core.export.errors import ExportError
from core.export.onnx.header import is_onnx_folder
from core.text import Document, Span

NAME = "latticelens"
KEY = "sc"  # of spaCy's own span categoriser
ALIGNMENTS = ("expand", "contract", "strict")
LEFT_OUT = "latticelens_left_out"
Predict = Callable[[Sequence[Document]], list[Document]]


class LatticeLens:
    """Predicts the spans of docs: those of a flat tagger become ``doc.ents``, those that may nest
    ``doc.spans[spans_key]`` with their scores in its ``attrs["scores"]``.

    Args:
        predict: documents with predicted spans in place of their own. nested: whether these may overlap.
        alignment: what becomes of a span that does not begin and end with spaCy's tokens: ``expand`` takes
            the tokens it touches, ``contract`` those inside it, ``strict`` leaves it out. What is left out
            is listed in ``doc.user_data["latticelens_left_out"]`` as (start, end, label).
        spans_key: of the group of spans.

    Raises:
        ExportError: there is no such alignment, or no key.
    """

    def __init__(
        self, predict: Predict, nested: bool, alignment: str = "expand", spans_key: str = KEY
    ) -> None:
        if alignment not in ALIGNMENTS:
            raise ExportError(
                "alignment must be one of {choices}, got {alignment}",
                choices=list(ALIGNMENTS),
                alignment=repr(alignment),
            )
        if not spans_key:
            raise ExportError("spans_key must name a group of spans")
        self._predict, self._nested = predict, nested
        self._alignment, self._key = alignment, spans_key

    def __call__(self, doc: Doc) -> Doc:
        """Set the spans of one doc."""
        return next(iter(self.pipe([doc])))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        """Set the spans of many docs, a batch at a time."""
        docs = iter(stream)
        while batch := list(islice(docs, max(batch_size, 1))):
            documents = [_document(doc) for doc in batch]
            for doc, document in zip(batch, self._predict(documents), strict=True):
                self._set(doc, document.spans)
                yield doc

    def _set(self, doc: Doc, spans: Sequence[Span]) -> None:
        pairs = [
            (span, doc.char_span(span.start, span.end, label=span.label, alignment_mode=self._alignment))
            for span in spans
        ]
        aligned = [(span, at) for span, at in pairs if at is not None and len(at)]
        kept = [at for _, at in aligned]
        if self._nested:
            doc.spans[self._key] = kept
            scores = [np.nan if span.score is None else span.score for span, _ in aligned]
            doc.spans[self._key].attrs["scores"] = np.array(scores, dtype=np.float32)
        else:
            # Two spans may expand to one token, which has one entity: the longer, then the earlier.
            kept = filter_spans(kept)
            doc.ents = tuple(kept)
        placed = {span.key for span, at in aligned if any(at is other for other in kept)}
        doc.user_data[LEFT_OUT] = [span.key for span in spans if span.key not in placed]


@Language.factory(
    NAME,
    assigns=["doc.ents", "doc.spans"],
    default_config={"model": "", "alignment": "expand", "spans_key": KEY, "device": "cpu"},
)
def make_component(
    nlp: Language, name: str, model: str, alignment: str, spans_key: str, device: str
) -> LatticeLens:
    """The component of a run folder, a model folder or an exported graph.

    Raises:
        ExportError, ModelFolderError, TrainingError: there is none, it is damaged, or no such device.
    """
    if not model:
        raise ExportError(
            "the component needs a model: nlp.add_pipe('latticelens', config={example})",
            example="{'model': 'runs/first'}",
        )
    predict, nested = _predictor(Path(model), device)
    return LatticeLens(predict, nested, alignment, spans_key)


def _predictor(path: Path, device: str) -> tuple[Predict, bool]:
    if is_onnx_folder(path):
        from core.export.onnx.runner import OnnxTagger

        graph = OnnxTagger(path)
        return graph.tag, graph.supports_nested
    from core.taggers.base.model_folder import load_tagger
    from core.taggers.base.tagging import tag
    from core.training.device import choose_device

    inside = path / "model"
    folder = inside if inside.is_dir() and not (path / "config.json").is_file() else path
    tagger = load_tagger(folder).to(choose_device(device).device)
    return lambda documents: tag(tagger, documents), tagger.supports_nested


def _document(doc: Doc) -> Document:
    """A doc as a document with spaCy's tokens, which a tagger of words reads in place of its own."""
    places = [[token.idx, token.idx + len(token)] for token in doc if len(token)]
    meta: dict[str, Any] = {"tokens": places}
    return Document("", doc.text, (), meta)
