"""Searches: trials in a given time, scored without test documents, resumed where they stopped."""

import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.corpus.errors import DiskFullError
from core.corpus.snapshot import Snapshot, write_snapshot
from core.jobs import search_run, search_trial
from core.jobs.execution import execute
from core.jobs.search_scores import gain, interval
from core.jobs.search_trial import keep_epoch
from core.learning.search.clock import Clock, read_spent
from core.learning.search.trials import Trial, ranked, read_trials, trained_folder, trial_folder
from core.taggers.base.model_folder import load_tagger
from core.taggers.sequence.character_tagger import LSTM_SETTINGS
from core.text import Document, Span
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest

ROOT = Path(__file__).resolve().parents[2]
NAMES = [("林晓", "青岛"), ("周平", "兰州"), ("孙悦", "大理"), ("吴重", "南京"), ("郑和", "昆明")]
DOCUMENTS = tuple(
    Document(
        f"d{number}",
        f"第{number}天，{NAMES[number % 5][0]}在{NAMES[number % 3][1]}工作",
        (
            Span(len(f"第{number}天，"), len(f"第{number}天，") + 2, "PER"),
            Span(len(f"第{number}天，") + 3, len(f"第{number}天，") + 5, "LOC"),
        ),
    )
    for number in range(130)
)
SETTINGS = {"threads": 1, "epochs": 2, "batch_size": 8}


@pytest.fixture
def prepare(tmp_path):
    """Write a search that is ready to be executed."""

    def write(parts=None, settings=SETTINGS, **search):
        folder = RunFolder(tmp_path / "search-0001")
        given = {"train": DOCUMENTS[:20], "dev": DOCUMENTS[20:120], "test": DOCUMENTS[120:]}
        write_snapshot(folder.snapshot, Snapshot(given if parts is None else parts))
        asked = {"taggers": "bilstm_crf", "trials": 3, "minutes": 5.0, **search}
        folder.write_request(RunRequest(kind="search", settings=settings, search=asked, device="cpu"))
        return folder

    return write


def trained(folder):
    """The trials without the averages of others."""
    return [trial for trial in read_trials(folder) if not trial.members]


def test_the_first_trial_is_the_default_and_the_best_one_s_model_is_kept(prepare):
    folder = prepare()
    told = []
    state = execute(folder, lambda: False, told.append)
    assert state.status == "finished", state.error
    trials = trained(folder)
    assert [trial.start for trial in trials] == ["default", "recipe", ""]
    assert trials[0].config == {}
    assert trials[0].settings == {**LSTM_SETTINGS, **SETTINGS}
    best = ranked(read_trials(folder))[0]
    assert best.f1 == max(trial.f1 for trial in read_trials(folder) if trial.state == "finished")
    assert best.f1 >= trials[0].f1
    assert best.low <= best.f1 <= best.high
    assert best.characters_per_second > 0
    assert best.size > 1000
    assert sum(row[2] for row in best.counts) == 200, "every dev span counts once"
    scores = folder.scores()
    assert scores["best"] == best.number
    assert load_tagger(folder.model).labels == ("LOC", "PER")
    best = ranked(trials)[0]
    for trial in trials:
        checkpoint = trial_folder(folder, trial.number) / "0" / "checkpoint"
        assert checkpoint.exists() == (trial.number == best.number), "only one can be trained further"
    fractions = [event["fraction"] for event in told if event["event"] == "step"]
    assert fractions == sorted(fractions), "one bar over all trials"


def test_test_documents_are_never_copied_into_a_trial(prepare):
    folder = prepare(trials=1)
    seen = []

    def look(event):
        if event["event"] == "step":
            file = trial_folder(folder, 0) / "0" / "snapshot" / "test.jsonl"
            seen.append(file.read_text(encoding="utf-8"))

    assert execute(folder, lambda: False, look).status == "finished"
    assert set(seen) == {""}


@pytest.mark.exhaustive
def test_without_dev_documents_every_trial_is_cross_validated(prepare):
    folder = prepare({"train": DOCUMENTS[:12]}, trials=1)
    assert execute(folder, lambda: False).status == "finished"
    (trial,) = read_trials(folder)
    assert len(trial.counts) == 12, "every document is scored by a model that has not seen it"
    assert max(trial.reported) == 50
    assert folder.scores()["folds"] == 5
    assert load_tagger(folder.model).labels == ("LOC", "PER"), "trained on all documents at the end"


