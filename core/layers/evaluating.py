"""Evaluation mode for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Evaluation mode in the block; afterwards the mode it was in."""
    training = module.training
    module.eval()
    try:
        yield
    finally:
        module.train(training)
