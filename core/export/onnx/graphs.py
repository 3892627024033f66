"""The forward pass of a tagger from the arrays of `core.export.onnx.features` to tag or span scores, as a
module that torch can trace: no Python branches on values, no caches, every size open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn

from core.export.errors import ExportError
from core.export.onnx.recurrent import with_onnx_operators
from core.layers.flat.flat_encoder import FlatLayer
from core.layers.flat.relative_attention import RelativeAttention
from core.layers.flat.relative_positions import sinusoids
from core.layers.lexicon_cnn import Feedback, Ngrams, NgramSide
from core.layers.set_pooling import SETS
from core.runtime.message import _
from core.taggers.base.tagger import Tagger
from core.taggers.bert import Bert
from core.taggers.bilstm_crf import BiLstmCrf
from core.taggers.ensemble.tagger import Ensemble
from core.taggers.flat.tagger import Flat
from core.taggers.lr_cnn import LrCnn
from core.taggers.sequence.encoder_features import EncoderFeatures
from core.taggers.sequence.word_reader import TokenRows
from core.taggers.soft_lexicon.tagger import SoftLexicon
from core.taggers.span.tagger import SpanTagger

# Families of encoders whose pieces attend to padding, or whose layers have sizes of their own.
_UNTRACEABLE = frozenset({"convbert", "fnet", "nystromformer", "yoso", "big_bird", "reformer", "funnel"})


class Graph(nn.Module):
    """The base: pieces to units, and the tag layer.

    Args:
        tagger: a copy, which is changed.
    """

    def __init__(self, tagger: Any) -> None:
        super().__init__()
        self.tagger = tagger

    def unit_states(self, features: EncoderFeatures, arrays: dict[str, Tensor]) -> Tensor:
        """The mixed states of the transformer at units, ``[B, T, D]``."""
        encoder = features.encoder
        inputs = {"input_ids": arrays["piece_ids"], "attention_mask": arrays["piece_mask"]}
        if encoder.segment_types:
            inputs["token_type_ids"] = arrays["piece_types"].clamp(max=encoder.segment_types - 1)
        output = encoder.model(**inputs, output_hidden_states=True, return_dict=True)
        states = [*output.hidden_states[:-1], output.last_hidden_state]
        index = arrays["unit_pieces"]
        present = (index >= 0).to(states[-1].dtype)[..., None]  # shape: (B, T, M, 1)
        share = present / present.sum(2, keepdim=True).clamp(min=1.0)
        at_units = [
            (torch.nn.functional.embedding(index.clamp(min=0), state.flatten(0, 1)) * share).sum(2)
            if number in features.mix.chosen
            else state
            for number, state in enumerate(states)
        ]
        mixed: Tensor = features.mix(at_units).hidden
        return mixed

    def inputs(self, arrays: dict[str, Tensor]) -> Tensor:
        """The vectors of the tables or of words, and of a transformer below, ``[B, T, input_width]``."""
        tagger = self.tagger
        vectors = [self._words(arrays) if tagger.reader else tagger.characters.table(arrays["characters"])]
        if tagger.bigrams is not None:
            vectors.append(tagger.bigrams.table(arrays["bigrams"]))
        if tagger.features is not None:
            vectors.append(self.unit_states(tagger.features, arrays))
        return torch.cat(vectors, dim=-1)

    def _words(self, arrays: dict[str, Tensor]) -> Tensor:
        """The vectors of words, of their characters and their shapes."""
        tagger = self.tagger
        rows = TokenRows(arrays["tokens"], arrays.get("shapes"), arrays["spelt"], arrays["spellings"])
        shapes = None if rows.shapes is None else tagger.shapes.table(rows.shapes)
        own, characters = tagger.tokens.table(rows.tokens), tagger.characters.table(rows.spellings)
        read: Tensor = tagger.reader(own, characters, rows, shapes)
        return read

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        """The states that the tag layer reads, ``[B, T, D]``."""
        raise NotImplementedError

    def forward(self, arrays: dict[str, Tensor]) -> Tensor:
        """Tag scores, ``[B, T, K]``; anything at padding."""
        scores: Tensor = self.tagger.emission(self.hidden(arrays))
        return scores


class PieceGraph(Graph):
    """BERT, with its top if it has one."""

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        states = self.unit_states(self.tagger.features, arrays)
        return states if self.tagger.top is None else self.tagger.top(states, arrays["mask"])


class CharacterGraph(Graph):
    """BiLSTM-CRF."""

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        states: Tensor = self.tagger.context(self.inputs(arrays), arrays["mask"])
        return states


class SoftLexiconGraph(Graph):
    """SoftLexicon, ExSoftword and Softword."""

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        tagger, mask = self.tagger, arrays["mask"]
        shape = mask.shape
        added = self._lexicon_vectors(arrays, shape[0] * shape[1])
        vectors = torch.cat([self.inputs(arrays), added.reshape(shape[0], shape[1], -1)], dim=-1)
        states: Tensor = tagger.context(vectors, mask)
        return states

    def _lexicon_vectors(self, arrays: dict[str, Tensor], positions: int) -> Tensor:
        tagger = self.tagger
        if "segments" in arrays:
            vectors: Tensor = tagger.segment_vectors(arrays["segments"].flatten())
            return vectors
        slots = arrays["slots"]
        weight = tagger.characters.table.weight
        ones = torch.ones_like(slots, dtype=weight.dtype)
        nothing = weight.new_zeros(SETS * positions)
        filled = nothing.scatter_add(0, slots, ones).clamp(max=1.0).reshape(positions, SETS)
        if "words" not in arrays:
            return torch.cat([filled, 1.0 - filled.amax(1, keepdim=True)], dim=1)
        counts = tagger.word_counts[arrays["words"]]
        empty = 1.0 - filled
        total = nothing.scatter_add(0, slots, counts).reshape(positions, SETS).sum(1) + empty.sum(1)
        total = total.clamp(min=1.0)  # shape: (P,)
        weights = SETS * counts / total[slots // SETS]
        entries = tagger.words.table(arrays["words"]) * weights[:, None]
        width = tagger.words.dimension
        pooled = weight.new_zeros(SETS * positions, width)
        pooled = pooled.scatter_add(0, slots[:, None].expand(-1, width), entries)
        absent = SETS * empty / total[:, None]
        return (pooled.reshape(positions, SETS, width) + absent[..., None] * tagger.pooling.none).flatten(1)


class LrCnnGraph(Graph):
    """LR-CNN: every layer reads all words and adds those of its length."""

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        cnn, mask = self.tagger.cnn, arrays["mask"]
        words = self.tagger.words.table(arrays["words"])
        unigrams = cnn.characters(self.inputs(arrays)).tanh() * mask[..., None]
        sides = [self._ngrams(side, unigrams, words, arrays) for side in cnn.sides]
        feedback: list[Feedback | None] = [None] * len(sides)
        for _round in range(cnn.rethinking):
            top = self._features(cnn.sides, [layers[-1] for layers in sides], feedback)
            feedback = [side.attention.feedback(top) for side in cnn.sides]
        layers = [self._features(cnn.sides, layer, feedback) for layer in zip(*sides, strict=True)]
        stacked = torch.stack([unigrams, *(layer.view_as(unigrams) for layer in layers)], dim=2)
        hidden: Tensor = cnn.scales(stacked)[0] * mask[..., None]
        return hidden

    def _ngrams(
        self, side: NgramSide, unigrams: Tensor, words: Tensor, arrays: dict[str, Tensor]
    ) -> list[Ngrams]:
        positions = arrays["word_last" if side.ends else "word_first"]
        grams, ngrams = unigrams, []
        for length, convolution in enumerate(side.convolutions, start=2):
            grams = convolution(side.pairs(grams)).tanh() * arrays["mask"][..., None]
            flat = grams.flatten(0, 1)
            read = side.attention.word(words) * (arrays["word_length"] == length)[:, None]
            places = positions[:, None].expand(-1, read.shape[1])
            ngrams.append(Ngrams(flat, positions, side.attention.ngram(flat).scatter_add(0, places, read)))
        return ngrams

    def _features(
        self, sides: Sequence[NgramSide], layer: Sequence[Ngrams], feedback: Sequence[Feedback | None]
    ) -> Tensor:
        outputs = [
            side.attention(ngrams, top)[0] for side, ngrams, top in zip(sides, layer, feedback, strict=True)
        ]
        return torch.stack(outputs).sum(0)


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


class SpanGraph(Graph):
    """A span tagger over one of the others."""

    def __init__(self, tagger: SpanTagger) -> None:
        super().__init__(tagger)
        self.below = _kind(tagger.encoder)(tagger.encoder)

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        return self.below.hidden(arrays)

    def forward(self, arrays: dict[str, Tensor]) -> Tensor:
        """The scores of all spans, ``[B, K, T, T]``: at ``[b, k, i, j]`` that from i to j (inclusive)."""
        hidden, inside = self.hidden(arrays), self.tagger.inside
        scores: Tensor = self.tagger.scorer.terms(hidden).square()
        return scores if inside is None else scores + inside.terms(hidden).square()


def graph_of(tagger: Tagger) -> Graph:
    """The graph of a tagger, of a copy on the CPU.

    Raises:
        ExportError: it has none; says why.
    """
    check_exportable(tagger)
    copied = with_onnx_operators(deepcopy(tagger).cpu().float().eval())
    return _kind(copied)(copied).eval()


def check_exportable(tagger: Tagger) -> None:
    """Refuse a tagger without a graph.

    Raises:
        ExportError: names the tagger and the reason.
    """
    if isinstance(tagger, SpanTagger | Ensemble):
        for part in tagger.taggers if isinstance(tagger, Ensemble) else (tagger.encoder,):
            check_exportable(part)
        return
    features = getattr(tagger, "features", None)
    if not isinstance(tagger, tuple(_GRAPHS)):
        reason = _REASONS.get(tagger.name, _("no graph has been written for it"))
    elif isinstance(tagger, Bert) and tagger.neighbours is not None:
        reason = _("it reads neighbours of a sentence, which the graph lacks; train with neighbours=0")
    elif features is not None and features.encoder.model.config.model_type in _UNTRACEABLE:
        family = features.encoder.model.config.model_type
        reason = _("its encoder, of the family {family}, attends to padding", family=family)
    elif isinstance(tagger, BiLstmCrf) and tagger.config.cell not in ("lstm", "gru"):
        reason = _("ONNX has no operator for its cell {cell}; train with cell=lstm", cell=tagger.config.cell)
    else:
        return
    raise ExportError("{title} has no ONNX graph: {reason}", title=tagger.title, reason=reason)


def _split(x: Tensor, attention: RelativeAttention) -> Tensor:
    return x.unflatten(-1, (attention.heads, -1)).transpose(1, 2)


def _kind(tagger: nn.Module) -> Callable[[Any], Graph]:
    return next(graph for cls, graph in _GRAPHS.items() if isinstance(tagger, cls))


_GRAPHS: dict[type[Tagger], Callable[[Any], Graph]] = {
    Bert: PieceGraph,
    BiLstmCrf: CharacterGraph,
    Flat: FlatGraph,
    LrCnn: LrCnnGraph,
    SoftLexicon: SoftLexiconGraph,
    SpanTagger: SpanGraph,
}
_REASONS = {
    "dictionary": _("it has no network; its word list is a file already"),
    "lattice_lstm": _("its recurrence follows the words of every sentence, for which ONNX has no operator"),
    "elmo_crf": _("ELMo's LSTMs have projections, for which ONNX has no operator"),
    "pu": _("it decides by one classifier a type, not by tags"),
    "mrc": _("it asks one question a label and matches starts with ends; it has no tag scores"),
}
