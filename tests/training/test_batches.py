"""Batches: every document once, within bounds, the same for the same seed and epoch."""

from hypothesis import given
from hypothesis import strategies as st

from core.training.batches import batch_area, epoch_batches

COSTS = st.lists(st.integers(1, 300), max_size=200)


@given(COSTS, st.integers(1, 20), st.integers(1, 200_000), st.integers(0, 5), st.integers(0, 3))
def test_every_document_is_in_exactly_one_batch_that_keeps_both_bounds(costs, size, area, seed, epoch):
    batches = epoch_batches(costs, size=size, area=area, seed=seed, epoch=epoch)
    assert sorted(index for batch in batches for index in batch) == list(range(len(costs)))
    assert all(0 < len(batch) <= size for batch in batches)
    # Only a document that breaks the bound all by itself may do so.
    assert all(len(batch) == 1 or batch_area(batch, costs) <= area for batch in batches)


def test_order_depends_on_seed_and_epoch_and_on_nothing_else():
    costs = [1 + index % 7 for index in range(100)]
    first = epoch_batches(costs, size=8, area=10**6, seed=1, epoch=0)
    assert first == epoch_batches(costs, size=8, area=10**6, seed=1, epoch=0)
    assert first != epoch_batches(costs, size=8, area=10**6, seed=1, epoch=1)
    assert first != epoch_batches(costs, size=8, area=10**6, seed=2, epoch=0)


def test_bucketing_saves_most_of_the_padding():
    costs = [10 + (index * 37) % 90 for index in range(800)]
    batches = epoch_batches(costs, size=16, area=10**9, seed=1, epoch=0)
    padded = sum(batch_area(batch, costs) for batch in batches)
    assert padded < 1.1 * sum(cost**2 for cost in costs)
