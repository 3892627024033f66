"""Wrong passwords make the next try wait, longer each time, and nobody for good."""

import pytest

from app.services.identity import login_limit
from app.services.identity.login_limit import ALL_NAMES, ONE_NAME, LoginLimit


@pytest.fixture
def limit(clock):
    return LoginLimit(clock)


def fail(limit, times, name="lin", device=""):
    for _ in range(times):
        limit.failed(name, device)


def test_a_few_mistakes_cost_nothing(limit):
    assert limit.wait("lin") == 0
    fail(limit, ONE_NAME.free - 1)
    assert limit.wait("lin") == 0


def test_each_further_mistake_doubles_the_wait_up_to_a_minute(limit, clock):
    fail(limit, ONE_NAME.free - 1)
    waits = []
    for _ in range(10):
        limit.failed("lin")
        waits.append(limit.wait("lin"))
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]
    clock.now += 59
    assert limit.wait("lin") == 1
    clock.now += 1
    assert limit.wait("lin") == 0


def test_throttling_a_name_does_not_delay_others(limit):
    fail(limit, 12)
    assert limit.wait("lin") == 60
    assert limit.wait("wang") == 0


def test_known_browsers_have_their_own_counter(limit):
    fail(limit, 200)
    assert limit.wait("lin") == 60
    assert limit.wait("lin", "her laptop") == 0
    fail(limit, ONE_NAME.free, device="her laptop")
    assert limit.wait("lin", "her laptop") == 1
    assert limit.wait("lin", "her telephone") == 0


def test_one_password_tried_on_many_names_waits_too(limit, clock):
    for number in range(ALL_NAMES.free - 1):
        limit.failed(f"name {number}")
    assert limit.wait("somebody else") == 0
    limit.failed("one more")
    assert limit.wait("somebody else") == 1
    for number in range(100):
        limit.failed(f"and {number}")
    assert limit.wait("somebody else") == ALL_NAMES.longest
    assert limit.wait("lin", "her laptop") == 0, "a known browser does not wait for strangers' mistakes"
    clock.now += ALL_NAMES.longest
    assert limit.wait("somebody else") == 0


def test_the_wait_is_a_minute_at_most_and_is_over_after_an_hour(limit, clock):
    for _ in range(1000):
        limit.failed("lin")
        assert limit.wait("lin") <= 60.001
        clock.now += limit.wait("lin")
    assert limit.wait("lin") < 0.001
    clock.now += 3600
    fail(limit, ONE_NAME.free - 1)
    assert limit.wait("lin") == 0


def test_endless_guessing_gets_one_try_a_minute(limit, clock):
    start, tries = clock.now, 0
    while clock.now < start + 24 * 3600:
        clock.now += limit.wait("lin")
        limit.failed("lin")
        tries += 1
    assert tries <= 24 * 60 + 20


def test_mistakes_are_forgotten_one_by_one(limit, clock):
    fail(limit, ONE_NAME.free - 1)
    clock.now += 2 * ONE_NAME.forgetting
    fail(limit, 2)
    assert limit.wait("lin") == 0
    limit.failed("lin")
    assert limit.wait("lin") == 1


def test_the_right_password_forgets_them_at_once_but_not_those_of_all_names(limit, clock):
    fail(limit, 100)
    clock.now += ALL_NAMES.longest
    assert limit.wait("lin") == 60 - ALL_NAMES.longest
    limit.succeeded("lin")
    assert limit.wait("lin") == 0
    limit.failed("lin")
    assert limit.wait("lin") == limit.wait("somebody else") > 1


def test_made_up_names_do_not_fill_the_memory(limit, monkeypatch):
    monkeypatch.setattr(login_limit, "MOST_KEPT", 50)
    for number in range(500):
        limit.failed(f"name {number}" * 1000)
    fail(limit, 12)
    assert len(limit._of_name) == 50
    assert limit.wait("lin") == 60


def test_a_name_that_is_no_unicode_is_counted_like_any(limit):
    fail(limit, 12, name="\ud800")
    assert limit.wait("\ud800") == 60
