"""The lock before the writer connection."""

import threading

from core.store.db.write_lock import WriteLock


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
