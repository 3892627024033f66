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
from core.export.query_decoding import QueryDecoder
from core.export.run_decoding import RunDecoder
from core.export.span_decoding import Edges, SpanDecoder
from core.export.tag_decoding import TagDecoder
from core.runtime.message import _, damage_of
from core.runtime.optional_packages import MissingPackage, load
from core.text import Document, Span
from core.text.units import Units

# What onnxruntime joins to an operator that is slower on a CPU than its parts: without it FLAT takes 3 % less
# time, a transformer 4 to 12 %.
SLOW = ["SkipLayerNormFusion"]


class Scored(NamedTuple):
    """What a graph says of B documents.

    Args:
        scores: of tags or types ``[B, T, K]``, or of spans ``[B, K, T, T]``: at ``[b, k, i, j]`` that of the
            span from i to j (inclusive); anything past a document's last unit.
        edges: where a span may start, and where it may end (inclusive), ``[B, T]`` each.
        states: of characters, ``[B, T, W]``; None unless the tagger matches starts with ends.
    """

    scores: NDArray[np.float32]
    edges: Edges
    states: NDArray[np.float32] | None = None


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
        self._session = opened(self._path, threads)

    def units(self, document: Document) -> Units:
        """The characters or words of a document."""
        return self._features.sources.units(document)

    def cost(self, document: Document) -> int:
        """Positions that are read for a document."""
        return len(self.units(document))

    def decode(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of documents with at least one unit among them, counted in units."""
        scored = self.run(documents)
        lengths = [len(self.units(document)) for document in documents]
        if isinstance(self.decoder, SpanDecoder):
            return self.decoder(scored.scores, lengths, scored.edges)
        if isinstance(self.decoder, RunDecoder):
            return self.decoder(scored.scores, [document.text for document in documents])
        assert isinstance(self.decoder, TagDecoder)  # of others there is a `QuerySession`
        return [[Span(*found) for found in spans] for spans in self.decoder(scored.scores, lengths)]

    def run(self, documents: Sequence[Document]) -> Scored:
        """The scores of documents with at least one unit among them.

        Raises:
            ExportError: the graph is not that of the files beside it.
        """
        arrays = self._features(documents)
        shape = self._shape(*arrays["mask"].shape)
        outputs = 2 if isinstance(self.decoder, QueryDecoder) else 1
        scores, *states = run(self._session, self._path, arrays, shape, outputs)
        return Scored(scores, self._features.edges(arrays), states[0] if states else None)

    def _shape(self, batch: int, length: int) -> tuple[int, ...]:
        match self.decoder:
            case SpanDecoder(labels=kinds):
                return batch, len(kinds), length, length
            case QueryDecoder():
                return batch, length, 2
            case RunDecoder(labels=kinds) | TagDecoder(tags=kinds):
                return batch, length, len(kinds)


def run(
    session: Any, path: Path, arrays: Arrays, shape: tuple[int, ...], count: int = 1
) -> list[NDArray[np.float32]]:
    """The outputs of a graph.

    Args:
        path: of the graph, for errors. arrays: inputs by name, and others. shape: of the first output.
        count: of outputs.

    Raises:
        ExportError: the graph is not that of the files beside it.
    """
    try:
        given = {each.name: arrays[each.name] for each in session.get_inputs()}
        outputs: list[NDArray[np.float32]] = session.run(None, given)
        fits = len(outputs) == count and outputs[0].shape == shape
    except Exception as error:  # onnxruntime raises its own kinds, one per code
        raise ExportError(
            "{path} does not fit the files beside it ({reason}); {hint}",
            path=path,
            reason=damage_of(error),
            hint=HINT,
        ) from None
    if not fits:
        raise ExportError(
            "{path} does not fit the files beside it ({reason}); {hint}",
            path=path,
            reason=_("it scores other labels"),
            hint=HINT,
        )
    return outputs


def opened(path: Path, threads: int) -> Any:
    """A graph in onnxruntime.

    Raises:
        ExportError: it is missing or damaged, or onnxruntime is not installed.
    """
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
        return onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOW
        )
    except Exception as error:  # onnxruntime raises its own kinds, one per code
        raise ExportError(
            "{path} is damaged or cut off ({reason}); {hint}", path=path, reason=damage_of(error), hint=HINT
        ) from None
