"""``core bilm``: train on raw text, go on, fine-tune, measure; the ELMo tagger starts from its folder."""

from pathlib import Path

import pytest

from tests.interrupts import interrupted
from tests.learning.bilm.small_bilm import TEXTS

SMALL = ["cells=8", "projection=6", "char_dim=4", "filters=1x4 2x6", "highways=1", "least_count=1"]
TRAINING = ["unroll=4", "batch_size=3", "threads=1"]


@pytest.fixture
def text(tmp_path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(TEXTS * 5), encoding="utf-8")
    return path


def arguments(text, out, *more, sets=(*SMALL, *TRAINING), epochs=2):
    given = ["bilm", "train", "--text", text, "--out", out, "--epochs", epochs, "--device", "cpu"]
    return [*given, *(part for value in sets for part in ("--set", value)), *more]


def test_training_prints_one_object_and_writes_a_folder_to_start_from(core, text, corpus, tmp_path):
    answer = core(*arguments(text, tmp_path / "bilm"))
    assert answer.status == 0, answer.err
    result = answer.json
    missing = 5 * sum(map(len, TEXTS)) - result["tokens"]
    assert missing in {len(text) for text in TEXTS}, "one document is not learned from"
    assert [record["epoch"] for record in result["history"]] == [1, 2]
    assert result["history"][1]["dev"]["forward"] < result["before"]["forward"]
    assert result["unknown_rate"] == 0
    assert "1 of the 20 documents are held out" in answer.err
    assert "Epoch 2 of 2: loss" in answer.err
    tagger = ["train", "--tagger", "elmo_crf", "--train", corpus["train"], "--out", tmp_path / "run"]
    sets = [f"encoder={tmp_path / 'bilm'}", "char_dim=4", "hidden=5", "top_hidden=0", "threads=1"]
    trained = core(*tagger, "--epochs", 1, *(part for value in sets for part in ("--set", value)))
    assert trained.status == 0, trained.err
    tagged = core("tag", "--model", tmp_path / "run", text)
    assert tagged.status == 0, tagged.err
    assert [line["text"] for line in tagged.lines] == text.read_text(encoding="utf-8").split("\n")


def test_resuming_goes_on_and_a_folder_is_not_overwritten(core, text, tmp_path):
    out = tmp_path / "bilm"
    assert "no training to resume" in core(*arguments(text, out, "--resume")).reason
    first = core(*arguments(text, out))
    assert "holds a result already" in core(*arguments(text, out)).reason
    more = core(*arguments(text, out, "--resume", epochs=3))
    assert more.status == 0, more.err
    assert more.json["history"][:2] == first.json["history"]
    assert len(more.json["history"]) == 3
    refused = core(*arguments(text, out, "--resume", "--set", "learning_rate=0.5"))
    assert "settings differ" in refused.reason


@pytest.mark.exhaustive
def test_an_interrupted_training_ends_as_if_never_stopped(core, text, tmp_path):
    whole = core(*arguments(text, tmp_path / "whole", epochs=12))
    checkpoint = tmp_path / "cut" / "checkpoint" / "checkpoint.json"
    err = interrupted(arguments(text, tmp_path / "cut", epochs=12), checkpoint.exists)
    assert "same command with --resume" in err
    resumed = core(*arguments(text, tmp_path / "cut", "--resume", epochs=12))
    losses = [[record["loss"] for record in answer.json["history"]] for answer in (whole, resumed)]
    assert losses[0] == losses[1]


def test_fine_tuning_brings_its_own_structure(core, text, tmp_path):
    core(*arguments(text, tmp_path / "first"))
    domain = tmp_path / "domain.txt"
    domain.write_text("小鱼看书，小鱼写字。\n" * 4, encoding="utf-8")
    tuned = core(*arguments(domain, tmp_path / "tuned", "--start", tmp_path / "first", sets=TRAINING))
    assert tuned.status == 0, tuned.err
    assert tuned.json["history"][-1]["dev"]["forward"] < tuned.json["before"]["forward"]
    for assignment in ("cells=9", "softmax=cnn"):
        refused = core(*arguments(domain, tmp_path / "x", "--start", tmp_path / "first", sets=[assignment]))
        assert "has its own; leave it out" in refused.reason


@pytest.mark.exhaustive
def test_perplexity_of_a_text(core, text, tmp_path):
    core(*arguments(text, tmp_path / "bilm", epochs=10))
    near = core("bilm", "perplexity", "--bilm", tmp_path / "bilm", "--text", text)
    assert near.status == 0, near.err
    far = tmp_path / "far.txt"
    far.write_text("鑫淼焱垚\n", encoding="utf-8")
    other = core("bilm", "perplexity", "--bilm", tmp_path / "bilm", "--text", far)
    assert other.json["unknown_rate"] == 1.0
    assert other.json["tokens"] == 4
    assert other.json["forward"] > near.json["forward"] > 1


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--set", "colour=red"], "--set colour: no such field; there are unit"),
        (["--set", "cells=0"], "cells: '0' does not fit"),
        (["--set", "filters=many"], "filters: 'many' does not fit"),
        (["--set", "sampling=dice"], "sampling: 'dice' does not fit"),
        (["--start", "nowhere"], "there is no folder nowhere"),
        (["--device", "mps"], "no Apple GPU"),
        (["--dev", "missing.txt"], "there is no file missing.txt"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing_behind(core, text, tmp_path, more, reason):
    sets = TRAINING if "--start" in more else [*SMALL, *TRAINING]
    assert reason in core(*arguments(text, tmp_path / "bilm", *more, sets=sets)).reason
    assert not (tmp_path / "bilm").exists()


def test_what_cannot_be_measured_is_one_line(core, text, tmp_path):
    answer = core("bilm", "perplexity", "--bilm", tmp_path / "none", "--text", text)
    assert "no biLM that was trained here" in answer.reason
    blank = tmp_path / "blank.txt"
    blank.write_text("\u3000\n", encoding="utf-8")
    assert core(*arguments(blank, tmp_path / "bilm")).status == 2
