"""Lattice LSTM: Chinese NER Using Lattice LSTM (Zhang and Yang, ACL 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from core.layers.lattice_lstm.lattice_lstm import LatticeLstm
from core.layers.lattice_lstm.lattice_steps import LatticeSteps
from core.lexicon import Lattice, Lexicon
from core.taggers.base.config_fields import option
from core.taggers.base.layer_states import CONTEXT, EMBEDDINGS, LayerHook, LayerState, input_hook
from core.taggers.base.registry import register
from core.taggers.base.tagger import TaggerConfig
from core.taggers.base.trace import LatticeTrace
from core.taggers.sequence.batch import Encoded, Parts
from core.taggers.sequence.character_tagger import CharacterBatch, input_width
from core.taggers.sequence.lexicon_tagger import LexiconConfig, LexiconTagger
from core.text import Document


@dataclass(frozen=True)
class LatticeLstmConfig(LexiconConfig):
    """Options of Lattice LSTM; widths and dropout are the paper's.

    The paper trains one sentence at a time by SGD, with a learning rate of 0.015 that decays by 5% per epoch.
    In batches of 16, AdamW learns faster with 0.002 to 0.004 than with 0.001, the default of a training.
    """

    hidden: int = option(
        200,
        "width of each direction; a learning rate of 0.002 to 0.004 suits it",
        bounds=(1, 1024),
        basic=True,
    )
    coupled: bool = option(
        False, "couple the forget gate to the input gate, as the published code does; the paper learns both"
    )
    output_dropout: float = option(0.5, "dropout before the tag scores", bounds=(0.0, 0.9))


@dataclass(frozen=True)
class LatticeLstmBatch(CharacterBatch):
    """A batch for Lattice LSTM.

    Args:
        lattices: of the sentences, for traces. words: table rows of all their words, ``[W]``.
        steps: at which steps the words begin and end.
    """

    lattices: tuple[Lattice, ...]
    words: Tensor
    steps: LatticeSteps


@register("lattice_lstm")
class LatticeLstmCrf(LexiconTagger):
    """A bidirectional character LSTM with gated paths for matched words, and a CRF.

    Args:
        config: the options. labels: what to find, in the order of the tags.
        parts: tables of characters, bigrams and words, and the lexicon; without a lexicon, characters only.
    """

    title: ClassVar[str] = "Lattice LSTM"
    summary: ClassVar[str] = "An LSTM over characters that takes in every dictionary word where it ends"
    paper: ClassVar[str] = "Chinese NER Using Lattice LSTM, ACL 2018"
    Config: ClassVar[type[TaggerConfig]] = LatticeLstmConfig
    config: LatticeLstmConfig

    def __init__(self, config: LatticeLstmConfig, labels: Sequence[str], parts: Parts) -> None:
        super().__init__(config, labels, parts, 2 * config.hidden)
        self.lstm = LatticeLstm(
            input_width(config, parts), self.words.dimension, config.hidden, config.coupled
        )

    @classmethod
    def create(cls, config: LatticeLstmConfig, labels: Sequence[str], parts: Parts) -> LatticeLstmCrf:
        return cls(config, labels, parts)

    def cost(self, document: Document) -> int:
        return len(document.text)

    def collate_with(
        self, documents: Sequence[Document], lexicons: Sequence[Lexicon | None]
    ) -> LatticeLstmBatch:
        lattices = self.lattices(documents, lexicons)
        words = [word.word for lattice in lattices for word in lattice.words]
        return LatticeLstmBatch(
            **self.input_fields(documents),
            lattices=lattices,
            words=torch.tensor(self.words.vocabulary.rows(words), dtype=torch.long),
            steps=LatticeSteps.of_words(
                [lattice.characters for lattice in lattices],
                [[(word.head, word.tail) for word in lattice.words] for lattice in lattices],
            ),
        )

    def encode(self, batch: LatticeLstmBatch, need_weights: bool = False) -> Encoded:
        words = self.embedding_dropout(self.words(batch.words))
        states = self.lstm(self.input_vectors(batch), batch.mask, words, batch.steps)
        return Encoded(states.hidden, intermediate=states.word_shares)

    def layer_hooks(self, batch: LatticeLstmBatch) -> list[LayerHook]:
        return [
            *super().layer_hooks(batch),
            input_hook(EMBEDDINGS, self.lstm),
            LayerHook(self.lstm, lambda _, output: [LayerState(CONTEXT, output.hidden)]),
        ]

    def trace_parts(self, batch: LatticeLstmBatch, encoded: Encoded, index: int) -> dict[str, Any]:
        lattice = LatticeTrace.of(batch.lattices[index], self.lexicon)
        if encoded.intermediate is None:
            return {"lattice": lattice}
        counts = [len(lattice.words) for lattice in batch.lattices]
        shares = encoded.intermediate.split(counts)[index]
        return {"lattice": lattice, "word_shares": shares.cpu().numpy()}
