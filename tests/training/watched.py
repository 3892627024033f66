"""A training that is stopped on the way, and the weights it left."""

from collections.abc import Callable
from itertools import count

import torch
from torch import Tensor, nn


def after(looks: int | None) -> Callable[[], bool]:
    """Says that a training shall stop once it has asked so many times (None: never)."""
    asked = count()
    return lambda: looks is not None and next(asked) >= looks


def weights(module: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in module.state_dict().items()}


def same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)
