"""Batches of an ensemble."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from typing_extensions import Self

from core.taggers.base.tagger import Batch


@dataclass(frozen=True)
class EnsembleBatch(Batch):
    """The same documents as a batch of each member.

    Args:
        members: in the order of the members; each has its own vocabularies.
    """

    members: tuple[Batch, ...]

    def to(self, device: torch.device | str) -> Self:
        return replace(self, members=tuple(batch.to(device) for batch in self.members))
