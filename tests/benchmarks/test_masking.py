"""The table of what each objective gains: only whole pairs of runs count, and what is complete is kept."""

import json

import pytest

from benchmarks import masking

ENVIRONMENT = {"gpu": None, "threads": 1, "system": "Linux", "python": "3.11", "torch": "2.13"}


def scored(runs, way, size, seed, dev, test):
    folder = runs / f"bert-{way}-{size}-{seed}"
    folder.mkdir(parents=True)
    scores = {"environment": ENVIRONMENT, "dev": {"f1": dev}, "test": {"f1": test}}
    (folder / "scores.json").write_text(json.dumps(scores))


def pretrained(runs, name, *perplexity):
    (runs / name).mkdir(parents=True)
    history = [{"dev": value} for value in perplexity]
    best = 1 + perplexity.index(min(perplexity))
    (runs / name / "result.json").write_text(json.dumps({"history": history, "best_epoch": best}))


def test_a_row_is_the_mean_of_the_seeds_that_both_have(tmp_path):
    pretrained(tmp_path, "words", 90.0, 50.04)
    pretrained(tmp_path, "entities-100", 60.0, 70.0)
    for seed, test in ((1, 0.70), (2, 0.72)):
        scored(tmp_path, "words", 100, seed, 0.6, test)
    scored(tmp_path, "entities", 100, 2, 0.5, 0.73)
    scored(tmp_path, "entities", 100, 3, 0.5, 0.99)  # whole words have no third seed
    rows = masking.render(tmp_path, [100, 500], [1, 2, 3], 3).splitlines()[4:]
    assert rows == [
        "| 100 | whole words | 50.0 | 2 | 60.00 | 71.00 | – |",
        "| 100 | words, and the entities labelled (ERNIE) | 60.0 | 1 | 50.00 | 73.00 | +1.00 |",
    ]


def test_without_a_run_it_says_so(tmp_path):
    with pytest.raises(SystemExit, match="no run is complete"):
        masking.render(tmp_path, [100], [1], 3)


def test_what_is_complete_is_not_run_again_and_what_was_begun_goes_on(tmp_path, monkeypatch):
    asked = []

    class Done:
        stdout = '{"history": []}'

    monkeypatch.setattr(masking.subprocess, "run", lambda command, **_: asked.append(command[4:]) or Done())
    fresh, begun, done = (tmp_path / name for name in ("fresh", "begun", "done"))
    begun.mkdir()
    (begun / "request.json").touch()
    done.mkdir()
    (done / "scores.json").touch()
    for folder in (fresh, begun, done):
        masking._run("train", folder, "scores.json", "--seed", "1")
    assert asked == [
        ["--seed", "1", "--set", "threads=1", "--device", "cpu", "--out", str(fresh)],
        ["--resume", "--out", str(begun)],
    ]
    (begun / "checkpoint").mkdir()
    masking._run("mlm", begun, "result.json", "--text", "a.txt")
    assert asked[-1] == [
        "--text",
        "a.txt",
        "--resume",
        "--set",
        "threads=1",
        "--device",
        "cpu",
        "--out",
        str(begun),
    ]
    assert json.loads((begun / "result.json").read_text()) == {"history": []}
