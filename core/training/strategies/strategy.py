"""What every strategy is: a few moments of a training at which it may act."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from core.taggers.base.tagger import Batch, Tagger, TokenScores
from core.text import Document
from core.training.processes import Processes
from core.training.settings import TrainingSettings
from core.training.strategies.step import Step


@dataclass(frozen=True, slots=True)
class Outcome:
    """One pass over a batch.

    Args:
        loss: mean over sentences, ``[]``. scores: the single decisions of the same pass; None where no
            strategy asks for them.
    """

    loss: Tensor
    scores: TokenScores | None = None


Objective = Callable[[Batch], Outcome]


@dataclass(frozen=True, slots=True)
class TrainingContext:
    """What strategies may know of the training they take part in.

    Args:
        tagger: on its device. settings: of the training. documents: the training documents.
        unlabelled: documents without spans. batches_of: documents as batches on the device that keep the
            training's bounds.
        processes: those that train together. steps_per_epoch: optimiser steps of an epoch.
    """

    tagger: Tagger
    settings: TrainingSettings
    documents: Sequence[Document]
    unlabelled: Sequence[Document]
    batches_of: Callable[[Sequence[Document]], Iterator[Batch]]
    processes: Processes
    steps_per_epoch: int

    def training_batches(self) -> Iterator[Batch]:
        """All training documents."""
        return self.batches_of(self.documents)


class Strategy(ABC):
    """One way to train better. Every method does nothing unless a subclass says otherwise.

    Class attributes:
        name: under which a checkpoint keeps its state.

    Args:
        context: of the training.

    Attributes:
        needs_scores: whether ``objective`` reads ``Outcome.scores`` of the pass inside.
    """

    name: ClassVar[str]
    needs_scores: bool = False

    def __init__(self, context: TrainingContext) -> None:
        self.context = context
        self.tagger = context.tagger
        self.settings = context.settings

    def begin_epoch(self, epoch: int) -> None:
        """Told before every epoch, 0-based, also after a resume."""
        return

    def learning_rate(self, rate: float) -> float:
        """The rate of the next step, given what the schedule says."""
        return rate

    def objective(self, batch: Batch, inner: Objective) -> Outcome:
        """The loss of a batch; ``inner`` is the objective without this strategy and may be called twice."""
        return inner(batch)

    def after_backward(self, step: Step) -> None:
        """Told when ``.grad`` holds the gradient of the step, before it is clipped; may add to it."""
        return

    def after_step(self) -> None:
        """Told when the weights have moved."""
        return

    def end_epoch(self) -> None:
        """Told after the last step of an epoch, before the tagger is judged."""
        return

    def averaged(self) -> AbstractContextManager[None] | None:
        """A block in which the tagger has averaged weights to be judged and saved by; None for its own."""
        return None

    def state(self) -> dict[str, Tensor]:
        """What a resumed training needs of this strategy."""
        return {}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Take up what ``state`` gave.

        Raises:
            KeyError, RuntimeError: it is the state of something else.
        """
        return
