"""The two orders without a model."""

from __future__ import annotations

import random

from core.learning.active_learning.acquisition import Acquisition, Pool, Progress


class InOrder(Acquisition):
    "In the order of import."

    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        return [float(index) for index in range(len(pool.documents))]


class Random(Acquisition):
    """Random order, the baseline for the others."""

    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        # Seeding by text is defined by hashing, so the order is the same on every platform and version.
        chance = random.Random(f"queue {pool.seed}")  # noqa: S311 - an order, not a secret
        return [chance.random() for _ in pool.documents]
