"""``--engine ray``: what is refused, by name, before a folder is written."""

import os
import sys

import pytest

MANY = (os.cpu_count() or 1) + 1


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--workers", 2], "--workers goes with --engine ray"),
        (["--ray", "auto"], "--ray goes with --engine ray"),
        (["--engine", "ray", "--workers", 0], "--workers 0: expected 1 to"),
        (["--engine", "ray", "--gpus-per-worker", 3], "--gpus-per-worker 3.0: expected 0"),
        (["--engine", "ray", "--workers", MANY], f"needs {MANY} processors"),
        (["--engine", "ray", "--workers", 2, "--tagger", "dictionary"], "dictionary learns nothing in steps"),
        (["--engine", "ray", "--tagger", "flad"], "flad"),
        (["--engine", "ray", "--ray", "127.0.0.1:1"], "no Ray cluster answers at 127.0.0.1:1"),
        (["--engine", "ray", "--ray", "nowhere"], "nowhere is not the address of a Ray cluster"),
    ],
)
def test_a_training_that_cannot_be_shared_is_refused(core, corpus, tmp_path, flags, said):
    if "--ray" in flags:
        pytest.importorskip("ray")
    answer = core("train", "--train", corpus["train"], "--out", tmp_path / "run", *flags)
    assert said in answer.reason
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "command",
    [["train", "--train"], ["best"], ["mlm", "--text"], ["bilm", "train", "--text"]],
    ids=["train", "best", "mlm", "bilm"],
)
def test_without_ray_every_command_says_how_to_get_it(core, corpus, tmp_path, monkeypatch, command):
    monkeypatch.setitem(sys.modules, "ray", None)  # which Python takes for one that is not there
    answer = core(*command, corpus["train"], "--out", tmp_path / "run", "--engine", "ray")
    assert "pip install ray[data,train,tune]" in answer.reason
    assert not (tmp_path / "run").exists()


def test_trials_at_once_go_with_the_engine(core, corpus, tmp_path):
    answer = core("best", corpus["train"], "--out", tmp_path / "best", "--trials-at-once", 3)
    assert "--trials-at-once goes with --engine ray" in answer.reason
