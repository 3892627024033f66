"""Groups documents into batches of similar length."""

from __future__ import annotations

import random
from collections.abc import Sequence

POOL = 50  # batches of documents sorted together: similar lengths, but another mixture every epoch


def epoch_batches(costs: Sequence[int], *, size: int, area: int, seed: int, epoch: int) -> list[list[int]]:
    """The batches of an epoch: every document index once, batches of similar length in random order.

    Args:
        costs: positions of each document (``Tagger.cost``).
        size: maximum documents in a batch.
        area: bound on documents x (largest cost)²; a document that exceeds it gets its own batch.
        seed, epoch: determine the batches, independently of earlier random draws.
    """
    # Seeding by text is defined by hashing, so the order is the same on every platform and version.
    chance = random.Random(f"batches {seed} {epoch}")  # noqa: S311 - an order, not a secret
    order = list(range(len(costs)))
    chance.shuffle(order)
    batches: list[list[int]] = []
    for start in range(0, len(order), size * POOL):
        pool = sorted(order[start : start + size * POOL], key=lambda index: costs[index])
        batches.extend(_fill(pool, costs, size, area))
    chance.shuffle(batches)
    return batches


def split_batch(batch: Sequence[int], costs: Sequence[int], *, size: int, area: int) -> list[list[int]]:
    """The documents of one step in batches within both bounds, shortest first."""
    return _fill(sorted(batch, key=lambda index: costs[index]), costs, size, area)


def batch_area(batch: Sequence[int], costs: Sequence[int]) -> int:
    """Number of padded position pairs of a batch, a measure of its time and memory."""
    return len(batch) * max(costs[index] for index in batch) ** 2


def _fill(pool: Sequence[int], costs: Sequence[int], size: int, area: int) -> list[list[int]]:
    """Split the ascending ``pool`` into batches within both bounds."""
    batches: list[list[int]] = []
    current: list[int] = []
    for index in pool:
        # Costs ascend, so the last one is the longest.
        if current and (len(current) == size or (len(current) + 1) * costs[index] ** 2 > area):
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    return batches
