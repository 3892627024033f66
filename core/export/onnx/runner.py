"""Tags text with an exported graph: onnxruntime and numpy, without torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.export.errors import ExportError
from core.export.onnx.features import Arrays
from core.export.onnx.folder import GRAPH, HINT, read
from core.export.span_decoding import SpanDecoder
from core.runtime.message import _, damage_of
from core.runtime.optional_packages import MissingPackage, load
from core.text import Document, Span, sort_spans
from core.text.overlap import WINDOW, WindowSpans, document_windows, in_windows

# Units of a batch, padding included. A quarter of that in `core.taggers.base.tagging`: onnxruntime computes
# whole tensors one after the other, and smaller ones stay in the cache.
BUDGET = 1024


class OnnxTagger:
    """A tagger of a folder that `core.export.onnx.export` wrote.

    Its spans are those of the tagger that was exported, up to rounding of the scores.

    Args:
        folder: the folder. threads: of the processor; 0 for all cores.

    Attributes:
        name: registered name of the exported tagger. labels: what it finds. supports_nested: whether its
            spans may overlap.

    Raises:
        ExportError: a file is missing or malformed, or onnxruntime is not installed.
    """

    def __init__(self, folder: Path | str, threads: int = 0) -> None:
        path = Path(folder)
        described = read(path)
        self.name, self.labels = described.tagger, described.labels
        self._features, self._decoder = described.features, described.decoder
        self.supports_nested = isinstance(self._decoder, SpanDecoder) and self._decoder.supports_nested
        self._path = path / GRAPH
        self._session = _session(self._path, threads)
        self._inputs = [given.name for given in self._session.get_inputs()]

    def tag(
        self,
        documents: Sequence[Document],
        *,
        budget: int = BUDGET,
        window: int = WINDOW,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Document]:
        """The same documents, in order, with predicted spans in place of their own.

        Args:
            budget: maximum units of a batch, padding included; a single window may exceed it.
            window: maximum characters of a window; long texts are read in overlapping ones.
            progress: called with (windows done, windows in all) after every batch.
        """
        pieces, done = [], 0
        for index, document in enumerate(documents):
            found = document_windows(document, window)
            pieces += [(index, at, text) for at, text in zip(found, in_windows(document, found), strict=True)]
        decoded: list[list[Span]] = [[] for _ in pieces]
        sizes = [len(self._features.sources.units(text)) for _, _, text in pieces]
        for group in _batches(sizes, budget):
            for number, spans in zip(group, self.decode([pieces[at][2] for at in group]), strict=True):
                decoded[number] = spans
            done += len(group)
            if progress is not None:
                progress(done, len(pieces))
        merged = [WindowSpans(self.supports_nested) for _document in documents]
        for (index, at, _text), spans in zip(pieces, decoded, strict=True):
            merged[index].add(at, spans)
        pairs = zip(documents, merged, strict=True)
        return [document.with_spans(sort_spans(found.spans)) for document, found in pairs]

    def decode(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of a batch of documents, each read at once."""
        units = [self._features.sources.units(document) for document in documents]
        lengths = [len(at) for at in units]
        if not any(lengths):
            return [[] for _ in documents]
        arrays = self._features(documents)
        scores = self._run(arrays)
        if isinstance(self._decoder, SpanDecoder):
            return self._decoder(scores, lengths, self._features.edges(arrays))
        found = self._decoder(scores, lengths)
        return [[at.in_text(Span(*span)) for span in spans] for at, spans in zip(units, found, strict=True)]

    def scores(self, documents: Sequence[Document]) -> NDArray[np.float32]:
        """Tag scores ``[B, T, K]``, or of a span tagger ``[B, K, T, T]``: at ``[b, k, i, j]`` that of the
        span from i to j (inclusive); anything past a document's last unit.

        Args:
            documents: at least one of them with a unit.
        """
        return self._run(self._features(documents))

    def _run(self, arrays: Arrays) -> NDArray[np.float32]:
        try:
            given = {name: arrays[name] for name in self._inputs}
            scores: NDArray[np.float32] = self._session.run(None, given)[0]
            fits = scores.shape == self._shape(*arrays["mask"].shape)
        except Exception as error:  # onnxruntime raises its own kinds, one per code
            raise ExportError(
                "{path} does not fit the files beside it ({reason}); {hint}",
                path=self._path,
                reason=damage_of(error),
                hint=HINT,
            ) from None
        if not fits:
            raise ExportError(
                "{path} does not fit the files beside it ({reason}); {hint}",
                path=self._path,
                reason=_("it scores other labels"),
                hint=HINT,
            )
        return scores

    def _shape(self, batch: int, length: int) -> tuple[int, ...]:
        if isinstance(self._decoder, SpanDecoder):
            return batch, len(self._decoder.labels), length, length
        return batch, length, len(self._decoder.tags)


def _batches(sizes: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Batches of windows by increasing size, each within the budget once padded."""
    group: list[int] = []
    for number in sorted(range(len(sizes)), key=lambda number: sizes[number]):
        if group and sizes[number] * (len(group) + 1) > budget:
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def _session(path: Path, threads: int) -> Any:
    try:
        onnxruntime = load("onnxruntime", "onnxruntime", _("Tagging with an exported graph"))
    except MissingPackage as error:
        raise ExportError(error.message) from None
    if not path.is_file():
        raise ExportError("{path} is missing; {hint}", path=path, hint=HINT)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own kinds, one per code
        raise ExportError(
            "{path} is damaged or cut off ({reason}); {hint}", path=path, reason=damage_of(error), hint=HINT
        ) from None
