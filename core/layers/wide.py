"""The widest numbers of a device."""

from __future__ import annotations

from torch import Tensor


def wide(values: Tensor) -> Tensor:
    """The same values in float64 where the device has it, which mps has not.

    float32 is too coarse for probabilities near 1.
    """
    return values if values.device.type == "mps" else values.double()
