"""The encoder of FLAT: Transformer layers over the nodes of a flat lattice (Li et al., ACL 2020)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.layers.flat.lattice_geometry import Lattice
from core.layers.flat.layout_planning import plan_layout
from core.layers.flat.relative_attention import RelativeAttention, RelativeKeys
from core.layers.flat.relative_positions import RelativePositions


@dataclass(frozen=True)
class FlatOutput:
    """The output of the encoder.

    Args:
        hidden: characters only, ``[B, T, H]``; zero past a sentence's last character.
        attention: weights of every layer, ``[B, N, Q, L]`` with ``[b, n, i, j]`` = from query i to key j, or
            None when not asked for. Q is L, but T in the last layer, whose queries are the characters. Rows
            of nodes sum to 1; rows and columns of padding are 0.
    """

    hidden: Tensor
    attention: list[Tensor] | None = None


class FlatLayer(nn.Module):
    """Relative attention, then a feed-forward network; each followed by residual and layer norm.

    Args:
        hidden: width H. heads: number of heads N. ffn: width inside the feed-forward network.
        attention_dropout: on the attention weights. ffn_dropout: after each feed-forward projection, as in
            the published code. dropout: on a sub-layer's output, before residual and norm.
        project_key, scale, project_output, fused: see :class:`RelativeAttention`.
        residual: True as in the paper. False reproduces a mistake of the published code: a sub-layer's output
            is added to itself, not to its input. (Its two layer norms share their weights: load them into
            both here.)
    """

    def __init__(
        self,
        hidden: int,
        heads: int,
        ffn: int,
        *,
        attention_dropout: float = 0.0,
        ffn_dropout: float = 0.15,
        dropout: float = 0.0,
        project_key: bool = True,
        scale: bool = False,
        project_output: bool = False,
        residual: bool = True,
        fused: bool = False,
    ) -> None:
        super().__init__()
        self.attention = RelativeAttention(
            hidden,
            heads,
            project_key=project_key,
            scale=scale,
            project_output=project_output,
            dropout=attention_dropout,
            fused=fused,
        )
        self.ffn = nn.Sequential(
            nn.Linear(hidden, ffn),
            nn.Dropout(ffn_dropout),
            nn.ReLU(),
            nn.Linear(ffn, hidden),
            nn.Dropout(ffn_dropout),
        )
        self.attention_norm = nn.LayerNorm(hidden)
        self.ffn_norm = nn.LayerNorm(hidden)
        self.dropout = nn.Dropout(dropout)
        self.residual = residual

    def forward(
        self, x: Tensor, relative: RelativeKeys, *, queries: int, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """The first ``queries`` nodes after this layer, and their weights; see :class:`RelativeAttention`."""
        attended, weights = self.attention(x, relative, queries=queries, need_weights=need_weights)
        if torch.is_grad_enabled() or relative.layout.loops is None:
            return self._feed_forward(x[:, :queries], attended), weights
        # In large batches on a CPU, where lengths differ, padding is a fifth of the rows: it is not computed.
        real = relative.layout.valid[:, :queries]
        packed = self._feed_forward(x[:, :queries][real], attended[real])
        after = packed.new_zeros(*real.shape, packed.shape[-1])
        after[real] = packed
        return after, weights

    def _feed_forward(self, x: Tensor, attended: Tensor) -> Tensor:
        """The nodes ``[…, H]`` after the attention was added and the feed-forward network was applied."""
        x = self._add_and_norm(x, attended, self.attention_norm)
        return self._add_and_norm(x, self.ffn(x), self.ffn_norm)

    def _add_and_norm(self, before: Tensor, after: Tensor, norm: nn.LayerNorm) -> Tensor:
        return norm((before if self.residual else after) + self.dropout(after))


class FlatEncoder(nn.Module):
    """A stack of :class:`FlatLayer` over one shared :class:`RelativePositions`.

    Args:
        hidden: width H. heads: number of heads N. layers: how many. ffn: width inside the feed-forward
            network.
        four_distances: False keeps head-head and tail-tail only (the published code's ``ff_two``).
        the rest: see :class:`FlatLayer`.
    """

    def __init__(
        self,
        hidden: int,
        heads: int,
        layers: int,
        ffn: int,
        *,
        attention_dropout: float = 0.0,
        ffn_dropout: float = 0.15,
        dropout: float = 0.0,
        four_distances: bool = True,
        project_key: bool = True,
        scale: bool = False,
        project_output: bool = False,
        residual: bool = True,
        fused: bool = False,
    ) -> None:
        super().__init__()
        self.positions = RelativePositions(hidden, four_distances=four_distances)
        self.layers = nn.ModuleList(
            FlatLayer(
                hidden,
                heads,
                ffn,
                attention_dropout=attention_dropout,
                ffn_dropout=ffn_dropout,
                dropout=dropout,
                project_key=project_key,
                scale=scale,
                project_output=project_output,
                residual=residual,
                fused=fused,
            )
            for _ in range(layers)
        )

    def forward(self, x: Tensor, lattice: Lattice, need_weights: bool = False) -> FlatOutput:
        """Encode the nodes ``[B, L, H]`` of a lattice into its characters ``[B, T, H]``."""
        layout = plan_layout(lattice, x.shape[2], word_queries=len(self.layers) > 1)
        relative = RelativeKeys(self.positions, layout)
        x = layout.gather(x)
        attention: list[Tensor] = []
        for index, layer in enumerate(self.layers):
            queries = layout.chars if index == len(self.layers) - 1 else x.shape[1]
            x, weights = layer(x, relative, queries=queries, need_weights=need_weights)
            if weights is not None:
                attention.append(layout.restore(weights))
        hidden = x[:, : layout.chars] * layout.char_mask[..., None]
        return FlatOutput(hidden, attention if need_weights else None)
