"""Graphs of taggers over tables or a transformer."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.encoders.elmo.elmo_input import ElmoInput
from core.export.onnx.graphs.graph import Graph
from core.layers.lexicon_cnn import Feedback, Ngrams, NgramSide
from core.layers.set_pooling import SETS


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


class PuEncoderGraph(Graph):
    """The encoder of a PU tagger by default."""

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        tagger, mask = self.tagger, arrays["mask"]
        characters = tagger.characters.table(arrays["characters"])
        added = [tagger.window(characters, mask), tagger.kinds(arrays["kinds"])]
        inputs, width = self.inputs(arrays), tagger.characters.dimension
        parts = [inputs[..., :width], *added, inputs[..., width:]]
        states: Tensor = tagger.context(torch.cat(parts, dim=-1), mask)
        return states


class ElmoGraph(Graph):
    """ELMo-CRF."""

    def hidden(self, arrays: dict[str, Tensor]) -> Tensor:
        tagger, mask = self.tagger, arrays["mask"]
        elmo = ElmoInput(arrays["elmo_rows"], arrays["elmo_tokens"], arrays["elmo_lengths"])
        layers = tagger.at_characters(tagger.elmo(elmo).layers, arrays["token_of"])
        if tagger.config.layers == "last":
            layers = layers[-1:]
        x = self.inputs(arrays)
        if tagger.input_mix is not None:
            x = torch.cat([x, tagger.input_mix(layers)], dim=-1)
        states: Tensor = tagger.context(x, mask)
        if tagger.top is not None:
            states = tagger.top(states, mask)
        if tagger.output_mix is not None:
            states = torch.cat([states, tagger.output_mix(layers)], dim=-1)
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
