"""Graphs of taggers with a head of their own over the graph of another."""

from __future__ import annotations

from torch import Tensor

from core.export.onnx.graphs.graph import Graph
from core.taggers.sequence.over_encoder import OverEncoder


class HeadGraph(Graph):
    """The base.

    Args:
        tagger: a copy. below: the graph of its encoder.
    """

    def __init__(self, tagger: OverEncoder, below: Graph) -> None:
        super().__init__(tagger)
        self.below = below

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        return self.below.hidden(arrays)


class SpanGraph(HeadGraph):
    """A span tagger over one of the others."""

    def forward(self, arrays: dict[str, Tensor]) -> Tensor:
        """The scores of all spans, ``[B, K, T, T]``: at ``[b, k, i, j]`` that from i to j (inclusive)."""
        hidden, inside = self.hidden(arrays), self.tagger.inside
        scores: Tensor = self.tagger.scorer.terms(hidden).square()
        return scores if inside is None else scores + inside.terms(hidden).square()


class PuGraph(HeadGraph):
    """A PU tagger: `Graph` gives the log-odds of every type at every character, ``[B, T, K]``."""
