"""Pretraining as a job: its result in the run folder, cancelled, resumed, and what it refuses."""

import shutil

import pytest

from core.corpus.snapshot import UNLABELLED, Snapshot, write_snapshot
from core.encoders.elmo.folder import read_elmo
from core.encoders.transformer import TransformerEncoder
from core.encoders.word_vectors import read_vec
from core.jobs.execution import execute
from core.runtime.message import Message
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest, check_name
from tests.learning.mlm.small_mlm import DOCUMENTS
from tests.sweep import sweep

VECTORS = {"dimension": 8, "least_count": 2, "epochs": 2}
MLM = {"layers": 1, "width": 16, "heads": 2, "length": 32, "epochs": 2, "threads": 1, "learning_rate": 0.003}
BILM = {
    "cells": 12, "projection": 8, "char_dim": 4, "filters": "1x6 3x10", "highways": 1, "least_count": 1,
    "epochs": 2, "batch_size": 3, "unroll": 4, "threads": 1,
}  # fmt: skip
METHODS = [("vectors", VECTORS), ("mlm", MLM), ("bilm", BILM)]


@pytest.fixture
def prepare(tmp_path):
    def write(method, config, documents=DOCUMENTS, name="pretrain-0001"):
        folder = RunFolder(tmp_path / name)
        write_snapshot(folder.snapshot, Snapshot({UNLABELLED: documents, "train": ()}))
        folder.write_request(
            RunRequest(kind="pretrain", method=method, name="our texts", config=config, device="cpu")
        )
        return folder

    return write


def weights(folder):
    files = [*folder.model.rglob("*.safetensors"), *folder.model.rglob("*.vec")]
    return {path.name: path.read_bytes() for path in files}


@pytest.mark.parametrize(("method", "config"), sweep(METHODS, METHODS[:2]))
def test_a_run_leaves_its_result_its_curve_and_no_texts(prepare, method, config):
    folder = prepare(method, config)
    state = execute(folder, lambda: False)
    assert state.status == "finished", state.error
    scores = folder.scores()
    size = sum(len(document.text) for document in DOCUMENTS)
    assert (scores["name"], scores["method"], scores["characters"]) == ("our texts", method, size)
    epochs = [event for event in folder.events() if event["event"] == "epoch"]
    assert len(epochs) == (6 if method == "vectors" else 2)
    assert not folder.snapshot.exists()
    assert not folder.checkpoint.exists()
    assert not (folder.model / "checkpoint").exists()
    if method == "vectors":
        assert read_vec(folder.model / "characters.vec").dimension == 8
        assert len(scores["neighbours"][0]["near"]) == 5
    else:
        assert scores["perplexity"] == min(event["perplexity"] for event in epochs)
    if method == "mlm":
        assert TransformerEncoder.pretrained(str(folder.model)).width == 16
    if method == "bilm":
        assert read_elmo(folder.model).options.cells == 12


@pytest.mark.parametrize(("method", "config"), sweep(METHODS, METHODS[:2]))
def test_a_cancelled_run_goes_on_to_the_same_weights(prepare, method, config):
    whole, cut = prepare(method, config), prepare(method, config, name="pretrain-0002")
    execute(whole, lambda: False)
    asked = iter(range(10**9))
    limit = {"vectors": 20, "mlm": 3, "bilm": 3}[method]

    def stop():
        over = next(asked) >= limit
        if over:
            cut.cancel_file.touch()
        return over

    assert execute(cut, stop).status == "cancelled"
    cut.cancel_file.unlink()
    assert execute(cut, lambda: False).status == "finished"
    assert weights(cut) == weights(whole) != {}


@pytest.mark.parametrize(("method", "config"), sweep(METHODS, METHODS[:2]))
def test_a_run_that_was_killed_after_an_epoch_goes_on_to_the_same_weights(prepare, method, config):
    whole, cut = prepare(method, config), prepare(method, config, name="pretrain-0002")
    execute(whole, lambda: False)

    def killed(event):
        if event["event"] == "epoch":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(cut, lambda: False, killed)
    assert not cut.scores_file.exists()
    assert execute(cut, lambda: False).status == "finished"
    assert weights(cut) == weights(whole) != {}


def test_a_head_that_learns_alone_is_told_of(prepare):
    first = prepare("mlm", MLM)
    execute(first, lambda: False)
    TransformerEncoder.pretrained(str(first.model)).model.save_pretrained(first.model / "base")
    for path in first.model.glob("tokenizer*"):
        shutil.copy(path, first.model / "base")
    kept = {name: value for name, value in MLM.items() if name in ("length", "epochs", "threads")}
    second = prepare(
        "mlm", {**kept, "encoder": str(first.model / "base"), "head_steps": 4}, name="pretrain-0002"
    )
    assert execute(second, lambda: False).status == "finished"
    (head,) = (event for event in second.events() if event["event"] == "head")
    assert head["steps"] == 4
    assert head["perplexity"] > 1
    told = [str(Message.from_json(event["message"])) for event in second.events() if event["event"] == "log"]
    assert "a fresh one learns alone first, 4 steps at most" in told[1]
    assert f"trained alone for 4 steps; perplexity is {head['perplexity']:.1f} now" in told[2]


@pytest.mark.exhaustive
def test_a_bilm_is_fine_tuned_from_an_earlier_one(prepare):
    first = prepare("bilm", BILM)
    execute(first, lambda: False)
    kept = {
        name: value for name, value in BILM.items() if name in ("epochs", "batch_size", "unroll", "threads")
    }
    second = prepare("bilm", {**kept, "start": str(first.model)}, name="pretrain-0002")
    assert execute(second, lambda: False).status == "finished"
    assert read_elmo(second.model).options == read_elmo(first.model).options


@pytest.mark.parametrize(
    ("method", "config", "documents", "why"),
    [
        ("vectors", VECTORS, (), "no text to learn from"),
        ("mlm", MLM, (), "no text to learn from"),
        ("bilm", BILM, (), "no text to learn from"),
        ("mlm", MLM, DOCUMENTS[:1], "too small"),
        ("mlm", {**MLM, "encoder": "/nowhere/at all"}, DOCUMENTS, "no folder"),
        ("bilm", {"start": "/nowhere"}, DOCUMENTS, "/nowhere"),
        ("vectors", {"dimension": 0}, DOCUMENTS, "dimension"),
    ],
)
def test_what_cannot_be_done_ends_with_a_sentence(prepare, method, config, documents, why):
    folder = prepare(method, config, documents)
    state = execute(folder, lambda: False)
    assert state.status == "failed"
    assert why in str(state.error)
    assert "fault of the program" not in str(state.error)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 61, "a\u202eb", "a\0b", None, 7])
def test_a_name_that_cannot_be_shown_is_refused(name):
    with pytest.raises(TrainingError, match="visible characters"):
        check_name(name)


@pytest.mark.parametrize("name", ["../../etc", "C:\\x", "公司 简历 2", "<b>"])
def test_a_name_is_never_a_path(prepare, tmp_path, name):
    folder = prepare("vectors", VECTORS)
    folder.write_request(RunRequest(kind="pretrain", method="vectors", name=check_name(name), config=VECTORS))
    execute(folder, lambda: False)
    assert folder.scores()["name"] == name
    assert [path.name for path in tmp_path.iterdir()] == ["pretrain-0001"]


def test_an_unknown_method_is_refused():
    with pytest.raises(TrainingError, match="method must be one of vectors, mlm, bilm"):
        RunRequest(kind="pretrain", method="magic", name="x")
