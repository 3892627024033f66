"""Indexes in memory: read in the background, not all the time; the one asked for longest ago makes room."""

import pytest

from app.services.indexes.workspace_indexes import REST, Indexes
from core.store.db.background import Background


class Counted:
    """Counts how often it is read, which takes ``seconds``."""

    def __init__(self, clock) -> None:
        self._clock, self.seconds, self.reads, self.error = clock, 1.0, 0, None

    @property
    def ready(self):
        return self.reads > 0

    def update(self):
        self._clock.now += self.seconds
        if self.error is not None:
            raise self.error
        self.reads += 1
        return 1


@pytest.fixture
def indexes(hand, clock):
    return Indexes(lambda key: Counted(clock), 2, Background("test", executor=hand), clock, clock)


def test_an_index_is_read_in_the_background_and_once_at_a_time(indexes, hand):
    index = indexes.at("a", wait=0)
    assert indexes.at("a", wait=0) is index
    assert (index.ready, len(hand.calls)) == (False, 1)
    assert indexes.is_reading("a")
    hand.run()
    assert index.reads == 1
    assert not indexes.is_reading("a")


def test_what_took_long_to_read_again_rests(indexes, hand, clock):
    index = indexes.at("a", wait=0)
    hand.run()
    indexes.at("a", wait=0)  # the first time does not count: it reads everything
    hand.run()
    assert index.reads == 2
    clock.now += REST * index.seconds - 0.1
    indexes.at("a", wait=0)
    assert not hand.calls
    clock.now += 0.1
    indexes.at("a", wait=0)
    hand.run()
    assert index.reads == 3


def test_the_least_recently_used_index_is_evicted(indexes):
    first, second = indexes.at("a", wait=0), indexes.at("b", wait=0)
    indexes.at("a", wait=0)
    indexes.at("c", wait=0)
    assert indexes.at("a", wait=0) is first
    assert indexes.at("b", wait=0) is not second


def test_an_index_that_cannot_be_read_is_logged_and_read_again(indexes, hand, clock, caplog):
    index = indexes.at("a", wait=0)
    index.error = OSError("the disk is gone")
    hand.run()
    assert "the disk is gone" in caplog.text
    assert not index.ready
    index.error = None
    clock.now += REST
    indexes.at("a", wait=0)
    hand.run()
    assert index.ready
