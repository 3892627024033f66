"""The LSTM with a projection (LSTMP; Sak, Senior and Beaufays, Interspeech 2014), clipped."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable


class LstmpState(NamedTuple):
    """The recurrent state of an LSTMP: output ``[G, B, P]`` and cell ``[G, B, C]``."""

    output: Tensor
    cell: Tensor

    def detach(self) -> LstmpState:
        """The same state detached from the graph, for truncated backpropagation through time."""
        return LstmpState(self.output.detach(), self.cell.detach())


class Lstmp(nn.Module):
    """G independent LSTMPs (the two directions of a biLM), run through time together.

    With ``i, f, o = sigmoid(x W_x + r W_r + b)`` and ``g = tanh(…)``, each with its quarter of the weights:
    ``c' = clip(f c + i g)``, ``r' = clip((o tanh(c')) W_p)``; r is the output. There are no peepholes.

    Args:
        input_width: width I of the input. cells: width C of the cell. projection: width P of the output.
        groups: G. cell_clip, projection_clip: bounds of c and r on both sides; 0 does not clip.

    Attributes:
        weight_input: ``[G, I, 4C]``, the quarters in the order i, f, o, g. weight_recurrent: ``[G, P, 4C]``.
        bias: ``[G, 4C]``; that of f is initialised to 1. weight_projection: ``[G, C, P]``.
    """

    def __init__(
        self,
        input_width: int,
        cells: int,
        projection: int,
        groups: int = 1,
        *,
        cell_clip: float = 0.0,
        projection_clip: float = 0.0,
    ) -> None:
        super().__init__()
        self.cells, self.projection = cells, projection
        self.cell_clip = cell_clip or math.inf
        self.projection_clip = projection_clip or math.inf
        self.weight_input = nn.Parameter(_uniform(groups, input_width, 4 * cells))
        self.weight_recurrent = nn.Parameter(_uniform(groups, projection, 4 * cells))
        self.bias = nn.Parameter(torch.zeros(groups, 4 * cells))
        self.weight_projection = nn.Parameter(_uniform(groups, cells, projection))
        with torch.no_grad():
            self.bias[:, cells : 2 * cells] = 1.0

    def forward(
        self, x: Tensor, mask: Tensor | None = None, state: LstmpState | None = None
    ) -> tuple[Tensor, LstmpState]:
        """Outputs ``[G, B, T, P]`` and the state after each row's last step.

        Args:
            x: ``[G, B, T, I]``. mask: ``[B, T]``, True at valid steps, or None for all; other steps keep the
                state and output zero.
            state: initial state; None starts from zeros.
        """
        groups, batch, length, _ = x.shape
        # Half precision is too coarse for sums over many steps.
        with torch.autocast(x.device.type, enabled=False):
            x = x.to(self.bias.dtype)
            # shape: (G, T * B, 4C) -> (T, G, B, 4C), of all steps at once
            gates = torch.baddbmm(self.bias[:, None], x.transpose(1, 2).flatten(1, 2), self.weight_input)
            gates = gates.unflatten(1, (length, batch)).transpose(0, 1)
            if state is None:
                state = LstmpState(
                    x.new_zeros(groups, batch, self.projection), x.new_zeros(groups, batch, self.cells)
                )
            full = mask is None or bool(mask.all())
            steps = None if full or mask is None else mask.T[:, None, :, None]  # shape: (T, 1, B, 1)
            outputs, cell, last = _Steps.apply(
                gates,
                self.weight_recurrent,
                self.weight_projection,
                state.output,
                state.cell,
                steps,
                self.cell_clip,
                self.projection_clip,
                torch.is_grad_enabled(),
            )
            if steps is not None:
                outputs = outputs * steps
        return outputs.permute(1, 2, 0, 3), LstmpState(last, cell)


class _Steps(torch.autograd.Function):
    """The recurrence with a hand-written gradient: autograd would keep a node for every operation of every
    step, and accumulate the gradients of the weights step by step instead of in one product at the end."""

    @staticmethod
    def forward(
        ctx: Any,
        gates: Tensor,
        recurrent: Tensor,
        projection: Tensor,
        output: Tensor,
        cell: Tensor,
        steps: Tensor | None,
        cell_clip: float,
        projection_clip: float,
        learning: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Outputs ``[T, G, B, P]``, last cell and last output."""
        length, groups, batch, width = gates.shape
        size = width // 4
        # Without a gradient, storage for two steps is enough and stays in the CPU cache.
        kept = length + 1 if learning else 2
        gated = gates.new_empty(kept, groups, batch, width)  # i, f, o, g of every step
        cells = gates.new_empty(kept, groups, batch, size)
        squashed = gates.new_empty(kept, groups, batch, size)  # tanh of the cells
        outputs = gates.new_empty(length + 1, groups, batch, output.shape[-1])
        cells[0], outputs[0] = cell, output
        for t in range(length):
            before, after = t % kept, (t + 1) % kept
            now = torch.baddbmm(gates[t], outputs[t], recurrent, out=gated[before])
            now[..., : 3 * size].sigmoid_()
            _tanh_(now[..., 3 * size :])
            i, f, o, g = now.chunk(4, dim=-1)
            new = torch.mul(i, g, out=cells[after]).addcmul_(f, cells[before])
            if cell_clip < math.inf:
                new.clamp_(-cell_clip, cell_clip)
            projected = torch.bmm(o * _tanh_(squashed[before].copy_(new)), projection, out=outputs[t + 1])
            if projection_clip < math.inf:
                projected.clamp_(-projection_clip, projection_clip)
            if steps is not None:
                torch.where(steps[t], new, cells[before], out=new)
                torch.where(steps[t], projected, outputs[t], out=projected)
        ctx.save_for_backward(recurrent, projection, steps, gated, cells, outputs, squashed)
        ctx.clips = cell_clip, projection_clip
        return outputs[1:], cells[length % kept].clone(), outputs[-1].clone()

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, d_outputs: Tensor, d_last_cell: Tensor, d_last_output: Tensor
    ) -> tuple[Tensor | None, ...]:
        recurrent, projection, steps, gated, cells, outputs, squashed = ctx.saved_tensors
        cell_clip, projection_clip = ctx.clips
        length, size = len(outputs) - 1, squashed.shape[-1]
        d_gates = torch.empty_like(gated[:-1])
        d_projected = torch.empty_like(outputs[1:])
        d_output, d_cell = d_last_output, d_last_cell
        back, out = recurrent.transpose(1, 2), projection.transpose(1, 2)
        for t in reversed(range(length)):
            i, f, o, g = gated[t].chunk(4, dim=-1)
            d_out = d_outputs[t] + d_output
            kept: tuple[Tensor, Tensor] | None = None
            if steps is not None:
                live = steps[t]
                kept = d_out * ~live, d_cell * ~live
                d_out, d_cell = d_out * live, d_cell * live
            if projection_clip < math.inf:
                d_out = d_out * (outputs[t + 1].abs() < projection_clip)
            d_projected[t] = d_out
            d_gated = torch.bmm(d_out, out)
            # The gradient of tanh: 1 - tanh^2.
            d_new = d_cell + d_gated * o * (1 - squashed[t] * squashed[t])
            if cell_clip < math.inf:
                d_new = d_new * (cells[t + 1].abs() < cell_clip)
            d_now = d_gates[t]
            torch.mul(d_new, g, out=d_now[..., :size])
            torch.mul(d_new, cells[t], out=d_now[..., size : 2 * size])
            torch.mul(d_gated, squashed[t], out=d_now[..., 2 * size : 3 * size])
            torch.mul(d_new, i, out=d_now[..., 3 * size :])
            gate = gated[t][..., : 3 * size]
            d_now[..., : 3 * size].mul_(gate * (1 - gate))
            d_now[..., 3 * size :].mul_(1 - g * g)
            d_output, d_cell = torch.bmm(d_now, back), d_new * f
            if kept is not None:
                d_output, d_cell = d_output + kept[0], d_cell + kept[1]
        gated, squashed = gated[:-1], squashed[:-1]
        gated_cells = gated[..., 2 * size : 3 * size] * squashed  # shape: (T, G, B, C)
        d_projection = _product(gated_cells, d_projected)
        d_recurrent = _product(outputs[:-1], d_gates)
        return d_gates, d_recurrent, d_projection, d_output, d_cell, None, None, None, None


def _tanh_(x: Tensor) -> Tensor:
    """In-place tanh; on a CPU as ``2 sigmoid(2x) - 1``, which torch computes several times faster."""
    return x.tanh_() if x.device.type != "cpu" else x.mul_(2).sigmoid_().mul_(2).sub_(1)


def _product(left: Tensor, right: Tensor) -> Tensor:
    """The sum over time and batch of outer products: ``[T, G, B, M]``, ``[T, G, B, N]`` to ``[G, M, N]``."""
    left, right = left.transpose(0, 1).flatten(1, 2), right.transpose(0, 1).flatten(1, 2)
    return torch.bmm(left.transpose(1, 2), right)


def _uniform(groups: int, rows: int, columns: int) -> Tensor:
    """Glorot uniform initialisation, as in the published biLM."""
    bound = math.sqrt(6.0 / (rows + columns))
    return torch.empty(groups, rows, columns).uniform_(-bound, bound)
