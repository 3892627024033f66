"""EMA: an exponential moving average of the weights (Polyak and Juditsky, 1992)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import ClassVar

from torch import Tensor
from torch.optim.swa_utils import get_ema_multi_avg_fn

from core.training.strategies.averaging import AveragedWeights
from core.training.strategies.strategy import Strategy, TrainingContext


class EMA(Strategy):
    """``s_1 = θ_1`` and ``s_t = β s_{t-1} + (1 - β) θ_t`` after every step; the tagger is judged by ``s``."""

    name: ClassVar[str] = "ema"

    def __init__(self, context: TrainingContext) -> None:
        super().__init__(context)
        self._average = AveragedWeights(self.tagger, get_ema_multi_avg_fn(self.settings.ema))

    def after_step(self) -> None:
        self._average.update()

    def averaged(self) -> AbstractContextManager[None] | None:
        return self._average.applied(self.context.training_batches) if self._average.count else None

    def state(self) -> dict[str, Tensor]:
        return self._average.state()

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        self._average.load_state(state)