def test_a_stopped_search_goes_on_where_it_stood(prepare):
    folder = prepare(trials=2)
    steps = []

    def second_trial(event):
        if event["event"] == "step":
            steps.append(event)

    def stop():
        return any(event["trial"] == 1 for event in steps)

    assert execute(folder, stop, second_trial).status == "interrupted"
    first, running = read_trials(folder)
    assert (first.state, running.state) == ("finished", "running")
    spent = read_spent(folder)
    assert spent > 0
    again = []
    assert execute(folder, lambda: False, again.append).status == "finished"
    after = trained(folder)
    assert after[0] == first
    assert (after[1].params, after[1].state) == (running.params, "finished")
    ended = [event["number"] for event in again if event["event"] == "trial" and not event["members"]]
    assert ended == [1], "none is trained twice"
    assert read_spent(folder) > spent


@pytest.mark.exhaustive
def test_what_a_trial_did_before_an_interruption_counts(prepare):
    slowly = {"learning_rate": 0.001, "ema": 0.0}  # never better than what is made up below
    folder = prepare(trials=1, settings={"threads": 1, "epochs": 10, "batch_size": 8, **slowly})
    training = RunFolder(trial_folder(folder, 0) / "0")
    assert execute(folder, lambda: len(training.history()) > 3).status == "interrupted"
    for event in training.history():  # as if these had been the best and slow
        keep_epoch(training, {**event, "dev": {**event["dev"], "f1": 0.99}, "seconds": 100.0})
    before = len(training.history())
    assert execute(folder, lambda: False).status == "finished"
    (trial,) = read_trials(folder)
    assert trial.reported[10] == 0.99, "the best so far, also of the epochs before"
    assert trial.seconds > 100 * (before - 1)


@pytest.mark.exhaustive
def test_the_best_one_of_folds_is_not_trained_again_if_it_stays_the_best(prepare, monkeypatch):
    folder = prepare({"train": DOCUMENTS[:12]}, trials=1)
    assert execute(folder, lambda: False).status == "finished"
    request = folder.read_request()
    folder.write_request(replace(request, search={**request.search, "trials": 2}))

    def never(*_arguments):
        raise MemoryError

    monkeypatch.setattr(search_trial, "execute_training", never)
    monkeypatch.setattr(search_run, "execute_training", never)
    state = execute(folder, lambda: False)
    assert state.status == "finished", state.error
    assert [trial.state for trial in read_trials(folder)] == ["finished", "failed"]
    assert trained_folder(folder, 0) is not None, "its checkpoint is there to go on from"
    assert load_tagger(folder.model).labels == ("LOC", "PER")


@pytest.mark.exhaustive
def test_a_search_killed_with_sigkill_goes_on_after_its_last_epoch(prepare):
    folder = prepare(settings={"threads": 1, "epochs": 40, "batch_size": 8}, trials=1)
    worker = subprocess.Popen([sys.executable, "-m", "core.jobs.worker", str(folder.path)], cwd=ROOT)
    checkpoint = trial_folder(folder, 0) / "0" / "checkpoint" / "checkpoint.json"
    deadline = time.monotonic() + 120
    while not checkpoint.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    worker.kill()
    worker.wait()
    assert checkpoint.exists(), "an epoch was completed"
    (before,) = read_trials(folder)
    assert before.state == "running"
    epochs = []
    state = execute(
        folder, lambda: False, lambda e: epochs.append(e["epoch"]) if e["event"] == "step" else None
    )
    assert state.status == "finished", state.error
    assert min(epochs) > 1
    (after,) = read_trials(folder)
    assert (after.params, after.state) == (before.params, "finished")


def test_a_trial_that_cannot_be_trained_does_not_end_the_search(prepare, monkeypatch):
    folder = prepare(trials=2)
    train = search_trial.execute_training

    def once(training, *rest):
        if training.path.parent.name == "0000":
            raise MemoryError
        return train(training, *rest)

    monkeypatch.setattr(search_trial, "execute_training", once)
    assert execute(folder, lambda: False).status == "finished"
    failed, done = read_trials(folder)
    assert failed.state == "failed"
    assert "not enough memory" in str(failed.error)
    assert done.state == "finished"


@pytest.mark.exhaustive
def test_a_full_disk_ends_it_in_plain_words_and_it_can_be_resumed(prepare, monkeypatch):
    folder = prepare(trials=2)
    train = search_trial.execute_training

    def full(training, *rest):
        if training.path.parent.name == "0001":
            raise DiskFullError(training.checkpoint)
        return train(training, *rest)

    monkeypatch.setattr(search_trial, "execute_training", full)
    state = execute(folder, lambda: False)
    assert state.status == "failed"
    assert "disk is full" in str(state.error)
    monkeypatch.setattr(search_trial, "execute_training", train)
    assert execute(folder, lambda: False).status == "finished"
    assert [trial.state for trial in trained(folder)] == ["finished", "finished"]


