"""FLAT: Chinese NER Using Flat-Lattice Transformer (Li, Yan, Qiu and Huang, ACL 2020)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from core.layers import FlatEncoder
from core.lexicon import Lexicon
from core.taggers.base.layer_states import EMBEDDINGS, LAYER, LayerHook, input_hook, numbered_hooks
from core.taggers.base.registry import register
from core.taggers.base.tagger import TaggerConfig
from core.taggers.base.trace import LatticeTrace
from core.taggers.flat import features as flat_features
from core.taggers.flat.config import FlatConfig
from core.taggers.flat.features import FlatBatch
from core.taggers.sequence.batch import Encoded, Parts
from core.taggers.sequence.character_tagger import input_width
from core.taggers.sequence.lexicon_tagger import LexiconTagger
from core.text import Document


@register("flat")
class Flat(LexiconTagger):
    """Characters and the words matched over them are nodes of one Transformer; a CRF tags the characters.

    Or words and the phrases matched over them, and the words are tagged.

    Args:
        config: the options. labels: what to find, in the order of the tags.
        parts: tables of characters, bigrams and words, and the lexicon; without a lexicon, characters only.
    """

    title: ClassVar[str] = "FLAT"
    summary: ClassVar[str] = "A Transformer over characters and dictionary words, placed by relative position"
    paper: ClassVar[str] = "FLAT: Chinese NER Using Flat-Lattice Transformer, ACL 2020"
    takes_words = True
    learns_best_with: ClassVar[Mapping[str, Any]] = {"batch_size": 8, "ema": 0.99}
    Config: ClassVar[type[TaggerConfig]] = FlatConfig
    config: FlatConfig

    def __init__(self, config: FlatConfig, labels: Sequence[str], parts: Parts) -> None:
        super().__init__(config, labels, parts, config.hidden)
        self.char_projection = nn.Linear(input_width(config, parts), config.hidden)
        self.word_projection = nn.Linear(self.words.dimension, config.hidden)
        self.encoder = FlatEncoder(
            config.hidden,
            config.heads,
            config.layers,
            config.ffn,
            attention_dropout=config.attention_dropout,
            ffn_dropout=config.ffn_dropout,
            dropout=config.layer_dropout,
            four_distances=config.four_distances,
            project_key=config.project_key,
            scale=config.scale,
            project_output=config.project_output,
            residual=config.residual,
            fused=config.fused_attention,
        )

    @classmethod
    def create(cls, config: FlatConfig, labels: Sequence[str], parts: Parts) -> Flat:
        return cls(config, labels, parts)

    def collate_with(self, documents: Sequence[Document], lexicons: Sequence[Lexicon | None]) -> FlatBatch:
        lattices = self.lattices(documents, lexicons)
        return FlatBatch(
            **self.input_fields(documents),
            lattices=lattices,
            words=flat_features.word_rows(lattices, self.words.vocabulary),
            source=flat_features.node_sources(lattices),
            nodes=flat_features.node_positions(lattices),
        )

    def encode(self, batch: FlatBatch, need_weights: bool = False) -> Encoded:
        encoded = self.encoder(self.embed(batch), batch.nodes, need_weights)
        return Encoded(encoded.hidden, attention=encoded.attention or ())

    def layer_hooks(self, batch: FlatBatch) -> list[LayerHook]:
        # The nodes of a sentence begin with its units, in every layout.
        return [
            *super().layer_hooks(batch),
            input_hook(EMBEDDINGS, self.encoder),
            *numbered_hooks(LAYER, self.encoder.layers),
        ]

    def embed(self, batch: FlatBatch) -> Tensor:
        """Nodes before the first layer, ``[B, L, H]``; zero at padding."""
        characters = self.char_projection(self.input_vectors(batch))  # shape: (B, T, H)
        words = self.word_projection(self.embedding_dropout(self.words(batch.words)))  # shape: (B, W, H)
        both = torch.cat([characters, words], dim=1)
        nodes = both.gather(1, batch.source[..., None].expand(-1, -1, self.config.hidden))
        return nodes * batch.nodes.mask[..., None]

    def trace_parts(self, batch: FlatBatch, encoded: Encoded, index: int) -> dict[str, Any]:
        lattice = LatticeTrace.of(batch.lattices[index], self.lexicon)
        return {
            **super().trace_parts(batch, encoded, index),
            "attention": flat_features.unpadded_attention(batch.lattices[index], encoded.attention, index),
            "lattice": lattice,
            "relative": flat_features.relative_trace(lattice, self.encoder.positions),
        }
