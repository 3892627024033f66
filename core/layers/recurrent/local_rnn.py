"""A recurrent network over the short window that ends at each position, as in R-Transformer (Wang et al.
2019)."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

CELLS = {"lstm": nn.LSTM, "gru": nn.GRU}


class LocalRnn(nn.Module):
    """``h_t = RNN(x_{t-M+1}, ..., x_t)``: the last state over the M positions that end at each one.

    Windows at the beginning of a sentence are padded with zeros, as in the published code. Every window
    starts from a fresh state, so all windows run in parallel.

    Args:
        width: H, of the input and the output. window: M. cell: ``"lstm"`` or ``"gru"``.
    """

    def __init__(self, width: int, window: int, cell: str = "gru") -> None:
        super().__init__()
        if window < 1:
            raise ValueError(f"a window needs at least 1 position, got {window}")
        self.width = width
        self.window = window
        self.rnn = CELLS[cell](width, width, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        """``[B, T, H]`` to ``[B, T, H]``; the positions of a sentence do not see its padding."""
        batch, length, width = x.shape
        # shape: (B, M - 1 + T, H) -> (B, T, H, M) -> (B * T, M, H)
        windows = functional.pad(x, (0, 0, self.window - 1, 0)).unfold(1, self.window, 1)
        states, _ = self.rnn(windows.transpose(2, 3).reshape(batch * length, self.window, width))
        last: Tensor = states[:, -1].view(batch, length, width)
        return last
