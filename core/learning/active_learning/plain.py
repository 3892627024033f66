"""The two orders that look at nothing."""

from __future__ import annotations

import random

from core.learning.active_learning.strategy import Pool, Strategy, Watch


class InOrder(Strategy):
    """As the documents came. Lowest number first."""

    def score(self, pool: Pool, watch: Watch) -> list[float | None]:
        return [float(index) for index in range(len(pool.documents))]


class Random(Strategy):
    """By chance: what every other order is measured against."""

    def score(self, pool: Pool, watch: Watch) -> list[float | None]:
        # Seeding by text is defined by hashing, so the order is the same on every platform and version.
        chance = random.Random(f"queue {pool.seed}")  # noqa: S311 - an order, not a secret
        return [chance.random() for _ in pool.documents]
