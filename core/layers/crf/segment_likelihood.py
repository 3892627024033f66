"""Log-probability of consecutive tags under a linear chain, differentiable."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.layers.crf.forward_backward import log_partition


def segment_log_probability(
    emissions: Tensor,
    mask: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    first: int,
    tags: Sequence[int],
) -> Tensor:
    """Log-probability that a path takes ``tags`` from position ``first`` on: ``[B]``.

    A path through the segment is a prefix up to its first tag, its own transitions, and a suffix after its
    last tag, so three partition functions give it, each with expected counts as its gradient.

    Args:
        emissions, mask, transitions, start, end: the chain, as `log_partition` takes it.
        tags: at least one.

    Raises:
        ValueError: the tags leave a sentence.
    """
    last = first + len(tags) - 1
    if first < 0 or not tags or bool((mask.sum(1) <= last).any()):
        raise ValueError(f"{len(tags)} tags from {first} on leave a sentence")
    emitted = emissions[:, range(first, last + 1), list(tags)]  # shape: (B, M)
    before = log_partition(
        emissions[:, : first + 1], mask[:, : first + 1], transitions, start, _only(end, tags[0])
    )
    after = log_partition(emissions[:, last:], mask[:, last:], transitions, _only(start, tags[-1]), end)
    moved = transitions[list(tags[:-1]), list(tags[1:])].sum()
    # Both partitions hold the emissions at the two ends; a single position is in both.
    inside = emitted[:, 1:-1].sum(1) + moved if len(tags) > 1 else -emitted[:, 0]
    return before + inside + after - log_partition(emissions, mask, transitions, start, end)


def _only(scores: Tensor, tag: int) -> Tensor:
    """Scores ``[K]`` that forbid every tag but one."""
    alone = torch.full_like(scores, float("-inf"))
    alone[tag] = 0.0
    return alone