def test_failures_without_end_are_told_as_one(prepare, monkeypatch):
    folder = prepare(trials=0)

    def never(*_arguments):
        raise MemoryError

    monkeypatch.setattr(search_trial, "execute_training", never)
    state = execute(folder, lambda: False)
    assert state.status == "failed"
    assert "one trial after another failed" in str(state.error)
    assert "not enough memory" in str(state.error)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, "has 0"),
        ({"train": DOCUMENTS[:1]}, "has 1"),
        ({"train": (DOCUMENTS[0], replace(DOCUMENTS[0], id="twin"))}, "has 1"),
        ({"train": (Document("a", "今天下雨"),), "dev": DOCUMENTS[:9]}, "training documents with labelled"),
    ],
)
def test_a_corpus_too_small_to_score_on_is_refused_in_plain_words(prepare, parts, expected):
    state = execute(prepare(parts), lambda: False)
    assert state.status == "failed"
    assert expected in str(state.error)


@pytest.mark.exhaustive
def test_a_trial_longer_than_the_time_ends_after_an_epoch_and_counts(prepare):
    folder = prepare(settings={"threads": 1, "epochs": 1000}, trials=0, minutes=0.05)
    state = execute(folder, lambda: False)
    assert state.status == "finished", state.error
    trial = read_trials(folder)[0]
    assert trial.state == "finished"
    assert trial.cut
    assert read_spent(folder) < 60


@pytest.mark.exhaustive
def test_a_trial_that_takes_much_longer_than_its_share_leaves_the_rest_to_others(prepare, monkeypatch):
    folder = prepare(settings={"threads": 1, "epochs": 60}, trials=2, minutes=5.0)
    monkeypatch.setattr(search_trial, "OVERRUN", 0.001)
    monkeypatch.setattr(search_trial, "PACE_EPOCH", 0)  # nothing is told of its pace beforehand
    assert execute(folder, lambda: False).status == "finished"
    first, second = trained(folder)
    for trial in (first, second):
        assert (trial.state, trial.cut) == ("finished", True), "what it has reached counts"
        assert trial.seconds < 60


def test_the_clock_goes_on_after_an_interruption(tmp_path):
    folder, now = RunFolder(tmp_path), [100.0]
    clock = Clock(folder, 60.0, lambda: now[0])
    now[0] = 110.0
    clock.save()
    now[0] = 500.0  # killed meanwhile
    later = Clock(folder, 60.0, lambda: now[0])
    now[0] = 505.0
    assert later.spent == 15.0
    later.reserve = 40.0
    assert later.left == 5.0
    assert later.fraction == 0.25


def test_a_damaged_record_ends_the_list(prepare):
    folder = prepare(trials=2)
    assert execute(folder, lambda: False).status == "finished"
    shutil.rmtree(trial_folder(folder, 2))  # the average of both
    path = trial_folder(folder, 1) / "trial.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    for wrong in (
        {"state": "won"}, {"f1": 2}, {"f1": None}, {"tagger": "../x"}, {"params": 3}, {"number": True},
        {"counts": "none"}, {"counts": [[1, 2]]}, {"counts": [[1, -2, 3]]}, {"epochs": "3"},
        {"tagger": "ensemble"}, {"members": [0]}, {"tagger": "ensemble", "members": [1]},
        {"tagger": "ensemble", "members": "0"},
    ):  # fmt: skip
        path.write_text(json.dumps(value | wrong), encoding="utf-8")
        assert len(read_trials(folder)) == 1, wrong
    path.write_text(json.dumps(value), encoding="utf-8")
    assert len(read_trials(folder)) == 2


def test_the_interval_of_a_difference_is_paired():
    counts = [[number % 2, 1, 1] for number in range(40)]
    better = [[1, 1, 1] for _ in range(40)]
    base = Trial(0, "flat", {}, {}, state="finished", f1=0.5, counts=counts)
    other = Trial(1, "flat", {}, {}, state="finished", f1=1.0, counts=better)
    low, high = interval(counts)
    assert low < 0.5 < high
    difference, low, high = gain(base, other)
    assert difference == 0.5
    assert 0 < low < 0.5 < high
    assert gain(base, replace(other, counts=better[:20])) is None
