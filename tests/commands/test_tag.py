"""``core tag`` and ``core evaluate``: any text in, the same texts out, plain words on bad input."""

import io
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import torch

from core.commands.tag import tag_lines
from core.taggers.base.tagging import tag
from tests.training.conftest import TinyConfig, TinyTagger

ROOT = Path(__file__).resolve().parents[2]


def test_every_line_comes_back_with_its_spans(core, trained, tmp_path):
    lines = ["林晓今天在青岛工作", "", "👍🏽𠮷今天", "x" * 1200, "周平今天在兰州工作"]
    path = tmp_path / "texts.txt"
    path.write_bytes("\ufeff".encode() + "\r\n".join(lines).encode())
    answer = core("tag", "--model", trained, path)
    assert answer.status == 0, answer.err
    assert [record["text"] for record in answer.lines] == lines
    first = answer.lines[0]["spans"]
    assert [(span["text"], span["label"]) for span in first] == [("林晓", "PER"), ("青岛", "LOC")]
    for record in answer.lines:
        for span in record["spans"]:
            assert record["text"][span["start"] : span["end"]] == span["text"]
            assert 0 <= span["score"] <= 1


@pytest.mark.exhaustive
def test_a_line_of_a_megabyte_is_tagged():
    sentence = "林晓今天在青岛工作。"
    torch.manual_seed(3)
    tagger = TinyTagger(TinyConfig(), ("LOC", "PER")).eval()
    source = io.BytesIO((sentence * 35_000).encode() + b"\nshort")
    assert len(source.getvalue()) > 1 << 20
    long, short = tag_lines(partial(tag, tagger), source, "long.txt")
    assert (long["text"] == sentence * 35_000, short["text"]) == (True, "short")
    for span in long["spans"]:
        assert long["text"][span["start"] : span["end"]] == span["text"]
    # The text repeats itself and so do the predictions, but for those at the very ends: offsets hold from the
    # first windows to the last.
    head = {(x["start"] % 10, x["text"]) for x in long["spans"] if 1_000 <= x["start"] < 4_000}
    tail = {(x["start"] % 10, x["text"]) for x in long["spans"] if 346_000 <= x["start"] < 349_000}
    assert head
    assert head == tail


def test_threads_are_those_asked_for(core, trained, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("林晓今天在青岛工作\n", encoding="utf-8")
    assert core("tag", "--model", trained, "--threads", 3, path).status == 0
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize(("given", "policy"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "ACTIVE"}, "ACTIVE")])
def test_threads_wait_asleep_unless_the_environment_says_otherwise(given, policy):
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    code = "import core.__main__, os, sys; print(os.environ['OMP_WAIT_POLICY'], 'torch' in sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**environment, **given}, capture_output=True, text=True
    )
    assert told.stdout.split() == [policy, "False"]  # torch reads it when it loads


@pytest.mark.parametrize("threads", ["0", "-1", "2000"])
def test_a_number_of_threads_that_cannot_be_is_refused(core, trained, threads):
    assert (
        f"--threads {threads}: expected 1 to 1024"
        in core("tag", "--model", trained, "--threads", threads).reason
    )


def test_stdin_is_read_when_no_file_is_named(core, trained, monkeypatch):
    text = "孙悦今天在大理工作\n" * 3
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    answer = core("tag", "--model", trained)
    assert answer.status == 0, answer.err
    assert [record["text"] for record in answer.lines] == text.splitlines()


@pytest.mark.exhaustive
def test_a_reader_that_leaves_is_no_error(trained):
    command = [sys.executable, "-m", "core", "tag", "--model", str(trained)]
    text = "孙悦今天在大理工作\n" * 900
    reader, writer = os.pipe()
    os.close(reader)
    answer = subprocess.run(
        command, cwd=ROOT, input=text.encode(), stdout=writer, stderr=subprocess.PIPE, timeout=240
    )
    os.close(writer)
    assert b"Traceback" not in answer.stderr


def test_lines_are_tagged_as_they_come_not_all_at_once(trained):
    from core.taggers.base.model_folder import load_tagger

    class Endless(io.RawIOBase):
        read_lines = 0

        def __iter__(self):
            return self

        def __next__(self) -> bytes:
            self.read_lines += 1
            return "林晓\n".encode()

    source = Endless()
    records = tag_lines(partial(tag, load_tagger(trained / "model")), source, "endless")
    assert next(records)["text"] == "林晓"
    assert source.read_lines < 1000


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"ok\n\x00\x01", "line 2: holds a zero byte"),
        ("好\n".encode("gb18030"), "line 1: byte 1 is not UTF-8"),
    ],
)
def test_what_is_no_text_is_named_by_line(core, trained, tmp_path, content, reason):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    answer = core("tag", "--model", trained, path)
    assert answer.status == 2
    assert reason in answer.err
    assert len(answer.err.splitlines()) == 1


def broken_model(trained: Path, folder: Path, how: str) -> Path:
    if how == "missing":
        return folder / "nowhere"
    if how == "empty":
        folder.mkdir()
        return folder
    if how == "unfinished":
        shutil.copytree(trained, folder)
        shutil.rmtree(folder / "model")
        return folder
    shutil.copytree(trained / "model", folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    return folder


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("missing", "there is no model folder"),
        ("empty", "config.json is missing"),
        ("unfinished", "has no model yet"),
        ("truncated", "model.safetensors is damaged or cut off"),
    ],
)
def test_a_model_that_cannot_be_loaded_is_one_line(core, trained, corpus, tmp_path, how, reason):
    model = broken_model(trained, tmp_path / "model", how)
    assert reason in core("evaluate", "--model", model, "--data", corpus["test"]).reason
    assert reason in core("tag", "--model", model, corpus["words"]).reason


def test_a_file_that_is_not_there_is_one_line(core, trained):
    assert "there is no file gone.txt" in core("tag", "--model", trained, "gone.txt").reason
    assert "there is no file gone" in core("evaluate", "--model", trained, "--data", "gone").reason


def test_evaluate_counts_every_document_gold_and_prediction(core, trained, corpus, tmp_path):
    result = core("evaluate", "--model", trained, "--data", corpus["test"]).json
    assert (result["documents"], result["gold"]) == (4, 8)
    assert result["predicted"] == result["micro"]["predicted"]
    assert set(result["per_label"]) == {"PER", "LOC"}
    with corpus["test"].open("a", encoding="utf-8") as file:
        file.write("\n好 O\n")
    assert core("evaluate", "--model", trained, "--data", corpus["test"]).json["documents"] == 5


def test_a_label_the_model_does_not_know_counts_as_missed(core, trained, corpus):
    known = core("evaluate", "--model", trained, "--data", corpus["test"]).json
    with corpus["test"].open("a", encoding="utf-8") as file:
        file.write("\n青 B-SHIP\n岛 E-SHIP\n号 O\n")
    result = core("evaluate", "--model", trained, "--data", corpus["test"]).json
    assert result["gold"] == known["gold"] + 1
    assert result["per_label"]["SHIP"]["recall"] == 0
    assert set(result["per_label"]) == {"PER", "LOC", "SHIP"}
    assert result["per_label"]["PER"]["gold"] == known["per_label"]["PER"]["gold"]


@pytest.mark.parametrize("device", ["abacus", "mps"])
def test_a_device_that_is_not_there_is_one_line(core, trained, corpus, device):
    if device == "mps" and torch.backends.mps.is_available():
        pytest.skip("this machine has an Apple GPU, so asking for it is no error")
    answer = core("evaluate", "--model", trained, "--data", corpus["test"], "--device", device)
    assert "choose auto" in answer.reason
