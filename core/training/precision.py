"""Mixed precision: which half type the forward pass computes in, and the scaling that fp16 needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

HALF = {"bf16": torch.bfloat16, "fp16": torch.float16}


class Precision:
    """The precision of one training; weights, gradients and the optimiser stay in single precision.

    fp16 reaches from 6e-8 to 65,504 only, so gradients are kept in range by a factor, and a step whose
    gradients overflow is left out while the factor is found (Micikevicius et al., ICLR 2018, "Mixed Precision
    Training", section 3.2). bf16 has the range of single precision and needs none.

    Args:
        amp: ``auto`` (bf16 on CUDA, else none), ``off``, ``bf16`` or ``fp16``. device: its type.
    """

    def __init__(self, amp: str, device: str) -> None:
        if amp == "auto":
            amp = "bf16" if device == "cuda" else "off"
        self._device = device
        self._type = HALF.get(amp)
        self._scaler = torch.amp.GradScaler(device, enabled=amp == "fp16")

    def forward(self) -> AbstractContextManager[Any]:
        """The context of a forward pass."""
        return nullcontext() if self._type is None else torch.autocast(self._device, dtype=self._type)

    def scaled(self, loss: Tensor) -> Tensor:
        """The loss to compute gradients of."""
        return self._scaler.scale(loss)

    def step(
        self, optimiser: torch.optim.Optimizer, parameters: Sequence[nn.Parameter], clip_norm: float
    ) -> None:
        """Clip the gradients of scaled losses, and make the step unless they overflowed.

        Args:
            clip_norm: longest gradient; 0 does not clip.
        """
        self._scaler.unscale_(optimiser)
        if clip_norm:
            nn.utils.clip_grad_norm_(parameters, clip_norm)
        self._scaler.step(optimiser)
        self._scaler.update()

    def state(self) -> dict[str, Any]:
        """The factor and its history, for a checkpoint; empty without one."""
        return dict(self._scaler.state_dict())

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore what ``state`` returned."""
        if state:
            self._scaler.load_state_dict(dict(state))
