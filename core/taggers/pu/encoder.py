"""The encoder of Peng et al. 2019: character embeddings, a character CNN and character classes, read by a
BiLSTM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from core.layers.recurrent.birnn import BiRnn
from core.layers.window_cnn import WindowCnn
from core.taggers.base.config_fields import option
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.layer_states import CONTEXT, EMBEDDINGS, LayerHook, input_hook, output_hook
from core.taggers.base.tagger import Batch, Resources, TaggerConfig
from core.taggers.pu.character_kinds import KINDS, kind_of
from core.taggers.sequence import tables
from core.taggers.sequence.batch import Encoded, Parts
from core.taggers.sequence.character_tagger import (
    CharacterBatch,
    CharacterConfig,
    CharacterTagger,
    TableConfig,
    input_width,
)
from core.taggers.sequence.encoder_features import EncoderConfig, EncoderFeatures
from core.text import Document


@dataclass(frozen=True)
class PuEncoderOptions(EncoderConfig, TableConfig):
    """Options of the paper's encoder; a PU tagger has them too."""

    encoder: str = option(
        "", "a transformer under the characters: its name on the hub, or a folder; empty has none"
    )
    filters: int = option(30, "filters of the character CNN", bounds=(1, 1024))
    kind_dim: int = option(8, "width of the vector of a character's kind", bounds=(1, 64))
    hidden: int = option(200, "width of each direction", bounds=(1, 2048), basic=True)


@dataclass(frozen=True)
class PuEncoderConfig(PuEncoderOptions, CharacterConfig):
    """The same options as the config of a tagger."""


@dataclass(frozen=True)
class PuEncoderBatch(CharacterBatch):
    """A batch for the paper's encoder.

    Args:
        kinds: rows of `KINDS`, from 1, ``[B, T]``; 0 at padding.
    """

    kinds: Tensor


class PuEncoder(CharacterTagger):
    """The default encoder of `Pu`.

    The paper reads English words: a CNN over a word's letters, the word's vector, and features of its casing,
    concatenated and read by a BiLSTM. Here characters are read, because Chinese text has no word boundaries:
    the CNN runs over a window around each character, the character's own vector and its bigram's replace the
    word's, and the class of character (Han, digit, letter of either case, …) replaces the casing. A
    transformer's states are appended if the config names one.

    Args:
        config: the options. labels: none, as it has no head. parts: tables and maybe a transformer.
    """

    title: ClassVar[str] = "PU encoder"
    Config: ClassVar[type[TaggerConfig]] = PuEncoderConfig
    config: PuEncoderConfig

    def __init__(self, config: PuEncoderConfig, labels: Sequence[str], parts: Parts) -> None:
        super().__init__(config, labels, parts, 2 * config.hidden)
        self.kinds = nn.Embedding.from_pretrained(
            torch.empty(len(KINDS) + 1, config.kind_dim).uniform_(-0.5, 0.5), freeze=False, padding_idx=0
        )
        self.window = WindowCnn(self.characters.dimension, config.filters)
        self.context = BiRnn(input_width(config, parts) + config.filters + config.kind_dim, config.hidden)

    @classmethod
    def create(cls, config: PuEncoderConfig, labels: Sequence[str], parts: Parts) -> PuEncoder:
        return cls(config, labels, parts)

    @classmethod
    def make_parts(cls, config: PuEncoderConfig, resources: Resources) -> Parts:
        everything = [*resources.documents, *resources.unlabelled]
        parts = super().make_parts(config, replace(resources, documents=everything))
        return replace(parts, encoder=EncoderFeatures.pretrained(config) if config.encoder else None)

    def collate(self, documents: Sequence[Document]) -> PuEncoderBatch:
        kinds = tables.padded([[kind_of(character) for character in document.text] for document in documents])
        return PuEncoderBatch(**self.input_fields(documents), kinds=kinds)

    def encode(self, batch: PuEncoderBatch, need_weights: bool = False) -> Encoded:
        characters = self.embedding_dropout(self.characters(batch.characters))
        parts = [characters, self.window(characters, batch.mask), self.kinds(batch.kinds)]
        if self.bigrams is not None and batch.bigrams is not None:
            parts.append(self.embedding_dropout(self.bigrams(batch.bigrams)))
        features = None
        if self.features is not None and batch.pieces is not None:
            features = self.features(batch.pieces, need_weights)
            parts.append(features.mixed.hidden)
        return Encoded(self.context(torch.cat(parts, dim=-1), batch.mask), intermediate=features)

    def trace_parts(self, batch: PuEncoderBatch, encoded: Encoded, index: int) -> dict[str, Any]:
        if encoded.intermediate is None or self.features is None:
            return {}
        return self.features.trace_parts(encoded.intermediate, index, len(batch.documents[index].text))

    def layer_hooks(self, batch: PuEncoderBatch) -> list[LayerHook]:
        return [
            *super().layer_hooks(batch),
            input_hook(EMBEDDINGS, self.context),
            output_hook(CONTEXT, self.context),
        ]

    def embedding_hooks(self, batch: Batch) -> list[EmbeddingHook]:
        length = len(batch.documents[0].text)
        return [
            *super().embedding_hooks(batch),
            EmbeddingHook.of_nodes(self.kinds, [(at,) for at in range(length)]),
        ]

    def embedding_weights(self) -> list[nn.Parameter]:
        return [weight for weight in super().embedding_weights() if weight is not self.kinds.weight]
