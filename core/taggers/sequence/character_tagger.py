"""The base of taggers that read characters and bigrams, or words, from embedding tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from core.encoders.static_embeddings import StaticEmbedding
from core.encoders.transformer import Pieces
from core.encoders.vocabulary import bigrams
from core.encoders.word_vectors import JIEBA
from core.layers.recurrent.birnn import TableColumns
from core.taggers.base.config_fields import option
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.layer_states import LayerHook
from core.taggers.base.tagger import Batch, Resources, TaggerConfig
from core.taggers.base.trace import MixTrace
from core.taggers.sequence import tables, word_reader
from core.taggers.sequence.batch import Parts, SequenceBatch
from core.taggers.sequence.encoder_features import EncoderConfig, EncoderFeatures
from core.taggers.sequence.spellings import token_rows
from core.taggers.sequence.tagger import SequenceConfig, SequenceTagger
from core.taggers.sequence.unit_choice import AUTO
from core.taggers.sequence.word_reader import TokenRows, WordConfig, WordReader
from core.text import Document
from core.text.language import mostly_chinese

CHAR_DIM = 50
# What LSTMs over tables learn best with, as `benchmarks.grid` measured.
LSTM_SETTINGS: Mapping[str, Any] = {"learning_rate": 3e-3, "batch_size": 8, "ema": 0.99}


@dataclass(frozen=True)
class TableConfig:
    """Options of the embedding tables of characters and bigrams."""

    char_dim: int = option(
        CHAR_DIM, "width of a character's vector, unless it starts from given ones", bounds=(1, 1024)
    )
    bigram_dim: int = option(50, "width of a bigram's vector; 0 reads no bigrams", bounds=(0, 1024))
    char_vectors: str = option(
        AUTO,
        "first values of characters: jieba, the path of a .vec file, or empty for none; auto takes jieba's "
        "if the training texts are Chinese and the width of a character's vector is left as it is",
    )
    bigram_vectors: str = option("", "first values of bigrams: empty, or the path of a .vec file")
    least_bigram: int = option(2, "bigrams seen less often share one vector", bounds=(1, 1000))
    char_unknown: float = option(0.005, "share of characters read as unknown in training", bounds=(0.0, 0.5))
    embedding_dropout: float = option(0.5, "dropout on embeddings", bounds=(0.0, 0.9), basic=True)


@dataclass(frozen=True)
class CharacterConfig(WordConfig, TableConfig, SequenceConfig):
    """Options of a tagger that reads characters or words from tables."""


@dataclass(frozen=True)
class CharacterBatch(SequenceBatch):
    """Sentences as rows of tables.

    Args:
        characters, bigrams: table rows, ``[B, T]``; 0 at padding. None where words are read.
        tokens: rows of words; None where characters are read.
        pieces: the word pieces of a transformer under the characters or words, if there is one.
    """

    characters: Tensor | None
    bigrams: Tensor | None
    tokens: TokenRows | None
    pieces: Pieces | None


class CharacterTagger(SequenceTagger):
    """A `SequenceTagger` that embeds characters and bigrams, or words, by tables.

    Words are read as in Ma and Hovy (ACL 2016) and Lample et al. (NAACL 2016): their own vectors, and a CNN
    or LSTM over their characters; besides, a vector of their shape.

    Args:
        parts: with the tables ``characters`` and, if configured, ``bigrams``; for words with ``tokens``,
            ``characters`` and, if configured, ``shapes``. The encoder may be the `EncoderFeatures` of a
            transformer.

    Attributes:
        input_width: width of ``input_vectors``. features: the transformer, if there is one.
        reader: reads words; None where characters are read.
    """

    Config: ClassVar[type[TaggerConfig]] = CharacterConfig
    config: CharacterConfig

    def __init__(self, config: CharacterConfig, labels: Sequence[str], parts: Parts, width: int) -> None:
        super().__init__(config, labels, parts, width)
        self.characters = parts.tables["characters"]
        self.bigrams = parts.tables.get("bigrams")
        self.tokens = parts.tables.get("tokens")
        self.shapes = parts.tables.get("shapes")
        self.reader = WordReader(config, parts.tables) if config.reads_words else None
        self.features = _features(parts)
        self.input_width = input_width(config, parts)
        self.embedding_dropout = nn.Dropout(config.embedding_dropout)

    @classmethod
    def settle(cls, config: Any, resources: Resources) -> Any:
        decided = super().settle(config, resources)
        if decided.char_vectors != AUTO:
            return decided
        fitting = decided.char_dim == CHAR_DIM and not decided.reads_words
        chinese = fitting and mostly_chinese(document.text for document in resources.documents)
        return replace(decided, char_vectors=JIEBA if chinese else "")

    @classmethod
    def make_parts(cls, config: Any, resources: Resources) -> Parts:
        return Parts(tables=cls.make_tables(config, resources.documents))

    @classmethod
    def make_tables(cls, config: Any, documents: Sequence[Document]) -> dict[str, StaticEmbedding]:
        """Fresh tables of the characters and bigrams of the training texts, or of their words.

        Raises:
            VectorsError: a file of vectors cannot be read.
        """
        if config.reads_words:
            surfaces = (config.units(document).surfaces(document.text) for document in documents)
            return word_reader.make_tables(config, chain.from_iterable(surfaces))
        texts = [document.text for document in documents]
        embeddings = {
            "characters": StaticEmbedding.build(
                (character for text in texts for character in text),
                config.char_dim,
                source=config.char_vectors,
                unknown_rate=config.char_unknown,
                keep=lambda token: len(token) == 1,
            )
        }
        if config.bigram_dim:
            embeddings["bigrams"] = StaticEmbedding.build(
                (pair for text in texts for pair in bigrams(text)),
                config.bigram_dim,
                source=config.bigram_vectors,
                least=config.least_bigram,
                unknown_rate=config.char_unknown,
            )
        return embeddings

    @classmethod
    def table_rates(cls, config: Any) -> dict[str, float]:
        if config.reads_words:
            return word_reader.table_rates(config)
        names = ("characters", "bigrams") if config.bigram_dim else ("characters",)
        return dict.fromkeys(names, config.char_unknown)

    @classmethod
    def read_parts(cls, config: Any, folder: Path) -> Callable[[], Parts]:
        fresh = super().read_parts(config, folder)
        if config.reads_words:
            fresh = word_reader.with_tokens(fresh)
        if not isinstance(config, EncoderConfig) or not config.encoder:
            return fresh
        encoder = EncoderFeatures.factory(config, folder)
        return lambda: replace(fresh(), encoder=encoder())

    def input_fields(self, documents: Sequence[Document]) -> dict[str, Any]:
        """The fields of a `CharacterBatch`, for ``collate``."""
        texts = [document.text for document in documents]
        fields = self.sequence_fields(documents)
        rows = characters = pairs = None
        if self.tokens is not None:
            surfaces = [units.surfaces(text) for units, text in zip(fields["units"], texts, strict=True)]
            given = {"tokens": self.tokens, "characters": self.characters}
            if self.shapes is not None:
                given["shapes"] = self.shapes
            found = token_rows(surfaces, {name: table.vocabulary for name, table in given.items()})
            padded = {name: tables.padded(part) for name, part in found.items()}
            rows = TokenRows(padded["tokens"], padded.get("shapes"), padded["spelt"], padded["spellings"])
        else:
            characters = tables.padded([self.characters.vocabulary.rows(text) for text in texts])
        if self.bigrams is not None:
            pairs = tables.padded([self.bigrams.vocabulary.rows(bigrams(text)) for text in texts])
        pieces = None if self.features is None else self.features.tokenize(texts, fields["units"])
        return {**fields, "characters": characters, "bigrams": pairs, "tokens": rows, "pieces": pieces}

    def input_vectors(self, batch: CharacterBatch) -> Tensor:
        """The inputs of the tagger's own layers, after dropout: ``[B, T, input_width]``.

        A transformer's vectors are appended to those of the tables, as in the published +BERT variants, with
        no dropout besides the transformer's own.
        """
        dropped = self._table_vectors(batch)
        if self.features is None or batch.pieces is None:
            return dropped
        return torch.cat([dropped, self.features(batch.pieces).mixed.hidden], dim=-1)

    def input_columns(self, batch: CharacterBatch) -> list[TableColumns] | None:
        """``input_vectors`` by the tables they come from; None in training, or if not all are from tables."""
        if self.training or torch.is_grad_enabled() or self.features is not None or batch.characters is None:
            return None
        rows = [(self.characters, batch.characters)]
        if self.bigrams is not None and batch.bigrams is not None:
            rows.append((self.bigrams, batch.bigrams))
        if any(table._forward_hooks for table, _ in rows):  # a hook may give every position its own vector
            return None
        different = [(table, *places.unique(return_inverse=True)) for table, places in rows]
        return [TableColumns(table(own), places) for table, own, places in different]

    def _table_vectors(self, batch: CharacterBatch) -> Tensor:
        """The vectors from the tables, after dropout."""
        if self.reader is not None and self.tokens is not None:
            rows = batch.tokens
            assert rows is not None
            shapes = None if self.shapes is None else self.shapes(rows.shapes)
            read: Tensor = self.reader(
                self.tokens(rows.tokens), self.characters(rows.spellings), rows, shapes
            )
            return read
        vectors = self.characters(batch.characters)
        if self.bigrams is not None and batch.bigrams is not None:
            vectors = torch.cat([vectors, self.bigrams(batch.bigrams)], dim=-1)
        dropped: Tensor = self.embedding_dropout(vectors)
        return dropped

    def embedding_hooks(self, batch: Batch) -> list[EmbeddingHook]:
        checked = self.check_batch(batch)
        (units,) = checked.units
        hooks = self._table_hooks(len(units))
        if self.features is not None:
            hooks.append(self.features.embedding_hook(checked.pieces, units))
        return hooks

    def _table_hooks(self, length: int) -> list[EmbeddingHook]:
        """Hooks on the tables, for a sentence of so many units."""
        if self.reader is not None:
            return [EmbeddingHook.of_nodes(self.reader, [(at,) for at in range(length)])]
        hooks = [EmbeddingHook.of_nodes(self.characters, [(at,) for at in range(length)])]
        if self.bigrams is not None:
            # A bigram belongs to both its characters in equal parts; the last one has a single character.
            pairs = [(at, at + 1) if at + 1 < length else (at,) for at in range(length)]
            hooks.append(EmbeddingHook.of_nodes(self.bigrams, pairs))
        return hooks

    def layer_hooks(self, batch: Any) -> list[LayerHook]:
        return [] if self.features is None else [self.features.layer_hook()]

    def embedding_weights(self) -> list[nn.Parameter]:
        weights = super().embedding_weights()
        if self.shapes is not None:
            weights = [weight for weight in weights if weight is not self.shapes.table.weight]
        if self.features is None:
            return weights
        # Of a transformer's tables only the word pieces, not positions and segments.
        inside = {id(parameter) for parameter in self.features.parameters()}
        words = [self.features.encoder.word_embeddings]
        return [
            *(weight for weight in weights if id(weight) not in inside),
            *(weight for weight in words if weight.requires_grad),
        ]

    def rates(self) -> list[tuple[Iterable[nn.Parameter], float]]:
        if self.features is None or not isinstance(self.config, EncoderConfig):
            return super().rates()
        return [*super().rates(), (self.features.encoder.parameters(), self.config.encoder_rate)]

    def begin_epoch(self, epoch: int) -> None:
        if self.features is not None:
            self.features.begin_epoch(epoch)

    def mixes(self) -> tuple[MixTrace, ...]:
        return () if self.features is None else self.features.mixes()

    @classmethod
    def mixes_layers(cls, config: TaggerConfig) -> bool:
        return isinstance(config, EncoderConfig) and bool(config.encoder) and config.layer_mix == "scalar_mix"

    def save_parts(self, folder: Path) -> None:
        super().save_parts(folder)
        if self.features is not None:
            self.features.save_structure(folder)


def input_width(config: CharacterConfig, parts: Parts) -> int:
    """Width of the joined vectors of a character and its bigram, or of a word, and of the transformer."""
    features = _features(parts)
    beyond = 0 if features is None else features.width
    if config.reads_words:
        return word_reader.reader_width(config, parts.tables) + beyond
    names = [name for name in ("characters", "bigrams") if name in parts.tables]
    return sum(parts.tables[name].dimension for name in names) + beyond


def _features(parts: Parts) -> EncoderFeatures | None:
    """The transformer among the parts; None for an ELMo, which its tagger handles itself."""
    return parts.encoder if isinstance(parts.encoder, EncoderFeatures) else None
