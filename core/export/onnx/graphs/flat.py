"""The graph of FLAT."""

from __future__ import annotations

import torch
from torch import Tensor

from core.export.onnx.graphs.graph import Graph
from core.layers.flat.flat_encoder import FlatLayer
from core.layers.flat.relative_attention import RelativeAttention
from core.layers.flat.relative_positions import sinusoids

# Added to the scores of padding; sums with it stay finite, so that a text without units has no weight NaN.
_PADDING = -1e30


class FlatGraph(Graph):
    """FLAT: relative scores of characters by table lookup, of words by the encodings of their pairs.

    Heads come before sentences in all tensors, so that one product of a head scores the characters of all
    sentences with a table.
    """

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        tagger = self.tagger
        chars = arrays["mask"].shape[1]
        words = tagger.word_projection(tagger.words.table(arrays["word_rows"]))
        x = torch.cat([tagger.char_projection(self.inputs(arrays)), words], dim=1)  # shape: (B, T + V, H)
        valid = torch.cat([arrays["mask"], arrays["word_mask"]], dim=1)
        encoder, shares = tagger.encoder, self._shares(chars)
        # Of two characters there are only their distances T - 1 to -T, which all four are.
        encodings = [self._encoded(shares.sum(1).flip(0)), self._encodings(arrays["char_distances"], shares)]
        if len(encoder.layers) > 1:
            encodings.append(self._encodings(arrays["word_distances"], shares))
        for number, layer in enumerate(encoder.layers):
            whole = number < len(encoder.layers) - 1
            x = self._layer(layer, x, valid, arrays, encodings if whole else encodings[:2], chars)
        return x[:, :chars] * arrays["mask"][..., None]

    def _shares(self, chars: int) -> Tensor:
        """What each distance from -T to T - 1 adds to the fusion as either of the four, ``[2 T, 4, H]``."""
        positions = self.tagger.encoder.positions
        weight = positions.fusion.weight.unflatten(1, (-1, positions.hidden))  # shape: (H, 4, H)
        sines = sinusoids(torch.arange(-chars, chars).to(weight.dtype), positions.hidden)
        return (sines @ weight.permute(2, 1, 0).flatten(1)).unflatten(1, (-1, positions.hidden))

    def _encodings(self, distances: Tensor, shares: Tensor) -> Tensor:
        """R of every different pair, ``[U, H]``, from its four distances, ``[U, 4]``."""
        kept = distances if self.tagger.encoder.positions.four_distances else distances[:, ::3]
        rows = kept + shares.shape[0] // 2
        parts = [shares[:, kind].index_select(0, rows[:, kind]) for kind in range(shares.shape[1])]
        return self._encoded(torch.stack(parts).sum(0))

    def _encoded(self, fused: Tensor) -> Tensor:
        encoded: Tensor = torch.relu(fused + self.tagger.encoder.positions.fusion.bias)  # eq. 8
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
        queries = x if len(encodings) > 2 else x[:, :chars]
        query = _split(attention.query(queries), attention)
        # To (N, B, D, L) in two steps, for which onnxruntime has faster code than for one.
        key = attention.key(x).permute(2, 0, 1).unflatten(0, (attention.heads, -1)).transpose(1, 2)
        value = _split(attention.value(x), attention)
        positional = (query + attention.position_bias[:, None, None]) * attention.factor
        # The mask as one more dimension of the keys: no pass over all scores.
        padding = ((~valid).to(x.dtype) * _PADDING)[:, None].expand(attention.heads, -1, -1, -1)
        content = (query + attention.content_bias[:, None, None]) * attention.factor
        content = torch.cat([content, torch.ones_like(content[..., :1])], dim=-1)
        scores = content @ torch.cat([key, padding], dim=2)
        of_chars = positional[:, :, :chars]
        relative = torch.cat(
            [
                self._skewed(attention, of_chars, encodings[0]),
                self._looked_up(attention, of_chars, encodings[1], arrays["char_pairs"]),
            ],
            dim=3,
        )
        if len(encodings) > 2:
            words = self._paired(attention, positional[:, :, chars:], encodings[2], arrays["word_pairs"])
            relative = torch.cat([relative, words], dim=2)
        attended = ((scores + relative).softmax(-1) @ value).permute(1, 2, 0, 3).flatten(2)
        before, after = queries, attention.output(attended)
        x = layer.attention_norm(before + after if layer.residual else after + after)
        after = layer.ffn(x)
        normed: Tensor = layer.ffn_norm(x + after if layer.residual else after + after)
        return normed

    def _skewed(self, attention: RelativeAttention, query: Tensor, encodings: Tensor) -> Tensor:
        """Relative scores of characters with characters ``[N, B, T, T]``.

        With every distance, row after row; read with rows that are one shorter, each begins one further left
        (Transformer-XL, Dai et al. 2019, appendix B).
        """
        heads, batch, chars, _ = query.shape
        every = self._with_all(attention, query, encodings).reshape(heads, batch, chars * 2 * chars)
        kept = every[:, :, chars - 1 : chars - 1 + chars * (2 * chars - 1)]
        return kept.reshape(heads, batch, chars, 2 * chars - 1)[..., :chars]

    def _looked_up(
        self, attention: RelativeAttention, query: Tensor, encodings: Tensor, pairs: Tensor
    ) -> Tensor:
        """Relative scores of characters with words ``[N, B, T, V]``: with all encodings, then by pair."""
        every = self._with_all(attention, query, encodings)  # shape: (N, B * T, U)
        chosen = every.gather(2, pairs.flatten(0, 1).expand(attention.heads, -1, -1))
        return chosen.reshape(attention.heads, *pairs.shape)

    def _with_all(self, attention: RelativeAttention, query: Tensor, encodings: Tensor) -> Tensor:
        """Scores ``[N, B * T, U]`` of queries ``[N, B, T, D]`` with encodings ``[U, H]``."""
        keys = attention.relative_key(encodings).unflatten(-1, (attention.heads, -1))  # shape: (U, N, D)
        return query.flatten(1, 2) @ keys.permute(1, 2, 0)

    def _paired(
        self, attention: RelativeAttention, query: Tensor, encodings: Tensor, pairs: Tensor
    ) -> Tensor:
        """Relative scores of words ``[N, B, V, L]``: their pairs differ too much for a table."""
        keys = attention.relative_key(encodings)
        chosen = torch.nn.functional.embedding(pairs, keys)  # shape: (B, V, L, H)
        chosen = chosen.unflatten(-1, (attention.heads, -1)).permute(3, 0, 1, 4, 2)  # shape: (N, B, V, D, L)
        return (query[:, :, :, None] @ chosen).squeeze(3)


def _split(x: Tensor, attention: RelativeAttention) -> Tensor:
    return x.unflatten(-1, (attention.heads, -1)).permute(2, 0, 1, 3)
