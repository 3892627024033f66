"""Options of the PU tagger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.taggers.base.config_fields import option
from core.taggers.base.tagger import TaggerConfig
from core.taggers.pu.encoder import PuEncoderOptions
from core.taggers.pu.encoder_choice import choose_encoder, options_for_over
from core.taggers.pu.priors import PRIOR_HELP, read_priors
from core.taggers.sequence.encoder_choice import AUTO, EncoderChoice, OverConfig

RISKS = ("bnpu", "nnpu", "upu", "known")


@dataclass(frozen=True)
class RiskConfig(TaggerConfig):
    """The risk of a PU tagger."""

    risk: str = option(
        "bnpu",
        "how text outside annotated regions is learned: by a PU risk, or (known) not at all",
        choices=RISKS,
        basic=True,
    )
    prior: str = option("", PRIOR_HELP, basic=True)
    recall: float = option(
        0.5,
        "share of the entities that are labelled; makes the prior where none is given",
        bounds=(0.01, 1.0),
        basic=True,
    )
    m: float = option(0.3, "weight of the positives in bnpu", bounds=(0.001, 1000.0), basic=True)
    beta: float = option(0.0, "how far below 0 the negative part may fall", bounds=(0.0, 1.0))
    gamma: float = option(1.0, "length of the step back when it falls below", bounds=(0.0001, 1.0))
    unit: str = option(
        "words",
        "unit of prediction: words as segmented by jieba (the paper's unit), or single characters",
        choices=("words", "characters"),
    )
    upu_epochs: int = option(
        2,
        "first epochs learned by upu: where bounded losses are surely wrong they have no slope",
        bounds=(0, 1000),
    )
    output_dropout: float = option(0.3, "dropout before the scores", bounds=(0.0, 0.9))


@dataclass(frozen=True)
class PuConfig(PuEncoderOptions, OverConfig, RiskConfig):
    """Options of the PU tagger; risk, m, beta and gamma as published with Peng et al. 2019.

    Raises:
        ConfigError: ``prior`` does not read as shares between 0 and 1, both excluded; or the encoder has no
            such option, or refuses it.
    """

    def __post_init__(self) -> None:
        read_priors(self.prior)
        _ = self.encoder_choice

    def inner_configs(self) -> tuple[TaggerConfig, ...]:
        return () if self.over == AUTO else (self.encoder_choice.config,)

    @classmethod
    def read_given(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """``values``, with given options of ``over`` moved into ``over_options``."""
        return options_for_over(values)

    @property
    def encoder_choice(self) -> EncoderChoice:
        """The encoder with its own config."""
        return choose_encoder(self.over, self.over_options, self)
