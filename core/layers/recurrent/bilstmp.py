"""The bidirectional LSTMP stack of a biLM, with residual connections between layers (Peters et al. 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from core.layers.recurrent.lstmp import Lstmp, LstmpState

FORWARD, BACKWARD = 0, 1


class BiLstmpOutput(NamedTuple):
    """The outputs of all layers.

    Args:
        layers: per layer ``[2, B, T, P]``, in each direction's own time order.
        states: per layer the state after the last step.
    """

    layers: tuple[Tensor, ...]
    states: tuple[LstmpState, ...]


class BiLstmp(nn.Module):
    """Two independent stacks of LSTMPs: row 0 reads forwards, row 1 backwards.

    From the second layer on, a layer's input is added to its output.

    Args:
        width: width P of inputs, of outputs and of the projections. cells: width C of the cells.
        layers: number of layers. skip: use residual connections. dropout: on the input of every layer.
        cell_clip, projection_clip: see :class:`core.layers.recurrent.lstmp.Lstmp`.
    """

    def __init__(
        self,
        width: int,
        cells: int,
        layers: int = 2,
        *,
        skip: bool = True,
        dropout: float = 0.0,
        cell_clip: float = 3.0,
        projection_clip: float = 3.0,
    ) -> None:
        super().__init__()
        self.skip = skip
        self.dropout = nn.Dropout(dropout)
        self.lstms = nn.ModuleList(
            Lstmp(width, cells, width, 2, cell_clip=cell_clip, projection_clip=projection_clip)
            for _ in range(layers)
        )

    def forward(
        self, x: Tensor, mask: Tensor | None = None, states: Sequence[LstmpState] | None = None
    ) -> BiLstmpOutput:
        """Run both directions over inputs that are already in each direction's own order.

        Args:
            x: ``[2, B, T, P]``. mask: ``[B, T]``, True at valid steps.
            states: initial state per layer; None starts from zeros.
        """
        outputs, after = [], []
        for index, lstm in enumerate(self.lstms):
            y, state = lstm(self.dropout(x), mask, None if states is None else states[index])
            x = x + y if self.skip and index else y
            outputs.append(x)
            after.append(state)
        return BiLstmpOutput(tuple(outputs), tuple(after))


def flip(x: Tensor, lengths: Tensor) -> Tensor:
    """Reverse every row within its own length; padding stays in place.

    Args:
        x: ``[B, T, ...]``. lengths: ``[B]``.
    """
    steps = torch.arange(x.shape[1], device=x.device)
    source = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)  # shape: (B, T)
    return x[torch.arange(x.shape[0], device=x.device)[:, None], source]
