"""A bucket gives what its rate says, and no more, whatever the clock does in between."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.limits import buckets
from app.services.limits.buckets import Buckets, Rate


class Naive:
    """A bucket that is filled a little with every step of the clock."""

    def __init__(self, rate):
        self.rate, self.held, self.at = rate, float(rate.count), 0.0

    def take(self, at, amount):
        filled = self.held + (at - self.at) * self.rate.count / self.rate.seconds
        self.held, self.at = min(self.rate.count, filled), at
        if self.held < amount - 1e-6:
            return False
        self.held -= amount
        return True


@given(
    rate=st.builds(Rate, st.integers(1, 50), st.sampled_from([1.0, 60.0])),
    steps=st.lists(st.tuples(st.integers(0, 40), st.integers(1, 30)), max_size=60),
)
def test_as_a_bucket_that_is_filled_steadily(rate, steps):
    now = 0.0
    taken, naive = Buckets(lambda: now), Naive(rate)
    for tenths, amount in steps:
        now += tenths / 8  # exact in binary
        assert (taken.take("lin", rate, amount) == 0.0) == naive.take(now, amount)


def test_the_wait_that_is_told_is_long_enough_and_no_longer(clock):
    taken, rate = Buckets(clock), Rate(20, 1.0)
    assert [taken.take("lin", rate) for _ in range(20)] == [0.0] * 20
    wait = taken.take("lin", rate)
    assert wait == pytest.approx(0.05)
    assert taken.take("ana", rate) == 0.0  # whose bucket is her own
    clock.now += wait - 0.01
    assert taken.take("lin", rate) > 0
    clock.now += 0.01
    assert taken.take("lin", rate) == 0.0


def test_made_up_names_do_not_fill_the_memory(clock, monkeypatch):
    monkeypatch.setattr(buckets, "MOST_KEPT", 5)
    taken = Buckets(clock)
    for name in range(100):
        taken.take(name, Rate(1, 1.0))
    assert len(taken) == 5


@pytest.mark.parametrize("wrong", ["", "20", "20/x", "0/s", "-1/s", "1.5/s", "20/s/s", "9999999999/s"])
def test_a_rate_that_cannot_be_read_is_refused(wrong):
    assert Rate.parse(" 600/M ") == Rate(600, 60.0)
    with pytest.raises(ValueError, match="as 20/s"):
        Rate.parse(wrong)
