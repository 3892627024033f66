"""The settings of a distillation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.runtime.message import Message, pgettext
from core.taggers.base.config_fields import option
from core.training.run.errors import TrainingError
from core.training.settings import CheckedSettings


@dataclass(frozen=True)
class DistillationSettings(CheckedSettings):
    """The teacher, and how much and how softly the student follows it.

    The teacher is a trained tagger (``model``), read once before the first epoch, or a source of suggestions
    (``source``), whose answers are in the snapshot.

    Args:
        model: the teacher's model folder. source: the name of the source, for people.
        labels: what the source can find, one a line. The tags of all other labels are no span to it.

    Raises:
        TrainingError: a value does not fit; names the field.
    """

    WHAT: ClassVar[Message] = pgettext("option", "distillation setting")

    model: str = option("", "model folder of the teacher")
    source: str = option("", "name of the source that teaches in place of a model")
    labels: str = option("", "labels that the source can find, one a line")
    share: float = option(
        0.5, "share of the loss that comes from the teacher, the rest from labels", bounds=(0.0, 1.0)
    )
    temperature: float = option(
        1.0, "above 1 the less likely tags of the teacher count more", bounds=(0.1, 100.0)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.model and not self.source:
            raise TrainingError("a distillation needs the model folder of a teacher, or a source")
        if self.model and self.source:
            raise TrainingError("a distillation has one teacher: a model folder or a source, not both")

    @property
    def source_labels(self) -> tuple[str, ...]:
        """The labels of the source."""
        return tuple(dict.fromkeys(label for label in self.labels.split("\n") if label))
