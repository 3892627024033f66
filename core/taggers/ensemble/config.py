"""The options of an ensemble."""

from __future__ import annotations

from dataclasses import dataclass

from core.taggers.base.config_fields import option
from core.taggers.base.tagger import TaggerConfig

FEWEST, MOST = 2, 64


@dataclass(frozen=True)
class EnsembleConfig(TaggerConfig):
    """How many taggers an ensemble averages; everything else is settled by the members."""

    members: int = option(FEWEST, "trained taggers whose probabilities are averaged", bounds=(FEWEST, MOST))
