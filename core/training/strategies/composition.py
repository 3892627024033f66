"""The strategies of a training and the order in which they act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from torch import Tensor

from core.taggers.base.tagger import Batch, Tagger
from core.training.settings import TrainingSettings
from core.training.strategies.distillation import Distillation
from core.training.strategies.ema import EMA
from core.training.strategies.fgm import FGM
from core.training.strategies.pgd import PGD
from core.training.strategies.r_drop import RDrop
from core.training.strategies.step import Step
from core.training.strategies.strategy import Objective, Outcome, Strategy, TrainingContext
from core.training.strategies.swa import SWA
from core.training.strategies.token_loss import TokenLoss
from core.training.strategies.vat import VAT


def chosen(settings: TrainingSettings, *, is_taught: bool = False) -> list[type[Strategy]]:
    """The strategies that are on, in the order in which they act.

    - The objective is composed from the inside out: the tagger's loss, the token loss (focal loss, label
    smoothing, class weights), then distillation, then R-Drop, which evaluates all of it twice.
    - Then FGM and PGD add gradients of that objective at embeddings perturbed along the clean gradient, and
    VAT adds its own. Clipping follows, then the step.
    - Then averages are updated: EMA after each step, SWA at the ends of its cycles. If both have weights,
    those of SWA are evaluated.
    """
    on: list[tuple[type[Strategy], bool]] = [
        (TokenLoss, TokenLoss.is_enabled(settings.focal, settings.label_smoothing, settings.class_weights)),
        (Distillation, is_taught),
        (RDrop, settings.r_drop > 0),
        (FGM, settings.fgm > 0),
        (PGD, settings.pgd_steps > 0),
        (VAT, settings.vat > 0),
        (EMA, settings.ema > 0),
        (SWA, settings.swa_start > 0),
    ]
    return [strategy for strategy, is_enabled in on if is_enabled]


class Strategies:
    """The active strategies as the loop and the optimisation use them; with none, the tagger's plain loss.

    Args:
        tagger: on its device. members: in the order in which they act.
    """

    def __init__(self, tagger: Tagger, members: Sequence[Strategy] = ()) -> None:
        self._tagger = tagger
        self._members = members
        with_scores = any(member.needs_scores for member in members)
        objective: Objective = self._loss_and_scores if with_scores else self._loss
        for member in members:
            objective = partial(member.objective, inner=objective)
        self._objective = objective

    @classmethod
    def of(cls, context: TrainingContext) -> Strategies:
        """The strategies that the settings enable."""
        is_taught = context.lesson is not None and context.lesson.share > 0
        kinds = chosen(context.settings, is_taught=is_taught)
        return cls(context.tagger, [kind(context) for kind in kinds])

    def loss(self, batch: Batch) -> Tensor:
        """The objective, mean over the sentences of the batch, ``[]``."""
        return self._objective(batch).loss

    def begin_epoch(self, epoch: int) -> None:
        """Called before every epoch, 0-based, also after a resume."""
        for member in self._members:
            member.begin_epoch(epoch)

    def learning_rate(self, rate: float) -> float:
        """The learning rate of the next step, given the schedule's."""
        for member in self._members:
            rate = member.learning_rate(rate)
        return rate

    def after_backward(self, step: Step) -> None:
        """Called when ``.grad`` holds the gradient of the objective."""
        for member in self._members:
            member.after_backward(step)

    def after_step(self) -> None:
        """Called after the optimiser step."""
        for member in self._members:
            member.after_step()

    def end_epoch(self) -> None:
        """Called after the last step of an epoch."""
        for member in self._members:
            member.end_epoch()

    def averaged(self) -> AbstractContextManager[None]:
        """A block in which the tagger has the weights that are evaluated and saved."""
        blocks = [block for member in self._members if (block := member.averaged()) is not None]
        return blocks[-1] if blocks else nullcontext()

    def state(self) -> dict[str, Tensor]:
        """State tensors by ``<strategy>.<name>``, for the checkpoint."""
        return {
            f"{member.name}.{name}": value
            for member in self._members
            for name, value in member.state().items()
        }

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Restore what ``state`` returned.

        Raises:
            KeyError, RuntimeError: it is the state of other strategies.
        """
        for member in self._members:
            start = f"{member.name}."
            member.load_state(
                {name[len(start) :]: value for name, value in state.items() if name.startswith(start)}
            )

    def _loss(self, batch: Batch) -> Outcome:
        return Outcome(self._tagger.loss(batch))

    def _loss_and_scores(self, batch: Batch) -> Outcome:
        return Outcome(*self._tagger.loss_and_scores(batch))
