"""Options of the PU tagger."""

from __future__ import annotations

from dataclasses import dataclass

from core.taggers.config_fields import option
from core.taggers.encoder_features import EncoderConfig
from core.taggers.pu_priors import read_priors
from core.taggers.tagger import TaggerConfig

RISKS = ("bnpu", "nnpu", "upu", "known")


@dataclass(frozen=True)
class PuConfig(EncoderConfig, TaggerConfig):
    """Options of the PU tagger; risk, m, beta and gamma as published with Peng et al. 2019.

    Raises:
        ConfigError: ``prior`` does not read as shares between 0 and 1, both excluded.
    """

    risk: str = option(
        "bnpu",
        "what teaches outside looked-at text: a PU risk, or only what is known",
        choices=RISKS,
        basic=True,
    )
    prior: str = option(
        "",
        "share of all characters that are of a type: one number, or PER=0.04, LOC=0.02; empty estimates it",
        basic=True,
    )
    recall: float = option(
        0.5,
        "share of the entities that are labelled; makes the prior where none is given",
        minimum=0.01,
        maximum=1.0,
        basic=True,
    )
    m: float = option(0.3, "weight of the positives in bnpu", minimum=0.001, maximum=1000.0, basic=True)
    beta: float = option(0.0, "how far below 0 the negative part may fall", minimum=0.0, maximum=1.0)
    gamma: float = option(1.0, "length of the step back when it falls below", minimum=0.0001, maximum=1.0)
    unit: str = option(
        "words",
        "what gets one answer: words as jieba cuts them (the paper's unit), or every character by itself",
        choices=("words", "characters"),
    )
    upu_epochs: int = option(
        2,
        "first epochs learned by upu: where bounded losses are surely wrong they have no slope",
        minimum=0,
        maximum=1000,
    )
    encoder: str = option(
        "", "a transformer under the characters: its name on the hub, or a folder; empty has none"
    )
    char_dim: int = option(50, "width of a character's vector", minimum=1, maximum=1024)
    bigram_dim: int = option(50, "width of a bigram's vector; 0 reads no bigrams", minimum=0, maximum=1024)
    char_vectors: str = option(
        "jieba", "first values of characters: empty, jieba, or the path of a .vec file"
    )
    bigram_vectors: str = option("", "first values of bigrams: empty, or the path of a .vec file")
    least_bigram: int = option(2, "bigrams seen less often share one vector", minimum=1, maximum=1000)
    char_unknown: float = option(
        0.005, "share of characters read as unknown in training", minimum=0.0, maximum=0.5
    )
    filters: int = option(30, "filters of the character CNN", minimum=1, maximum=1024)
    kind_dim: int = option(8, "width of the vector of a character's kind", minimum=1, maximum=64)
    embedding_dropout: float = option(0.5, "dropout on embeddings", minimum=0.0, maximum=0.9, basic=True)
    hidden: int = option(200, "width of each direction", minimum=1, maximum=2048, basic=True)
    output_dropout: float = option(0.3, "dropout before the scores", minimum=0.0, maximum=0.9)

    def __post_init__(self) -> None:
        read_priors(self.prior)
