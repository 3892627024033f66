"""A bidirectional LSTM or GRU over sentences of different lengths."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

CELLS = {"lstm": nn.LSTM, "gru": nn.GRU}


class BiRnn(nn.Module):
    """A bidirectional recurrent network that skips padding.

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
        lengths = mask.sum(1).cpu()
        # torch cannot pack empty sentences: they read one position of padding, which the mask removes.
        packed = pack_padded_sequence(x, lengths.clamp(min=1), batch_first=True, enforce_sorted=False)
        states, _ = self.rnn(packed)
        hidden, _ = pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])
        return hidden * mask[..., None]
