"""The driver's side of Ray Train, with a mailbox of this process in the place of the actor."""

from __future__ import annotations

import threading
import time

import pytest

from core.cluster import workers
from core.cluster.errors import ClusterError
from core.cluster.mailbox import _Mailbox
from core.cluster.options import WorkerGroup
from core.cluster.workers import SCRATCH, run_in_workers
from core.runtime.message import Message, _

WORK = _("Training on Ray")


class Actor:
    """An object whose methods are called at once, as ``ray.remote`` would call them."""

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        method = getattr(self._inner, name)
        return type("Method", (), {"remote": staticmethod(method)})


class Ray:
    killed = False

    def get(self, value):
        return value

    def kill(self, actor):
        self.killed = True


@pytest.fixture
def train(tmp_path, monkeypatch):
    """Run ``fit(mailbox)`` in the place of Ray Train; its result, and the events passed on."""

    def run(fit, should_stop=lambda: False):
        mailbox = Actor(_Mailbox())
        trainer = type("Trainer", (), {"fit": lambda self: fit(mailbox)})()
        monkeypatch.setattr(workers, "open_mailbox", lambda *given: mailbox)
        monkeypatch.setattr(workers, "_trainer", lambda *given: trainer)
        monkeypatch.setattr(workers, "LOOK_EVERY", 0.01)
        (tmp_path / SCRATCH).mkdir()
        ray, events = Ray(), []
        try:
            result = run_in_workers(
                ray, lambda report, stop: None, WorkerGroup(2), tmp_path, WORK, events.append, should_stop
            )
        finally:
            assert ray.killed
            assert not (tmp_path / SCRATCH).exists()
        return result, events

    return run


def test_events_arrive_in_order_and_the_result_comes_back(train):
    def fit(mailbox):
        mailbox.tell.remote("begun", 2)
        for number in range(5):
            mailbox.tell.remote("event", {"event": "step", "number": number})
        mailbox.tell.remote("result", {"f1": 0.5})

    result, events = train(fit)
    assert result == {"f1": 0.5}
    assert [event["number"] for event in events] == [0, 1, 2, 3, 4]


def test_workers_that_begin_again_are_told_with_their_number(train):
    def fit(mailbox):
        mailbox.tell.remote("begun", 2)
        mailbox.tell.remote("begun", 1)
        mailbox.tell.remote("result", None)

    result, events = train(fit)
    assert result is None
    assert str(Message.from_json(events[0]["message"])).startswith("A worker has died; 1 worker goes on")


def test_what_a_worker_refuses_ends_the_work_while_others_still_wait(train):
    over, waited = threading.Event(), threading.Event()

    def fit(mailbox):
        mailbox.tell.remote("refused", _("the disk is full").to_json())
        over.wait(60)  # the others, in a sum that this one never joins
        waited.set()

    with pytest.raises(ClusterError, match="the disk is full"):
        train(fit)
    assert not waited.is_set()
    over.set()


def test_ray_that_ends_without_a_result_is_told_with_its_last_line(train):
    def fit(mailbox):
        raise RuntimeError("Traceback …\nWorker 1 was killed 6 times")

    with pytest.raises(ClusterError, match=r"Worker 1 was killed 6 times\); what is finished stays, resume"):
        train(fit)


def test_a_stop_reaches_the_workers(train):
    def fit(mailbox):
        until = time.monotonic() + 60
        while not mailbox.stopping.remote() and time.monotonic() < until:
            time.sleep(0.01)
        mailbox.tell.remote("result", "stopped" if mailbox.stopping.remote() else "not told")

    assert train(fit, should_stop=lambda: True)[0] == "stopped"
