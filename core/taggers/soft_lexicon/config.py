"""The options of SoftLexicon."""

from __future__ import annotations

from dataclasses import dataclass

from core.taggers.base.config_fields import ConfigError, in_error, option
from core.taggers.sequence.lexicon_tagger import LexiconConfig


@dataclass(frozen=True)
class SoftLexiconConfig(LexiconConfig):
    """Options of SoftLexicon; the defaults are the paper's for small corpora."""

    lexicon_features: str = option(
        "soft",
        "soft: words in four sets, weighed by count; exsoftword: their BMES tags; softword: one segmentation",
        choices=("soft", "exsoftword", "softword"),
        basic=True,
    )
    sequence_layer: str = option(
        "bilstm", "what reads the sentence", choices=("bilstm", "transformer", "cnn"), basic=True
    )
    hidden: int = option(
        200, "width of each LSTM direction, of the Transformer or of the CNN", bounds=(1, 2048), basic=True
    )
    layers: int = option(1, "sequence layers, one over the other", bounds=(1, 12), basic=True)
    layer_dropout: float = option(
        0.1, "dropout inside the Transformer, between layers of the others", bounds=(0.0, 0.9)
    )
    heads: int = option(8, "attention heads of the Transformer", bounds=(1, 64))
    kernel: int = option(3, "characters a filter of the CNN sees, an odd number", bounds=(1, 31))
    segment_dim: int = option(20, "width of a segmentation tag's vector (softword)", bounds=(1, 1024))

    def __post_init__(self) -> None:
        if self.sequence_layer == "transformer" and self.hidden % self.heads:
            raise ConfigError(
                "{field}: {hidden} is not a multiple of the {heads} heads",
                field=in_error(type(self), "hidden"),
                hidden=self.hidden,
                heads=self.heads,
            )
        if self.kernel % 2 == 0:
            raise ConfigError(
                "{field}: {kernel} has no middle, it takes an odd number",
                field=in_error(type(self), "kernel"),
                kernel=self.kernel,
            )
        if self.word_vectors and self.lexicon_features != "soft":
            raise ConfigError(
                "{field}: {features} reads no word vectors; leave it empty",
                field=in_error(type(self), "word_vectors"),
                features=self.lexicon_features,
            )
