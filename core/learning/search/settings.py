"""The settings of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.learning.search.trials import TAGGERS
from core.runtime.message import Message, pgettext
from core.taggers.base.config_fields import option
from core.training.run.errors import TrainingError
from core.training.settings import CheckedSettings


@dataclass(frozen=True)
class SearchSettings(CheckedSettings):
    """Frozen settings of a search.

    Raises:
        TrainingError: a value is out of range, a tagger is unknown or named twice, or ``bert`` has no
            encoder.
    """

    WHAT: ClassVar[Message] = pgettext("option", "search setting")

    minutes: float = option(20.0, "time of the whole search", bounds=(0.05, 10_080.0), basic=True)
    trials: int = option(0, "most trials; 0: as many as there is time for", bounds=(0, 100_000))
    taggers: str = option("", "taggers to try, separated by commas; empty: all that suit the texts")
    encoder: str = option("", "a pretrained transformer to try too: its name on the hub, or a folder")
    seed: int = option(1, "of what is tried and of the folds", bounds=(0, 2**31 - 1))

    def __post_init__(self) -> None:
        super().__post_init__()
        names = self.tagger_names
        unknown = next((name for name in names if name not in TAGGERS), None)
        if unknown is not None:
            raise TrainingError(
                "the search does not try a tagger {name}; it can try {names}",
                name=repr(unknown),
                names=TAGGERS,
            )
        if len(set(names)) < len(names):
            raise TrainingError("a tagger is named twice in {names}; name each once", names=names)
        if "bert" in names and not self.encoder:
            raise TrainingError(
                "the search tries bert only with a pretrained encoder; name one, or leave out bert"
            )

    @property
    def tagger_names(self) -> tuple[str, ...]:
        """The taggers that were named; empty: those that suit the texts."""
        return tuple(name.strip() for name in self.taggers.split(",") if name.strip())
