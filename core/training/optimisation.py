"""One optimisation step: objective, gradient, strategies, clipping, update."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.taggers.base.tagger import Batch, Tagger
from core.training.precision import Precision
from core.training.processes import ALONE, Processes
from core.training.run.errors import TrainingError
from core.training.schedule import learning_rate_factor
from core.training.settings import TrainingSettings
from core.training.strategies.composition import Strategies
from core.training.strategies.step import Step


class Optimisation:
    """An optimiser with its schedule, strategies, clipping and precision.

    Args:
        tagger: on its device already.
        settings: of the training.
        steps_per_epoch: the warm-up and the decay are given in epochs, the schedule runs in steps.
        strategies: those that act on the step. processes: all that train together.

    Attributes:
        optimiser: torch's own, for checkpoints. precision: of its steps.
        step: steps so far; a resumed training sets it.
    """

    def __init__(
        self,
        tagger: Tagger,
        settings: TrainingSettings,
        steps_per_epoch: int,
        strategies: Strategies | None = None,
        processes: Processes = ALONE,
    ) -> None:
        self.step = 0
        self._tagger = tagger
        self._settings = settings
        self._strategies = strategies or Strategies(tagger)
        self._processes = processes
        self._steps = steps_per_epoch * settings.epochs
        self._warm_up = round(settings.warm_up * steps_per_epoch)
        groups = tagger.parameter_groups()
        self._scales = [group.pop("lr_scale", 1.0) for group in groups]
        self._parameters: list[nn.Parameter] = [p for group in groups for p in group["params"]]
        self.optimiser = _optimiser(groups, settings, tagger.device.type)
        self.precision = Precision(settings.amp, tagger.device.type)

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next step, before a group's own scale."""
        factor = learning_rate_factor(self.step, self._steps, self._warm_up, self._settings.decay)
        return self._strategies.learning_rate(self._settings.learning_rate * factor)

    def make_step(self, batches: Sequence[Batch], total: int | None = None) -> Tensor:
        """Make one step on these batches and return their loss, mean over sentences, detached, ``[]``.

        Args:
            batches: of this process, on the device. total: sentences of all processes; None for a single
                process.
        """
        rate = self.learning_rate
        for group, scale in zip(self.optimiser.param_groups, self._scales, strict=True):
            group["lr"] = rate * scale
        self.optimiser.zero_grad(set_to_none=True)
        step = Step(
            batches,
            sum(len(batch.documents) for batch in batches) if total is None else total,
            self._strategies.loss,
            self._parameters,
            self._tagger.device,
            self.precision,
            self._processes,
        )
        loss = step.backward()
        self._strategies.after_backward(step)
        self.precision.step(self.optimiser, self._parameters, self._settings.clip_norm)
        self.step += 1
        self._strategies.after_step()
        return loss


def _optimiser(
    groups: list[dict[str, Any]], settings: TrainingSettings, device: str
) -> torch.optim.Optimizer:
    if not any(group["params"] for group in groups):
        raise TrainingError("this tagger has no parameter that learns; check which parts are frozen")
    if settings.optimiser == "sgd":
        return torch.optim.SGD(
            groups, lr=settings.learning_rate, momentum=settings.momentum, weight_decay=settings.weight_decay
        )
    return torch.optim.AdamW(
        groups,
        lr=settings.learning_rate,
        weight_decay=settings.weight_decay,
        # One kernel for all tensors: looping over them takes about a third of a small model's step.
        fused=device in ("cpu", "cuda"),
    )
