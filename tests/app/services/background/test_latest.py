"""Calls that answer one question anew."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.services.background.latest import Latest


def test_calls_come_one_after_the_other_and_of_those_that_wait_only_the_last():
    latest, begun, go_on, done = Latest(), threading.Event(), threading.Event(), []

    def slow():
        begun.set()
        go_on.wait(60)
        done.append("first")
        return "first"

    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(latest.call, slow)
        assert begun.wait(60)
        waiting = []
        for name in ("second", "third"):
            before = latest._asked
            waiting.append(threads.submit(latest.call, lambda name=name: done.append(name) or name))
            while latest._asked == before:
                pass
        go_on.set()
        assert [first.result(60), *(each.result(60) for each in waiting)] == ["first", None, "third"]
    assert done == ["first", "third"]


def test_after_one_that_fails_comes_the_next():
    latest = Latest()
    with pytest.raises(ZeroDivisionError):
        latest.call(lambda: 1 / 0)
    assert latest.call(lambda: "next") == "next"
