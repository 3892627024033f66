"""The graphs of an ensemble's members side by side, which answer by the mean of their probabilities."""

from __future__ import annotations

from collections.abc import Sequence

from core.export.mean_decoding import MeanSpans
from core.export.onnx.folder import EnsembleFolder
from core.export.onnx.session import GraphSession
from core.text import Document, Span
from core.text.units import Units


class EnsembleSession:
    """As a `GraphSession`, of several graphs.

    Args:
        described: the folder. threads: of the processor; 0 for all cores.

    Raises:
        ExportError: a graph is missing or damaged, or onnxruntime is not installed.
    """

    def __init__(self, described: EnsembleFolder, threads: int) -> None:
        self.members = [GraphSession(member, threads) for member in described.members]
        self.supports_nested = self.members[0].supports_nested
        self._mean = described.mean

    def units(self, document: Document) -> Units:
        """The characters or words of a document, which are those of every member."""
        return self.members[0].units(document)

    def cost(self, document: Document) -> int:
        """Positions that are read for a document."""
        return len(self.units(document))

    def decode(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of documents with at least one unit among them, counted in units."""
        lengths = [len(self.units(document)) for document in documents]
        scored = [member.run(documents) for member in self.members]
        scores = [each.scores for each in scored]
        if isinstance(self._mean, MeanSpans):
            return self._mean(scores, lengths, [each.edges for each in scored])
        return [[Span(*found) for found in spans] for spans in self._mean(scores, lengths)]
