"""EMA: an exponential moving average of the weights (Polyak and Juditsky, 1992)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import ClassVar

from torch import Tensor
from torch.optim.swa_utils import get_ema_multi_avg_fn

from core.training.strategies.averaging import AveragedWeights
from core.training.strategies.strategy import Strategy, TrainingContext


def warmed_up(decay: float, count: int) -> float:
    """``min(β, (1 + t) / (10 + t))``: the decay after t updates.

    With β alone the random initial weights would keep a weight of ``β^t`` for thousands of steps. As
    ``num_updates`` in TensorFlow's ``tf.train.ExponentialMovingAverage``.

    Args:
        decay: β, from 0 to below 1. count: t.
    """
    return min(decay, (1 + count) / (10 + count))


class EMA(Strategy):
    """``s_1 = θ_1`` and ``s_{t+1} = d_t s_t + (1 - d_t) θ_{t+1}`` after every step, with the warmed-up decay
    ``d_t``; ``s`` is evaluated and saved.

    The number of updates is saved with the average, for resuming.
    """

    name: ClassVar[str] = "ema"

    def __init__(self, context: TrainingContext) -> None:
        super().__init__(context)
        self._average = AveragedWeights(self.tagger, self._move_towards)

    def _move_towards(self, average: list[Tensor], weights: list[Tensor], count: Tensor) -> None:
        """Move ``average`` towards ``weights``; the signature is that of ``AveragedModel``."""
        # The given count is on the tagger's device, where reading it would synchronise.
        decay = warmed_up(self.settings.ema, self._average.count)
        get_ema_multi_avg_fn(decay)(average, weights, count)

    def after_step(self) -> None:
        self._average.update()

    def averaged(self) -> AbstractContextManager[None] | None:
        return self._average.applied(self.context.training_batches) if self._average.count else None

    def state(self) -> dict[str, Tensor]:
        return self._average.state()

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        self._average.load_state(state)
