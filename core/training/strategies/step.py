"""The batches of one optimiser step, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn

from core.taggers.base.tagger import Batch
from core.training.precision import Precision
from core.training.processes import Processes


class Share(NamedTuple):
    """A term of a loss.

    Args:
        loss: computes it, ``[]``. weight: its weight in the sum.
    """

    loss: Callable[[], Tensor]
    weight: float


class Step:
    """One optimiser step, before the update.

    ``backward`` and ``gradient`` compute the gradient of the mean over all sentences, independently of their
    split into batches and processes.

    Args:
        batches: this process's, on the device. total: sentences of all processes.
        loss_of: the loss of a batch, mean over its sentences. parameters: all trained ones.
        device: of the parameters. precision: of the forward passes; gradients are of its scaled losses.
        processes: all that train together.

            Attributes:
                shares: the terms of the step's own loss.
    """

    def __init__(
        self,
        batches: Sequence[Batch],
        total: int,
        loss_of: Callable[[Batch], Tensor],
        parameters: Sequence[nn.Parameter],
        device: torch.device,
        precision: Precision,
        processes: Processes,
    ) -> None:
        self.batches = batches
        self.total = total
        self.shares = [Share(partial(loss_of, batch), len(batch.documents) / total) for batch in batches]
        self._parameters = parameters
        self._device = device
        self._precision = precision
        self._processes = processes
        self._clean: dict[int, Tensor] = {}

    def backward(self, shares: Sequence[Share] | None = None) -> Tensor:
        """Add the gradient of these shares, by default the step's own, to ``.grad``; returns the loss,
        ``[]``."""
        together = self._processes.count > 1
        # Existing gradients are summed over the processes already; only new ones must be.
        held = [parameter.grad for parameter in self._parameters] if together else []
        if together:
            for parameter in self._parameters:
                parameter.grad = None
        total = torch.zeros((), device=self._device)
        for share in self.shares if shares is None else shares:
            loss = self._loss(share)
            self._precision.scaled(loss).backward()  # type: ignore[no-untyped-call,unused-ignore]
            total = total + loss.detach()
        if together:
            total = self._processes.sum_gradients(self._parameters, total)
            for parameter, before in zip(self._parameters, held, strict=True):
                if before is not None:
                    parameter.grad = before if parameter.grad is None else parameter.grad.add_(before)
        return total

    def clean_gradient(self, weights: Sequence[nn.Parameter]) -> list[Tensor]:
        """The gradient of the step's own loss alone, cached at the first call.

        A strategy that adds to ``.grad`` calls it first, so that later strategies get the same gradient.
        """
        for weight in weights:
            if id(weight) not in self._clean:
                there = weight.grad
                self._clean[id(weight)] = torch.zeros_like(weight) if there is None else there.clone()
        return [self._clean[id(weight)] for weight in weights]

    def gradient(
        self, weights: Sequence[nn.Parameter], shares: Sequence[Share] | None = None
    ) -> list[Tensor]:
        """The same gradient with respect to some weights; ``.grad`` does not change."""
        total = [torch.zeros_like(weight) for weight in weights]
        for share in self.shares if shares is None else shares:
            parts = torch.autograd.grad(self._loss(share), list(weights), allow_unused=True)
            for sum_, part in zip(total, parts, strict=True):
                if part is not None:
                    sum_ += part
        self._processes.sum_(total)
        return total

    def _loss(self, share: Share) -> Tensor:
        with self._precision.forward():
            loss = share.loss()
        return loss if share.weight == 1.0 else loss * share.weight
