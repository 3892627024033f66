"""LR-CNN: CNN-Based Chinese NER with Lexicon Rethinking (Gui et al., IJCAI 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from core.layers.flat.word_lengths import WordLengths
from core.layers.lexicon_cnn import LexiconCnn
from core.lexicon import Lattice, Lexicon
from core.taggers.base.config_fields import option
from core.taggers.base.layer_states import EMBEDDINGS, LAYER, LayerHook, LayerState, input_hook
from core.taggers.base.registry import register
from core.taggers.base.tagger import TaggerConfig
from core.taggers.base.trace import LatticeTrace, MixTrace
from core.taggers.sequence.batch import Encoded, Parts
from core.taggers.sequence.character_tagger import CharacterBatch, input_width
from core.taggers.sequence.lexicon_tagger import LexiconConfig, LexiconTagger
from core.text import Document


@dataclass(frozen=True)
class LrCnnConfig(LexiconConfig):
    """Options of LR-CNN; the defaults are those of the published code, the equations are the paper's.

    In batches of 16, AdamW learns faster with 0.002 to 0.004 than with 0.001, the default of a training.
    """

    layers: int = option(
        4, "layers, and most characters of a word: longer words are left out", bounds=(2, 12), basic=True
    )
    hidden: int = option(
        200,
        "width of a character's features; a learning rate of 0.002 to 0.004 suits it",
        bounds=(1, 2048),
        basic=True,
    )
    rethinking: int = option(
        1, "times the top layer is fed back to weigh words again; 0 leaves it out", bounds=(0, 8)
    )
    both_sides: bool = option(
        True, "read what ends at a character too, as the published code; no: only what begins there"
    )
    layer_dropout: float = option(0.5, "dropout before convolutions", bounds=(0.0, 0.9))
    output_dropout: float = option(0.5, "dropout before the tag scores", bounds=(0.0, 0.9))

    @property
    def longest_read(self) -> int:
        """Maximum length of a word that has a layer."""
        return min(self.layers, self.longest_word or self.layers)


@dataclass(frozen=True)
class LrCnnBatch(CharacterBatch):
    """A batch for LR-CNN.

    Args:
        lattices: of the sentences, for traces. words: table rows of all their words, ``[W]``.
        lengths: the same words sorted by length.
    """

    lattices: tuple[Lattice, ...]
    words: Tensor
    lengths: WordLengths


@register("lr_cnn")
class LrCnn(LexiconTagger):
    """A character CNN that attends to lexicon words in every layer, with rethinking, and a CRF.

    Args:
        config: the options. labels: what to find, in the order of the tags.
        parts: tables of characters, bigrams and words, and the lexicon; without a lexicon, characters only.
    """

    title: ClassVar[str] = "LR-CNN"
    summary: ClassVar[str] = "A CNN whose layers take in dictionary words of their length, and think again"
    paper: ClassVar[str] = "CNN-Based Chinese NER with Lexicon Rethinking, IJCAI 2019"
    Config: ClassVar[type[TaggerConfig]] = LrCnnConfig
    config: LrCnnConfig

    def __init__(self, config: LrCnnConfig, labels: Sequence[str], parts: Parts) -> None:
        super().__init__(config, labels, parts, config.hidden)
        self.cnn = LexiconCnn(
            input_width(config, parts),
            self.words.dimension,
            config.hidden,
            config.layers,
            config.rethinking,
            config.both_sides,
            config.layer_dropout,
        )

    @classmethod
    def create(cls, config: LrCnnConfig, labels: Sequence[str], parts: Parts) -> LrCnn:
        return cls(config, labels, parts)

    def cost(self, document: Document) -> int:
        return len(document.text)

    def collate_with(self, documents: Sequence[Document], lexicons: Sequence[Lexicon | None]) -> LrCnnBatch:
        fields = self.input_fields(documents)
        lattices = self.lattices(documents, lexicons)
        words = [word.word for lattice in lattices for word in lattice.words]
        return LrCnnBatch(
            **fields,
            lattices=lattices,
            words=torch.tensor(self.words.vocabulary.rows(words), dtype=torch.long),
            lengths=WordLengths.of_words(
                [[(word.head, word.tail) for word in lattice.words] for lattice in lattices],
                fields["mask"].shape[1],
                self.config.layers,
            ),
        )

    def encode(self, batch: LrCnnBatch, need_weights: bool = False) -> Encoded:
        words = self.embedding_dropout(self.words(batch.words))
        features = self.cnn(self.input_vectors(batch), batch.mask, words, batch.lengths)
        return Encoded(features.hidden, intermediate=features)

    def layer_hooks(self, batch: LrCnnBatch) -> list[LayerHook]:
        def read(inputs: tuple[Any, ...], output: Any) -> list[LayerState]:
            # The input of scale attention holds the n-grams of every length: [B, T, L, H].
            by_length = enumerate(inputs[0].unbind(2), start=1)
            return [LayerState(f"{LAYER} {length}", states) for length, states in by_length]

        return [
            *super().layer_hooks(batch),
            input_hook(EMBEDDINGS, self.cnn),
            LayerHook(self.cnn.scales, read),
        ]

    @classmethod
    def mixes_layers(cls, config: TaggerConfig) -> bool:
        return True

    def trace_parts(self, batch: LrCnnBatch, encoded: Encoded, index: int) -> dict[str, Any]:
        lattice = batch.lattices[index]
        if encoded.intermediate is None:
            return {"lattice": LatticeTrace.of(lattice, self.lexicon)}
        shares = encoded.intermediate.word_shares.split([len(other.words) for other in batch.lattices])[index]
        scales = encoded.intermediate.scales[index, : lattice.characters].float().cpu().numpy()
        lengths = tuple(range(1, self.config.layers + 1))
        return {
            "lattice": LatticeTrace.of(lattice, self.lexicon),
            "word_shares": shares.float().cpu().numpy(),
            "mixes": (*self.mixes(), MixTrace(scales, name="n-grams", layers=lengths)),
        }
