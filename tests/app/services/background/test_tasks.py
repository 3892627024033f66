"""Tasks: their rows as they come, stopped when asked, their error kept, found again by whoever looks."""

import threading

import pytest

from app.i18n import _
from app.services.background.tasks import Stopped, Task, Tasks
from app.services.errors import AppError
from core.store import StoreError
from core.store.project import projects

BUSY = _(
    "New words are already being searched for in this project. Wait until that has finished, or stop it."
)


@pytest.fixture
def tasks(hand, clock):
    return Tasks(hand, clock)


def test_a_task_waits_works_and_has_a_result(tasks, hand, clock):
    def work(task):
        clock.now += 2
        task.progress("counting", 0.25)
        seen.append((task.running, task.doing, task.fraction, task.seconds))
        task.add({"n": 1})
        clock.now += 1
        return "done"

    seen = []
    task = tasks.start("key", work, "search")
    assert (task.running, task.seconds, task.wait(0)) == (True, 0.0, False)
    clock.now += 5
    hand.run()
    assert seen == [(True, "counting", 0.25, 2.0)]
    assert (task.running, task.result, task.rows, task.seconds) == (False, "done", [{"n": 1}], 3.0)
    assert (task.stopped, task.error) == (False, None)
    assert task.state("en") == {
        "number": 1, "kind": "search", "running": False, "doing": "counting", "fraction": 0.25,
        "stopped": False, "error": "",
    }  # fmt: skip


def test_a_task_that_counts_knows_its_rate_and_the_time_left(tasks, hand, clock):
    def work(task):
        told.append((task.rate, task.remaining))
        clock.now += 1
        task.count("", 10, 100)
        told.append((task.rate, task.remaining))
        clock.now += 3
        task.count("", 20, 100)
        told.append((task.rate, task.remaining))

    told = []
    task = tasks.start("key", work)
    hand.run()
    assert told == [(None, None), (None, None), (5.0, 16.0)], "the first seconds tell nothing"
    assert (task.done, task.total, task.fraction, task.remaining) == (20, 100, 0.2, None)


def test_the_rate_is_that_of_what_is_counted_at_present(tasks, hand, clock):
    def work(task):
        clock.now += 4
        task.count("reading", 100, 100)
        told.append(task.rate)
        clock.now += 1
        task.count("scoring", 0, 30)
        clock.now += 3
        task.count("scoring", 6, 30)
        told.append(task.rate)
        task.count("the next", 0, 30)
        told.append(task.rate)

    told = []
    tasks.start("key", work)
    hand.run()
    assert told == [25.0, 2.0, None]


def test_followers_see_every_change_and_the_end():
    go_on = threading.Event()

    def work(task):
        task.add({"n": 1})
        go_on.wait(60)
        task.add({"n": 2})

    tasks, seen = Tasks(), []
    task = tasks.start("key", work)
    for _change in task.changes(0.05):
        seen.append(len(task.rows))
        if seen[-1] == 1:
            go_on.set()
    assert seen[-1] == 2
    assert 1 in seen
    assert list(task.changes()) == [None], "what has ended is told of once"


@pytest.mark.parametrize("step", [
    lambda task: task.progress("on and on", 0.5), lambda task: task.add({"n": 2}), lambda task: task.pause(),
])  # fmt: skip
def test_a_stop_ends_it_at_its_next_step_and_keeps_its_rows(tasks, hand, step):
    def work(task):
        task.add({"n": 1})
        task.stop()
        step(task)
        raise AssertionError

    task = tasks.start("key", work)
    hand.run()
    assert task.rows[0] == {"n": 1}
    assert (task.running, task.stopped, task.error, task.result) == (False, True, None, None)


def test_a_stop_that_comes_too_late_stops_nothing(tasks, hand):
    task = tasks.start("key", lambda task: task.stop() or "done")
    hand.run()
    assert (task.result, task.stopped) == ("done", False)


def test_a_stop_interrupts_what_cannot_look_for_itself(tasks, hand):
    def work(task):
        task.stop()
        task.when_stopped(lambda: interrupted.append("at once"))

    interrupted = []
    task = tasks.start("key", lambda task: task.when_stopped(lambda: interrupted.append("later")))
    hand.run()
    task.stop()
    tasks.start("key", work)
    hand.run()
    assert interrupted == ["later", "at once"]


def test_an_error_is_a_sentence_and_the_next_task_runs(tasks, hand, caplog):
    def work(task):
        task.add({"n": 1})
        raise StoreError("the disk is full; make room")

    task = tasks.start("key", work)
    hand.run()
    assert task.rows == [{"n": 1}]
    assert task.state("en")["error"] == "the disk is full; make room"
    assert "ended early" in caplog.text
    again = tasks.start("key", lambda task: "done")
    hand.run()
    assert (again.result, again.number) == ("done", 2)


def test_another_of_the_same_key_is_refused_or_waits_and_the_newest_wins(tasks, hand):
    def work(task):
        with pytest.raises(AppError, match="already being searched for"):
            tasks.start("key", lambda task: None, busy=BUSY)
        dropped.append(tasks.start("key", lambda task: ran.append("older")))
        tasks.start("key", lambda task: ran.append("newest"))

    ran, dropped = [], []
    first = tasks.start("key", work)
    hand.run()
    assert first.error is None
    assert ran == ["newest"]
    assert (dropped[0].running, dropped[0].stopped) == (False, True)
    assert tasks.latest("key").number == 3


def test_a_task_without_a_key_waits_for_no_other_and_is_not_found_again(tasks, hand):
    both = [tasks.start(None, lambda task: None) for _ in range(2)]
    assert len(hand.calls) == 2
    assert tasks.latest(None) is None
    hand.run()
    assert not any(task.running for task in both)


def test_closing_stops_what_runs_and_what_waits():
    def work(task):
        at_work.set()
        task.pause(30)

    tasks, at_work = Tasks(), threading.Event()
    running = [tasks.start("key", work), tasks.start(None, work)]
    assert at_work.wait(60)
    waiting = tasks.start("key", work)
    assert tasks.close(30)
    late = tasks.start("key", work)
    for task in (*running, waiting, late):
        assert (task.running, task.stopped) == (False, True)


def test_a_task_is_over_before_its_workspace_is_closed(session):
    def work(task):
        at_work.set()
        try:
            task.pause(30)
        except Stopped:
            told.append(projects.get(session.workspace, session.project_id).name)

    at_work, told = threading.Event(), []
    session.workbench.tasks.start("key", work)
    assert at_work.wait(60)
    session.workbench.close()
    assert told == ["people"]


def test_a_task_that_is_run_by_hand_never_raises():
    task = Task(lambda task: 1 / 0)
    task.run()
    assert isinstance(task.error, ZeroDivisionError)
