"""``train`` and ``resume``: a run folder as the command line writes it; bad input writes nothing."""

import os

import pytest

import latticelens as ll
from core.cli import main

SMALL = {"tagger": "bilstm_crf", "device": "cpu", "epochs": 2, "hidden": 8, "char_dim": 8, "threads": 1}


@pytest.fixture(scope="module")
def documents():
    return ll.read(ll.DEMO_CORPUS).documents[:30]


def test_a_run_is_trained_and_is_a_path_to_its_folder(documents, tmp_path, capsys):
    events = []
    run = ll.train(documents, tmp_path / "run", dev=documents[:5], progress=events.append, **SMALL)
    assert (run.status, run.tagger, run.name) == ("finished", "bilstm_crf", "run")
    assert os.fspath(run) == str(tmp_path / "run")
    assert 0 <= run.scores["dev"]["f1"] <= 1
    assert [event["event"] for event in events].count("epoch") == 2
    expected = ll.load(run, "cpu").evaluate(documents[:5])["f1"]
    assert run.scores["dev"]["f1"] == pytest.approx(expected)
    ll.write(documents[:5], tmp_path / "dev.jsonl")
    assert main(["evaluate", "--model", str(run.folder), "--data", str(tmp_path / "dev.jsonl")]) == 0
    with pytest.raises(ll.LatticeLensError, match=r"holds a run already; go on with resume\("):
        ll.train(documents, tmp_path / "run", **SMALL)


def test_an_interrupted_training_goes_on_as_if_it_had_not_stopped(documents, tmp_path):
    whole = ll.train(documents, tmp_path / "whole", dev=documents[:5], **SMALL)

    def interrupt(event):
        if event["event"] == "epoch":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ll.train(documents, tmp_path / "cut", dev=documents[:5], progress=interrupt, **SMALL)
    resumed = ll.resume(tmp_path / "cut")
    assert resumed.scores["losses"] == whole.scores["losses"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tagger": "oracle"}, "oracle"),
        ({"epoch": 3}, "^epoch: no such field; training has epochs"),
        ({"epochs": 0}, "epochs"),
        ({"device": "abacus"}, "abacus"),
        ({"lexicon": "no-such-list.txt"}, r"^lexicon no-such-list\.txt"),
        ({"dev": "no-such-file.jsonl"}, "no-such-file.jsonl"),
    ],
)
def test_bad_input_writes_nothing(documents, tmp_path, changes, said):
    with pytest.raises(ll.LatticeLensError, match=said):
        ll.train(documents, tmp_path / "run", **{**SMALL, **changes})
    assert not (tmp_path / "run").exists()


def test_there_must_be_something_to_learn(tmp_path):
    with pytest.raises(ll.LatticeLensError, match="nothing to learn"):
        ll.train([ll.Document("a", "x")], tmp_path / "run", **SMALL)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ll.LatticeLensError, match="is a file"):
        ll.train([ll.Document("a", "x")], tmp_path / "file", **SMALL)


def test_only_a_training_is_resumed(tmp_path):
    with pytest.raises(ll.LatticeLensError, match="holds no training to resume"):
        ll.resume(tmp_path)
