"""The table of what each way gains where few documents are labelled."""

import json
from pathlib import Path

import pytest

from benchmarks import few_documents
from benchmarks.few_documents import BASELINE, Corpus, render
from core.formats import read_file

ENVIRONMENT = {"gpu": None, "threads": 1, "system": "Linux", "python": "3.11", "torch": "2"}


def _corpus(folder: Path, seed: int, **test_f1: float) -> Corpus:
    for way, f1 in test_f1.items():
        (folder / way).mkdir(parents=True)
        scores = {"dev": {"f1": f1 - 0.05}, "test": {"f1": f1}, "environment": ENVIRONMENT}
        (folder / way / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    return Corpus([], [], folder / "raw.jsonl", folder, seed, [])


def test_a_gain_compares_the_seeds_that_both_have_and_unrun_ways_have_no_row(tmp_path):
    corpora = {
        (100, 1): _corpus(tmp_path / "1", 1, baseline=0.80, r_drop=0.83),
        (100, 2): _corpus(tmp_path / "2", 2, baseline=0.70),
    }
    rows = [line for line in render(corpora, "40 epochs").splitlines() if line.startswith("| 100")]
    assert rows == [
        "| 100 | `bilstm_crf` with plain settings | 2 | 70.00 | 75.00 | – |",
        "| 100 | R-Drop (`r_drop=1`) | 1 | 78.00 | 83.00 | +3.00 |",
    ]


def test_without_a_complete_run_there_is_no_table(tmp_path):
    with pytest.raises(SystemExit, match="no run is complete"):
        render({(100, 1): _corpus(tmp_path, 1)}, "40 epochs")


def test_a_complete_run_is_not_repeated_and_a_broken_one_goes_on(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(few_documents.subprocess, "run", lambda command, **_: calls.append(command[3:]))
    corpus = _corpus(tmp_path, 7, baseline=0.8)
    (tmp_path / "r_drop").mkdir()
    (tmp_path / "r_drop" / "request.json").write_text("{}", encoding="utf-8")
    for way in (BASELINE, "r_drop", "self_training"):
        few_documents.WAYS[way][1](corpus)
    resumed, begun = calls
    assert resumed == ["train", "--resume", "--out", str(tmp_path / "r_drop")]
    assert begun[:3] == ["self-train", "--seed", "7"]


def test_raw_texts_are_unlabelled_and_not_among_the_labelled(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    lines = "".join(f"{character} S-PER\n\n" for character in "甲乙丙丁戊己庚辛")
    for part in ("train", "dev", "test"):
        (folder / f"{part}.char.bmes").write_text(lines, encoding="utf-8")
    arguments = [str(folder), "--runs", str(tmp_path / "runs"), "--sizes", "3", "--seeds", "1", "--raw", "4"]
    with pytest.raises(SystemExit, match="no run is complete"):
        few_documents.main([*arguments, "--table-only"])
    drawn = tmp_path / "runs" / "3-1"
    labelled, raw = (list(read_file(drawn / name).documents) for name in ("train.jsonl", "raw.jsonl"))
    assert (len(labelled), len(raw)) == (3, 4)
    assert all(document.spans for document in labelled)
    assert not any(document.spans for document in raw)
    assert not {document.text for document in labelled} & {document.text for document in raw}
