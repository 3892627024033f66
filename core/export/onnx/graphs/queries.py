"""The two graphs of BERT-MRC."""

from __future__ import annotations

import torch
from torch import Tensor

from core.export.onnx.graphs.graph import Graph


class QueryGraph(Graph):
    """Texts after queries: logits of starts and ends, ``[R, T, 2]``, and the states that are matched."""

    outputs = ("scores", "states")

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        return self.unit_states(self.tagger.features, arrays)

    def forward(self, arrays: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """The logits ``[R, T, 2]`` of R texts after a query, and the states of characters ``[R, T, W]``."""
        states = self.hidden(arrays)
        return torch.stack(self.tagger.scorer.boundaries(states), dim=-1), states


class MatchGraph(Graph):
    """The match of starts with ends, after `QueryGraph`."""

    def forward(self, arrays: dict[str, Tensor]) -> Tensor:
        """Match logits ``[P]`` of the pairs ``start_of`` and ``end_of`` of states ``starts`` and ``ends``."""
        scorer = self.tagger.scorer
        left, right = scorer.match_start(arrays["starts"]), scorer.match_end(arrays["ends"])
        pairs = torch.nn.functional.embedding(arrays["start_of"], left)
        pairs = pairs + torch.nn.functional.embedding(arrays["end_of"], right)  # shape: (P, inner)
        scores: Tensor = scorer.match_score(torch.nn.functional.gelu(pairs)).squeeze(-1)
        return scores
