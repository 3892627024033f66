"""The settings of self-training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.runtime.message import Message, pgettext
from core.taggers.base.config_fields import option
from core.training.settings import CheckedSettings


@dataclass(frozen=True)
class SelfTrainingSettings(CheckedSettings):
    """The maximum number of self-training rounds and the confidence threshold for pseudo-labels.

    Raises:
        TrainingError: a value does not fit; names the field.
    """

    WHAT: ClassVar[Message] = pgettext("option", "self-training setting")

    self_training_rounds: int = option(
        0,
        "most additional training rounds, which also learn from confident predictions on raw text; a round "
        "is kept only if dev F1 rises and no corrected case breaks; 0 turns self-training off",
        bounds=(0, 50),
    )
    self_training_confidence: float = option(
        0.9, "spans in raw text are learned from this confidence on", bounds=(0.01, 1.0)
    )
