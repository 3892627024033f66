"""Ways to combine the layers of an encoder into one state per position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.layers.scalar_mix import ScalarMix

MIXES = ("last", "scalar_mix", "dynamic", "sum", "mean", "max")
DYNAMIC_WIDTH = 512


@dataclass(frozen=True)
class Mixed:
    """The combined layers.

    Args:
        hidden: ``[B, T, D]``. weights: weight of each layer, ``[layers]``, or ``[B, T, layers]`` if they
            differ by position; None for an unweighted mix.
        gamma: the scale of a scalar mix, ``[]``.
    """

    hidden: Tensor
    weights: Tensor | None = None
    gamma: Tensor | None = None


class DynamicMix(nn.Module):
    """A sum of layers weighted per position: ``Dense_512(sum_i a_i h_i)`` with ``a_i = Dense_1(h_i)``.

    Args:
        layers: number of states to combine. width: W of each.

    Attributes:
        scores: one ``Dense_1`` for each layer. output: ``Dense_512``.
    """

    def __init__(self, layers: int, width: int) -> None:
        super().__init__()
        scores = [nn.Linear(width, 1) for _ in range(layers)]
        # Initially the plain mean of the layers, so that no noise distorts a pretrained encoder.
        for score in scores:
            nn.init.zeros_(score.weight)
            nn.init.constant_(score.bias, 1.0 / layers)
        self.scores = nn.ModuleList(scores)
        self.output = nn.Linear(width, DYNAMIC_WIDTH)

    def forward(self, states: Sequence[Tensor]) -> Mixed:
        """States ``[B, T, W]`` of the layers to ``[B, T, 512]``."""
        # shape: (B, T, layers)
        weights = torch.cat([score(state) for score, state in zip(self.scores, states, strict=True)], dim=-1)
        mixed = torch.zeros_like(states[0])
        for weight, state in zip(weights.unbind(-1), states, strict=True):
            mixed = mixed + weight[..., None] * state
        return Mixed(self.output(mixed), weights)


class LayerMix(nn.Module):
    """One of ``MIXES`` over a range of an encoder's states.

    Args:
        how: ``last`` takes the highest state of the range alone; ``sum``, ``mean`` and ``max`` are
            elementwise; see :class:`ScalarMix` and :class:`DynamicMix` for the others.
        states: number of states of the encoder, the embeddings included. width: W of each.
        first, last: the range, both inclusive; 0 is the embeddings, negative numbers count from the top. A
            range that would begin below the embeddings starts at them.
        layer_dropout: of a scalar mix; see :class:`ScalarMix`.

    Attributes:
        width: D, of the output. chosen: indices of the states that are combined.

    Raises:
        ValueError: there is no such mix or no state in the range.
    """

    def __init__(
        self, how: str, states: int, width: int, first: int = 0, last: int = -1, layer_dropout: float = 0.0
    ) -> None:
        super().__init__()
        if how not in MIXES:
            raise ValueError(f"there is no mix {how!r}; there are: {', '.join(MIXES)}")
        low, high = max(first + states if first < 0 else first, 0), last + states if last < 0 else last
        if not 0 <= low <= high < states:
            raise ValueError(f"no layer lies from {first} to {last}: this encoder has 0 to {states - 1}")
        self.how = how
        self.chosen = (high,) if how == "last" else tuple(range(low, high + 1))
        self.width = DYNAMIC_WIDTH if how == "dynamic" else width
        self.mix: ScalarMix | DynamicMix | None = None
        if how == "scalar_mix":
            self.mix = ScalarMix(len(self.chosen), layer_dropout=layer_dropout)
        elif how == "dynamic":
            self.mix = DynamicMix(len(self.chosen), width)

    def forward(self, states: Sequence[Tensor]) -> Mixed:
        """All states of the encoder, each ``[B, T, W]``, to one ``[B, T, D]``."""
        chosen = [states[number] for number in self.chosen]
        match self.mix:
            case ScalarMix() as mix:
                return Mixed(mix(chosen), mix.weights, mix.gamma)
            case DynamicMix() as mix:
                mixed: Mixed = mix(chosen)
                return mixed
        if len(chosen) == 1:
            return Mixed(chosen[0])
        stacked = torch.stack(chosen)  # shape: (layers, B, T, W)
        match self.how:
            case "sum":
                return Mixed(stacked.sum(0))
            case "mean":
                return Mixed(stacked.mean(0))
        return Mixed(stacked.amax(0))
