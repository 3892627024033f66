"""Runs whose work Ray shares, with Ray's part done in this process."""

import threading
from contextlib import nullcontext
from dataclasses import replace

import pytest

from core.cluster.errors import ClusterError
from core.cluster.options import WorkerGroup
from core.corpus.snapshot import Snapshot, write_snapshot
from core.jobs import distributed_run, side_by_side
from core.jobs.execution import execute
from core.jobs.search_trial import SearchWork
from core.jobs.side_by_side import SideBySide, _ended, _ReadClock, _TuneJudge, run_side_by_side
from core.learning.search.clock import Clock, read_spent
from core.learning.search.trials import Trial, write_trial
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from core.training.stopping import Stopped
from tests.jobs.test_search_run import DOCUMENTS

TRIAL = Trial(0, "bilstm_crf", {}, {}, reported={3: 0.2, 4: 0.3}, f1=0.3, counts=[])


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Execute a training whose request has workers; they are this process, ``fails`` in the place of it."""

    def run(should_stop=lambda: False, fails=None, **cluster):
        def in_workers(ray, task, group, folder, what, report, stop):
            if fails is not None:
                raise fails
            return task(report, stop)

        monkeypatch.setattr(distributed_run, "opened", lambda *given: nullcontext())
        monkeypatch.setattr(distributed_run, "run_in_workers", in_workers)
        folder = RunFolder(tmp_path / ("many" if cluster else "one"))
        write_snapshot(folder.snapshot, Snapshot({"train": DOCUMENTS[:16], "dev": DOCUMENTS[20:24]}))
        settings = {"epochs": 2, "threads": 1}
        folder.write_request(
            RunRequest(
                tagger="bilstm_crf", config={"hidden": 8, "char_dim": 8}, settings=settings, device="cpu",
                predict_all=False, cluster=cluster,
            )
        )  # fmt: skip
        return folder, execute(folder, should_stop)

    return run


def test_a_shared_run_leaves_the_folder_of_any_run(here):
    one, _state = here()
    many, state = here(workers=1)
    assert state.status == "finished", state.error
    assert many.scores()["losses"] == one.scores()["losses"]
    kinds = [
        [event["event"] for event in folder.events() if event["event"] != "step"] for folder in (one, many)
    ]
    assert kinds[0] == kinds[1]


def test_a_shared_run_is_cancelled_and_fails_as_any_run(here):
    _folder, state = here(lambda: True, workers=1)
    assert state.status == "interrupted"
    _folder, state = here(workers=1, fails=ClusterError("no Ray cluster answers at {address}", address="x:1"))
    assert (state.status, str(state.error)) == ("failed", "no Ray cluster answers at x:1")
    _folder, state = here(workers=0)
    assert "--workers 0: expected 1" in str(state.error)


def test_the_outcome_of_a_trial_is_told_by_it_or_known_from_its_record(tmp_path):
    folder = RunFolder(tmp_path)
    write_trial(folder, TRIAL)
    finished = replace(TRIAL, state="finished", f1=0.9)
    assert _ended(folder, 0, finished.to_json(), "") == finished
    assert _ended(folder, 0, None, "") == replace(TRIAL, state="pruned")
    dead = _ended(folder, 0, None, "out of memory")
    assert (dead.state, str(dead.error)) == ("failed", "its worker died 3 times (out of memory)")


def test_tune_hears_of_each_tenth_once_and_never_of_a_start():
    told = []
    judge = _TuneJudge(told.append)
    for trial in (
        TRIAL,
        TRIAL,
        replace(TRIAL, reported={**TRIAL.reported, 5: 0.4}),
        replace(TRIAL, start="default"),
    ):
        assert not judge.is_hopeless(trial)
    assert told == [{"f1": 0.3, "step": 4}, {"f1": 0.4, "step": 5}]


def test_only_the_driver_writes_the_time_of_a_search_down(tmp_path):
    Clock(RunFolder(tmp_path), 60.0, lambda: 5.0).save()
    before = read_spent(RunFolder(tmp_path))
    times = iter([0.0, 0.0, 90.0, 90.0, 90.0])
    clock = _ReadClock(RunFolder(tmp_path), 60.0, lambda: next(times))
    clock.save_now_and_then()
    assert read_spent(RunFolder(tmp_path)) == before


@pytest.fixture
def drive(tmp_path, monkeypatch):
    """Run trials side by side with ``fit(results)`` in the place of Tune; the trials that ended."""

    def run(fit, should_stop=lambda: False):
        folder = RunFolder(tmp_path)
        write_trial(folder, TRIAL)
        tuners = {}

        def tuner(work, study, group, search, results, scratch):
            tuners["only"] = type("Tuner", (), {"fit": lambda self: fit(results)})()
            return tuners["only"]

        monkeypatch.setattr(side_by_side, "_tuner", tuner)
        work = SearchWork(
            folder, None, None, None, None, Clock(folder, 60.0), None, lambda event: None, should_stop
        )
        ended = []
        asked = SideBySide(3, lambda: True, lambda trial: 1.0, lambda: False, ended.append)
        run_side_by_side(None, work, None, WorkerGroup(2), asked)
        return ended

    return run


def test_every_trial_that_ended_is_taken_in(drive):
    finished = replace(TRIAL, state="finished", f1=0.5)

    def fit(results):
        results.put((0, finished.to_json(), ""))
        results.put((0, None, ""))

    assert drive(fit) == [finished, replace(TRIAL, state="pruned")]


def test_a_search_side_by_side_stops_and_tells_why_tune_ended(drive):
    over = threading.Event()
    with pytest.raises(Stopped):
        drive(lambda results: over.wait(60), should_stop=lambda: True)
    over.set()

    def fail(results):
        raise RuntimeError("the head is gone")

    with pytest.raises(ClusterError, match="the head is gone"):
        drive(fail)
