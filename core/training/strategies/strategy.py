"""The strategy interface: hooks at certain moments of a training."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from core.taggers.base.tagger import Batch, Tagger, TokenScores
from core.text import Document
from core.training.distillation.lesson import Lesson
from core.training.processes import Processes
from core.training.settings import TrainingSettings
from core.training.strategies.step import Step


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one forward pass over a batch.

    Args:
        loss: mean over sentences, ``[]``. scores: the token scores of the same pass; None if no strategy
            needs them.
    """

    loss: Tensor
    scores: TokenScores | None = None


Objective = Callable[[Batch], Outcome]


@dataclass(frozen=True, slots=True)
class TrainingContext:
    """What strategies can access of their training.

    Args:
        tagger: on its device. settings: of the training. documents: the training documents.
        unlabelled: documents without spans. batches_of: documents to batches on the device, within the
            training's bounds.
        processes: all that train together. steps_per_epoch: optimiser steps per epoch.
        lesson: what a teacher says of the documents; None without a teacher.
    """

    tagger: Tagger
    settings: TrainingSettings
    documents: Sequence[Document]
    unlabelled: Sequence[Document]
    batches_of: Callable[[Sequence[Document]], Iterator[Batch]]
    processes: Processes
    steps_per_epoch: int
    lesson: Lesson | None = None

    def training_batches(self) -> Iterator[Batch]:
        """All training documents."""
        return self.batches_of(self.documents)


class Strategy(ABC):
    """A training strategy. Methods do nothing by default.

    Class attributes:
        name: key of its state in a checkpoint.

    Args:
        context: of the training.

    Attributes:
        needs_scores: whether ``objective`` reads ``Outcome.scores`` of the inner pass.
    """

    name: ClassVar[str]
    needs_scores: bool = False

    def __init__(self, context: TrainingContext) -> None:
        self.context = context
        self.tagger = context.tagger
        self.settings = context.settings

    def begin_epoch(self, epoch: int) -> None:
        """Called before every epoch, 0-based, also after a resume."""
        return

    def learning_rate(self, rate: float) -> float:
        """The learning rate of the next step, given the schedule's."""
        return rate

    def objective(self, batch: Batch, inner: Objective) -> Outcome:
        """The loss of a batch; ``inner`` is the objective without this strategy, and may be called
        repeatedly."""
        return inner(batch)

    def after_backward(self, step: Step) -> None:
        """Called when ``.grad`` holds the gradient of the step, before clipping; may add to it."""
        return

    def after_step(self) -> None:
        """Called after the optimiser step."""
        return

    def end_epoch(self) -> None:
        """Called after the last step of an epoch, before evaluation."""
        return

    def averaged(self) -> AbstractContextManager[None] | None:
        """A block in which the tagger has averaged weights for evaluation and saving; None for its own
        weights."""
        return None

    def state(self) -> dict[str, Tensor]:
        """State for resuming a training."""
        return {}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Restore what ``state`` returned.

        Raises:
            KeyError, RuntimeError: it is another strategy's state.
        """
        return
