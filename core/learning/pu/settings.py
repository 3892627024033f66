"""Settings of a training from a word list, besides those of the tagger and the loop."""

from __future__ import annotations

from dataclasses import dataclass

from core.learning.distant.labelling import AMBIGUOUS
from core.lexicon.maximum_matching import DIRECTIONS
from core.taggers.base.config_fields import ConfigError, option
from core.taggers.pu.priors import read_priors
from core.training.run.errors import TrainingError
from core.training.settings import CheckedSettings

METHODS = ("pu", "adapu", "bagging", "two_step", "partial_crf", "direct")
STOPS = ("held-out words", "pu risk", "dev", "last epoch")
PRIORS = ("recall", "labelled", "elkan_noto")


@dataclass(frozen=True)
class DistantSettings(CheckedSettings):
    """Frozen settings of a training from a word list.

    Raises:
        TrainingError: an invalid value, such as a prior of 0 or 1; names the field and what it takes.
    """

    method: str = option("pu", "how the labels of the list become a tagger", choices=METHODS, basic=True)
    prior: str = option(
        "",
        "share of all characters that are of a type: one number, or PER=0.04, LOC=0.02; empty estimates it",
        basic=True,
    )
    prior_from: str = option(
        "recall",
        "a share not given: matched by recall, as in labelled texts, or e1 of Elkan and Noto",
        choices=PRIORS,
        basic=True,
    )
    recall: float = option(0.5, "share of the entities the list knows", bounds=(0.01, 1.0), basic=True)
    stop: str = option("held-out words", "what chooses the best epoch", choices=STOPS, basic=True)
    hold_out: float = option(
        0.1, "share of the words (or texts) that only judge the epochs", bounds=(0.01, 0.5)
    )
    matching: str = option("bidirectional", "where matching begins", choices=DIRECTIONS)
    ambiguous: str = option("skip", "what a word of several types gets", choices=AMBIGUOUS)
    rounds: int = option(4, "adapu: most trainings", bounds=(1, 50))
    least_count: int = option(3, "adapu: how often a new word must be predicted", bounds=(1, 1_000_000))
    bags: int = option(
        6, "bagging: trainings on half of the text, in pairs; an odd one is rounded up", bounds=(2, 100)
    )
    spies: float = option(
        0.15, "two_step: share of the words hidden among the unlabelled", bounds=(0.01, 0.5)
    )
    noise: float = option(
        0.05,
        "two_step: share of the spies that may lie below the bound; less is safer where the list is short",
        bounds=(0.0, 0.9),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            read_priors(self.prior)
        except ConfigError as error:
            raise TrainingError(error.message) from None
