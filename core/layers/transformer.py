"""A Transformer encoder over sentences of different lengths (Vaswani et al. 2017)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from core.layers.flat.relative_positions import sinusoids


class SelfAttention(nn.Module):
    """Scaled dot-product attention with N heads (section 3.2).

    Args:
        hidden: width H, a multiple of ``heads``. heads: number of heads N. dropout: on the weights.
    """

    def __init__(self, hidden: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if hidden % heads:
            raise ValueError(f"hidden must be a multiple of heads, got hidden={hidden} and heads={heads}")
        self.heads = heads
        self.factor = 1.0 / math.sqrt(hidden // heads)
        self.query_key_value = nn.Linear(hidden, 3 * hidden)
        self.output = nn.Linear(hidden, hidden)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor, before: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Self-attention within each sentence.

        Args:
            x: ``[B, T, H]``. mask: True at positions that may be attended to, ``[B, T]``.
            before: scores of the layer below, added to this layer's, ``[B, N, T, T]``: RealFormer's residual
                attention (He et al., Findings of ACL 2021).

        Returns:
            ``[B, T, H]``, the scores before the softmax and the weights, both ``[B, N, T, T]``.
        """
        # shape: (B, T, 3, N, D) -> three of (B, N, T, D)
        parts = self.query_key_value(x).unflatten(-1, (3, self.heads, -1)).transpose(1, 3)
        query, key, value = parts.unbind(2)
        scores = (query * self.factor) @ key.transpose(-1, -2)
        if before is not None:
            scores = scores + before
        # The lowest number, not minus infinity, so that an empty sentence gives no NaN.
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask[:, None, None], lowest).softmax(-1)
        joined = (self.dropout(weights) @ value).transpose(1, 2).flatten(2)
        return self.output(joined), scores, weights


class TransformerLayer(nn.Module):
    """Self-attention, then a feed-forward network; each followed by residual and layer norm.

    Args:
        hidden: width H. heads: number of heads N. ffn: width inside the feed-forward network.
        dropout: on attention weights, inside the feed-forward network and on what each sub-layer adds.
    """

    def __init__(self, hidden: int, heads: int, ffn: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.attention = SelfAttention(hidden, heads, dropout)
        self.ffn = nn.Sequential(
            nn.Linear(hidden, ffn), nn.ReLU(), nn.Dropout(dropout), nn.Linear(ffn, hidden)
        )
        self.attention_norm = nn.LayerNorm(hidden)
        self.ffn_norm = nn.LayerNorm(hidden)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor, before: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """States ``[B, T, H]``, attention scores and weights; see :class:`SelfAttention`."""
        attended, scores, weights = self.attention(x, mask, before)
        x = self.attention_norm(x + self.dropout(attended))
        return self.ffn_norm(x + self.dropout(self.ffn(x))), scores, weights


class Transformer(nn.Module):
    """A linear layer to width H, sinusoidal positions, then Transformer layers.

    Args:
        width: of the input. hidden: H, a multiple of ``heads``. layers: number of stacked layers.
        heads: number of heads N. ffn: width inside the feed-forward networks; 0 is four times H.
        dropout: see :class:`TransformerLayer`; also after the positions are added.
        residual_attention: every layer adds the attention scores of the one below, as in RealFormer.
    """

    def __init__(
        self,
        width: int,
        hidden: int,
        layers: int = 1,
        heads: int = 8,
        ffn: int = 0,
        dropout: float = 0.0,
        residual_attention: bool = False,
    ) -> None:
        super().__init__()
        self.width = hidden
        self.residual_attention = residual_attention
        self.projection = nn.Linear(width, hidden)
        self.layers = nn.ModuleList(
            TransformerLayer(hidden, heads, ffn or 4 * hidden, dropout) for _ in range(layers)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor, attention: list[Tensor] | None = None) -> Tensor:
        """``[B, T, width]`` to ``[B, T, H]``, zero where ``mask`` ``[B, T]`` is False.

        Args:
            attention: a list to which the weights of every layer are appended, ``[B, N, T, T]``; rows sum to
                1.
        """
        positions = torch.arange(x.shape[1], dtype=torch.float32, device=x.device)
        hidden = self.projection(x)
        hidden = self.dropout(hidden + sinusoids(positions, self.width).to(hidden.dtype))
        before = None
        for layer in self.layers:
            hidden, scores, weights = layer(hidden, mask, before)
            before = scores if self.residual_attention else None
            if attention is not None:
                attention.append(weights)
        return hidden * mask[..., None]
