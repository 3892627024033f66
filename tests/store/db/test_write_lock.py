"""The lock before the writer connection."""

from __future__ import annotations

import sqlite3
import threading
import time

import pytest

from core.store.db.write_lock import WriteLock, begin


def _waiting(lock, work):
    """A thread that waits for the lock, which the caller holds, and does ``work`` in it."""

    def enter():
        with lock:
            work()

    thread = threading.Thread(target=enter, daemon=True)
    before = len(lock._waiting)
    thread.start()
    while len(lock._waiting) == before:
        assert thread.is_alive()
    return thread


def test_those_who_wait_come_in_first_however_long_they_take():
    lock, order, may_end = WriteLock(), [], threading.Event()

    def slow():
        may_end.wait(60)
        order.append("slow")

    with lock:
        waiting = [_waiting(lock, slow), _waiting(lock, lambda: order.append("quick"))]
    threading.Timer(0.3, may_end.set).start()
    lock.give_way()
    with lock:
        order.append("long work")
    for thread in waiting:
        thread.join(60)
    assert (sorted(order[:2]), order[2]) == (["quick", "slow"], "long work")
    assert not lock.is_waited_for


def test_without_a_wait_or_with_the_lock_in_hand_one_goes_on_at_once():
    lock, order = WriteLock(), []
    lock.give_way()
    with lock, lock:
        waiting = _waiting(lock, lambda: order.append("other"))
        assert lock.is_waited_for
        lock.give_way()
        order.append("held")
    waiting.join(60)
    assert order == ["held", "other"]


def test_whoever_comes_later_is_not_waited_for():
    lock, inside, may_end = WriteLock(), threading.Event(), threading.Event()
    later = []

    def first():
        later.append(_waiting(lock, lambda: may_end.wait(60)))
        inside.set()

    with lock:
        waiting = _waiting(lock, first)
    lock.give_way()
    assert inside.wait(60)
    may_end.set()
    for thread in [waiting, *later]:
        thread.join(60)
    assert not lock.is_waited_for


@pytest.fixture
def connections(tmp_path):
    """Two of one file, as two processes have them."""
    file = tmp_path / "file"
    both = [sqlite3.connect(file, isolation_level=None, check_same_thread=False) for _ in range(2)]
    both[0].executescript("PRAGMA journal_mode=WAL; CREATE TABLE t (n)")
    yield both
    for each in both:
        each.close()


def test_the_short_pauses_of_another_process_are_not_missed(connections):
    """SQLite alone looks every tenth of a second by then, and takes eight seconds of them."""
    importing, saving = connections
    stop = threading.Event()

    def import_():
        while not stop.is_set():
            importing.execute("PRAGMA busy_timeout=10000")
            importing.execute("BEGIN IMMEDIATE")
            time.sleep(0.2)
            importing.execute("COMMIT")
            time.sleep(0.02)

    thread = threading.Thread(target=import_, daemon=True)
    thread.start()
    waited = 0.0
    for _ in range(8):
        time.sleep(0.05)
        begun = time.monotonic()
        begin(saving, 10)
        waited += time.monotonic() - begun
        saving.execute("COMMIT")
    stop.set()
    thread.join(60)
    assert waited < 4


def test_a_file_that_stays_locked_is_given_up_and_what_else_fails_fails_at_once(connections):
    importing, saving = connections
    importing.execute("BEGIN IMMEDIATE")
    begun = time.monotonic()
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        begin(saving, 0.3)
    assert 0.3 <= time.monotonic() - begun < 5
    assert saving.execute("PRAGMA busy_timeout").fetchone()[0] == 300
    begun = time.monotonic()
    with pytest.raises(sqlite3.OperationalError, match="within a transaction"):
        begin(importing, 60)
    assert time.monotonic() - begun < 30
