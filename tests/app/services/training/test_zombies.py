"""No job of any kind leaves its ended process behind as a zombie of the app, however it ends."""

import os
import signal
import time
from pathlib import Path

import pytest

from app.services.training import learning_curves, pretraining, search
from app.services.training.training_runs import Plan, start
from benchmarks.sessions import zombies_of

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts zombies in /proc"),
    pytest.mark.timeout(900),
]


def wait_for(what, seconds=300):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.1)


def test_finished_cancelled_killed_and_deleted_jobs_leave_no_zombie(filled):
    jobs = filled.workbench.jobs
    before = set(zombies_of(os.getpid()))

    def process_of(name):
        wait_for(lambda: jobs.state(name).pid is not None or not jobs.state(name).active)
        return jobs.state(name).pid

    def end_of(name):
        wait_for(lambda: not jobs.state(name).active)
        return jobs.state(name).status

    trained = start(filled, Plan("dictionary", {}, {})).name
    assert end_of(trained) == "finished"

    killed = pretraining.start_pretraining(filled, "vectors", "v", {})
    os.kill(process_of(killed), signal.SIGKILL)
    assert end_of(killed) == "interrupted"

    cancelled = search.start_search(filled, 60, ["flat"], "")
    assert process_of(cancelled) is not None
    jobs.cancel(cancelled)
    assert end_of(cancelled) in ("cancelled", "failed")

    deleted = learning_curves.start_curve(filled, [trained], [0.5, 1.0])
    end_of(deleted)  # its worker writes this before it ends
    pretraining._remove(jobs.folder(deleted).path)

    wait_for(lambda: jobs.running() is None and not jobs._workers and not jobs._leaving, 60)
    # A process of another test may end in this moment; a zombie stays one.
    wait_for(lambda: not set(zombies_of(os.getpid())) - before, 20)
