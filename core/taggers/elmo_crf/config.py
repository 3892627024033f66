"""The options of the ELMo tagger."""

from __future__ import annotations

from dataclasses import dataclass

from core.encoders.elmo.options import ElmoOptions
from core.encoders.elmo.tokens import UNITS
from core.taggers.base.config_fields import option
from core.taggers.sequence.character_tagger import CharacterConfig

PLACES = ("input", "output", "both")
LAYERS = ("mix", "last")


@dataclass(frozen=True)
class ElmoConfig(CharacterConfig):
    """Options of the ELMo tagger; the defaults are those of the NER model in Peters et al. 2018."""

    encoder: str = option(
        "", "folder of a biLM or of published weights; empty learns a small ELMo with the tagger", basic=True
    )
    tokens: str = option(
        "auto", "what ELMo reads as one token; auto: as its biLM did", choices=("auto", *UNITS[::-1])
    )
    place: str = option("input", "where ELMo joins the tagger's own LSTMs", choices=PLACES, basic=True)
    layers: str = option(
        "mix", "what the tagger reads of ELMo: a learned mix of its layers, or the last alone", choices=LAYERS
    )
    mix_penalty: float = option(
        0.1, "lambda: how hard the layers are held to equal weights", bounds=(0.0, 100.0)
    )
    mix_dropout: float = option(
        0.0, "how likely each layer is left out of the mix in a training step", bounds=(0.0, 0.9)
    )
    normalise: bool = option(False, "layer norm on every layer before they are mixed")
    elmo_dropout: float = option(0.5, "dropout on ELMo's vectors", bounds=(0.0, 0.9))
    fine_tune: bool = option(False, "let a pretrained biLM learn with the tagger")
    encoder_rate: float = option(
        1.0, "the learning rate of a biLM that learns, as a multiple", bounds=(0.0001, 100.0)
    )
    hidden: int = option(200, "width of each direction of the first LSTM", bounds=(1, 2048), basic=True)
    top_hidden: int = option(100, "the same of the second; 0 has none", bounds=(0, 2048))
    layer_dropout: float = option(
        0.25, "dropout on the input of both, the same at every character", bounds=(0.0, 0.9)
    )
    elmo_cells: int = option(256, "cells of a small ELMo's LSTMs", bounds=(1, 4096))
    elmo_projection: int = option(64, "width of each of its directions", bounds=(1, 1024))
    bigram_dim: int = option(0, "width of a bigram's vector; 0 reads no bigrams", bounds=(0, 1024))
    embedding_dropout: float = option(0.0, "dropout on embeddings", bounds=(0.0, 0.9), basic=True)
    output_dropout: float = option(0.0, "dropout before the tag scores", bounds=(0.0, 0.9))

    @property
    def encoder_learns(self) -> bool:
        """Whether the biLM's weights are trained; those of a fresh one always are."""
        return self.fine_tune or not self.encoder

    def fresh_options(self) -> ElmoOptions:
        """The sizes of an ELMo that is trained with the tagger."""
        return ElmoOptions(
            filters=((1, 32), (2, 32), (3, 64), (4, 128)),
            highways=1,
            cells=self.elmo_cells,
            projection=self.elmo_projection,
            unit="character",
        )
