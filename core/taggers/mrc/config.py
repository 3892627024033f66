"""The options of BERT-MRC."""

from __future__ import annotations

from dataclasses import dataclass

from core.taggers.base.config_fields import ConfigError, in_error, option
from core.taggers.base.tagger import TaggerConfig
from core.taggers.mrc.queries import LONGEST, STYLES
from core.taggers.sequence.encoder_features import EncoderConfig


@dataclass(frozen=True)
class MrcConfig(EncoderConfig, TaggerConfig):
    """Options of BERT-MRC.

    The paper does not give the loss weights; its published settings (``scripts/mrc_ner``) use 1, 1 and 0.1
    with the candidates ``pred_and_gold``, and dropout 0.2 on MSRA. Sampling unanswered queries is an
    addition: with many labels most queries of a sentence have no answer, and a small encoder trained on all
    of them predicts nothing for a long time.

    Raises:
        ConfigError: all loss weights are 0.
    """

    query_style: str = option("guideline", "what a label is asked for with", choices=STYLES, basic=True)
    query_language: str = option(
        "auto", "language of words added to queries; auto is the texts'", choices=("auto", "zh", "en")
    )
    longest_query: int = option(128, "longer queries are cut at this many characters", bounds=(1, LONGEST))
    unanswered_queries: int = option(
        0,
        "queries without an answer in training, per sentence, sampled again each epoch; 0 takes all",
        bounds=(0, 100_000),
    )
    longest_span: int = option(0, "most characters of a span; 0 sets no limit", bounds=(0, 100_000))
    threshold: float = option(0.5, "probability that start, end and match must exceed", bounds=(0.01, 0.99))
    candidates: str = option(
        "pred_and_gold",
        "which pairs of starts and ends the match learns from",
        choices=("pred_and_gold", "gold", "all"),
    )
    start_weight: float = option(1.0, "weight of the loss on starts", bounds=(0.0, 100.0))
    end_weight: float = option(1.0, "weight of the loss on ends", bounds=(0.0, 100.0))
    match_weight: float = option(0.1, "weight of the loss on matches", bounds=(0.0, 100.0))
    match_width: int = option(
        0, "hidden units of the match; 0 is twice the encoder's width", bounds=(0, 8192)
    )
    dropout: float = option(0.2, "dropout in the match", bounds=(0.0, 0.9))

    def __post_init__(self) -> None:
        if not any(self.loss_weights):
            weights = [in_error(type(self), name) for name in ("start_weight", "end_weight", "match_weight")]
            raise ConfigError("{fields}: one of them must be above 0", fields=weights)

    @property
    def loss_weights(self) -> tuple[float, float, float]:
        """The weights of the losses on starts, ends and matches."""
        return self.start_weight, self.end_weight, self.match_weight
