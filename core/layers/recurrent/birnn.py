"""A bidirectional LSTM or GRU over sentences of different lengths."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from core.layers.compiled_loops import compiled_loops

CELLS = {"lstm": nn.LSTM, "gru": nn.GRU}
_COMPILED = f"{__package__}.compiled_lstm"


class TableColumns(NamedTuple):
    """Columns of an input ``[B, T, width]`` that hold few different vectors, such as those of characters.

    Args:
        vectors: the different ones, ``[U, W]``. places: which one each position has, ``[B, T]``.
    """

    vectors: Tensor
    places: Tensor

    @classmethod
    def plain(cls, x: Tensor) -> TableColumns:
        """Columns ``[B, T, W]`` with a vector of its own for every position."""
        places = torch.arange(x.shape[0] * x.shape[1], device=x.device)
        return cls(x.flatten(0, 1), places.view(x.shape[:2]))


class BiRnn(nn.Module):
    """A bidirectional recurrent network that skips padding.

    On a CPU each direction reads the whole padded batch, the backward one with every sentence reversed:
    torch computes packed sentences step by step, padded ones by oneDNN's recurrent kernels, two to three
    times as fast.

    Args:
        width: of the input. hidden: H, of each direction. layers: number of stacked layers.
        dropout: between layers. cell: ``"lstm"`` or ``"gru"``.
    """

    def __init__(
        self, width: int, hidden: int, layers: int = 1, dropout: float = 0.0, cell: str = "lstm"
    ) -> None:
        super().__init__()
        self.width = 2 * hidden
        self.rnn = CELLS[cell](
            width,
            hidden,
            layers,
            batch_first=True,
            bidirectional=True,
            dropout=dropout if layers > 1 else 0.0,
        )

    def forward(self, x: Tensor, mask: Tensor, columns: Sequence[TableColumns] | None = None) -> Tensor:
        """``[B, T, width]`` to ``[B, T, 2H]``, zero where ``mask`` ``[B, T]`` is False.

        Sentences may be empty.

        Args:
            columns: the same input in groups of columns, in order, which saves time in evaluation.
        """
        lengths = mask.sum(1)
        if x.device.type != "cpu":
            return self.packed(x, lengths) * mask[..., None]
        loops = self._loops(x)
        if loops is not None:
            return self.compiled(columns or [TableColumns.plain(x)], lengths, loops)
        # In half precision oneDNN has recurrent kernels for processors with AVX-512 alone.
        with torch.autocast("cpu", enabled=False):
            hidden = self.padded(x.to(torch.promote_types(x.dtype, torch.float32)), lengths)
        return hidden * mask[..., None]

    def _loops(self, x: Tensor) -> ModuleType | None:
        """The compiled loops, where they can replace torch's network and pay off."""
        plain = x.dtype == self.rnn.weight_ih_l0.dtype == torch.float32
        gradient = torch.is_grad_enabled() or self.training
        if not isinstance(self.rnn, nn.LSTM) or gradient or not plain or not x.numel():
            return None
        return compiled_loops(_COMPILED, x.shape[0] * x.shape[1])

    def compiled(self, columns: Sequence[TableColumns], lengths: Tensor, loops: ModuleType) -> Tensor:
        """The states ``[B, T, 2H]``, zero past a sentence's end, without gradient."""
        batch, longest = columns[0].places.shape
        ends, width = lengths.numpy(), self.rnn.hidden_size
        gates = torch.empty(batch, 4 * width)
        cells = torch.empty(batch, width)
        states = torch.empty(0)
        for layer in range(self.rnn.num_layers):
            if layer:
                columns = [TableColumns.plain(states)]
            states = torch.empty(batch, longest, 2 * width)
            sizes = [len(part.vectors) for part in columns]
            shifts = torch.tensor([0, *sizes[:-1]]).cumsum(0)
            # shape: (P, T, B)
            places = torch.stack([part.places.T for part in columns]) + shifts[:, None, None]
            places = places.contiguous()
            for direction, own in enumerate(self.rnn.all_weights[2 * layer : 2 * layer + 2]):
                into, through, *biases = own
                terms = torch.empty(sum(sizes), 4 * width)
                pieces = into.split([part.vectors.shape[1] for part in columns], dim=1)
                for target, part, weight in zip(terms.split(sizes), columns, pieces, strict=True):
                    torch.mm(part.vectors, weight.T, out=target)
                terms[: sizes[0]] += sum(biases)
                through = through.T.contiguous()
                half = states[..., direction * width : (direction + 1) * width]
                before = torch.zeros(batch, width)
                cells.zero_()
                arrays = gates.numpy(), terms.numpy(), places.numpy(), ends, cells.numpy(), states.numpy()
                steps = range(longest) if not direction else range(longest - 1, -1, -1)
                for step in steps:
                    torch.mm(before, through, out=gates)
                    before = half[:, step]
                    loops.advance(*arrays[:4], step, *arrays[4:], direction * width)
        return states

    def packed(self, x: Tensor, lengths: Tensor) -> Tensor:
        """The states ``[B, T, 2H]`` of packed sentences with these lengths ``[B]``."""
        # torch cannot pack empty sentences: they read one position of padding, which the mask removes.
        sizes = lengths.cpu().clamp(min=1)
        packed = pack_padded_sequence(x, sizes, batch_first=True, enforce_sorted=False)
        states, _ = self.rnn(packed)
        return pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])[0]

    def padded(self, x: Tensor, lengths: Tensor) -> Tensor:
        """The same states, from padded sentences; past a sentence's end they mean nothing."""
        if not x.numel():
            return x.new_zeros(*x.shape[:2], self.width)
        positions = torch.arange(x.shape[1], device=x.device)
        # shape: (B, T); a sentence's own positions backwards, padding where it is.
        reverse = lengths[:, None] - 1 - positions
        reverse = torch.where(reverse >= 0, reverse, positions)[..., None]
        zeros = x.new_zeros(1, x.shape[0], self.rnn.hidden_size)  # an axis that a traced graph keeps open
        for layer in range(self.rnn.num_layers):
            if layer:
                x = functional.dropout(x, self.rnn.dropout, self.training)
            forward, backward = self.rnn.all_weights[2 * layer : 2 * layer + 2]
            states = self._run(x, zeros, forward)
            reversed_states = self._run(x.gather(1, reverse.expand_as(x)), zeros, backward)
            x = torch.cat([states, reversed_states.gather(1, reverse.expand_as(states))], dim=2)
        return x

    def _run(self, x: Tensor, zeros: Tensor, weights: list[Tensor]) -> Tensor:
        """The states ``[B, T, H]`` of one direction of one layer."""
        how = (True, 1, 0.0, self.training, False, True)  # biases, one layer, no dropout, …, batch first
        if isinstance(self.rnn, nn.LSTM):
            return torch.lstm(x, [zeros, zeros], weights, *how)[0]
        return torch.gru(x, zeros, weights, *how)[0]
