"""Distributed training with processes started by Hugging Face Accelerate.

``accelerate launch -m core train …`` starts them; each takes its share of every step's documents. Gradients
are summed here rather than by a wrapper around the tagger, so that strategies may compute any number of
gradients and shares may be unequal. accelerate is imported only if there is more than one process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.training.launch import is_launched
from core.training.run.errors import TrainingError

BUCKET = 1 << 24  # numbers summed in one go, 64 MiB in single precision


class Processes:
    """A single process; also the interface of several.

    Attributes:
        count: number of processes. index: of this one. device: of this one, None if it may choose.
    """

    count: int = 1
    index: int = 0
    device: torch.device | None = None

    @property
    def main(self) -> bool:
        """Whether this process writes the run folder and prints messages."""
        return self.index == 0

    def share(self, items: Sequence[Any]) -> list[Any]:
        """This process's share of ``items``: every ``count``-th."""
        return list(items[self.index :: self.count])

    def sum_(self, tensors: Sequence[Tensor]) -> None:
        """Replace every tensor by its sum over all processes."""
        return

    def sum_gradients(self, parameters: Sequence[nn.Parameter], loss: Tensor) -> Tensor:
        """Sum ``.grad`` and ``loss`` over all processes; a gradient that no process has stays None."""
        return loss

    def any(self, flag: bool) -> bool:
        """Whether the value is true in any process."""
        return flag

    def gather(self, items: Sequence[Any]) -> list[Any]:
        """The items of all processes, the inverse of ``share``."""
        return list(items)

    def broadcast_weights(self, module: nn.Module) -> None:
        """Copy the main process's weights to all."""
        return

    def wait(self) -> None:
        """Wait for all processes."""
        return

    def leave(self) -> None:
        """Leave the process group."""
        return


class LaunchedProcesses(Processes):
    """The processes of one ``accelerate launch``.

    Raises:
        TrainingError: accelerate is not installed.
    """

    def __init__(self) -> None:
        try:
            from accelerate import Accelerator
        except ImportError as error:
            raise TrainingError(
                "training with several processes needs accelerate; pip install accelerate"
            ) from error
        # Without a GPU the processes only find each other if accelerate knows that they use CPUs.
        self._accelerator = Accelerator(cpu=not torch.accelerator.is_available(), mixed_precision="no")
        self.count = self._accelerator.num_processes
        self.index = self._accelerator.process_index
        given = self._accelerator.device
        self.device = torch.device("cpu") if given.type == "cpu" else given

    def sum_(self, tensors: Sequence[Tensor]) -> None:
        for bucket in _buckets(tensors):
            together = torch.cat([tensor.flatten() for tensor in bucket])
            together = self._accelerator.reduce(together, reduction="sum")
            for tensor, part in zip(
                bucket, together.split([tensor.numel() for tensor in bucket]), strict=True
            ):
                tensor.copy_(part.view_as(tensor))

    def sum_gradients(self, parameters: Sequence[nn.Parameter], loss: Tensor) -> Tensor:
        # Which parameters have a gradient in any process: the optimiser skips those without one.
        present = torch.tensor([parameter.grad is not None for parameter in parameters], device=self.device)
        counts = torch.cat([present.to(loss.dtype), loss.view(1)])
        counts = self._accelerator.reduce(counts, reduction="sum")
        used = [parameter for parameter, count in zip(parameters, counts.tolist(), strict=False) if count]
        for parameter in used:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        self.sum_([parameter.grad for parameter in used if parameter.grad is not None])
        return counts[-1].clone()

    def any(self, flag: bool) -> bool:
        count = torch.tensor([float(flag)], device=self.device)
        return bool(self._accelerator.reduce(count, reduction="sum").item())

    def gather(self, items: Sequence[Any]) -> list[Any]:
        from accelerate.utils import gather_object

        shares: list[list[Any]] = gather_object([list(items)])
        longest = max(len(share) for share in shares)
        return [share[row] for row in range(longest) for share in shares if row < len(share)]

    def broadcast_weights(self, module: nn.Module) -> None:
        from accelerate.utils import broadcast

        with torch.no_grad():
            for tensor in module.state_dict().values():
                tensor.copy_(broadcast(tensor))

    def wait(self) -> None:
        self._accelerator.wait_for_everyone()

    def leave(self) -> None:
        self._accelerator.end_training()


ALONE = Processes()


def join() -> Processes:
    """This process and those launched with it; waits for them the first time.

    Raises:
        TrainingError: accelerate is not installed.
    """
    return LaunchedProcesses() if is_launched() else ALONE


def _buckets(tensors: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    """Group tensors of one dtype into buckets, to send fewer messages."""
    bucket: list[Tensor] = []
    size = 0
    for tensor in tensors:
        if bucket and (tensor.dtype != bucket[0].dtype or size + tensor.numel() > BUCKET):
            yield bucket
            bucket, size = [], 0
        bucket.append(tensor)
        size += tensor.numel()
    if bucket:
        yield bucket
