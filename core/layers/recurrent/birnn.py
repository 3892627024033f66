"""A bidirectional LSTM or GRU over sentences of different lengths."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

CELLS = {"lstm": nn.LSTM, "gru": nn.GRU}


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

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """``[B, T, width]`` to ``[B, T, 2H]``, zero where ``mask`` ``[B, T]`` is False.

        Sentences may be empty.
        """
        lengths = mask.sum(1)
        if x.device.type != "cpu":
            return self.packed(x, lengths) * mask[..., None]
        # In half precision oneDNN has recurrent kernels for processors with AVX-512 alone.
        with torch.autocast("cpu", enabled=False):
            hidden = self.padded(x.to(torch.promote_types(x.dtype, torch.float32)), lengths)
        return hidden * mask[..., None]

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
