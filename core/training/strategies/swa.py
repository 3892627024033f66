"""SWA: Averaging Weights Leads to Wider Optima and Better Generalization (Izmailov et al., UAI 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import ClassVar

import torch
from torch import Tensor
from torch.optim.swa_utils import get_swa_multi_avg_fn

from core.training.strategies.averaging import AveragedWeights
from core.training.strategies.strategy import Strategy, TrainingContext


def cyclic_rate(step: int, cycle: int, high: float, low: float) -> float:
    """``α(i) = (1 - t) α_1 + t α_2`` with ``t = (mod(i - 1, c) + 1) / c`` (section 3.1).

    Args:
        step: i, 1 for the first step of the first cycle. cycle: c, steps of a cycle.
        high, low: ``α_1`` and ``α_2``; the last step of a cycle uses ``α_2``.
    """
    done = ((step - 1) % cycle + 1) / cycle
    return (1 - done) * high + done * low


class SWA(Strategy):
    """From some epoch on the learning rate falls in cycles; the weights at the ends of cycles are averaged.

    A cycle is a number of whole epochs. Until the first one ends the tagger's own weights are evaluated, then
    the running mean.
    """

    name: ClassVar[str] = "swa"

    def __init__(self, context: TrainingContext) -> None:
        super().__init__(context)
        self._average = AveragedWeights(self.tagger, get_swa_multi_avg_fn())
        self._cycle = self.settings.swa_cycle * context.steps_per_epoch
        self._epoch = 0
        self._steps = 0  # of the current cycle

    def begin_epoch(self, epoch: int) -> None:
        self._epoch = epoch + 1

    @property
    def _has_started(self) -> bool:
        return self._epoch >= self.settings.swa_start

    def learning_rate(self, rate: float) -> float:
        if not self._has_started:
            return rate
        # The number of steps per epoch may vary by one; an extra step uses the last rate.
        step = min(self._steps + 1, self._cycle)
        share = cyclic_rate(step, self._cycle, self.settings.swa_high, self.settings.swa_low)
        return share * self.settings.learning_rate

    def after_step(self) -> None:
        self._steps += self._has_started

    def end_epoch(self) -> None:
        if self._has_started and (self._epoch - self.settings.swa_start + 1) % self.settings.swa_cycle == 0:
            self._average.update()
            self._steps = 0

    def averaged(self) -> AbstractContextManager[None] | None:
        return self._average.applied(self.context.training_batches) if self._average.count else None

    def state(self) -> dict[str, Tensor]:
        return {**self._average.state(), "steps": torch.tensor(self._steps)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        self._steps = int(state["steps"])
        self._average.load_state({name: value for name, value in state.items() if name != "steps"})
