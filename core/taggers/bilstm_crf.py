"""BiLSTM-CRF over characters or words, the standard baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from core.layers.recurrent.birnn import BiRnn
from core.layers.recurrent.choice import CELLS, DEEP, begin_epoch, make_reader
from core.taggers.base.config_fields import ConfigError, in_error, option
from core.taggers.base.layer_states import CONTEXT, EMBEDDINGS, LayerHook, input_hook, output_hook
from core.taggers.base.registry import register
from core.taggers.base.tagger import TaggerConfig
from core.taggers.sequence.batch import Encoded, Parts
from core.taggers.sequence.character_tagger import (
    LSTM_SETTINGS,
    CharacterBatch,
    CharacterConfig,
    CharacterTagger,
)
from core.text import Document


@dataclass(frozen=True)
class BiLstmCrfConfig(CharacterConfig):
    """Options of the BiLSTM-CRF; widths and dropout as in Lattice LSTM's character baseline."""

    hidden: int = option(200, "width of each direction", bounds=(1, 2048), basic=True)
    layers: int = option(1, "LSTM layers, one over the other", bounds=(1, 8), basic=True)
    layer_dropout: float = option(0.0, "dropout between LSTM layers", bounds=(0.0, 0.9))
    cell: str = option("lstm", "the recurrent network that reads the units", choices=CELLS)
    word_rate: float = option(3.0, "words: the learning rate, as a multiple", bounds=(0.01, 1000.0))

    def __post_init__(self) -> None:
        if self.cell in DEEP and self.layers < 2:
            raise ConfigError(
                "{field}: {cell} needs {layers} of 2 or more",
                field=in_error(type(self), "cell"),
                cell=self.cell,
                layers=in_error(type(self), "layers"),
            )


@register("bilstm_crf")
class BiLstmCrf(CharacterTagger):
    """Embeddings of characters and bigrams, or of words, a BiLSTM, and a CRF.

    Args:
        config: the options. labels: what to find, in the order of the tags.
        parts: tables of characters and bigrams, or of words, their characters and shapes.
    """

    title: ClassVar[str] = "BiLSTM-CRF"
    summary: ClassVar[str] = (
        "Characters or words read from both sides by LSTMs: small, quick, the usual baseline"
    )
    paper: ClassVar[str] = "Bidirectional LSTM-CRF Models for Sequence Tagging, arXiv 1508.01991, 2015"
    takes_words = True
    learns_best_with: ClassVar[Mapping[str, Any]] = LSTM_SETTINGS
    Config: ClassVar[type[TaggerConfig]] = BiLstmCrfConfig
    config: BiLstmCrfConfig

    def __init__(self, config: BiLstmCrfConfig, labels: Sequence[str], parts: Parts) -> None:
        super().__init__(config, labels, parts, 2 * config.hidden)
        self.context = make_reader(
            config.cell, self.input_width, config.hidden, config.layers, config.layer_dropout
        )

    @classmethod
    def create(cls, config: BiLstmCrfConfig, labels: Sequence[str], parts: Parts) -> BiLstmCrf:
        return cls(config, labels, parts)

    def parameter_groups(self) -> list[dict[str, Any]]:
        groups = super().parameter_groups()
        if self.reader is None:
            return groups
        return [{**group, "lr_scale": self.config.word_rate * group["lr_scale"]} for group in groups]

    def collate(self, documents: Sequence[Document]) -> CharacterBatch:
        return CharacterBatch(**self.input_fields(documents))

    def encode(self, batch: CharacterBatch, need_weights: bool = False) -> Encoded:
        vectors = self.input_vectors(batch)
        if isinstance(self.context, BiRnn):
            return Encoded(self.context(vectors, batch.mask, self.input_columns(batch)))
        return Encoded(self.context(vectors, batch.mask))

    def begin_epoch(self, epoch: int) -> None:
        super().begin_epoch(epoch)
        begin_epoch(self.context, epoch)

    def layer_hooks(self, batch: CharacterBatch) -> list[LayerHook]:
        return [
            *super().layer_hooks(batch),
            input_hook(EMBEDDINGS, self.context),
            output_hook(CONTEXT, self.context),
        ]
