"""Work in a thread: its rows as they come, stopped when asked, its error kept for whoever looks."""

from __future__ import annotations

import threading

from app.services.background_work import BackgroundWork


def wait(work):
    work._thread.join(20)
    assert not work.running


def test_rows_come_and_every_change_is_told_of():
    go = threading.Event()

    def make(tell):
        tell("counting", 0.25)
        yield {"n": 1}
        go.wait(20)
        tell("counting on", 0.75)
        yield {"n": 2}

    work = BackgroundWork(make)
    work.start()
    seen = []
    for _ in work.changes(0.05):
        seen.append(len(work.rows))
        if work.rows == [{"n": 1}]:
            go.set()
    assert seen[-1] == 2
    assert 1 in seen
    assert (work.doing, work.fraction, work.error, work.stopped) == ("counting on", 0.75, None, False)


def test_a_stop_ends_it_at_the_next_word_and_keeps_its_rows():
    begun = threading.Event()

    def make(tell):
        yield {"n": 1}
        for step in range(10**9):
            begun.set()
            tell("endless", step / 10**9)
        yield {"n": 2}

    work = BackgroundWork(make)
    work.start()
    assert begun.wait(20)
    assert work.running
    work.stop()
    wait(work)
    assert work.rows == [{"n": 1}]
    assert work.stopped
    assert work.error is None


def test_an_error_is_kept_beside_the_rows_before_it():
    def make(tell):
        yield {"n": 1}
        raise ValueError("no more")

    work = BackgroundWork(make)
    work.start()
    wait(work)
    assert work.rows == [{"n": 1}]
    assert str(work.error) == "no more"
    assert list(work.changes()) == [None], "what has ended is told of once"
