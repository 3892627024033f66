"""R-Transformer: Recurrent Neural Network Enhanced Transformer (Wang, Ma, Liu and Tang, 2019)."""

from __future__ import annotations

from torch import Tensor, nn

from core.layers.recurrent.local_rnn import LocalRnn
from core.layers.transformer import TransformerLayer


class RTransformerLayer(nn.Module):
    """A local RNN, then self-attention, then a feed-forward network; each with residual and layer norm.

    Args:
        hidden: width H. heads: number of heads N. ffn: width inside the feed-forward network.
        window: positions the local RNN reads. dropout: on what each sub-layer adds and on the weights.
    """

    def __init__(self, hidden: int, heads: int, ffn: int, window: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.local = LocalRnn(hidden, window)
        self.local_norm = nn.LayerNorm(hidden)
        self.above = TransformerLayer(hidden, heads, ffn, dropout)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor, before: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """States ``[B, T, H]``, attention scores and weights; see :class:`TransformerLayer`."""
        x = self.local_norm(x + self.dropout(self.local(x)))
        states: tuple[Tensor, Tensor, Tensor] = self.above(x, mask, before)
        return states


class RTransformer(nn.Module):
    """A linear layer to width H, then R-Transformer layers; the RNN makes position encodings unnecessary.

    Attention is over the whole sentence; the paper's is causal, for language modelling.

    Args:
        width: of the input. hidden: H, a multiple of ``heads``. layers: number of stacked layers.
        heads: number of heads N. ffn: width inside the feed-forward networks; 0 is four times H.
        window: positions each local RNN reads. dropout: see :class:`RTransformerLayer`.
        residual_attention: every layer adds the attention scores of the one below, as in RealFormer.
    """

    def __init__(
        self,
        width: int,
        hidden: int,
        layers: int = 1,
        heads: int = 8,
        ffn: int = 0,
        window: int = 7,
        dropout: float = 0.0,
        residual_attention: bool = False,
    ) -> None:
        super().__init__()
        self.width = hidden
        self.residual_attention = residual_attention
        self.projection = nn.Linear(width, hidden)
        self.layers = nn.ModuleList(
            RTransformerLayer(hidden, heads, ffn or 4 * hidden, window, dropout) for _ in range(layers)
        )

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """``[B, T, width]`` to ``[B, T, H]``, zero where ``mask`` ``[B, T]`` is False."""
        hidden, before = self.projection(x), None
        for layer in self.layers:
            hidden, scores, _ = layer(hidden, mask, before)
            before = scores if self.residual_attention else None
        return hidden * mask[..., None]
