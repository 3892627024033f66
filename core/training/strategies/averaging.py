"""Weight averaging with torch's ``swa_utils``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.optim.swa_utils import AveragedModel, update_bn

from core.taggers.base.tagger import Batch, Tagger


class AveragedWeights:
    """An average of a tagger's parameters; the tagger itself, with its large lexicon, is not copied.

    Args:
        tagger: on its device. average: the update of ``AveragedModel`` (``multi_avg_fn``).
    """

    def __init__(self, tagger: Tagger, average: Callable[..., None]) -> None:
        self._tagger = tagger
        self._parameters = nn.ParameterList(tagger.parameters())
        self._average = AveragedModel(self._parameters, multi_avg_fn=average)

    @property
    def count(self) -> int:
        """Number of updates."""
        return int(self._average.n_averaged)

    def update(self) -> None:
        """Update the average with the tagger's current weights."""
        self._average.update_parameters(self._parameters)

    @contextmanager
    def applied(self, batches: Callable[[], Iterable[Batch]]) -> Iterator[None]:
        """Give the tagger the averaged weights in the block, and restore its own afterwards.

        Args:
            batches: the training documents, on which the running statistics of batch norms are recomputed
                with the averaged weights.
        """
        originals = [parameter.detach().clone() for parameter in self._parameters]
        norms = [module for module in self._tagger.modules() if isinstance(module, _BatchNorm)]
        statistics = [{name: buffer.clone() for name, buffer in norm.named_buffers()} for norm in norms]
        try:
            _copy(self._parameters, self._average.module.parameters())
            if norms:
                update_bn(batches(), _Pass(self._tagger))
            yield
        finally:
            _copy(self._parameters, originals)
            for norm, before in zip(norms, statistics, strict=True):
                norm.load_state_dict(before, strict=False)

    def state(self) -> dict[str, Tensor]:
        """The average and its count."""
        return {name: value.detach().cpu().clone() for name, value in self._average.state_dict().items()}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Restore what ``state`` returned.

        Raises:
            RuntimeError: it is the average of another tagger.
        """
        self._average.load_state_dict(dict(state))


class _Pass(nn.Module):
    """A tagger as a module that is called with a batch, for ``update_bn``."""

    def __init__(self, tagger: Tagger) -> None:
        super().__init__()
        self.tagger = tagger

    def forward(self, batch: Any) -> Tensor:
        return self.tagger.loss(batch)


@torch.no_grad()
def _copy(targets: Iterable[Tensor], values: Iterable[Tensor]) -> None:
    for target, value in zip(targets, values, strict=True):
        target.copy_(value)
