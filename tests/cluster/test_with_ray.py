"""Training, pretraining and a search on Ray itself, two workers on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.corpus.document_json import write_documents
from core.learning.search.trials import read_trials
from core.training.run.run_folder import RunFolder
from tests.jobs.test_search_run import DOCUMENTS
from tests.learning.bilm.small_bilm import TEXTS

ROOT = Path(__file__).resolve().parents[2]
STILL = ["output_dropout=0", "embedding_dropout=0", "char_unknown=0", "threads=1"]  # nothing random
RAY = ["--engine", "ray", "--workers", "2"]

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def printed():
    """Run a command where Ray has been started; what it printed."""
    pytest.importorskip("ray")
    beside = [sys.executable, "-m", "tests.cluster.commands_on_ray"]
    with subprocess.Popen(
        beside, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def answer(*arguments: object, sets=()) -> str:
            print(json.dumps(words(*arguments, sets=sets)), file=process.stdin, flush=True)
            answered = process.stdout.readline()
            assert answered, "the process ended"
            status, out, said = json.loads(answered)
            assert status == 0, said
            return out

        yield answer
        process.stdin.close()


@pytest.fixture
def run(printed):
    """The same, for a command that prints one object."""
    return lambda *arguments, sets=(): json.loads(printed(*arguments, sets=sets))


@pytest.fixture
def files(tmp_path):
    for name, part in {"train": DOCUMENTS[:60], "dev": DOCUMENTS[60:80]}.items():
        write_documents(tmp_path / f"{name}.jsonl", part)
    (tmp_path / "text.txt").write_text("\n".join(TEXTS * 10), encoding="utf-8")
    return tmp_path


def words(*arguments: object, sets=()):
    pairs = [part for value in sets for part in ("--set", value)]
    return [*map(str, arguments), *pairs]


def wait(for_what, process):
    until = time.monotonic() + 240
    while not for_what():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.1)


def test_a_killed_worker_and_a_killed_driver_change_no_loss(files, run):
    """The losses and scores of one process, to 1e-6, after a worker and then the command were killed."""
    psutil = pytest.importorskip("psutil")
    data = ["--tagger", "bilstm_crf", "--train", files / "train.jsonl", "--dev", files / "dev.jsonl"]
    # So slow that losses stay large: rounding of single precision grows as they fall.
    sets = [*STILL, "epochs=24", "learning_rate=0.0002"]
    one = run("train", *data, "--out", files / "one", sets=sets)
    folder = RunFolder(files / "two")
    command = [sys.executable, "-m", "core", *words("train", *data, "--out", folder.path, *RAY, sets=sets)]
    driver = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    wait(lambda: len(folder.history()) >= 3, driver)
    workers = [
        process
        for process in psutil.Process(driver.pid).children(recursive=True)
        if "RayTrainWorker" in process.name() or "RayTrainWorker" in " ".join(process.cmdline())
    ]
    assert len(workers) == 2
    os.kill(workers[1].pid, signal.SIGKILL)
    reached = len(folder.history())
    wait(lambda: len(folder.history()) > reached + 2, driver)
    said = [event["message"]["template"] for event in folder.events() if event["event"] == "log"]
    assert any("A worker has died" in sentence for sentence in said)
    driver.kill()
    driver.wait()
    assert folder.scores() is None
    two = run("train", "--out", folder.path, "--resume", *RAY)
    assert two["losses"] == pytest.approx(one["losses"], rel=1e-6)
    assert two["dev"] == one["dev"]
    assert folder.state().status == "finished"
    assert not (folder.path / "ray").exists()


def losses(result):
    return [epoch["loss"] for epoch in result["history"]]


def test_two_workers_train_a_masked_model_as_one_process_does(files, run):
    given = ["mlm", "--text", files / "text.txt", "--epochs", 2, "--device", "cpu", "--set", "threads=1"]
    tiny = ["layers=1", "width=16", "heads=2", "least_character=1"]
    (files / "text.txt").write_text("\n".join(TEXTS * 40), encoding="utf-8")  # at least a thousand pieces
    start = run(*given, "--out", files / "start", sets=tiny)["encoder"]
    config = Path(start) / "config.json"
    values = json.loads(config.read_text(encoding="utf-8"))
    values |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    config.write_text(json.dumps(values), encoding="utf-8")
    one = run(*given, "--out", files / "one", sets=[f"encoder={start}"])
    two = run(*given, "--out", files / "two", *RAY, sets=[f"encoder={start}"])
    assert losses(two) == pytest.approx(losses(one), rel=1e-6)
    assert two["history"][1]["dev"] == pytest.approx(one["history"][1]["dev"], rel=1e-5)


def test_two_workers_train_a_bilm_as_one_process_does(files, run):
    given = ["bilm", "train", "--text", files / "text.txt", "--epochs", 2, "--device", "cpu"]
    sets = [
        "cells=8", "projection=6", "char_dim=4", "filters=1x4 2x6", "highways=1", "dropout=0", "unroll=4",
        "batch_size=3", "threads=1",
    ]  # fmt: skip
    one = run(*given, "--out", files / "one", sets=sets)
    two = run(*given, "--out", files / "two", *RAY, sets=sets)
    assert losses(two) == pytest.approx(losses(one), rel=1e-6)


def test_trials_run_side_by_side_and_a_search_goes_on(files, printed):
    arguments = ["best", "--out", files / "best", "--engine", "ray", "--trials-at-once", 2]
    begin = [
        files / "train.jsonl", "--dev", files / "dev.jsonl", "--taggers", "bilstm_crf", "--minutes", 5,
        "--trials", 3,
    ]  # fmt: skip
    done = printed(*arguments, *begin, sets=["epochs=3", "threads=1"])
    rows = [json.loads(line) for line in done.splitlines()]
    assert {row["state"] for row in rows} <= {"finished", "pruned"}
    assert {row["start"] for row in rows if row["state"] == "finished"} >= {"default", "recipe"}
    trials = read_trials(RunFolder(files / "best"))
    assert [trial.number for trial in trials] == [0, 1, 2]
    printed(*arguments, "--resume", "--trials", 4)
    assert read_trials(RunFolder(files / "best"))[:3] == trials
    assert len(read_trials(RunFolder(files / "best"))) == 4
