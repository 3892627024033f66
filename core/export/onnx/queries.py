"""The graphs of BERT-MRC: one reads every text after every query, the other matches starts with ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.export.onnx.folder import MATCH, OnnxFolder
from core.export.onnx.session import GraphSession, opened, run
from core.export.query_decoding import Pairs, QueryDecoder
from core.text import Document, Span
from core.text.units import Units

CHUNK = 2048  # pairs matched at once: a tagger that diverged finds starts and ends everywhere


class QuerySession:
    """As a `GraphSession`, of a tagger that asks for every label.

    Args:
        described: the folder. threads: of the processor; 0 for all cores.

    Raises:
        ExportError: a graph is missing or damaged, or onnxruntime is not installed.
    """

    supports_nested = True

    def __init__(self, described: OnnxFolder, threads: int) -> None:
        assert isinstance(described.decoder, QueryDecoder)
        self.decoder, self.graph = described.decoder, GraphSession(described, threads)
        self._queries = described.features.sources.queries
        self._path = described.path / MATCH
        self._match = opened(self._path, threads)

    def units(self, document: Document) -> Units:
        """The characters of a document."""
        return self.graph.units(document)

    def cost(self, document: Document) -> int:
        """Positions that are read for a document: it with every query."""
        return sum(len(query) + len(document.text) for query in self._queries)

    def decode(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of documents with at least one character among them."""
        scored = self.graph.run(documents)
        assert scored.states is not None
        pairs = self.decoder.candidates(scored.scores, scored.edges)
        matches = self.match(scored.states, pairs)
        return self.decoder(scored.scores, pairs, matches, len(documents))

    def match(self, states: NDArray[np.float32], pairs: Pairs) -> NDArray[np.float32]:
        """Match logits ``[P]`` of pairs of a start and an end.

        Args:
            states: of characters after every query, ``[R, T, W]``. pairs: row, start and end (inclusive),
                ``[P, 3]``.

        Raises:
            ExportError: the graph is not that of the files beside it.
        """
        parts = [self._matched(states, pairs[at : at + CHUNK]) for at in range(0, len(pairs), CHUNK)]
        return np.concatenate([np.zeros(0, dtype=np.float32), *parts])

    def _matched(self, states: NDArray[np.float32], pairs: Pairs) -> NDArray[np.float32]:
        flat, length = states.reshape(-1, states.shape[2]), states.shape[1]
        row, first, last = pairs.T
        starts, start_of = np.unique(row * length + first, return_inverse=True)
        ends, end_of = np.unique(row * length + last, return_inverse=True)
        arrays = {"starts": flat[starts], "ends": flat[ends], "start_of": start_of, "end_of": end_of}
        scores: NDArray[np.float32] = run(self._match, self._path, arrays, (len(pairs),))[0]
        return scores
