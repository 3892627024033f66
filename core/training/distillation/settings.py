"""The settings of a distillation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.taggers.base.config_fields import option
from core.text.message import Message, pgettext
from core.training.run.errors import TrainingError
from core.training.settings import CheckedSettings


@dataclass(frozen=True)
class DistillationSettings(CheckedSettings):
    """The teacher, and how much and how softly the student follows it.

    Args:
        model: the teacher's model folder; read once, before the first epoch.

    Raises:
        TrainingError: a value does not fit; names the field.
    """

    WHAT: ClassVar[Message] = pgettext("option", "distillation setting")

    model: str = option("", "model folder of the teacher")
    share: float = option(
        0.5, "share of the loss that comes from the teacher, the rest from labels", minimum=0.0, maximum=1.0
    )
    temperature: float = option(
        1.0, "above 1 the less likely tags of the teacher count more", minimum=0.1, maximum=100.0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.model:
            raise TrainingError("a distillation needs the model folder of a teacher")
