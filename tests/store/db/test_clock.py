"""The store's time, and times that were set."""

import threading

import pytest

from core.store.db.clock import fixed, now


def test_a_fixed_time_holds_inside_the_block_and_nests():
    before = now()
    with fixed(1_000):
        assert now() == 1_000
        with fixed(2_000):
            assert now() == 2_000
        assert now() == 1_000
    assert now() >= before


def test_an_error_ends_it():
    def fail():
        with fixed(1_000):
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert now() > 1_000


def test_other_threads_never_see_it():
    seen = []
    with fixed(1_000):
        other = threading.Thread(target=lambda: seen.append(now()))
        other.start()
        other.join()
    assert seen[0] > 1_000
