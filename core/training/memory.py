"""Batches that fit into the memory of a GPU, found by trying."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch

from core.runtime.message import Message, _
from core.training.batches import batch_area, split_batch

Result = TypeVar("Result")


class FittingBatches:
    """Splits the documents of a step into batches, smaller ones once the memory has run out.

    The gradient of a step is that of all its documents, however they are split. So a smaller batch changes
    the speed, and the result only by rounding and by new dropout masks.

    Args:
        costs: of every document. size: most documents in a batch.
        area: first bound on documents times the square of the largest cost.
        told: receives a sentence whenever the bound becomes smaller.
    """

    def __init__(self, costs: Sequence[int], size: int, area: int, told: Callable[[Message], None]) -> None:
        self._costs, self._size, self._told = costs, size, told
        self.area = area

    def split(self, indices: Sequence[int]) -> list[list[int]]:
        """The documents in batches within the bounds."""
        return split_batch(indices, self._costs, size=self._size, area=self.area)

    def run(self, indices: Sequence[int], work: Callable[[list[list[int]]], Result]) -> Result:
        """Do the work of a step with batches of these documents, again with smaller ones until it fits.

        Raises:
            OutOfMemoryError: not even single documents fit.
        """
        while True:
            batches = self.split(indices)
            try:
                return work(batches)
            except torch.OutOfMemoryError:
                largest = max(batches, key=lambda batch: batch_area(batch, self._costs), default=[])
                if len(largest) < 2:
                    raise
                self.area = batch_area(largest, self._costs) // 2
            # Outside of the handler: the error holds the tensors of the step that failed.
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            self._told(
                _(
                    "The memory did not suffice; batches are smaller from here on (batch_area {area}).",
                    area=self.area,
                )
            )
