"""One exported graph that runs: texts to scores, and to the spans that its decoder chooses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.export.errors import ExportError
from core.export.onnx.features.features import Arrays
from core.export.onnx.folder import GRAPH, HINT, OnnxFolder
from core.export.run_decoding import RunDecoder
from core.export.span_decoding import Edges, SpanDecoder
from core.runtime.message import _, damage_of
from core.runtime.optional_packages import MissingPackage, load
from core.text import Document, Span
from core.text.units import Units


class Scored(NamedTuple):
    """What a graph says of B documents.

    Args:
        scores: of tags or types ``[B, T, K]``, or of spans ``[B, K, T, T]``: at ``[b, k, i, j]`` that of the
            span from i to j (inclusive); anything past a document's last unit.
        edges: where a span may start, and where it may end (inclusive), ``[B, T]`` each.
    """

    scores: NDArray[np.float32]
    edges: Edges


class GraphSession:
    """The graph of a folder in onnxruntime, with what makes its inputs and reads its scores.

    Args:
        described: the folder. threads: of the processor; 0 for all cores.

    Raises:
        ExportError: the graph is missing or damaged, or onnxruntime is not installed.
    """

    def __init__(self, described: OnnxFolder, threads: int) -> None:
        self.decoder = described.decoder
        self.supports_nested = isinstance(self.decoder, SpanDecoder) and self.decoder.supports_nested
        self._features = described.features
        self._path = described.path / GRAPH
        self._session = _session(self._path, threads)
        self._inputs = [given.name for given in self._session.get_inputs()]

    def units(self, document: Document) -> Units:
        """The characters or words of a document."""
        return self._features.sources.units(document)

    def decode(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of documents with at least one unit among them, counted in units."""
        scored = self.run(documents)
        lengths = [len(self.units(document)) for document in documents]
        if isinstance(self.decoder, SpanDecoder):
            return self.decoder(scored.scores, lengths, scored.edges)
        if isinstance(self.decoder, RunDecoder):
            return self.decoder(scored.scores, [document.text for document in documents])
        return [[Span(*found) for found in spans] for spans in self.decoder(scored.scores, lengths)]

    def run(self, documents: Sequence[Document]) -> Scored:
        """The scores of documents with at least one unit among them.

        Raises:
            ExportError: the graph is not that of the files beside it.
        """
        arrays = self._features(documents)
        scores = self._run(arrays)
        return Scored(scores, self._features.edges(arrays))

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
        if isinstance(self.decoder, SpanDecoder):
            return batch, len(self.decoder.labels), length, length
        kinds = self.decoder.labels if isinstance(self.decoder, RunDecoder) else self.decoder.tags
        return batch, length, len(kinds)


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
