"""The graph of FLAT."""

from __future__ import annotations

import torch
from torch import Tensor

from core.export.onnx.graphs.graph import Graph
from core.layers.flat.flat_encoder import FlatLayer
from core.layers.flat.relative_attention import RelativeAttention
from core.layers.flat.relative_positions import sinusoids


class FlatGraph(Graph):
    """FLAT: relative scores of characters by table lookup, of words by the encodings of their pairs."""

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        tagger = self.tagger
        chars = arrays["mask"].shape[1]
        words = tagger.word_projection(tagger.words.table(arrays["word_rows"]))
        x = torch.cat([tagger.char_projection(self.inputs(arrays)), words], dim=1)  # shape: (B, T + V, H)
        valid = torch.cat([arrays["mask"], arrays["word_mask"]], dim=1)
        encoder = tagger.encoder
        encodings = [self._encodings(arrays["char_distances"])]
        if len(encoder.layers) > 1:
            encodings.append(self._encodings(arrays["word_distances"]))
        for number, layer in enumerate(encoder.layers):
            whole = number < len(encoder.layers) - 1
            x = self._layer(layer, x, valid, arrays, encodings if whole else encodings[:1], chars)
        return x[:, :chars] * arrays["mask"][..., None]

    def _encodings(self, distances: Tensor) -> Tensor:
        """R of every different pair, ``[U, H]`` (eq. 8)."""
        positions = self.tagger.encoder.positions
        kept = distances if positions.four_distances else distances[:, ::3]
        sines = sinusoids(kept.to(positions.fusion.weight.dtype), positions.hidden)  # shape: (U, 4, H)
        encoded: Tensor = torch.relu(positions.fusion(sines.flatten(1)))
        return encoded

    def _layer(
        self,
        layer: FlatLayer,
        x: Tensor,
        valid: Tensor,
        arrays: dict[str, Tensor],
        encodings: list[Tensor],
        chars: int,
    ) -> Tensor:
        attention = layer.attention
        queries = x if len(encodings) > 1 else x[:, :chars]
        query = _split(attention.query(queries), attention)
        key, value = _split(attention.key(x), attention), _split(attention.value(x), attention)
        positional = (query + attention.position_bias[:, None]) * attention.factor
        scores = ((query + attention.content_bias[:, None]) * attention.factor) @ key.transpose(-1, -2)
        relative = self._looked_up(attention, positional[:, :, :chars], encodings[0], arrays["char_pairs"])
        if len(encodings) > 1:
            words = self._paired(attention, positional[:, :, chars:], encodings[1], arrays["word_pairs"])
            relative = torch.cat([relative, words], dim=2)
        scores = (scores + relative).masked_fill(~valid[:, None, None], torch.finfo(scores.dtype).min)
        attended = (scores.softmax(-1) @ value).transpose(1, 2).flatten(2)
        before, after = queries, attention.output(attended)
        x = layer.attention_norm(before + after if layer.residual else after + after)
        after = layer.ffn(x)
        normed: Tensor = layer.ffn_norm(x + after if layer.residual else after + after)
        return normed

    def _looked_up(
        self, attention: RelativeAttention, query: Tensor, encodings: Tensor, pairs: Tensor
    ) -> Tensor:
        """Relative scores of characters ``[B, N, T, L]``: with every encoding, then each pair's is chosen."""
        keys = attention.relative_key(encodings).unflatten(-1, (attention.heads, -1))  # shape: (U, N, D)
        every = query @ keys.permute(1, 2, 0)  # shape: (B, N, T, U)
        return every.gather(3, pairs[:, None].expand(-1, attention.heads, -1, -1))

    def _paired(
        self, attention: RelativeAttention, query: Tensor, encodings: Tensor, pairs: Tensor
    ) -> Tensor:
        """Relative scores of words ``[B, N, V, L]``: their pairs differ too much for a table."""
        keys = attention.relative_key(encodings)
        chosen = torch.nn.functional.embedding(pairs, keys)  # shape: (B, V, L, H)
        chosen = chosen.unflatten(-1, (attention.heads, -1)).permute(0, 3, 1, 4, 2)  # shape: (B, N, V, D, L)
        return (query[:, :, :, None] @ chosen).squeeze(3)


def _split(x: Tensor, attention: RelativeAttention) -> Tensor:
    return x.unflatten(-1, (attention.heads, -1)).transpose(1, 2)
