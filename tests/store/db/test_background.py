"""Background calls: one at a time for each key, the newest of those asked for meanwhile, ended by a close."""

import subprocess
import sys
import threading
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path

import pytest

from core.store import Workspace
from core.store.db.background import Background, DaemonThreads
from tests.by_hand import ByHand

ROOT = Path(__file__).resolve().parents[3]
SOON = 30.0


@pytest.fixture
def ran():
    return []


@pytest.fixture
def hand():
    return ByHand()


@pytest.fixture
def background(hand):
    return Background("test", executor=hand)


def test_calls_of_different_keys_run_and_answer(background, hand, ran):
    futures = [background.ask(key, partial(ran.append, key)) for key in "ab"]
    assert len(hand.calls) == 2
    hand.run()
    assert ran == ["a", "b"]
    assert all(future.result() is None for future in futures)
    assert background.finish("a", 0)


def test_while_one_runs_only_the_newest_request_of_its_key_waits(background, hand, ran):
    def first():
        ran.append("first")
        replaced.append(background.ask("key", lambda: ran.append("replaced")))
        background.ask("key", lambda: ran.append("newest"))
        assert not background.finish("key", 0)

    replaced = []
    background.ask("key", first)
    hand.run()
    assert ran == ["first", "newest"]
    assert replaced[0].cancelled()


def test_a_newer_request_takes_the_place_of_one_that_has_not_begun(background, hand, ran):
    old = background.ask("key", lambda: ran.append("old"))
    new = background.ask("key", lambda: ran.append("new"))
    hand.run()
    assert ran == ["new"]
    assert (old.cancelled(), new.done()) == (True, True)


def test_a_call_that_fails_is_logged_and_the_next_one_runs(background, hand, ran, caplog):
    failed = background.ask("key", lambda: 1 / 0)
    hand.run()
    background.ask("key", lambda: ran.append("next"))
    hand.run()
    assert isinstance(failed.exception(), ZeroDivisionError)
    assert "key failed" in caplog.text
    assert ran == ["next"]


def test_closing_drops_what_waits_and_what_is_asked_later(background, hand, ran, caplog):
    def long():
        ran.append("begun")
        waiting.append(background.ask("key", lambda: ran.append("waited")))
        assert not background.close(0), "it waits for this very call"
        background.pause()
        ran.append("never")

    waiting = []
    background.ask("key", long)
    hand.run()
    late = background.ask("key", lambda: ran.append("late"))
    hand.run()
    assert ran == ["begun"]
    assert waiting[0].cancelled()
    assert late.cancelled()
    assert not caplog.records, "ending when asked is no failure"
    with pytest.raises(CancelledError):
        background.pause()


def test_threads_are_bounded_and_end_when_nothing_waits():
    threads = DaemonThreads("bounded", most=2)
    go_on, at_work = threading.Event(), threading.Semaphore(0)

    def call():
        at_work.release()
        return go_on.wait(SOON)

    futures = [threads.submit(call) for _ in range(5)]
    for _ in range(2):
        assert at_work.acquire(timeout=SOON)
    mine = [thread for thread in threading.enumerate() if thread.name == "bounded"]
    assert len(mine) == 2
    assert not at_work.acquire(blocking=False)
    go_on.set()
    assert all(future.result(SOON) for future in futures)
    for thread in mine:
        thread.join(SOON)
        assert not thread.is_alive()
    assert threads.submit(lambda: "again").result(SOON) == "again"


def test_a_call_without_an_end_does_not_keep_the_process_alive():
    code = (
        "import threading; from core.store.db.background import Background; begun = threading.Event();"
        "Background('endless').ask('key', lambda: (begun.set(), threading.Event().wait())); begun.wait(30)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=True)


def test_a_workspace_ends_its_work_before_it_is_closed(tmp_path):
    at_work, told = threading.Event(), []

    def work():
        at_work.set()
        try:
            workspace.background.pause(SOON)
        finally:
            with workspace.reading() as db:  # it is still open
                told.append(db.execute("SELECT 1").fetchone()[0])

    workspace = Workspace.open(tmp_path)
    future = workspace.background.ask("work", work)
    assert at_work.wait(SOON)
    workspace.close()
    assert told == [1]
    assert isinstance(future.exception(0), CancelledError)
